"""Hands with a joker: order by eval7, counts by closed forms, and texts of cards."""

from __future__ import annotations

import random
import warnings
from functools import cache
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from fairdeal.validator.cards.card_codes import (
    JOKER,
    UNKNOWN,
    cards_in_symbols,
    compile_deck,
    format_cards,
    parse_cards,
)
from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking
from fairdeal.validator.cards.ranking_models import DeckModel, Ranking, has_leading_ranks
from tests.facade.rules import load_regulation

with warnings.catch_warnings():  # it imports a deprecated parser
    warnings.simplefilter("ignore")
    import eval7

EVAL7: list[Any] = [eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"]
COMPLETED = {4, 5, 8}
"""Categories of eval7 that a joker may complete: straight, flush, straight flush."""
ACES = range(48, 52)


@cache
def compile_named(name: str) -> CompiledRanking:
    ranking = load_regulation("s38").vocabulary.rankings[name]
    assert isinstance(ranking, Ranking)
    return compile_ranking(ranking)


@pytest.fixture(scope="module")
def five() -> CompiledRanking:
    return compile_named("five-card-with-joker")


@pytest.fixture(scope="module")
def two() -> CompiledRanking:
    return compile_named("two-card-with-joker")


def rank_by_eval7(others: list[int]) -> int:
    """Return the highest score of a joker with four other cards; five aces are above all."""
    if set(others) == set(ACES):
        return 1 << 40
    scores = []
    for code in range(52):
        if code not in others:
            score = eval7.evaluate([EVAL7[card] for card in (*others, code)])
            if code in ACES or score >> 24 in COMPLETED:
                scores.append(score)
    return max(scores)


def test_order_with_a_joker_is_that_of_eval7(five: CompiledRanking) -> None:
    rng = random.Random(7)
    hands = [rng.sample(range(52), 4) for _ in range(3000)]
    hands += [sorted(rng.sample(range(start, 52, 4), 4)) for start in range(4) for _ in range(200)]  # one suit
    hands += [
        [*rng.sample(ACES, number), *rng.sample(range(48), 4 - number)] for number in (2, 3, 4) for _ in range(50)
    ]
    strengths = five.strength(np.array([[*hand, JOKER] for hand in hands], np.uint8)).tolist()
    ranked = sorted(zip(map(rank_by_eval7, hands), strengths, strict=True))
    for (score, strength), (next_score, next_strength) in pairwise(ranked):
        assert (next_score > score) == (next_strength > strength)
        assert (next_score == score) == (next_strength == strength)


def test_hands_with_a_joker_are_as_many_as_closed_forms_say(five: CompiledRanking) -> None:
    """Count the 270,725 hands of a joker and four other cards by category."""
    others = np.array(list(combinations(range(52), 4)), np.uint8)
    hands = np.concatenate([others, np.full((len(others), 1), JOKER, np.uint8)], axis=1)
    categories = np.bincount(five.category(five.strength(hands)), minlength=len(five.categories))
    counts = dict(zip(five.categories, categories.tolist(), strict=True))
    assert counts["five-aces"] == 1
    # Three aces with another card, or four cards of another rank.
    assert counts["four-of-a-kind"] == 4 * 48 + 12
    # Five of ten windows lack one of their cards; nine runs of four lie in two windows.
    straight_flushes = 4 * (10 * 5 - 9)
    assert counts["royal-flush"] == 4 * 5
    assert counts["straight-flush"] == straight_flushes - 4 * 5
    assert counts["flush"] == 4 * comb(13, 4) - straight_flushes
    assert counts["straight"] == (10 * 5 - 9) * (4**4 - 4)
    assert sum(counts.values()) == comb(52, 4)


def test_a_joker_is_an_ace_in_two_cards(two: CompiledRanking) -> None:
    codes = np.array([parse_cards(text) for text in ("JkAs", "JkKd", "AcKd", "KcKd", "AcAd")], np.uint8)
    aces, ace_king, plain, kings, natural = two.strength(codes).tolist()
    assert aces == natural > kings > ace_king == plain


@pytest.mark.parametrize("cards", ["JkJkAsKdQc", "Jk??AsKdQc"])
def test_two_jokers_and_unknown_cards_are_not_ranked(cards: str, five: CompiledRanking) -> None:
    assert five.strength(np.array([parse_cards(cards)], np.uint8)).tolist() == [-1]


def test_rankings_without_a_joker_do_not_rank_it() -> None:
    plain = compile_named("five-card")
    assert plain.strength(np.array([parse_cards("JkKsQsTs9s")], np.uint8)).tolist() == [-1]


def test_the_best_of_more_cards_may_have_a_joker_or_not(five: CompiledRanking) -> None:
    cards = np.array([parse_cards(text) for text in ("JkKsKdKhKc2d3c", "Jk2s3s4s6s9dTd", "JkAsAdAcAh7d7c")], np.uint8)
    names = [five.describe(strength) for strength in five.strength(cards).tolist()]
    assert names == ["four of a kind: kings, kicker ace", "straight flush to the six", "five aces"]


def test_texts_of_a_joker() -> None:
    assert parse_cards("AsJk??") == (51, JOKER, UNKNOWN)
    assert format_cards([51, JOKER]) == "AsJk"
    assert cards_in_symbols([JOKER, 51]) == "Joker A♠"
    with pytest.raises(ValueError, match="Jk for the joker"):
        parse_cards("Xs")


def test_decks_with_a_joker() -> None:
    deck = DeckModel(ranks="23456789TJQKA", suits="cdhs", jokers=1)
    assert compile_deck("standard-53", deck).cards == (*range(52), JOKER)
    assert deck.size == 53


def test_mistakes_with_a_joker() -> None:
    plain = {"cards": 2, "ace": "high", "categories": [{"category": "card"}]}
    with pytest.raises(ValidationError, match="a joker completes run, which is not a category"):
        Ranking.model_validate({**plain, "joker": {"completes": ["run"]}})
    with pytest.raises(ValidationError, match="only where the highest hand wins"):
        Ranking.model_validate({**plain, "joker": {}, "wins": "lowest"})


def test_hands_of_two_sizes_are_compared_by_leading_ranks(five: CompiledRanking, two: CompiledRanking) -> None:
    rankings = load_regulation("s38").vocabulary.rankings
    assert has_leading_ranks(rankings["five-card-with-joker"], rankings["two-card-with-joker"])
    assert not has_leading_ranks(rankings["five-card"], rankings["single-card"])
    texts = [
        ("AsKd", "AcQd9h5s2c"),
        ("AsKd", "AcKd2h3s4c"),
        ("KcKd", "QcQdAsJhTh"),
        ("AcAd", "2c2d3h3s4c"),
        ("QcQd", "QhQs5c4d2c"),
    ]
    low = two.strength(np.array([parse_cards(text) for text, _ in texts], np.uint8))
    high = five.strength(np.array([parse_cards(text) for _, text in texts], np.uint8))
    is_foul = two.find_leading_place(low, five) > five.find_leading_place(high, two)
    assert is_foul.tolist() == [True, False, True, False, False]
