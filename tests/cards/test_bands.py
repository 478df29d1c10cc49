"""Categories, marks and bands as stretches of strength, in the rankings of the vocabulary and beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from fairdeal.validator.cards.card_codes import pack_column_digits
from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking
from tests.cards.conftest import compile_ranking_of, list_hands, load_rankings
from tests.cards.test_five_cards import COUNTS, has_same_order, rank_by_eval7
from tests.facade.cards import Ranking, parse_cards


def count_hands(name: str, size: int, span: str) -> int:
    """Count the hands out of 52 cards that a category, mark or band takes in."""
    strengths = compile_ranking_of(name).strength(list_hands(size))
    low, high = compile_ranking_of(name).span(span)
    return int(((strengths >= low) & (strengths < high)).sum())


ONE_PAIR = 4 * 3 // 2 * 220 * 64  # two suits of a rank, three of the other twelve ranks in any suits
BELOW = {"high-card": 1_302_540, "pair": 1_098_240, "two-pair": 123_552}


@pytest.mark.parametrize(
    ("span", "hands"),
    [
        ("pair-of-sevens", ONE_PAIR),
        ("pair-of-eights", ONE_PAIR),
        ("pair-of-nines", ONE_PAIR),
        ("pair-of-tens", ONE_PAIR),
        ("pair-of-jacks", ONE_PAIR),
        ("pair-of-tens-or-better", 5 * ONE_PAIR),
        ("pair-of-jacks-or-better", 4 * ONE_PAIR),
        ("two-pair-or-lower", sum(BELOW.values())),
        *COUNTS.items(),
    ],
)
def test_exact_counts_of_five_cards(span: str, hands: int) -> None:
    assert count_hands("five-card", 5, span) == hands


def test_an_ace_that_is_high_only_makes_no_low_run() -> None:
    counts = COUNTS | {"straight": 9_180, "straight-flush": 32, "flush": 5_112, "high-card": 1_303_560}
    assert {name: count_hands("five-card-high-only", 5, name) for name in COUNTS} == counts
    assert sum(counts.values()) == 2_598_960


def test_but_for_that_the_order_is_the_usual_one() -> None:
    hands = list_hands(5)[::41]
    ranks = np.sort(hands >> 2, axis=1)
    hands = hands[(ranks != [0, 1, 2, 3, 12]).any(axis=1)]
    assert has_same_order(compile_ranking_of("five-card-high-only").strength(hands), rank_by_eval7(hands))


def test_single_cards_may_break_ties() -> None:
    hands = list_hands(5)
    falling = hands[:, ::-1].copy()  # codes ascend, and so do their ranks
    plain, single = compile_ranking_of("five-card"), compile_ranking_of("five-card-by-single-cards")
    assert isinstance(single, CompiledRanking) and isinstance(plain, CompiledRanking)
    strengths = single.strength(hands)
    levels = plain.category(plain.strength(hands))
    assert (single.category(strengths) == levels).all()
    runs = np.isin(levels, [plain.categories.index(name) for name in ("straight", "straight-flush", "royal-flush")])
    assert (strengths[runs] == plain.strength(hands[runs])).all()
    assert ((strengths[~runs] & 0xFFFFF) - 0x22222 == pack_column_digits(falling[~runs])).all()


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("9c9dAhKh2s", "pair of nines, kickers ace, king, two"),
        ("9h9s4c4dAh", "two pair: nines and fours, kicker ace"),
        ("2c2d2hAcAd", "full house: twos and aces"),
        ("5c4d3h2sAh", "straight to the five"),
    ],
)
def test_a_hand_is_told_and_laid_out_alike_whatever_breaks_ties(text: str, described: str) -> None:
    row = parse_cards(text)
    for name in ("five-card", "five-card-by-single-cards"):
        ranking = compile_ranking_of(name)
        assert isinstance(ranking, CompiledRanking)
        strength = int(ranking.strength(np.array([row], np.uint8))[0])
        assert ranking.describe(strength) == described
        assert ranking.is_arranged(np.array([row], np.uint8)).tolist() == [True]


def test_a_lower_pair_with_a_higher_card_wins_by_single_cards() -> None:
    nines, tens = (np.array([parse_cards(text)], np.uint8) for text in ("9c9dAhKh2s", "TcTdQh4h2s"))
    assert compile_ranking_of("five-card").strength(nines) < compile_ranking_of("five-card").strength(tens)
    single = compile_ranking_of("five-card-by-single-cards")
    assert single.strength(nines) > single.strength(tens)


@pytest.mark.parametrize(
    ("name", "runs"),
    [("three-card-instant", 11), ("three-card-instant-ace-low", 12)],
)
def test_exact_counts_of_three_cards_that_win_at_once(name: str, runs: int) -> None:
    assert count_hands(name, 3, "instant-straight-flush") == 4 * runs
    assert count_hands(name, 3, "instant-three-of-a-kind") == 13 * 4
    assert count_hands(name, 3, "no-instant-winner") == 22_100 - 52 - 4 * runs


@pytest.mark.parametrize("name", sorted(load_rankings()))
def test_categories_follow_each_other_without_a_gap(name: str) -> None:
    ranking = compile_ranking_of(name)
    spans = [ranking.span(category) for category in ranking.categories]
    assert spans[0][0] == 0
    assert [low for low, _ in spans[1:]] == [high for _, high in spans[:-1]]
    assert spans[-1][1] <= 2**31 - 1
    for level, (low, high) in enumerate(spans):
        assert ranking.category(np.array([low, high - 1], np.int32)).tolist() == [level, level]
        assert ranking.lowest_strength(ranking.categories[level]) == low


@pytest.mark.parametrize("name", sorted(load_rankings()))
def test_every_name_has_a_span_and_no_other(name: str) -> None:
    ranking = compile_ranking_of(name)
    assert all(low < high for low, high in map(ranking.span, load_rankings()[name].list_names()))
    for ask in (ranking.span, ranking.lowest_strength):
        with pytest.raises(ValueError, match=r"^pair-of-twos is not a category of"):
            ask("pair-of-twos")


CATEGORIES: list[dict[str, Any]] = [{"category": "pair", "groups": [2]}, {"category": "high-card"}]
MARKS: dict[str, Any] = {
    "nines": {"category": "pair", "ranks": ["9"]},
    "nines-and-king": {"category": "pair", "ranks": ["9", "K"]},
    "queen-high": {"category": "high-card", "ranks": ["Q"]},
}


def build_ranking(**band: str) -> Ranking:
    model = {"cards": 3, "ace": "high", "categories": CATEGORIES, "marks": MARKS, "bands": {"band": band}}
    return Ranking.model_validate(model)


@pytest.mark.parametrize(
    ("low", "high", "within", "without"),
    [
        ("queen-high", "nines", ["Q32", "AKJ", "22A", "992", "99A"], ["JT8", "TT2"]),
        ("queen-high", "queen-high", ["Q32", "QJ9"], ["K32", "J98"]),
        ("nines-and-king", "nines", ["99K", "99A"], ["99Q", "TT2"]),
        ("nines", "nines-and-king", ["992", "99K"], ["99A", "88A"]),
        ("nines", "pair", ["992", "AAK"], ["88A"]),
        ("high-card", "high-card", ["432", "AKJ"], ["223"]),
    ],
)
def test_both_bounds_are_counted_in_whole(low: str, high: str, within: list[str], without: list[str]) -> None:
    ranking = compile_ranking(build_ranking(**{"from": low, "to": high}))
    first, last = ranking.span("band")
    for hands, fits in ((within, True), (without, False)):
        for ranks in hands:
            strength = ranking.classify(["23456789TJQKA".index(rank) for rank in ranks], False)
            assert (first <= strength < last) is fits, ranks


@pytest.mark.parametrize(
    ("band", "reason"),
    [
        (
            {"from": "pair", "to": "high-card"},
            "the band band must go from the lower to the higher: pair is above high-card",
        ),
        ({"from": "pair", "to": "queen-high"}, "pair is above queen-high"),
        ({"from": "nines", "to": "flush"}, "the band band names flush, which is neither a category nor a mark"),
        ({"from": "tens", "to": "pair"}, "names tens, which is neither a category nor a mark"),
    ],
)
def test_a_band_that_makes_no_sense_is_refused(band: dict[str, str], reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        build_ranking(**band)
    assert reason in str(caught.value)


@pytest.mark.parametrize(("name", "kind"), [("pair", "category"), ("nines", "mark")])
def test_a_band_has_a_name_of_its_own(name: str, kind: str) -> None:
    model = {"cards": 3, "ace": "high", "categories": CATEGORIES, "marks": MARKS}
    with pytest.raises(ValidationError, match=f"{name} is a {kind} and cannot name a band as well"):
        Ranking.model_validate({**model, "bands": {name: {"from": "pair", "to": "pair"}}})
