"""Rankings in which the lowest hand wins, compared with PokerKit's tables, counts, and rules settled by hand."""

from __future__ import annotations

import importlib
import warnings
from itertools import combinations_with_replacement, pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking
from tests.cards.conftest import list_hands
from tests.cards.test_five_cards import has_same_order
from tests.facade.cards import RANKS, Ranking, RankingsFile, encode_column, parse_cards

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

VOCABULARY = Path(__file__).parents[1] / "variants" / "games" / "vocabulary" / "rankings.yaml"
MODELS = RankingsFile.model_validate(yaml.safe_load(VOCABULARY.read_text("utf-8"))).rankings


def compile_model(name: str) -> CompiledRanking:
    model = MODELS[name]
    assert isinstance(model, Ranking)
    return compile_ranking(model)


ACE_TO_FIVE = compile_model("ace-to-five-low")
DEUCE_TO_SEVEN = compile_model("deuce-to-seven-low")
RANK_OF_ACE = RANKS.index("A")


def strength(ranking: CompiledRanking, text: str) -> int:
    return int(ranking.strength(np.array([parse_cards(text)], np.uint8))[0])


def list_hand_of_each_rank_choice() -> NDArray[np.uint8]:
    """Return a hand of every choice of ranks out of one deck: of several suits and, if possible, of one suit."""
    found = []
    for ranks in combinations_with_replacement(range(13), 5):
        if max(ranks.count(rank) for rank in ranks) < 5:
            mixed = [4 * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]
            mixed[-1] = mixed[-1] if mixed[-1] % 4 else mixed[-1] + 1
            found.append(mixed)
        if len(set(ranks)) == 5:
            found.append([4 * rank for rank in ranks])
    return np.array(found, np.uint8)


def rank_by_table(lookup: Any, hands: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the order of hands by a table of PokerKit, reversed because its lower entry is the lower hand."""
    return np.array([-lookup.get_entry(text).index for text in encode_column(hands)], np.int32)


def test_every_hand_ranks_ace_to_five_as_in_pokerkit() -> None:
    hands = list_hand_of_each_rank_choice()
    assert len(hands) == comb(17, 5) - 13 + comb(13, 5)
    assert has_same_order(ACE_TO_FIVE.strength(hands), rank_by_table(pokerkit.RegularLookup(), hands))


def test_every_hand_ranks_deuce_to_seven_as_in_pokerkit() -> None:
    hands = list_hand_of_each_rank_choice()
    # PokerKit takes 5-4-3-2-A for a straight. With the ace high it is none, which is settled by hand below.
    wheel = (np.sort(hands >> 2, axis=1) == [0, 1, 2, 3, RANK_OF_ACE]).all(axis=1)
    others = hands[~wheel]
    assert wheel.sum() == 2
    assert has_same_order(DEUCE_TO_SEVEN.strength(others), rank_by_table(pokerkit.StandardLookup(), others))


@pytest.mark.parametrize(
    ("ranking", "best_first"),
    [
        (
            ACE_TO_FIVE,
            # Straights and flushes do not count; an ace is lower than a two, also in a pair.
            [
                "5s4s3s2sAs", "6d4s3s2sAs", "6d5s3s2sAs", "7d6s5s4s3s", "8s4s3s2sAs", "8d7s6s5s4s", "9d4s3s2sAs",
                "KsQsJsTs9s", "AsAdKsQsJs", "2s2d5s4s3s", "KsKd3s2sAs", "2s2dAsAdKs", "3s3dAsAd2s", "AsAdAhKsQs",
                "2s2d2h3sAs", "AsAdAhKsKd", "AsAdAhAcKs", "2s2d2h2cAs",
            ],
        ),
        (
            DEUCE_TO_SEVEN,
            # Straights and flushes count, and an ace is high: A-5-4-3-2 is no straight but an ace-high hand.
            [
                "7s5d4s3s2s", "7s6d4s3s2s", "7s6d5s4s2s", "8s5d4s3s2s", "Ks5d4s3s2s", "As5d4s3s2s", "As6d4s3s2s",
                "AsKdQsJs9s", "2s2d5s4s3s", "AsAdKsQsJs", "3s3d2s2d4s", "2s2d2h4s3s", "6s5d4s3s2s", "AsKdQsJsTs",
                "7s5s4s3s2s", "As5s4s3s2s", "2s2d2h3s3d", "2s2d2h2c3s", "6s5s4s3s2s", "AsKsQsJsTs",
            ],
        ),
    ],
)  # fmt: skip
def test_hands_that_the_rules_settle(ranking: CompiledRanking, best_first: list[str]) -> None:
    strengths = [strength(ranking, hand) for hand in best_first]
    assert all(better > worse for better, worse in pairwise(strengths))
    names = [ranking.categories[index] for index in ranking.category(np.array(strengths, np.int32))]
    assert [ranking.categories.index(name) for name in names] == sorted(map(ranking.categories.index, names))[::-1]


def test_an_eight_or_better_is_counted_as_pokerkit_counts_it() -> None:
    hands = list_hands(5)
    fits = ACE_TO_FIVE.strength(hands) >= ACE_TO_FIVE.lowest_strength("eight-low")
    assert fits.sum() == comb(8, 5) * 4**5  # five different ranks out of eight, each of any suit
    lookup = pokerkit.EightOrBetterLookup()
    sample = list_hand_of_each_rank_choice()
    ours = ACE_TO_FIVE.strength(sample) >= ACE_TO_FIVE.lowest_strength("eight-low")
    assert ours.tolist() == [lookup.has_entry(text) for text in encode_column(sample)]


def test_the_best_low_of_seven_cards_is_pokerkits() -> None:
    chance = np.random.default_rng(5)
    rows = np.argsort(chance.random((2_000, 52)), axis=1)[:, :7].astype(np.uint8)
    theirs = [pokerkit.RegularLowHand.from_game(text[:4], text[4:]) for text in encode_column(rows)]
    entries = np.array([-hand.entry.index for hand in theirs], np.int32)
    assert has_same_order(ACE_TO_FIVE.strength(rows), entries)


def test_a_mark_or_category_takes_in_what_is_in_it() -> None:
    hands = list_hand_of_each_rank_choice()
    strengths = ACE_TO_FIVE.strength(hands)
    low, high = ACE_TO_FIVE.span("eight-low")
    inside = (strengths >= low) & (strengths < high)
    different = np.array([len(set(hand)) == 5 for hand in (hands >> 2).tolist()])
    highest = np.where(hands >> 2 == RANK_OF_ACE, -1, (hands >> 2).astype(int)).max(axis=1)
    assert inside.tolist() == (different & (highest == RANKS.index("8"))).tolist()
    pairs = ACE_TO_FIVE.span("pair")
    assert pairs[1] == ACE_TO_FIVE.span("no-pair")[0]  # better hands have the higher strengths


def test_bands_go_from_the_lower_hand_to_the_higher_one() -> None:
    model = {
        "cards": 5,
        "ace": "always-low",
        "wins": "lowest",
        "categories": [{"category": "pair", "groups": [2]}, {"category": "no-pair"}],
        "marks": {
            "five": {"category": "no-pair", "ranks": ["5"]},
            "eight": {"category": "no-pair", "ranks": ["8"]},
            "aces": {"category": "pair", "ranks": ["A"]},
            "twos": {"category": "pair", "ranks": ["2"]},
        },
        "bands": {"five-to-eight": {"from": "five", "to": "eight"}, "little-pairs": {"from": "aces", "to": "twos"}},
    }
    ranking = compile_ranking(Ranking.model_validate(model))
    low, high = ranking.span("five-to-eight")
    told = {hand: low <= strength(ranking, hand) < high for hand in ("5s4d3s2sAs", "8s7d6s5s4s", "9s4d3s2sAs")}
    assert told == {"5s4d3s2sAs": True, "8s7d6s5s4s": True, "9s4d3s2sAs": False}
    low, high = ranking.span("little-pairs")
    told = {hand: low <= strength(ranking, hand) < high for hand in ("AsAd9s8s7s", "2s2dKsQsJs", "3s3d5s4sAs")}
    assert told == {"AsAd9s8s7s": True, "2s2dKsQsJs": True, "3s3d5s4sAs": False}
    model["bands"] = {"wrong": {"from": "twos", "to": "aces"}}
    with pytest.raises(ValidationError, match="the band wrong must go from the lower to the higher"):
        Ranking.model_validate(model)


@pytest.mark.parametrize(
    ("ranking", "hand", "words"),
    [
        (ACE_TO_FIVE, "8s6d4s3s2s", "eight-six low: eight, six, four, three, two"),
        (ACE_TO_FIVE, "5s4s3s2sAs", "five-four low: five, four, three, two, ace"),
        (ACE_TO_FIVE, "AsAd4s3s2s", "pair of aces, kickers four, three, two"),
        (DEUCE_TO_SEVEN, "As5d4s3s2s", "ace-five low: ace, five, four, three, two"),
        (DEUCE_TO_SEVEN, "6s5d4s3s2s", "straight to the six"),
        (DEUCE_TO_SEVEN, "7s5s4s3s2s", "flush: seven, five, four, three, two"),
    ],
)
def test_low_hands_in_words(ranking: CompiledRanking, hand: str, words: str) -> None:
    assert ranking.describe(strength(ranking, hand)) == words
    assert ranking.describe(-1) == "unknown hand"


def test_a_low_ace_ends_runs_at_the_low_end_only() -> None:
    model = {
        "cards": 3,
        "ace": "always-low",
        "categories": [{"category": "run", "consecutive": True}, {"category": "high-card"}],
    }
    ranking = compile_ranking(Ranking.model_validate(model))
    described = [ranking.describe(strength(ranking, hand)) for hand in ("As2d3s", "QsKdAs", "JsQdKs", "As2d4s")]
    assert described == [
        "run to the three",
        "king high: king, queen, ace",
        "run to the king",
        "four high: four, two, ace",
    ]
    assert ranking.arrangement(strength(ranking, "As2d3s")) == (1, 0, RANK_OF_ACE)


@given(
    st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True),
    st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True),
)
def test_the_lowest_wins_where_the_highest_would_lose(one: list[int], other: list[int]) -> None:
    model = MODELS["deuce-to-seven-low"].model_copy(update={"wins": "highest"})
    assert isinstance(model, Ranking)
    high = compile_ranking(model).strength(np.array([one, other], np.uint8))
    low = DEUCE_TO_SEVEN.strength(np.array([one, other], np.uint8))
    assert np.sign(int(high[0]) - int(high[1])) == -np.sign(int(low[0]) - int(low[1]))
    assert DEUCE_TO_SEVEN.arrangement(int(low[0])) == compile_ranking(model).arrangement(int(high[0]))
