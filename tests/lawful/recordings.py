"""Ways to record a round beyond the habits of the generators: kinds left out together, stops anywhere, keys missing.

Every way is lawful for any round. Records bear no numbers, so that rounds may be missing between any two.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.lawful.habits import ALL_KEYS, ALL_KINDS, drop_empty_lists
from tests.lawful.projections import hide_deal_order
from tests.lawful.record import (
    DECK,
    Event,
    Record,
    Recorder,
    Round,
    collect_by_mistake,
    drop_all_events,
    drop_events,
    drop_keys,
    hide_cards,
)
from tests.lawful.variations import VARIATIONS, vary

Way = Callable[[random.Random, Round], Record]

SEAT_KEYS = ("cards", "decision", "player", "discarded", "drawn")
STAKE_KEYS = ("paid", "taken")


def stop_anywhere(rng: random.Random, round_: Round) -> Record:
    return round_.record(stop=rng.randint(0, len(round_.events)))


def stop_after_a_mistake(rng: random.Random, round_: Round) -> Record:
    """Stop after a stake was collected by mistake, before it is put back."""

    def count_lying(event: Event, events: Sequence[Event]) -> int:
        stake = round_.stakes(events).get((event["seat"], event["wager"], bool(event.get("tip"))))
        return 0 if stake is None else stake.lying

    return round_.record(stop=collect_by_mistake(rng, round_.events, count_lying))


def stop_with_kinds_left_out(rng: random.Random, round_: Round) -> Record:
    """Stop anywhere, in a log that does not record some kinds, decisions often among them."""
    kinds = rng.sample(ALL_KINDS, rng.choice([0, 1, 2])) + ["decide"] * (rng.random() < 0.4)
    record = drop_events(stop_anywhere(rng, round_), kinds)
    if rng.random() < 0.5:
        drop_empty_lists(record)
    return record


def leave_out_kinds(rng: random.Random, round_: Round) -> Record:
    """Leave out some kinds, or nearly all."""
    kinds = rng.sample(ALL_KINDS, rng.choice([1, 2, 2, 3, 6, 12, len(ALL_KINDS) - 2]))
    return drop_events(round_.record(outcomes=_choose_outcomes(rng)), kinds)


def leave_out_returns(rng: random.Random, round_: Round) -> Record:
    """Record all that was taken in the summary, and leave out of the events what was put back."""
    kinds = ["return", *rng.sample(ALL_KINDS, rng.choice([0, 0, 1, 2]))]
    return drop_events(round_.record(outcomes="gross"), kinds)


def leave_out_bonuses(rng: random.Random, round_: Round) -> Record:
    """Record bonuses by events alone."""
    record = round_.record(outcomes=_choose_outcomes(rng))
    for seat in record["seats"]:
        seat.pop("bonuses", None)
    return record


def leave_out_keys(rng: random.Random, round_: Round) -> Record:
    """Leave out keys of the record everywhere, and of some seats and stakes alone."""
    record = drop_keys(round_.record(outcomes=_choose_outcomes(rng)), _choose_keys(rng))
    _leave_out_here_and_there(rng, record, 0.2)
    return drop_events(record, rng.sample(ALL_KINDS, rng.choice([0, 0, 1, 2])))


def hide_some_cards(rng: random.Random, round_: Round) -> Record:
    """Leave the faces of some cards unknown, or of all."""
    share = rng.choice([0.1, 0.3, 0.6, 1.0])
    hidden = {card for card in DECK if rng.random() < share}
    record = hide_cards(round_.record(outcomes=_choose_outcomes(rng)), hidden.__contains__)
    return drop_events(record, rng.sample(ALL_KINDS, rng.choice([0, 0, 1, 2])))


def summarize(rng: random.Random, round_: Round) -> Record:
    """Record a summary alone, with keys left out."""
    record = drop_all_events(round_.record(outcomes=rng.choice(["net", "none"])))
    record = drop_keys(record, _choose_keys(rng))
    _leave_out_here_and_there(rng, record, 0.1)
    return record


def leave_out_the_order(rng: random.Random, round_: Round) -> Record:
    """List the cards dealt in packets of any order, in a log that does not record it."""
    record = hide_deal_order(rng, round_.record(outcomes=_choose_outcomes(rng)))
    return drop_events(record, rng.sample(ALL_KINDS, rng.choice([0, 1, 2])))


def play_otherwise(rng: random.Random, round_: Round) -> Record:
    """Vary motions that no text fixes, several in a round, and leave out kinds."""
    record = vary(round_.record(outcomes=rng.choice(["gross", "net"])), rng, rng.sample(VARIATIONS, rng.randint(1, 4)))
    return drop_events(record, rng.sample(ALL_KINDS, rng.choice([0, 0, 1, 2, 3])))


WAYS: dict[str, Way] = {
    way.__name__.replace("_", "-"): way
    for way in (
        stop_anywhere,
        stop_after_a_mistake,
        stop_with_kinds_left_out,
        leave_out_kinds,
        leave_out_returns,
        leave_out_bonuses,
        leave_out_keys,
        hide_some_cards,
        summarize,
        leave_out_the_order,
        play_otherwise,
    )
}


def make_recorder(name: str | None = None) -> Recorder:
    """Return a recorder of rounds in one way, or each round in any."""

    def record_all(rng: random.Random, rounds: Sequence[Round]) -> list[Record]:
        ways = list(WAYS.values()) if name is None else [WAYS[name]]
        records = [rng.choice(ways)(rng, round_) for round_ in rounds]
        for record in records:
            record.pop("number", None)
        return records

    return record_all


def _choose_outcomes(rng: random.Random) -> str:
    return rng.choice(["gross", "net", "none"])


def _choose_keys(rng: random.Random) -> list[str]:
    # An announcement that names nobody is the dealer's.
    keys = [key for key in ALL_KEYS if key != "event/by"]
    return rng.sample(keys, rng.choice([0, 1, 2, 3, 5]))


def _leave_out_here_and_there(rng: random.Random, record: Record, share: float) -> None:
    for seat in record["seats"]:
        for key in SEAT_KEYS:
            if rng.random() < share:
                seat.pop(key, None)
        for wager in seat["wagers"]:
            for key in STAKE_KEYS:
                if rng.random() < share:
                    wager.pop(key, None)
