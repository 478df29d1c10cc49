"""Cards that are kept: exact counts over all hands, and single hands compared with another evaluator."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fairdeal.validator.cards.card_choices import (
    CompiledKeepAll,
    CompiledKeepGrouped,
    CompiledKeepRule,
    CompiledKeepToward,
    Completion,
    match_discards,
    split_kept_cards,
)
from fairdeal.validator.cards.card_codes import CompiledDeck, sort_columns
from fairdeal.validator.cards.ranking import CompiledRanking
from tests.cards.conftest import compile_ranking_of, list_hands
from tests.facade.cards import NO_CARD, UNKNOWN, format_cards, parse_cards
from tests.facade.evidence import Bits32

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser of hand ranges uses old names
    import eval7

CARDS: list[Any] = [eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"]
NO_STRAIGHTS = 1_277
"""Sets of five different ranks that are no run."""
NO_FLUSH = 4**5 - 4
FOUR_OF_A_SUIT = 4 * 5 * 3
"""Suits of five different ranks of which exactly four share one."""


class Draws:
    """Rules of drawing to five cards."""

    def __init__(self, ranking: CompiledRanking, deck: CompiledDeck, decks: int = 1) -> None:
        self.ranking, self.deck, self.decks = ranking, deck, decks

    def compile_grouped(self, highest: int = 0, *, groups: bool = True) -> CompiledKeepGrouped:
        return CompiledKeepGrouped(ranking=self.ranking, groups=groups, others=highest)

    def compile_toward(
        self,
        category: str,
        cards: int = 4,
        completed_by: int = 1,
        prefer: Literal["best-completed", "highest-cards"] | None = None,
    ) -> CompiledKeepToward:
        completing = Completion(ranking=self.ranking, category=category, cards=cards, deck=self.deck, decks=self.decks)
        return CompiledKeepToward(completing=completing, completed_by=completed_by, prefer=prefer)


@pytest.fixture(scope="module")
def draws(five: CompiledRanking, deck: CompiledDeck) -> Draws:
    return Draws(five, deck)


@pytest.fixture(scope="module")
def high_cards(five: CompiledRanking) -> NDArray[np.uint8]:
    """Return all hands without a pair, a run or a flush, cards ascending down each column."""
    hands = list_hands(5)
    return np.ascontiguousarray(hands[five.category(five.strength(hands)) == 0].T)


def list_kept(keeping: CompiledKeepRule, text: str) -> list[str]:
    """List the cards that a rule lets a hand keep, each way as text, the highest card first."""
    hand = np.array(parse_cards(text), np.uint8)
    ways = int(keeping.ways(sort_columns(hand[None]))[0])
    return sorted(format_cards(split_kept_cards(hand, way)[0]) for way in range(32) if ways >> way & 1)


def count_draws(ways: Bits32) -> NDArray[np.uint8]:
    return np.bitwise_count(ways)


def test_exact_counts_of_the_cards_toward_a_flush_or_a_straight(draws: Draws, high_cards: NDArray[np.uint8]) -> None:
    assert high_cards.shape == (5, NO_STRAIGHTS * NO_FLUSH)
    flush = count_draws(draws.compile_toward("flush").ways(high_cards))
    some = count_draws(draws.compile_toward("straight").ways(high_cards))
    open_ = count_draws(draws.compile_toward("straight", completed_by=2).ways(high_cards))
    assert np.bincount(flush).tolist() == [NO_STRAIGHTS * (NO_FLUSH - FOUR_OF_A_SUIT), NO_STRAIGHTS * FOUR_OF_A_SUIT]
    # Sets of ranks: 63 have one open draw and none has two, 16 of them another one in addition; of the others, 184 have
    # one draw and 28 have two.
    assert np.bincount(open_).tolist() == [(NO_STRAIGHTS - 63) * NO_FLUSH, 63 * NO_FLUSH]
    assert ((open_ > 0) & (some > 1)).sum() == 16 * NO_FLUSH
    assert np.bincount(some[open_ == 0]).tolist() == [1_002 * NO_FLUSH, 184 * NO_FLUSH, 28 * NO_FLUSH]


def test_what_is_preferred_matters_in_four_sets_of_ranks(draws: Draws, high_cards: NDArray[np.uint8]) -> None:
    some = draws.compile_toward("straight").ways(high_cards)
    open_ = draws.compile_toward("straight", completed_by=2).ways(high_cards)
    best = draws.compile_toward("straight", prefer="best-completed").ways(high_cards)
    highest = draws.compile_toward("straight", prefer="highest-cards").ways(high_cards)
    assert (count_draws(best) == (some != 0)).all() and (count_draws(highest) == (some != 0)).all()
    assert not (best & ~some).any() and not (highest & ~some).any()
    differ = (count_draws(some) == 2) & (open_ == 0) & (best != highest)
    ranks = {tuple((hand >> 2).tolist()) for hand in high_cards.T[differ]}
    assert ranks == {(0, 1, 2, 4, 12), (0, 1, 3, 4, 12), (0, 2, 3, 4, 12), (1, 2, 3, 5, 12)}
    assert differ.sum() == 4 * NO_FLUSH


GROUPS = {"pair": 2, "two-pair": 4, "three-of-a-kind": 3, "full-house": 5, "four-of-a-kind": 4}


def test_groups_are_formed_wherever_the_category_has_some(five: CompiledRanking, draws: Draws) -> None:
    hands = list_hands(5)
    columns = np.ascontiguousarray(hands.T)
    ways = draws.compile_grouped().ways(columns)
    categories = five.category(five.strength(hands))
    for level, name in enumerate(five.categories):
        found = ways[categories == level]
        if name not in GROUPS:
            assert not found.any()
        else:
            assert (count_draws(found) == 1).all()
            way = np.log2(found).astype(np.uint8)
            assert (np.bitwise_count(way) == GROUPS[name]).all()


@pytest.mark.parametrize(
    ("highest", "groups", "hand", "expected"),
    [
        (0, True, "9c2dAh9s4h", ["9s9c"]),
        (1, True, "9c2dAh9s4h", ["Ah9s9c"]),
        (0, True, "9c4dAh9s4h", ["9s9c4h4d"]),
        (1, True, "9c4dAh9s4h", ["Ah9s9c4h4d"]),
        (2, True, "9c4dAh9s4h", []),
        (0, True, "9c9dAh9s4h", ["9s9d9c"]),
        (0, True, "9c9dAh9s9h", ["9s9h9d9c"]),
        (0, True, "AcKcQcJc9c", []),
        (3, False, "9c2dAh7s4h", ["Ah9c7s"]),
        (3, False, "5c2dAh3s4h", ["Ah5c4h"]),  # a run, but the ace is high all the same
        (3, False, "9c2dAh9s4h", ["Ah9s9c"]),
        (2, False, "9c2dAh9s4h", ["Ah9c", "Ah9s"]),  # either nine
        (1, False, "9c9dAh9s4h", ["Ah"]),
        (3, False, "4c4d4hAs2s", ["As4d4c", "As4h4c", "As4h4d"]),
        (5, False, "9c2dAh7s4h", ["Ah9c7s4h2d"]),
    ],
)
def test_groups_and_the_highest_of_the_others(
    draws: Draws, highest: int, groups: bool, hand: str, expected: list[str]
) -> None:
    assert list_kept(draws.compile_grouped(highest, groups=groups), hand) == expected


def test_all_cards(draws: Draws) -> None:
    assert list_kept(CompiledKeepAll(size=5), "9c2dAh7s4h") == ["Ah9c7s4h2d"]


@pytest.mark.parametrize(
    ("hand", "rule", "expected"),
    [
        ("9c8c7c2cAh", ("flush", 4), ["9c8c7c2c"]),
        ("9c8c7c2hAh", ("flush", 3), ["9c8c7c"]),
        ("9c8c7c2hAh", ("flush", 4), []),
        ("9c8d7h6sAh", ("straight", 4, 2), ["9c8d7h6s"]),
        ("AcKdQhJs2h", ("straight", 4, 2), []),  # only a ten
        ("AcKdQhJs2h", ("straight", 4, 1), ["AcKdQhJs"]),
        ("Ac2d3h4sKh", ("straight", 4, 2), []),  # only a five
        ("9c8d6h5sAh", ("straight", 4, 1), ["9c8d6h5s"]),
        ("9c9d8h7s6h", ("straight", 4), ["9c8h7s6h", "9d8h7s6h"]),
        ("9c8c7c6cAh", ("straight-flush", 4, 2), ["9c8c7c6c"]),
        ("AcKcQcJc2h", ("royal-flush", 4), ["AcKcQcJc"]),
        ("AcKcQcJc2h", ("straight-flush", 4), []),
        ("AcKc2h5h8d", ("royal-flush", 2), ["AcKc"]),
        ("9c9d2h5h8d", ("four-of-a-kind", 2), ["8d2h", "8d5h", "8d9c", "8d9d", "5h2h", "9c2h"]),
    ],
)
def test_cards_toward_a_category(draws: Draws, hand: str, rule: tuple[Any, ...], expected: list[str]) -> None:
    found = list_kept(draws.compile_toward(*rule), hand)
    assert found == sorted(expected) if rule[0] != "four-of-a-kind" else len(found) == 10


def test_a_card_that_the_decks_do_not_have_completes_nothing(five: CompiledRanking) -> None:
    without_nines = CompiledDeck(name="short", cards=tuple(code for code in range(52) if code // 4 != 7))
    short = Draws(five, without_nines).compile_toward("straight", completed_by=1)
    assert list_kept(short, "TcJdQhKs2h") == ["KsQhJdTc"]
    assert list_kept(short, "TcJd8hQs2h") == []
    pairs = Draws(five, CompiledDeck(name="two suits", cards=tuple(code for code in range(52) if code % 4 < 2)))
    assert list_kept(pairs.compile_toward("three-of-a-kind", cards=3), "TcTdQcKd2d") == []


def test_several_decks_have_a_card_more_than_once(five: CompiledRanking, deck: CompiledDeck) -> None:
    def keep_toward_flush(decks: int, hand: str) -> list[str]:
        # A flush of every rank but those kept, or of all: 9 or 13 ranks complete it.
        return list_kept(Draws(five, deck, decks).compile_toward("flush", completed_by=10), hand)

    assert keep_toward_flush(1, "9c8c7c2cAh") == []
    assert keep_toward_flush(2, "9c8c7c2cAh") == ["9c8c7c2c"]


CATEGORY_OF_EVAL7 = {"flush": 5, "straight": 4}


def by_eval7(hand: list[int], category: str, completed_by: int) -> list[tuple[int, ...]]:
    """Return the choices of four cards that at least a number of ranks complete, all 48 other cards tried."""
    found: list[tuple[int, ...]] = []
    for four in combinations(hand, 4):
        ranks = {
            card // 4
            for card in set(range(52)) - set(four)
            if eval7.evaluate([CARDS[code] for code in (*four, card)]) >> 24 == CATEGORY_OF_EVAL7[category]
        }
        if len(ranks) >= completed_by:
            found.append(four)
    return found


@given(
    st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True)
    | st.lists(st.integers(0, 24), min_size=5, max_size=5, unique=True),
    st.sampled_from(sorted(CATEGORY_OF_EVAL7)),
    st.integers(1, 2),
)
def test_another_evaluator_finds_the_same_draws(hand: list[int], category: str, completed_by: int) -> None:
    ranking = compile_ranking_of("five-card")
    assert isinstance(ranking, CompiledRanking)
    draws = Draws(ranking, CompiledDeck(name="one", cards=tuple(range(52))))
    ways = int(
        draws.compile_toward(category, completed_by=completed_by).ways(sort_columns(np.array([hand], np.uint8)))[0]
    )
    ours = [tuple(sorted(split_kept_cards(np.array(hand, np.uint8), way)[0])) for way in range(32) if ways >> way & 1]
    assert sorted(ours) == sorted(tuple(sorted(four)) for four in by_eval7(hand, category, completed_by))


# What was put aside


def open_ways(hand: str, discarded: str, count: int | None = None, *, goes_on: bool = False) -> tuple[bool, list[str]]:
    """Return whether the discards were of the hand, and the cards that may have been kept."""
    cards = np.array(parse_cards(hand), np.uint8)
    aside = np.full((1, 12), NO_CARD, np.uint8)
    aside[0, : len(discarded) // 2] = parse_cards(discarded)
    number = len(discarded) // 2 if count is None else count
    shown = match_discards(sort_columns(cards[None]), aside, np.array([number], np.int16), np.array([goes_on]))
    ways = int(shown.ways[0])
    return bool(shown.own[0]), sorted(
        {format_cards(split_kept_cards(cards, way)[0]) for way in range(32) if ways >> way & 1}
    )


@pytest.mark.parametrize(
    ("discarded", "left"),
    [
        ("", ["Ah9s9c4h2d"]),
        ("2d", ["Ah9s9c4h"]),
        ("4h2d", ["Ah9s9c"]),
        ("2d4h", ["Ah9s9c"]),
        ("??", ["9s9c4h2d", "Ah9s4h2d", "Ah9c4h2d", "Ah9s9c2d", "Ah9s9c4h"]),
        ("2d??", ["9s9c4h", "Ah9s4h", "Ah9c4h", "Ah9s9c"]),
        ("9c4h2dAh9s", [""]),
        ("9c??2dAh9s", [""]),
    ],
)
def test_what_the_cards_put_aside_leave_open(discarded: str, left: list[str]) -> None:
    assert open_ways("9c2dAh9s4h", discarded) == (True, sorted(left))


@pytest.mark.parametrize(
    ("discarded", "left"),
    [
        ("Ah9s", ["9c4h2d", "9c4h", "9c2d", "4h2d", "9c", "4h", "2d", ""]),
        ("2d4h9s9c", ["Ah", ""]),
        ("9c4h2dAh9s", [""]),
    ],
)
def test_what_may_be_put_aside_when_more_may_follow(discarded: str, left: list[str]) -> None:
    assert open_ways("9c2dAh9s4h", discarded, goes_on=True) == (True, sorted(left))


@pytest.mark.parametrize("discarded", ["3c", "2d2d", "2d3c??", "9c2dAh9s4h??"])
def test_cards_of_another_hand_are_noticed(discarded: str) -> None:
    assert open_ways("9c2dAh9s4h", discarded)[0] is False


def test_what_is_not_recorded_is_not_known() -> None:
    assert open_ways("9c2dAh9s4h", "", count=-1)[0] is False


def test_cards_that_are_alike_stand_for_each_other() -> None:
    assert open_ways("9c9cAh9s4h", "9c") == (True, ["Ah9s9c4h"])
    assert open_ways("9c9cAh9s4h", "9c9c") == (True, ["Ah9s4h"])
    assert open_ways("9c9cAh9s4h", "9c9c9c")[0] is False


def test_unknown_cards_put_aside_are_counted() -> None:
    columns = sort_columns(np.array([[0, 4, 8, 12, 16]], np.uint8))
    shown = match_discards(
        columns, np.array([[UNKNOWN, UNKNOWN]], np.uint8), np.array([2], np.int16), np.array([False])
    )
    assert np.bitwise_count(shown.ways).tolist() == [10]


@pytest.mark.parametrize(
    ("groups", "others", "text", "kept"),
    [
        (False, 4, "AsKd9c5h2s", ["Kd9c5h2s"]),
        (False, 4, "AsAd9c5h2s", ["Ad9c5h2s", "As9c5h2s"]),
        (True, 1, "9s9dAcKh2s", ["9s9d2s"]),
    ],
)
def test_the_lowest_other_cards_may_be_kept(
    draws: Draws, groups: bool, others: int, text: str, kept: list[str]
) -> None:
    keeping = CompiledKeepGrouped(ranking=draws.ranking, groups=groups, others=others, lowest=True)
    assert list_kept(keeping, text) == kept
