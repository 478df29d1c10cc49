"""Chips that a seat should have left, where the record shows it."""

from __future__ import annotations

import pytest

from fairdeal.validator.engine.pots.pot_totals import bound_chips_left
from tests.facade.rounds import UNBOUNDED
from tests.play.pots.table import Data, Told, dollars, open_in

ANY = (-UNBOUNDED, UNBOUNDED)


def record(**more: Data | bool | list[str]) -> Data:
    """Build a round: seat 1 posts 1, seat 2 posts 2; seat 1 folds, and seat 2 gets 1 back and wins 2."""
    told = Told(stacks={1: 100, 2: 100}, button=2).post(1, "small-blind", 1).post(2, "big-blind", 2)
    return told.folds(1).refund(2, 1, "big-blind").award(2, 2).record(**more)


def bound_left(of: Data) -> list[tuple[int, int]]:
    """Return the least and the most each seat may have, in dollars; an open bound stays as it is."""
    low, high = bound_chips_left(open_in([of]))
    return [(_dollars(least), _dollars(most)) for least, most in zip(low.tolist(), high.tolist(), strict=True)]


def _dollars(bound: int) -> int:
    if abs(bound) > UNBOUNDED // 2:
        return UNBOUNDED if bound > 0 else -UNBOUNDED
    return bound // 100


def test_all_that_is_needed_is_told() -> None:
    assert bound_left(record()) == [(99, 99), (101, 101)]


@pytest.mark.parametrize(
    ("unrecorded", "first", "second"),
    [
        (["return"], (99, 99), (100, 101)),
        (["award"], (99, UNBOUNDED), (99, UNBOUNDED)),
        (["chips-in"], (99, UNBOUNDED), (101, UNBOUNDED)),
        (["chips-out"], (-UNBOUNDED, 99), (-UNBOUNDED, 101)),
    ],
)
def test_what_is_not_recorded_leaves_it_between_bounds(
    unrecorded: list[str], first: tuple[int, int], second: tuple[int, int]
) -> None:
    kept = [event for event in record()["events"] if event["event"] not in unrecorded]
    assert bound_left(record(events=kept, unrecorded=["deal/player", *unrecorded])) == [first, second]


def test_what_was_won_does_in_place_of_awards() -> None:
    of = record(unrecorded=["deal/player", "award"])
    of["events"] = [event for event in of["events"] if event["event"] != "award"]
    for seat, won in zip(of["seats"], (0, 2), strict=True):
        seat["won"] = dollars(won)
    assert bound_left(of) == [(99, 99), (101, 101)]


def test_what_was_staked_in_something_else_than_chips_may_not_have_left_the_stack() -> None:
    of = record()
    of["events"][0]["in"] = "coupon"
    assert bound_left(of) == [(99, 100), (101, 101)]


def test_what_the_house_pays_besides_may_be_in_the_stack() -> None:
    of = record()
    of["events"].append({"event": "pay", "seat": 1, "wager": "small-blind", "amount": dollars(50)})
    assert bound_left(of) == [(99, 149), (101, 101)]


@pytest.mark.parametrize(("at", "least"), [(0, 101), (2, 96)])
def test_chips_taken_off_count_only_in_the_middle_of_the_round(at: int, least: int) -> None:
    of = record()
    of["events"].insert(at, {"event": "chips-out", "seat": 2, "amount": dollars(5)})
    assert bound_left(of) == [(99, 99), (least, 101)]


@pytest.mark.parametrize(("at", "most"), [(0, 101), (2, 106)])
def test_chips_added_count_only_in_the_middle_of_the_round(at: int, most: int) -> None:
    of = record()
    of["events"].insert(at, {"event": "chips-in", "seat": 2, "amount": dollars(5)})
    assert bound_left(of) == [(99, 99), (101, most)]


def test_a_record_that_stops_or_does_not_count_at_the_start_sets_no_bound() -> None:
    assert bound_left(record(complete=False)) == [ANY, ANY]
    of = record()
    del of["seats"][0]["stack"]
    assert bound_left(of) == [ANY, (101, 101)]
