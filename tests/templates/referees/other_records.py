"""Other records of lawful rounds of a template: records that stop, motions that no text fixes, and parts left out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.lawful.record import (
    DECK,
    Event,
    Record,
    Session,
    collect_by_mistake,
    drop_events,
    drop_keys,
    hide_cards,
)
from tests.lawful.variations import VARIATIONS, settle_wagers_of_a_hand_in_another_order, vary
from tests.templates.referees.core import Referee, Round, key_of

KEYS = (
    *("dealer", "community", "seat/player", "seat/cards", "seat/decision", "event/face", "event/by"),
    *("wager/paid", "wager/taken"),
)
OUTSIDE_FIRST = {"roulette-european", "roulette-american"}
"""Games whose text orders the payments of a player."""

Way = Callable[[random.Random, Referee, Round], Record]


def stop_anywhere(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Stop after any event, now and then in a log that does not record some kinds."""
    kinds = rng.sample(referee.kinds, rng.randint(1, len(referee.kinds))) if rng.random() < 0.3 else []
    return drop_events(round_.record(stop=rng.randint(0, len(round_.events))), kinds)


def stop_after_a_mistake(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Stop after a stake was collected by mistake, before it is put back."""

    def count_lying(event: Event, events: Sequence[Event]) -> int:
        stake = round_.stakes(events).get(key_of(event))
        return 0 if stake is None else stake.lying

    return round_.record(stop=collect_by_mistake(rng, round_.events, count_lying))


def play_otherwise(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Vary motions that no text fixes, several in a round."""
    fixed = {settle_wagers_of_a_hand_in_another_order} if referee.game in OUTSIDE_FIRST else set()
    free = [variation for variation in VARIATIONS if variation not in fixed]
    return vary(round_.record(way=rng.choice(["gross", "net"])), rng, rng.sample(free, rng.randint(1, 4)))


def leave_out_kinds(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Leave out some kinds of event, or nearly all."""
    round_.remove(*round_.facts.get("late", ()))  # without all events nobody sees why a late stake went back
    happened = sorted({event["event"] for event in round_.events})
    kinds = rng.sample(happened, rng.randint(1, min(len(happened), rng.choice([1, 2, 3, 8]))))
    return drop_events(round_.record(way="net" if "return" in kinds else rng.choice(["gross", "net", "none"])), kinds)


def leave_out_keys(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Leave out keys of the record."""
    return drop_keys(round_.record(way=rng.choice(["gross", "net", "none"])), rng.sample(KEYS, rng.choice([1, 2, 3])))


def hide_some_cards(rng: random.Random, referee: Referee, round_: Round) -> Record:
    """Leave the faces of some cards unknown, or of all."""
    share = rng.choice([0.1, 0.5, 1.0])
    hidden = {card for card in DECK if rng.random() < share}
    return hide_cards(round_.record(), hidden.__contains__)


WAYS: dict[str, Way] = {
    way.__name__.replace("_", "-"): way
    for way in (stop_anywhere, stop_after_a_mistake, play_otherwise, leave_out_kinds, leave_out_keys, hide_some_cards)
}


def write_other_records(referee: Referee, seed: int, sessions: int, way: str | None = None) -> Session:
    """Return records of short sessions without numbers, each session in one way."""
    rng, records, submissions = random.Random(f"other-{referee.game}-{seed}"), [], []
    for index in range(sessions):
        played = list(referee.open_session(seed * 100_003 + index, f"O{seed}-{index}", rng.choice([1, 1, 1, 2, 3])))
        submissions.append(referee.submit(played[0].house, played[0].casino))
        keep = WAYS[way or rng.choice(list(WAYS))]
        own = [keep(rng, referee, round_) for round_ in played]
        records += [{key: value for key, value in record.items() if key != "number"} for record in own]
    return records, submissions
