"""Laws that hold for every ranking, whatever its categories."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking
from tests.facade.cards import Ranking

# Hypothesis and session fixtures do not mix in one signature: the rankings of the vocabulary have tests of
# their own, and these represent everything the primitives can say.
RANKINGS: dict[str, CompiledRanking] = {
    name: compile_ranking(Ranking.model_validate(model))
    for name, model in {
        "one-card": {"cards": 1, "ace": "low", "categories": [{"category": "high-card"}]},
        "two-cards": {
            "cards": 2,
            "ace": "low",
            "categories": [
                {"category": "ace-run", "consecutive": True, "ranks": ["A", "2"]},
                {"category": "run", "consecutive": True},
                {"category": "court-pair", "groups": [2], "ranks": ["J", "Q", "K"]},
                {"category": "low-cards", "ranks": ["2", "3", "4", "5"]},
                {"category": "suited-pair", "suited": True, "groups": [2]},
                {"category": "rest"},
            ],
        },
        "three-cards": {
            "cards": 3,
            "ace": "high",
            "categories": [
                {"category": "run", "consecutive": True},
                {"category": "flush", "suited": True},
                {"category": "pair", "groups": [2]},
                {"category": "high-card"},
            ],
        },
        "four-cards": {
            "cards": 4,
            "ace": "high-and-low",
            "categories": [
                {"category": "two-pair", "groups": [2, 2]},
                {"category": "run", "consecutive": True},
                {"category": "three", "groups": [3]},
                {"category": "high-card"},
            ],
        },
        "no-groups": {
            "cards": 5,
            "ace": "high-and-low",
            "categories": [{"category": "flush", "suited": True}, {"category": "high-card"}],
        },
    }.items()
}
SUITS = list(permutations(range(4)))


@st.composite
def ranked_rows(draw: st.DrawFn) -> tuple[CompiledRanking, list[int]]:
    """Draw a ranking and a row of cards, of one suit or few ranks more often than by chance."""
    ranking = RANKINGS[draw(st.sampled_from(sorted(RANKINGS)))]
    cards = draw(st.sampled_from([range(52), range(0, 52, 4), range(12), range(36, 52)]))
    count = draw(st.integers(ranking.size, ranking.size + 2))
    return ranking, draw(st.lists(st.sampled_from(cards), min_size=count, max_size=count))


def column_strength(ranking: CompiledRanking, row: list[int]) -> int:
    return int(ranking.strength(np.array([row], np.uint8))[0])


@given(ranked_rows(), st.randoms(use_true_random=False), st.sampled_from(SUITS))
def test_order_and_names_of_suits_do_not_matter(
    drawn: tuple[CompiledRanking, list[int]], random: Random, suits: tuple[int, ...]
) -> None:
    ranking, row = drawn
    other = [code // 4 * 4 + suits[code % 4] for code in row]
    random.shuffle(other)
    assert column_strength(ranking, row) == column_strength(ranking, other)


@given(ranked_rows())
def test_columns_say_what_the_scalar_definition_says(drawn: tuple[CompiledRanking, list[int]]) -> None:
    ranking, row = drawn
    expected = max(
        ranking.classify([code // 4 for code in hand], len({code % 4 for code in hand}) == 1)
        for hand in combinations(row, ranking.size)
    )
    assert column_strength(ranking, row) == expected


@given(ranked_rows())
def test_the_arrangement_is_the_hand_again(drawn: tuple[CompiledRanking, list[int]]) -> None:
    ranking, row = drawn
    best = ranking.best(row)
    ranks = [code // 4 for code in best]
    strength = column_strength(ranking, row)
    assert list(ranking.arrangement(strength)) == ranks
    assert column_strength(ranking, list(best)) == strength
    assert not set(best) - set(row)


@given(ranked_rows())
@settings(max_examples=50)
def test_only_the_arrangement_is_arranged(drawn: tuple[CompiledRanking, list[int]]) -> None:
    ranking, row = drawn
    best = ranking.best(row)
    orders = list(permutations(best))
    told = ranking.is_arranged(np.array(orders, np.uint8)).tolist()
    ranks = [code // 4 for code in best]
    assert told == [[code // 4 for code in order] == ranks for order in orders]


def test_a_flush_that_repeats_a_rank_counts_its_cards_from_the_top() -> None:
    ranking = RANKINGS["three-cards"]
    spades = [[51, 3, 7], [47, 47, 3], [47, 43, 35], [47, 39, 39]]
    strengths = [column_strength(ranking, row) for row in spades]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == 4
    assert ranking.describe(strengths[3]) == "flush: king, jack, jack"


def test_the_ace_stands_where_the_ranking_says() -> None:
    low, high = [48, 1], [48, 45]
    two = RANKINGS["two-cards"]
    assert [two.describe(column_strength(two, row)) for row in (low, high)] == [
        "ace run",
        "ace high: ace, king",
    ]
    three = RANKINGS["three-cards"]
    assert three.describe(column_strength(three, [48, 1, 4])) == "ace high: ace, three, two"
    assert three.describe(column_strength(three, [48, 45, 40])) == "run to the ace"
    four = RANKINGS["four-cards"]
    assert four.describe(column_strength(four, [48, 1, 4, 8])) == "run to the four"
    assert four.describe(column_strength(four, [48, 45, 40, 36])) == "run to the ace"
    assert four.describe(column_strength(four, [48, 45, 40, 0])) == "ace high: ace, king, queen, two"


def test_ranks_bind_the_groups_or_else_every_card() -> None:
    two = RANKINGS["two-cards"]
    described = [two.describe(column_strength(two, row)) for row in ([40, 41], [32, 33], [32, 32], [0, 8], [0, 0])]
    assert described == [
        "court pair of queens",
        "ten high: ten, ten",
        "suited pair of tens",
        "low cards: four, two",
        "low cards: two, two",
    ]


def test_nothing_comes_of_nothing() -> None:
    ranking = RANKINGS["three-cards"]
    assert ranking.strength(np.zeros((0, 3), np.uint8)).shape == (0,)
    assert ranking.is_arranged(np.zeros((0, 3), np.uint8)).shape == (0,)


def test_tables_are_shared_by_equal_rankings() -> None:
    model = {"cards": 2, "ace": "high", "categories": [{"category": "high-card"}]}
    first, second = (compile_ranking(Ranking.model_validate(model)) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
