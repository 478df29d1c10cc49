"""Hands that exchange cards on both sides, compared with plain enumerations of small games."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fairdeal.validator.arrays import Codes, Flags, Ints32
from fairdeal.validator.odds.board_hands import ExchangingHands, HandPairs, StrengthCells
from fairdeal.validator.odds.card_sets import count_set_strengths, list_suit_classes

DECK = range(52)
HANDS = ((24, 25), (0, 20))
"""A group of the own hands, in which what one deck changes is large: a pair of eights, and seven and deuce."""


def strength(cards: Codes) -> Ints32:
    """Rank two cards: a pair over none, then the higher rank, then the lower."""
    ranks = np.sort(cards // 4, axis=1).astype(np.int32)
    return (ranks[:, 0] == ranks[:, 1]) * 169 + ranks[:, 1] * 13 + ranks[:, 0]


PAIRS = np.array([(card, two) for card in DECK for two in DECK if card != two], np.uint8)
OF_ONE = dict(zip(map(tuple, PAIRS.tolist()), strength(PAIRS).tolist(), strict=True))


def side(below: int) -> ExchangingHands:
    """Hands of two cards of which the lower one is put aside where it is lower than a rank, unless they are a pair."""
    classes = list_suit_classes(2)
    cards = np.sort(classes.cards, axis=1)
    aside: Flags = np.zeros(cards.shape, bool)
    aside[:, 0] = (cards[:, 0] // 4 < below) & (cards[:, 0] // 4 != cards[:, 1] // 4)
    group = np.isin(np.arange(len(cards)), classes.find_classes(np.array(HANDS, np.uint8))).astype(np.int64)
    return ExchangingHands(cards, classes.weight, aside, strength, count_set_strengths(2, strength).strengths, group, 2)


def put_aside(cards: tuple[int, ...], below: int) -> bool:
    return cards[0] // 4 < below and cards[0] // 4 != cards[1] // 4


def plainly(first: tuple[int, int], below: int, without: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], int]]:
    """Return the possible final hands after an exchange, and their strength."""
    if not put_aside(first, below):
        return [((), OF_ONE[first])]
    return [((card,), OF_ONE[card, first[1]]) for card in DECK if card not in (*first, *without)]


def test_chances_of_a_hand_that_draws_are_those_of_a_plain_enumeration() -> None:
    found: dict[int, float] = {}
    for first in combinations(DECK, 2):
        ends = plainly(first, 6)
        for _, end in ends:
            found[end] = found.get(end, 0.0) + 1 / 1326 / len(ends)
    exchanges = side(6)
    chances = exchanges.compute_chances().sum(axis=0)
    assert chances.sum() == pytest.approx(1)
    for place, value in enumerate(exchanges.strengths.tolist()):
        assert chances[place] == pytest.approx(found.get(value, 0.0), abs=1e-14)
    drawn = exchanges.draw_hands(np.random.default_rng(3), 200_000)
    assert np.bincount(drawn.place, minlength=len(chances)) / 200_000 == pytest.approx(chances, abs=0.004)


@pytest.mark.parametrize(("own_below", "other_below"), [(6, 0), (0, 9), (5, 8)])
def test_pairs_of_one_deck_are_as_likely_as_a_plain_enumeration_has_them(own_below: int, other_below: int) -> None:
    own, other = side(own_below), side(other_below)
    places = np.arange(len(own.strengths))
    cells = StrengthCells(
        own=(own.strengths >= 169).astype(np.int64), other=(places >= len(places) // 2).astype(np.int64)
    )
    cell = dict(zip(own.strengths.tolist(), zip(cells.own.tolist(), cells.other.tolist(), strict=True), strict=True))
    expected = np.zeros(cells.kinds)
    for first, orders in zip(HANDS, (6, 4), strict=True):
        for others in combinations([card for card in DECK if card not in first], 2):
            ends = [
                (mine, theirs)
                for drawn, mine in plainly(first, own_below, others)
                for _, theirs in plainly(others, other_below, (*first, *drawn))
            ]
            for mine, theirs in ends:
                kind = (cell[mine][0] * 2 + cell[theirs][1]) * 3 + 1 + (theirs > mine) - (theirs < mine)
                expected[kind] += orders / 1326 / 1225 / len(ends)
    pairs = HandPairs(own, other, cells)
    blocks = np.stack(list(pairs.sample_corrections(100, 5)))
    found, error = pairs.two_deck_chances + blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / 100**0.5
    assert found.sum() == pytest.approx(1)
    assert found[1].sum() == pytest.approx(10 / 1326)
    assert np.abs(pairs.two_deck_chances[1] - expected).max() > 10 * error[1].max(), "with two decks it is another game"
    assert (np.abs(found[1] - expected) <= 4.5 * error[1] + 1e-12).all()
