"""Hands that are called off by a misdeal for one or all, without any payment or collection."""

from __future__ import annotations

import pytest

from tests.play.table import Data, answers, event, round_of

FOR_ALL: Data = {"event": "misdeal", "place": "table"}
FOR_ONE: Data = {"event": "misdeal", "place": "player", "seat": 2}
STAKES: Data = {"wagers": [{"wager": "main", "amount": 50, "paid": 0, "taken": 0}]}
TAKEN: Data = {"wagers": [{"wager": "main", "amount": 50, "paid": 0, "taken": 50}]}


def place(*seats: int) -> list[Data]:
    return [event("wager", seat, wager="main", amount=50) for seat in seats]


@pytest.mark.parametrize(
    ("events", "called_off"),
    [
        ([], ["no", "no"]),
        ([FOR_ALL], ["yes", "yes"]),
        ([FOR_ONE], ["no", "yes"]),
        ([FOR_ONE, event("return", 2, wager="main", amount=50)], ["no", "yes"]),
    ],
)
def test_a_misdeal_is_declared_for_a_hand_or_for_all(events: list[Data], called_off: list[str]) -> None:
    record = {**round_of(STAKES, STAKES, events=[*place(1, 2), *events]), "unrecorded": []}
    assert answers({"called-off": True}, [record]) == called_off


def test_of_a_hand_that_is_collected_from_it_is_not_so() -> None:
    events = [*place(1, 2), FOR_ALL, event("collect", 1, wager="main", amount=50)]
    record = {**round_of(TAKEN, STAKES, events=events), "unrecorded": []}
    assert answers({"called-off": True}, [record]) == ["no", "yes"]


def test_what_is_spent_when_it_is_placed_may_be_taken_and_paid_on() -> None:
    token: Data = {"wager": "token", "amount": 10}
    took = [event("wager", 1, **token), event("collect", 1, **token)]
    staked: Data = {"wagers": [*STAKES["wagers"], {**token, "paid": 0, "taken": 10}]}
    events = [*place(1, 2), *took, FOR_ALL]
    record = {**round_of(staked, STAKES, events=events), "unrecorded": []}
    assert answers({"called-off": True}, [record]) == ["yes", "yes"]
    won: Data = {"wagers": [*STAKES["wagers"], {**token, "paid": 90, "taken": 10}]}
    events = [*events, event("pay", 1, wager="token", amount=90)]
    record = {**round_of(won, STAKES, events=events), "unrecorded": []}
    assert answers({"called-off": True}, [record]) == ["yes", "yes"]


@pytest.mark.parametrize("kind", ["misdeal", "pay", "collect"])
def test_a_log_that_does_not_record_them_leaves_it_open(kind: str) -> None:
    declared = [] if kind == "misdeal" else [FOR_ALL]
    record = {**round_of(STAKES, STAKES, events=[*place(1, 2), *declared]), "unrecorded": [kind]}
    assert answers({"called-off": True}, [record]) == ["unknown", "unknown"]
