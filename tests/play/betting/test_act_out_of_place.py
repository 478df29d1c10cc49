"""An act recorded too late or too early is reported once; all other acts count as in the original hand."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, replay_as_recorded, replay_betting
from fairdeal.validator.engine.betting.misplaced_actions import MOST_ACTIONS
from tests.facade.rounds import EvaluationContext
from tests.play.betting.game import POSTED, SHORT_ALL_IN, play_acts
from tests.play.betting.referee import REOPENED_BY, Hand, random_hand
from tests.play.betting.test_logs import game, write_hand
from tests.play.table import Data, answers, batch_of, configuration, room

KINDS = ("fold", "check", "call", "bet", "raise")
STATE = ("current_bet", "committed", "stack_left", "last_raise", "players_in", "still_in", "may_raise", "street")


class Moved(NamedTuple):
    """Record with one act moved: its old and its new index among the events."""

    record: Data
    of: int
    to: int


def move_act(record: Data, of: int, to: int) -> Moved:
    events = list(record["events"])
    events.insert(to, events.pop(of))
    return Moved({**record, "events": events}, of, to)


def scope_of(records: list[Data], reopened_by: str) -> EvaluationContext:
    options = {"short-all-in": SHORT_ALL_IN[reopened_by], "smallest-raise": "last"}
    posted = [{**wager, "minimum": f"{wager['minimum'] / 100:.2f}"} for wager in POSTED["wagers"]]
    submission = configuration({"wagers": posted, "options": options})
    return EvaluationContext(batch_of(records), room(**game(fixed=False)).prepared, submission)


def as_raises(hand: Hand, record: Data) -> Data:
    """Record a bet above an existing bet as a raise; the referee calls both a bet."""
    events = [
        {**event, "decision": "raise"} if event.get("decision") == "bet" and state["level"] > 0 else event
        for event, (_, state) in zip(record["events"], hand.acts, strict=True)
    ]
    return {**record, "events": events}


def states(play: BettingReplay, first: int, last: int, order: list[int]) -> list[list[int]]:
    """Return the states before the events of a round, in a given order, and the final state."""
    entries = [*play.snapshot_index[first:last][order], *play.end_index]
    return [getattr(play.snapshots, name)[entries].tolist() for name in STATE]


@pytest.mark.parametrize("reopened_by", REOPENED_BY)
def test_all_others_stand_as_in_the_hand_it_was_taken_from(reopened_by: str) -> None:
    rng = random.Random(7)
    tried = explained = 0
    while tried < 15:
        hand = random_hand(rng, irregular=0.0)
        acts = [at for at, (act, _) in enumerate(hand.acts) if act.kind in KINDS and not act.floor]
        complete = hand.finish()["due"] == ABSENT
        if hand.reopened_by != reopened_by or hand.smallest[2] == 4 or len(acts) < 6 or not complete:
            continue
        record = as_raises(hand, write_hand(hand, rng, tried)[0])
        of, to = rng.sample(acts, 2)
        one = move_act(record, of, to)
        scope = scope_of([one.record], reopened_by)
        stood, play = replay_as_recorded(scope), replay_betting(scope)
        tried += 1
        if not len(play.misplaced_events):
            continue
        explained += 1
        (elsewhere,) = play.misplaced_events
        if one.record["events"][elsewhere] == record["events"][of] and elsewhere != to:
            continue  # of two acts that are the same either may be out of place
        # At the new place of the act, a requirement reports it out of turn, or ahead of another act.
        told = np.flatnonzero(play.seat_to_act != play.snapshots.seat_to_act[play.snapshot_index])
        assert len(told) == 1
        assert play.seat_to_act[told[0]] == stood.seat_to_act[told[0]] != play.row[told[0]]
        in_order = replay_betting(scope_of([record], reopened_by))
        order = list(range(len(record["events"])))
        order.insert(of, order.pop(to))  # the events of the moved record in the order of the hand
        here = states(play, 0, len(order), order)
        there = states(in_order, 0, len(order), list(range(len(order))))
        others = [at for at in range(len(order)) if order[at] != told[0]]
        for mine, theirs in zip(here, there, strict=True):
            assert [mine[at] for at in [*others, -1]] == [theirs[at] for at in [*others, -1]]
    assert explained > 0.8 * tried


def test_rounds_are_put_in_order_by_themselves() -> None:
    rng = random.Random(3)
    records = [write_hand(random_hand(rng, irregular=0.1), rng, number)[0] for number in range(60)]
    together = replay_betting(scope_of(records, "full-raise"))
    first = 0
    assert len(together.misplaced_events)
    for record in records:
        alone, last = replay_betting(scope_of([record], "full-raise")), first + len(record["events"])
        assert together.seat_to_act[first:last].tolist() == alone.seat_to_act.tolist()
        inside = (together.misplaced_events >= first) & (together.misplaced_events < last)
        assert (together.misplaced_events[inside] - first).tolist() == alone.misplaced_events.tolist()
        first = last


FIVE: dict[int, int | None] = dict.fromkeys((1, 2, 3, 4, 5), 10_000)
BLINDS = "1 small 100; 2 big 200;"


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        ("3 call 200; 4 call 200; 5 fold; 1 fold; 2 check; second", []),
        ("4 call 200; 3 call 200; 5 fold; 1 fold; 2 check; second", [3]),  # 4 ahead of 3
        ("4 fold; 5 fold; 3 raise 600; 1 fold; 2 call 400; second", [3]),  # 3 late, though 4 and 5 folded to nothing
        ("4 fold; 5 fold; 1 call 500; 2 call 400; 3 raise 600; second", [3]),  # seats 1 and 2 called the raise
        ("3 call 200; 4 call 200; 5 fold; 1 fold; second; 2 check", [7]),  # cards ahead of the last act
        (
            "3 call 200; 5 fold; 1 fold; 2 check; second; 4 call 200",
            [7],
        ),  # seat 4 was passed over, and the cards were dealt
        ("4 call 200; 5 fold; 1 fold; 2 check; second", [3]),  # 3 passed over for good: its fold may be missing
        ("4 call 200; 3 call 300; 5 fold; 1 fold; 2 check; second", [3]),  # also, seat 3 called too much
        ("4 call 200; 3 call 200; 1 fold; 5 fold; 2 check; second", [3, 5]),  # two acts out of place
    ],
)
def test_an_act_out_of_its_place_is_told_once(acts: str, told: list[int]) -> None:
    record = play_acts(BLINDS + acts, stacks=FIVE, button=5)
    rules = {**game(fixed=False), "betting": {**game(fixed=False)["betting"], "complete-at": ["second"]}}
    found = answers({"any": [{"betting": "in-turn"}, {"not": {"betting": "open"}}]}, [record], "event", **rules)
    acting = [at for at, event in enumerate(record["events"]) if event["event"] == "decide"]
    early = answers({"betting": "left-open"}, [record], "event", **rules)
    cards = [at for at, event in enumerate(record["events"]) if event["event"] == "announce"]
    here = [at + 1 for at in acting if found[at] == "no"] + [at + 1 for at in cards if early[at] == "yes"]
    assert here == told


def test_long_rounds_are_judged_as_they_stood() -> None:
    for words in (1, MOST_ACTIONS):
        said = "; ".join("1 says fold" for _ in range(words))
        record = play_acts(f"{BLINDS} 4 call 200; {said}; 3 call 200; 5 fold", stacks=FIVE, button=5)
        assert len(replay_betting(scope_of([record], "full-raise")).misplaced_events) == (words < MOST_ACTIONS)
