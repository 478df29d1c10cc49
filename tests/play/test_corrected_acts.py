"""Acts that do not count as their own: stakes taken by mistake and returned, cards shown again, words repeated."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from fairdeal.validator.engine.timeline.recorded_acts import find_dependent_movements, find_repetitions
from fairdeal.validator.engine.timeline.step_events import certain_events
from tests.play.table import Data, event, room, round_of

MAIN: Data = {"wager": "main", "amount": 100}


def stake(kind: str, amount: int = 100, seat: int = 1, **more: Any) -> Data:
    return event(kind, seat, wager="main", amount=amount, **more)


def correct(*events: Data, paid: int = 0, taken: int = 0) -> list[int]:
    """Return the places of the events that are parts of other acts, of rounds in which one seat is settled."""
    seats: tuple[Data, Data] = ({"wagers": [{**MAIN, "paid": paid, "taken": taken}]}, {})
    scope = room().scope([round_of(*seats, events=list(events)), round_of({}, {}, events=[], number=2)])
    found = find_dependent_movements(scope).nonzero()[0].tolist()
    settled = certain_events(scope, "settle").tolist()
    assert sorted([*found, *settled]) == [
        at for at, event in enumerate(events) if event["event"] in ("pay", "collect", "return")
    ]
    return found


@pytest.mark.parametrize(
    ("events", "outcome", "expected"),
    [
        ([stake("collect"), stake("return"), stake("pay")], {"paid": 100}, [0, 1]),
        ([stake("pay"), stake("collect"), stake("return")], {"paid": 100}, [1, 2]),
        ([stake("collect"), stake("return"), stake("collect")], {"taken": 100}, [0, 1]),
        ([stake("collect"), stake("return", 40), stake("return", 60)], {}, [0, 1, 2]),
        ([stake("collect", 40), stake("collect", 60), stake("return", 60)], {"taken": 40}, [1, 2]),
        ([stake("collect"), stake("return", 40)], {"taken": 60}, [1]),  # change
        ([stake("return")], {}, []),  # a push
        ([stake("pay"), stake("return")], {"paid": 100}, [1]),
        ([stake("return"), stake("pay")], {"paid": 100}, [0]),
        ([stake("return"), event("collect-cards", 2), stake("pay")], {"paid": 100}, [0]),
        ([stake("return"), event("reveal", 2, cards="As"), stake("pay"), stake("collect", seat=2)], {"paid": 100}, []),
        ([stake("return"), event("reveal", 2, cards="As"), stake("pay")], {"paid": 100}, [0]),  # `collect` unrecorded
        ([stake("collect")], {"taken": 100}, []),
    ],
)
def test_a_stake_that_moves_twice_for_one_act(events: list[Data], outcome: dict[str, int], expected: list[int]) -> None:
    assert correct(*events, **outcome) == expected


def test_the_stakes_of_other_seats_are_other_stakes() -> None:
    events = [stake("collect"), stake("return", seat=2)]
    scope = room().scope([round_of({"wagers": [{**MAIN, "paid": 0, "taken": 100}]}, {}, events=events)])
    assert not find_dependent_movements(scope).any()


def repeat(*events: Data) -> list[int]:
    scope = room().scope([round_of({}, {}, events=list(events)), round_of({}, {}, events=list(events), number=2)])
    found = find_repetitions(scope).nonzero()[0].tolist()
    assert found == [*found[: len(found) // 2], *(at + len(events) for at in found[: len(found) // 2])]
    return found[: len(found) // 2]


def show(cards: str, seat: int = 1) -> Data:
    return event("reveal", seat, cards=cards)


def test_cards_that_lie_open_are_shown_again_and_others_for_the_first_time() -> None:
    assert repeat(show("AsKs"), show("KsAs"), show("As")) == [1, 2]
    assert repeat(show("As"), show("Ks"), show("AsKs")) == [2]
    assert repeat(show("As"), show("AsKs")) == []
    assert repeat(show("AsKs"), show("AsKs", seat=2)) == []


def test_cards_nobody_saw_may_be_those_that_lie_open() -> None:
    assert repeat(show("????"), show("????"), show("??")) == [1, 2]
    assert repeat(show("??"), show("????")) == []
    assert repeat(show("As??"), show("Ks")) == []


def test_cards_that_were_turned_down_are_shown_anew() -> None:
    down = event("turn-down", 1, place="player", cards="AsKs")
    assert repeat(show("AsKs"), down, show("AsKs"), show("AsKs")) == [3]


@pytest.mark.parametrize(("first", "second"), list(permutations(range(4), 2)))
def test_words_are_said_again_where_nothing_in_them_differs(first: int, second: int) -> None:
    words = [
        event("announce", 1, what="award", amount=5),
        event("announce", 1, what="award", amount=6),
        event("announce", 2, what="award", amount=5),
        event("announce", 1, what="award", amount=5, by="supervisor"),
    ]
    assert repeat(words[first], words[second], words[first]) == [2]
