"""Models of rankings: the input that they refuse, and why."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fairdeal.validator.cards.ranking import compile_ranking, find_impossible_marks
from tests.facade.cards import Ranking, RankingsFile

HIGH = {"category": "high-card"}
PAIR = {"category": "pair", "groups": [2]}


def ranking(*categories: dict[str, Any], **others: Any) -> Ranking:
    return Ranking.model_validate({"cards": 3, "ace": "high", "categories": list(categories)} | others)


@pytest.mark.parametrize(
    ("categories", "others", "reason"),
    [
        ([PAIR, PAIR, HIGH], {}, "the category pair is listed twice"),
        ([PAIR], {}, "pair, the last category, must take every hand: drop its conditions"),
        ([HIGH, {"category": "rest"}], {}, "high-card needs a condition"),
        ([{"category": "five", "groups": [2, 2]}, HIGH], {}, "the groups of five need more than 3 cards"),
        ([{"category": "two", "groups": [2, 3]}, HIGH], {"cards": 5}, "from the largest to the smallest"),
        ([{"category": "one", "groups": [1]}, HIGH], {}, "greater than or equal to 2"),
        ([{"category": "odd", "consecutive": True, "groups": [2]}, HIGH], {}, "a run has no groups"),
        ([{"category": "odd", "groups": [3], "ranks": ["A", "A"]}, HIGH], {}, "no rank may occur twice"),
        ([{"category": "odd", "groups": [3], "ranks": ["1"]}, HIGH], {}, "Input should be '2'"),
        ([{"category": "odd", "groups": [3], "ranks": [2]}, HIGH], {}, "Input should be '2'"),
        ([{"category": "odd", "wild": True}, HIGH], {}, "Extra inputs are not permitted"),
        ([{"category": "Odd One", "suited": True}, HIGH], {}, "String should match pattern"),
        ([PAIR, HIGH], {"ace": "round-the-corner"}, "Input should be 'high', 'low', 'high-and-low' or 'always-low'"),
        ([PAIR, HIGH], {"cards": 6}, "less than or equal to 5"),
        ([HIGH], {"cards": 0}, "greater than or equal to 1"),
        ([], {}, "at least 1 item"),
        ([PAIR, HIGH], {"marks": {"pair": {"category": "pair", "ranks": ["J"]}}}, "pair is a category"),
        ([PAIR, HIGH], {"marks": {"low": {"category": "pairs", "ranks": ["J"]}}}, "is not a category"),
        ([PAIR, HIGH], {"marks": {"low": {"category": "pair", "ranks": []}}}, "at least 1 item"),
    ],
)
def test_a_ranking_that_makes_no_sense_is_refused(
    categories: list[dict[str, Any]], others: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        ranking(*categories, **others)
    assert reason in str(caught.value)


def test_a_mark_that_no_hand_reaches_is_refused() -> None:
    pairs = {"odd": ["J", "J", "J"], "even": ["J", "T"]}
    marked = ranking(PAIR, HIGH, marks={name: {"category": "pair", "ranks": ranks} for name, ranks in pairs.items()})
    with pytest.raises(ValueError, match=r"^no pair begins with the ranks J, J, J$"):
        compile_ranking(marked)
    assert find_impossible_marks(marked) == {"odd": "no pair begins with the ranks J, J, J"}


def test_names_of_rankings_are_plain() -> None:
    with pytest.raises(ValidationError, match="String should match pattern"):
        RankingsFile.model_validate({"rankings": {"No Good": ranking(HIGH)}})
