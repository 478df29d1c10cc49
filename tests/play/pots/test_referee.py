"""Pots and shares of thousands of random hands, checked against a referee that moves one chip at a time."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.play.pots import referee
from tests.play.pots.columns import cut, pots_of, share_by_columns
from tests.play.pots.referee import Hand, random_hand

HANDS = 2000


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    rng = Random(20)
    return [random_hand(rng) for _ in range(HANDS)]


def test_uncalled_bets_and_pots(hands: list[Hand]) -> None:
    free, made = cut(hands)
    side = 0
    for at, hand in enumerate(hands):
        assert (int(free.amount[at]), int(free.row[at])) == referee.take_uncalled(hand), hand
        assert pots_of(made, at) == referee.pots(hand), hand
        side += len(pots_of(made, at)) > 1
    assert side > HANDS // 10  # the oracle decides relevant cases


@pytest.mark.parametrize("unit", [1, 2, 5])
def test_shares(hands: list[Hand], unit: int) -> None:
    due = share_by_columns(hands, unit)
    for at, hand in enumerate(hands):
        assert due.by_rule[: hand.seats, at].tolist() == referee.award_pots(hand, unit), hand
    assert ((due.least <= due.by_rule) & (due.by_rule <= due.most)).all()
    assert ((due.least <= due.equal_split) & (due.equal_split <= due.most)).all()


@pytest.mark.parametrize("unit", [1, 5])
@pytest.mark.parametrize("lowest", [[0, 0], [0, 3]])
def test_high_and_low(unit: int, lowest: list[int]) -> None:
    rng = Random(21)
    hands = [random_hand(rng, shares=2) for _ in range(HANDS // 2)]
    due = share_by_columns(hands, unit, lowest=lowest)
    for at, hand in enumerate(hands):
        assert due.by_rule[: hand.seats, at].tolist() == referee.award_pots(hand, unit, lowest), hand


def test_many_rounds_are_judged_as_each_alone(hands: list[Hand]) -> None:
    some = hands[:300]
    together = share_by_columns(some, 5)
    for at, hand in enumerate(some):
        alone = share_by_columns([hand], 5)
        for name in ("least", "most", "by_rule", "equal_split"):
            assert getattr(alone, name)[:, 0].tolist() == getattr(together, name)[: hand.seats, at].tolist()


@st.composite
def _hands(draw: st.DrawFn) -> Hand:
    seats = draw(st.integers(2, 6))
    amounts = st.tuples(*[st.integers(0, 40)] * seats)
    contend = draw(st.sets(st.integers(0, seats - 1), min_size=1))
    ranks = draw(st.tuples(*[st.integers(1, 3)] * seats))
    return Hand(
        matched=draw(amounts),
        capped=draw(amounts),
        whole=draw(amounts),
        contend=frozenset(contend),
        ranks=(ranks,),
    )


@given(_hands(), st.integers(1, 7))
def test_no_chip_is_lost_or_made(hand: Hand, unit: int) -> None:
    free, made = cut([hand])
    put = sum(hand.matched) + sum(hand.capped) + sum(hand.whole)
    assert made.amount.sum() + free.amount.sum() == put
    due = share_by_columns([hand], unit)
    if all(able for _, able in pots_of(made, 0)):
        assert due.by_rule.sum() + free.amount.sum() == put


@given(_hands(), st.integers(1, 7))
def test_whoever_does_not_contend_is_due_nothing(hand: Hand, unit: int) -> None:
    due = share_by_columns([hand], unit)
    others = [seat for seat in range(hand.seats) if seat not in hand.contend]
    assert not due.most[others, 0].any()


@given(_hands())
def test_a_seat_wins_of_each_other_no_more_than_it_put_in(hand: Hand) -> None:
    """Only the matched line is used, and no other seat interferes."""
    bare = Hand(
        matched=hand.matched,
        capped=(0,) * hand.seats,
        whole=(0,) * hand.seats,
        contend=frozenset(range(hand.seats)),
        ranks=(tuple(range(hand.seats, 0, -1)),),
    )
    due = share_by_columns([bare], 1)
    assert due.by_rule[0, 0] == sum(min(bare.matched[0], other) for other in bare.matched) - (
        referee.take_uncalled(bare)[0] if referee.take_uncalled(bare)[1] == 0 else 0
    )


@given(_hands(), st.integers(1, 40), st.integers(0, 6))
def test_whatever_the_smallest_chip_is_its_split_is_possible_without_it(hand: Hand, unit: int, seed: int) -> None:
    """Bounds for any chip that divides a size contain the split by every such chip."""
    chip = Random(seed).choice([divisor for divisor in range(1, unit + 1) if 2 * unit % divisor == 0])
    by_rule = share_by_columns([hand], chip)
    bounds = share_by_columns([hand], None, most=2 * unit)
    assert (bounds.least <= by_rule.by_rule).all() and (by_rule.by_rule <= bounds.most).all()


def test_hands_that_are_not_known_leave_open_only_what_hangs_on_them() -> None:
    """Three contenders, side pot between the second and third, the third's cards unknown."""
    hand = Hand(
        matched=(10, 30, 30), capped=(0,) * 3, whole=(0,) * 3, contend=frozenset({0, 1, 2}), ranks=((2, 1, -1),)
    )
    due = share_by_columns([hand], 1)
    assert due.least[:, 0].tolist() == [0, 0, 0]
    assert due.most[:, 0].tolist() == [30, 40, 70]  # the second is beaten in the main pot by the first
    folded = Hand(
        matched=hand.matched, capped=hand.capped, whole=hand.whole, contend=frozenset({0, 1}), ranks=hand.ranks
    )
    due = share_by_columns([folded], 1)
    assert np.array_equal(due.least, due.most)
    assert due.by_rule[:, 0].tolist() == [30, 40, 0]
