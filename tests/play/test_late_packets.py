"""Packets that a milestone finds out of place are checked against the turn in which they were due."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.deal_checks.dealing_order import order_as_due

PLACES = st.lists(st.integers(1, 3), min_size=1, max_size=9)


def order_packets(came: list[int], astray: list[bool], due: list[int]) -> list[int]:
    """Return the indices of one round's packets of a card each, put in order."""
    columns = np.array(came, np.int32), np.ones(len(came), np.int16)
    slots = np.array([*due, -1], np.int32), np.array([1] * len(due) + [0], np.int16)
    owner = np.zeros(len(came), np.int32)
    order = order_as_due(owner, np.array(astray, bool), columns, np.array([0, len(due)]), slots)
    assert sorted(order.tolist()) == list(range(len(came)))
    return [came[at] for at in order.tolist()]


@given(PLACES, st.data())
def test_a_packet_anywhere_else_is_put_where_it_was_due(due: list[int], data: st.DataObject) -> None:
    moved = data.draw(st.integers(0, len(due) - 1))
    rest = due[:moved] + due[moved + 1 :]
    to = data.draw(st.integers(0, len(rest)))
    came = [*rest[:to], due[moved], *rest[to:]]
    assert order_packets(came, [at == to for at in range(len(came))], due) == due


def test_others_stay_in_the_order_in_which_they_came() -> None:
    # The third is out of place; this does not correct the wrong order of the first two.
    assert order_packets([2, 1, 3, 3], [False, False, True, False], [1, 2, 3, 3]) == [2, 1, 3, 3]
    # Packets that were never due are last.
    assert order_packets([9, 1, 2], [True, False, False], [1, 2]) == [1, 2, 9]


def test_each_round_by_itself() -> None:
    came = np.array([2, 1, 2, 1], np.int32), np.ones(4, np.int16)
    due = np.array([1, 2, 1, 2, -1], np.int32), np.array([1, 1, 1, 1, 0], np.int16)
    owner, astray = np.array([0, 0, 1, 1], np.int32), np.array([True, False, False, False])
    order = order_as_due(owner, astray, came, np.array([0, 2, 4]), due)
    assert order.tolist() == [1, 0, 2, 3]
