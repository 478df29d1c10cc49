"""Hands of a number of cards from each place, compared with two evaluators of other authors and all choices."""

from __future__ import annotations

import importlib
import warnings
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import phevaluator
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fairdeal.validator.cards.hand_orders import FixedComposition, compile_composition
from fairdeal.validator.cards.ranking import CompiledRanking
from tests.cards.conftest import compile_ranking_of
from tests.cards.test_five_cards import has_same_order
from tests.cards.test_low_hands import ACE_TO_FIVE
from tests.facade.cards import NO_CARD, UNKNOWN, encode_column, parse_cards

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

SIGNS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def omaha(ranking: Any) -> FixedComposition:
    return compile_composition(ranking, [4, 5], [2, 3])


HIGH = omaha(compile_ranking_of("five-card"))
LOW = omaha(ACE_TO_FIVE)


def random_rows(count: int, width: int = 9) -> NDArray[np.uint8]:
    """Rows of a player's four cards and the community's five."""
    return np.argsort(np.random.default_rng(9).random((count, 52)), axis=1)[:, :width].astype(np.uint8)


def test_high_hands_of_omaha_are_phevaluators() -> None:
    rows = random_rows(20_000)
    # It takes the community's cards first, and counts 1 for the best.
    theirs = [-phevaluator.evaluate_omaha_cards(*[SIGNS[code] for code in (*row[4:], *row[:4])]) for row in rows]
    assert has_same_order(HIGH.strength(rows), np.array(theirs, np.int32))


def test_high_and_low_hands_of_omaha_are_pokerkits() -> None:
    rows = random_rows(500)
    texts = encode_column(rows)
    high = [pokerkit.OmahaHoldemHand.from_game(text[:8], text[8:]).entry.index for text in texts]
    assert has_same_order(HIGH.strength(rows), np.array(high, np.int32))
    low = LOW.strength(rows)
    qualifies = low >= ACE_TO_FIVE.lowest_strength("eight-low")
    theirs = [pokerkit.OmahaEightOrBetterLowHand.from_game_or_none(text[:8], text[8:]) for text in texts]
    assert qualifies.tolist() == [hand is not None for hand in theirs]
    assert 100 < qualifies.sum() < 400
    entries = np.array([-hand.entry.index for hand in theirs if hand is not None], np.int32)
    assert has_same_order(low[qualifies], entries)


@pytest.mark.parametrize(
    ("player", "board", "high", "low"),
    [
        # One spade of one's own is not enough for a flush, but one ace goes with three on the board.
        ("AsKdQc2h", "3s6s9sTsJd", "straight to the king", None),
        ("As5dQc9h", "AcAdAhKsKd", "four of a kind: aces, kicker queen", None),
        # Four of a kind of one's own are a pair; a full house on the board is three of a kind.
        ("7s7d7h7c", "As8s9dKc2h", "pair of sevens, kickers ace, king, nine", None),
        ("2s3d4h5c", "KsKdKhQsQd", "three of a kind: kings, kickers five, four", None),
        # A low needs three ranks of the board that are eight or lower, and two others of one's own.
        ("As2dKhKc", "3s4d8hKsQc", "three of a kind: kings, kickers queen, eight", "eight-four low"),
        ("As2dKhKc", "3s4d9hKsQc", "three of a kind: kings, kickers queen, nine", None),
        ("As2d3hKc", "As4d2h5sQc", "straight to the five", "five-four low"),
        ("As2dTdKc", "Ah2h7s8c9d", "two pair: aces and twos, kicker nine", None),
    ],
)
def test_hands_that_the_rules_settle(player: str, board: str, high: str, low: str | None) -> None:
    row = np.array([parse_cards(player + board)], np.uint8)
    (strength,), (lowest,) = HIGH.strength(row).tolist(), LOW.strength(row).tolist()
    assert HIGH.ranking.describe(strength) == high
    told = (
        ACE_TO_FIVE.describe(lowest).partition(":")[0] if lowest >= ACE_TO_FIVE.lowest_strength("eight-low") else None
    )
    assert told == low


@given(st.data())
@settings(max_examples=60)  # tables are made on first use
def test_the_best_of_all_choices_counts(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["five-card", "three-card-aces"]))
    ranking = compile_ranking_of(name)
    assert isinstance(ranking, CompiledRanking)
    three = [(3,), (1, 2), (2, 1), (1, 1, 1)]
    uses = data.draw(st.sampled_from(three if ranking.size == 3 else [(5,), (2, 3), (3, 2), (4, 1), (1, 2, 2)]))
    sizes = tuple(used + data.draw(st.integers(0, 2)) for used in uses)
    row = data.draw(st.lists(st.integers(0, 51), min_size=sum(sizes), max_size=sum(sizes), unique=True))
    found = compile_composition(ranking, sizes, uses).strength(np.array([row], np.uint8))
    starts = np.cumsum([0, *sizes])
    parts = [row[start : start + size] for start, size in zip(starts, sizes, strict=False)]
    hands = [list(chain(*chosen)) for chosen in product(*map(combinations, parts, uses))]
    assert found.tolist() == [ranking.strength(np.array(hands, np.uint8)).max()]


def test_what_is_not_known_has_no_strength() -> None:
    rows = random_rows(3)
    rows[0, 0], rows[1, 8] = UNKNOWN, NO_CARD
    assert (HIGH.strength(rows) == -1).tolist() == [True, True, False]
    assert HIGH.strength(np.zeros((0, 9), np.uint8)).shape == (0,)


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^a hand of 5 cards cannot use \[2, 2\] out of \[4, 5\] cards$"):
        compile_composition(compile_ranking_of("five-card"), [4, 5], [2, 2])
    with pytest.raises(ValueError, match=r"^a hand of 5 cards cannot use \[3, 2\] out of \[2, 5\] cards$"):
        compile_composition(compile_ranking_of("five-card"), [2, 5], [3, 2])
    with pytest.raises(TypeError, match="a fixed number of cards from each place requires"):
        compile_composition(compile_ranking_of("longest-flush"), [4, 5], [2, 3])
