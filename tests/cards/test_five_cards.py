"""Five-card hands compared with published counts and two evaluators of other authors."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import phevaluator
import pytest
from numpy.typing import NDArray

from fairdeal.validator.cards.card_codes import CompiledDeck
from fairdeal.validator.cards.ranking import CompiledRanking
from tests.cards.conftest import list_hands
from tests.facade.cards import format_cards, parse_cards

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser of hand ranges uses old names
    import eval7

COUNTS = {
    "royal-flush": 4,
    "straight-flush": 36,
    "four-of-a-kind": 624,
    "full-house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three-of-a-kind": 54_912,
    "two-pair": 123_552,
    "pair": 1_098_240,
    "high-card": 1_302_540,
}
SIGNS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def rank_by_phevaluator(hands: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Order by phevaluator, which knows 5 to 7 cards and counts 1 for the best: turned round here."""
    return np.array([-phevaluator.evaluate_cards(*[SIGNS[code] for code in hand]) for hand in hands], np.int32)


def rank_by_eval7(hands: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Order by eval7, higher for the better."""
    cards: list[Any] = [eval7.Card(sign) for sign in SIGNS]
    return np.array([eval7.evaluate([cards[code] for code in hand]) for hand in hands], np.int32)


def has_same_order(ours: NDArray[np.int32], theirs: NDArray[np.int32]) -> bool:
    """Return whether every two hands compare alike under both, ties included. All pairs do if sorting by one sorts the
    other, with steps in the same places."""
    order = np.argsort(ours, kind="stable")
    steps, their_steps = np.diff(ours[order]), np.diff(theirs[order])
    return bool((np.sign(steps) == np.sign(their_steps)).all())


@pytest.fixture(scope="module")
def all_strengths(five: CompiledRanking) -> NDArray[np.int32]:
    return five.strength(list_hands(5))


def test_exact_counts(five: CompiledRanking, all_strengths: NDArray[np.int32]) -> None:
    counts = np.bincount(five.category(all_strengths), minlength=10).tolist()
    assert dict(zip(reversed(five.categories), reversed(counts), strict=True)) == COUNTS
    assert sum(counts) == 2_598_960


def test_one_hand_of_every_strength_in_the_order_of_the_others(all_strengths: NDArray[np.int32]) -> None:
    # There are 7,462 different strengths; one hand of each settles the order of all hands, given that the
    # number of hands of each strength agrees with the counts above.
    strengths, first = np.unique(all_strengths, return_index=True)
    hands = list_hands(5)[first]
    assert len(strengths) == 7_462
    assert (rank_by_phevaluator(hands) == np.arange(-7_462, 0)).all()
    assert has_same_order(strengths, rank_by_eval7(hands))


@pytest.mark.parametrize("width", [5, 6, 7])
def test_the_best_five_of_a_sample_are_in_the_order_of_the_others(
    five: CompiledRanking, deck: CompiledDeck, width: int
) -> None:
    hands = deck.shuffle_shoes(rng=np.random.default_rng(width), rounds=60_000, decks=1, cards=width)
    strengths = five.strength(hands)
    assert has_same_order(strengths, rank_by_eval7(hands))
    assert has_same_order(strengths[:30_000], rank_by_phevaluator(hands[:30_000]))


def test_random_pairs_have_the_sign_of_the_others(five: CompiledRanking, deck: CompiledDeck) -> None:
    hands = deck.shuffle_shoes(rng=np.random.default_rng(11), rounds=20_000, decks=1, cards=12)
    first, second = hands[:, :6], hands[:, 6:]
    ours = np.sign(five.strength(first) - five.strength(second))
    assert (ours == np.sign(rank_by_phevaluator(first) - rank_by_phevaluator(second))).all()
    assert Counter(ours.tolist()).keys() == {-1, 0, 1}


def strength(ranking: CompiledRanking, text: str) -> int:
    return int(ranking.strength(np.array([parse_cards(text)], np.uint8))[0])


@pytest.mark.parametrize(
    ("text", "described", "best"),
    [
        ("AsKsQsJsTs9s", "royal flush", "AsKsQsJsTs"),
        ("As2s3s4s5sKc", "straight flush to the five", "5s4s3s2sAs"),
        ("9c9d9h9sAcKc", "four of a kind: nines, kicker ace", "9s9h9d9cAc"),
        ("9c9d9h6sAc6c", "full house: nines and sixes", "9h9d9c6s6c"),
        ("9c9d9hKsKcKh", "full house: kings and nines", "KsKhKc9h9d"),
        ("2c4c6c8cTcQc", "flush: queen, ten, eight, six, four", "QcTc8c6c4c"),
        ("Ac2d3h4s5c9c", "straight to the five", "5c4s3h2dAc"),
        ("Ac2d3h4s5c6c", "straight to the six", "6c5c4s3h2d"),
        ("7c7d7hAsKc2d", "three of a kind: sevens, kickers ace, king", "7h7d7cAsKc"),
        ("4c4dKhKsAc2d", "two pair: kings and fours, kicker ace", "KsKh4d4cAc"),
        ("4c4dKhKs2c2d", "two pair: kings and fours, kicker two", "KsKh4d4c2d"),
        ("9c9dAh4s3c2d", "pair of nines, kickers ace, four, three", "9d9cAh4s3c"),
        ("QcAd2h4s5c8c", "ace high: ace, queen, eight, five, four", "AdQc8c5c4s"),
        ("QcKdAh2s3c8c", "ace high: ace, king, queen, eight, three", "AhKdQc8c3c"),
    ],
)
def test_best_of_six_in_words_and_cards(five: CompiledRanking, text: str, described: str, best: str) -> None:
    assert five.describe(strength(five, text)) == described
    chosen = five.best(parse_cards(text))
    assert format_cards(chosen) == best
    assert strength(five, best) == strength(five, text)
    assert five.is_arranged(np.array([chosen], np.uint8)).all()


def test_five_equal_ranks_of_several_decks(five: CompiledRanking) -> None:
    nines = strength(five, "9c9d9h9s9c")
    assert five.describe(nines) == "four of a kind: nines, kicker nine"
    assert strength(five, "9c9d9h9s8c") < nines < strength(five, "9c9d9h9sTc")
    assert five.describe(strength(five, "9c9c9c9cAc")) == "four of a kind: nines, kicker ace"


@pytest.mark.parametrize(
    ("category", "ranks", "at_least", "below"),
    [
        ("pair", ["J"], "JcJd4h3s2c", "TcTdAhKsQc"),
        ("pair", ["T", "A"], "TcTdAh3s2c", "TcTdKhQsJc"),
        ("pair", [], "2c2d5h4s3c", "AcKdQhJs9c"),
        ("two-pair", ["K", "3"], "KcKd3h3s2c", "KcKd2h2sAc"),
        ("straight", ["5"], "Ac2d3h4s5c", "AcAdAhKsQc"),
        ("straight", ["6"], "2d3h4s5c6c", "Ac2d3h4s5c"),
        ("flush", ["A", "K"], "AcKc4c3c2c", "AcQcJcTc8c"),
        ("royal-flush", ["A"], "AcKcQcJcTc", "9cKcQcJcTc"),
    ],
)
def test_floors(five: CompiledRanking, category: str, ranks: list[str], at_least: str, below: str) -> None:
    assert strength(five, at_least) >= five.floor(category, ranks) > strength(five, below)


@pytest.mark.parametrize(
    ("category", "ranks", "message"),
    [
        ("pairs", [], "pairs is not a category of royal-flush, straight-flush, four-of-a-kind"),
        ("pair", ["X"], "no pair begins with the ranks X"),
        ("pair", ["23"], "no pair begins with the ranks 23"),
        ("pair", ["J", "2", "3"], "no pair begins with the ranks J, 2, 3"),
        ("pair", ["J", "9", "8", "7", "6", "5"], "no pair begins with the ranks J, 9, 8, 7, 6, 5"),
        ("high-card", ["2"], "no high-card begins with the ranks 2"),
        ("straight", ["4"], "no straight begins with the ranks 4"),
        ("straight", ["K", "Q"], "no straight begins with the ranks K, Q"),
        ("royal-flush", ["K"], "no royal-flush begins with the ranks K"),
    ],
)
def test_floors_that_no_hand_reaches(five: CompiledRanking, category: str, ranks: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        five.floor(category, ranks)


@pytest.mark.parametrize("text", ["AsKsQsJs", "AsKsQsJs??", ""])
def test_there_is_no_best_hand_of_too_few_cards(five: CompiledRanking, text: str) -> None:
    with pytest.raises(ValueError, match=r"^the best hand needs 5 cards or more, all of them known$"):
        five.best(parse_cards(text))


def test_too_few_columns_are_refused(five: CompiledRanking) -> None:
    with pytest.raises(ValueError, match=r"^a hand of 5 cards cannot be chosen from 4$"):
        five.strength(np.zeros((2, 4), np.uint8))


@pytest.mark.parametrize("width", [4, 6])
def test_only_a_whole_hand_can_be_arranged(five: CompiledRanking, width: int) -> None:
    with pytest.raises(ValueError, match=rf"^{width} cards are not an arranged hand of 5$"):
        five.is_arranged(np.zeros((2, width), np.uint8))


def test_the_best_of_six_is_the_best_of_its_six_choices(five: CompiledRanking, deck: CompiledDeck) -> None:
    hands = deck.shuffle_shoes(rng=np.random.default_rng(5), rounds=5_000, decks=2, cards=6)
    choices = np.stack([five.strength(hands[:, list(places)]) for places in combinations(range(6), 5)])
    assert (five.strength(hands) == choices.max(axis=0)).all()
