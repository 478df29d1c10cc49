"""Packets that a milestone finds out of place are checked against the turn in which they were due."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.deal_checks.plain_dealing import order_as_due

PLACES = st.lists(st.integers(1, 3), min_size=1, max_size=9)


def order_packets(came: list[int], astray: list[bool], due: list[int]) -> list[int]:
    """Return one round's packets of a card each, put in order."""
    order = order_as_due([(place, 1) for place in came], [(place, 1) for place in due], astray)
    assert sorted(order) == list(range(len(came)))
    return [came[at] for at in order]


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
