"""Settlement of a stake according to the cases, as a condition."""

from __future__ import annotations

import pytest

from tests.play.table import Data, answers, round_of

DUE: Data = {
    "settlement": {
        "order": ["main", "side", "token", "bonus"],
        "cases": [
            {"case": "spent", "lines": ["token"], "due": "lost", "clauses": ["1"]},
            {"case": "won", "lines": ["main"], "when": {"decided": "stay"}, "due": "2 to 1", "clauses": ["1"]},
            {"case": "all", "lines": ["main", "side"], "due": "returned", "clauses": ["1"]},
            {"case": "bonus", "lines": ["bonus"], "due": "nothing", "clauses": ["1"]},
        ],
    }
}


def seat(*, paid: int | None = 0, taken: int | None = 0, tip: bool = False, **more: Data | str) -> Data:
    """Build a seat with one stake of 50 on the wager `main`, without a decision unless stated."""
    told = {key: value for key, value in (("paid", paid), ("taken", taken)) if value is not None}
    return {"wagers": [{"wager": "main", "amount": 50, "tip": tip, **told}], "decision": "none", **more}


@pytest.mark.parametrize(
    ("one", "answer"),
    [
        (seat(), "yes"),
        (seat(paid=1), "no"),
        (seat(taken=1), "no"),
        (seat(paid=100, decision="stay"), "yes"),
        (seat(paid=99, decision="stay"), "no"),
        (seat(paid=None, taken=None), "unknown"),
        (seat(taken=50, tip=True), "yes"),  # which is not the seat's own
        ({"wagers": [], "decision": "none"}, "yes"),
    ],
)
def test_what_was_paid_and_taken_is_held_against_what_is_due(one: Data, answer: str) -> None:
    assert answers({"paid-as-due": "main"}, [round_of(one)], **DUE) == [answer]


def test_a_batch_of_many_comes_to_what_each_comes_to() -> None:
    seats = [
        seat(),
        seat(paid=1),
        {"wagers": [], "decision": "none"},
        seat(paid=None, taken=None),
        seat(paid=100, decision="stay"),
    ]
    records = [round_of(seat, number=number) for number, seat in enumerate(seats, 1)]
    alone = [answer for record in records for answer in answers({"paid-as-due": "main"}, [record], **DUE)]
    assert alone == ["yes", "no", "yes", "unknown", "yes"]
    assert answers({"paid-as-due": "main"}, records, **DUE) == alone
    assert answers({"paid-as-due": "main"}, [round_of(*seats)], **DUE) == alone
