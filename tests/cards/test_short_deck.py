"""A deck from the six up, compared with PokerKit's table."""

from __future__ import annotations

import importlib
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from pydantic import ValidationError

from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking
from tests.cards.test_five_cards import has_same_order
from tests.facade.cards import RANKS, Ranking, RankingsFile, encode_column, parse_cards

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

VOCABULARY = Path(__file__).parents[1] / "variants" / "games" / "vocabulary" / "rankings.yaml"
SIX = RANKS.index("6")


def short_deck() -> CompiledRanking:
    model = RankingsFile.model_validate(yaml.safe_load(VOCABULARY.read_text("utf-8"))).rankings["short-deck"]
    assert isinstance(model, Ranking)
    return compile_ranking(model)


def test_hands_rank_as_in_pokerkit() -> None:
    ranking, lookup = short_deck(), pokerkit.ShortDeckHoldemLookup()
    every = np.fromiter((card for hand in combinations(range(4 * SIX, 52), 5) for card in hand), np.uint8).reshape(
        -1, 5
    )
    assert len(every) == 376_992
    # One hand of every strength that is distinguished here, and random others: equal hands are equal there as well.
    strengths = ranking.strength(every)
    _, first = np.unique(strengths, return_index=True)
    sample = np.concatenate([first, np.random.default_rng(6).integers(0, len(every), 20_000)])
    theirs = [lookup.get_entry(text).index for text in encode_column(every[sample])]
    assert has_same_order(strengths[sample], np.array(theirs, np.int32))


def test_an_ace_at_the_low_end_stands_below_the_lowest_rank() -> None:
    ranking = short_deck()
    row = np.array([parse_cards(hand) for hand in ("As9d8h7c6s", "AsKdQhJcTs", "AsKd8h7c6s", "As5d4h3c2s")], np.uint8)
    strengths = ranking.strength(row).tolist()
    assert [ranking.describe(strength) for strength in strengths] == [
        "straight to the nine",
        "straight to the ace",
        "ace high: ace, king, eight, seven, six",
        "ace high: ace, five, four, three, two",
    ]
    assert "".join(RANKS[rank] for rank in ranking.arrangement(strengths[0])) == "9876A"
    assert ranking.is_arranged(row[:, [1, 2, 3, 4, 0]]).tolist() == [True, False, False, False]


def test_no_run_stands_above_an_ace_at_the_low_end_alone() -> None:
    model = {"cards": 3, "ace": "low", "lowest-rank": "A", "categories": [{"category": "high-card"}]}
    with pytest.raises(ValidationError, match="`lowest-rank` must be below the ace"):
        Ranking.model_validate(model)


def test_an_ace_that_is_only_high_stands_above_nothing_at_the_low_end() -> None:
    model = {"cards": 3, "ace": "high", "lowest-rank": "3", "categories": [{"category": "high-card"}]}
    with pytest.raises(ValidationError, match="but here the ace is high"):
        Ranking.model_validate(model)
