"""Hands valued by points, compared with sums that are counted card by card."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fairdeal.validator.cards.card_codes import NO_CARD, UNKNOWN
from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.point_totals import PointTotalRanking
from fairdeal.validator.cards.ranking_models import RankingsFile

DIGIT: dict[str, Any] = {
    "makes": "points",
    "counts": {"T": 0, "J": 0, "Q": 0, "K": 0},
    "modulo": 10,
    "categories": [{"category": "natural", "points": [8, 9], "cards": 2}, {"category": "drawn"}],
}
LIMITED: dict[str, Any] = {
    "makes": "points",
    "counts": {"A": [1, 11]},
    "limit": 21,
    "categories": [
        {"category": "blackjack", "points": [21], "cards": 2},
        {"category": "within"},
        {"category": "bust", "over-limit": True},
    ],
    "marks": {
        "soft-17": {"category": "within", "points": 17, "soft": True},
        "hard-17": {"category": "within", "points": 17, "soft": False},
        "seventeen": {"category": "within", "points": 17},
    },
    "bands": {"standing": {"from": "seventeen", "to": "within"}},
}
HANDS = st.lists(st.integers(0, 51), min_size=1, max_size=12)


def compile_points(model: dict[str, Any]) -> PointTotalRanking:
    order = compile_order(RankingsFile.model_validate({"rankings": {"points": model}}).rankings["points"])
    assert isinstance(order, PointTotalRanking)
    return order


def rank(order: PointTotalRanking, cards: list[int]) -> int:
    row = np.full((1, 12), NO_CARD, np.uint8)
    row[0, : len(cards)] = cards
    return int(order.strength(row)[0])


def count_digit(cards: list[int]) -> int:
    return sum(0 if code // 4 in (8, 9, 10, 11) else 1 if code // 4 == 12 else code // 4 + 2 for code in cards) % 10


def count_best(cards: list[int]) -> tuple[int, bool]:
    """Return the best total of all ways to count the aces, and whether an ace counts eleven."""
    ways = [(1, 11) if code // 4 == 12 else (min(code // 4 + 2, 10),) for code in cards]
    totals = {(sum(way), 11 in way) for way in product(*ways)}
    within = [each for each in totals if each[0] <= 21]
    return max(within) if within else (min(total for total, _ in totals), False)


@given(HANDS)
def test_last_digits_and_naturals(cards: list[int]) -> None:
    order = compile_points(DIGIT)
    strength, points = rank(order, cards), count_digit(cards)
    natural = len(cards) == 2 and points >= 8
    assert order.points(np.array([strength], np.int32))[0] == points
    assert order.length(np.array([strength], np.int32))[0] == len(cards)
    low, high = order.span("natural" if natural else "drawn")
    assert low <= strength < high


@given(HANDS.filter(lambda cards: sum(code // 4 == 12 for code in cards) < 8))
def test_totals_up_to_a_limit(cards: list[int]) -> None:
    order = compile_points(LIMITED)
    strength, (points, soft) = rank(order, cards), count_best(cards)
    name = "bust" if points > 21 else "blackjack" if points == 21 and len(cards) == 2 else "within"
    low, high = order.span(name)
    assert low <= strength < high
    assert order.points(np.array([strength], np.int32))[0] == points
    assert ("soft" in order.describe(strength)) == soft
    for mark, fits in (("soft-17", soft), ("hard-17", not soft), ("seventeen", True)):
        low, high = order.span(mark)
        assert (low <= strength < high) == (fits and points == 17 and name == "within")
    low, high = order.span("standing")
    assert (low <= strength < high) == (name == "within" and points >= 17)


@given(HANDS, HANDS)
def test_softness_and_number_of_cards_break_no_tie(first: list[int], second: list[int]) -> None:
    order = compile_points(LIMITED)
    one, other = rank(order, first), rank(order, second)
    same_category = order.category(np.array([one], np.int32)) == order.category(np.array([other], np.int32))
    equal = one >> order.tie_bits == other >> order.tie_bits
    assert equal == (bool(same_category[0]) and count_best(first)[0] == count_best(second)[0])


def test_an_unknown_card_leaves_the_hand_unknown() -> None:
    order = compile_points(LIMITED)
    assert rank(order, [0, UNKNOWN]) == -1
    assert rank(order, []) == -1


def test_words() -> None:
    limited, digit = compile_points(LIMITED), compile_points(DIGIT)
    assert limited.describe(rank(limited, [48, 16])) == "17 points, soft"
    assert limited.describe(rank(limited, [48, 44])) == "21 points, soft (blackjack)"
    assert limited.describe(rank(limited, [44, 40, 0])) == "22 points (bust)"
    assert digit.describe(rank(digit, [44, 28])) == "9 points (natural)"
    assert digit.describe(rank(digit, [44, 40, 48])) == "1 point"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": None}, "`limit` must say when"),
        ({"modulo": 10}, "not both"),
        ({"counts": {"A": [11, 1]}}, "the lower first"),
        ({"counts": {"A": [1, 11], "K": [2, 5]}}, "the same difference"),
        ({"categories": [{"category": "within"}]}, "over the limit"),
        ({"categories": [{"category": "within", "cards": 2}, {"category": "bust", "over-limit": True}]}, "every such"),
        ({"marks": {"x": {"category": "other", "points": 3}}}, "not a category"),
        ({"bands": {"x": {"from": "blackjack", "to": "within"}}}, "from the lower to the higher"),
    ],
)
def test_what_cannot_be_meant(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        compile_points({key: value for key, value in {**LIMITED, **change}.items() if value is not None})
