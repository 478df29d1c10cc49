"""Rankings in which suits decide, compared with an order worked out card by card."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fairdeal.validator.cards.hand_orders import SuitTiebreakRanking, compile_order
from tests.cards.conftest import list_hands
from tests.cards.test_five_cards import has_same_order
from tests.facade.cards import NO_CARD, UNKNOWN, Ranking, parse_cards

GROUPS: dict[int, list[dict[str, Any]]] = {
    1: [{"category": "high-card"}],
    2: [{"category": "pair", "groups": [2]}, {"category": "high-card"}],
    3: [{"category": "three", "groups": [3]}, {"category": "pair", "groups": [2]}, {"category": "high-card"}],
    4: [
        {"category": "four", "groups": [4]},
        {"category": "three", "groups": [3]},
        {"category": "two-pair", "groups": [2, 2]},
        {"category": "pair", "groups": [2]},
        {"category": "high-card"},
    ],
}


def ranking(cards: int, **others: Any) -> SuitTiebreakRanking:
    model = {"cards": cards, "ace": "high", "suits": ["s", "h", "d", "c"], "categories": GROUPS[cards]} | others
    found = compile_order(Ranking.model_validate(model))
    assert isinstance(found, SuitTiebreakRanking)
    return found


def oracle(hand: tuple[int, ...], *, suits: str = "cdhs", ace_low: bool = False) -> tuple[Any, ...]:
    """Return a key that sorts hands from the lowest up: sizes of groups, ranks by group, suits in the same order."""

    def pips(code: int) -> int:
        return -1 if ace_low and code // 4 == 12 else code // 4

    count = Counter(map(pips, hand))
    worth = {"cdhs".index(suit): place for place, suit in enumerate(suits)}
    falling = sorted(hand, key=lambda code: (count[pips(code)], pips(code), worth[code % 4]), reverse=True)
    sizes = sorted(count.values(), reverse=True)
    return (*sizes, 0), [pips(code) for code in falling], [worth[code % 4] for code in falling]


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("wins", ["highest", "lowest"])
@pytest.mark.parametrize(("ace", "suits"), [("high", "cdhs"), ("always-low", "hcsd")])
def test_every_hand_stands_where_its_cards_put_it(cards: int, wins: str, ace: str, suits: str) -> None:
    hands = list_hands(cards)
    if cards == 4:
        hands = hands[np.random.default_rng(4).integers(0, len(hands), 10_000)]
    keys = [oracle(tuple(hand), suits=suits, ace_low=ace == "always-low") for hand in hands.tolist()]
    place = {repr(key): number for number, key in enumerate(sorted({repr(key): key for key in keys}.values()))}
    expected = np.array([place[repr(key)] for key in keys], np.int32) * (1 if wins == "highest" else -1)
    found = ranking(cards, wins=wins, ace=ace, suits=list(suits[::-1])).strength(hands)
    assert found.dtype == np.int32
    assert (found > 0).all()
    assert has_same_order(found, expected)
    assert len(set(found.tolist())) == len({tuple(hand) for hand in hands.tolist()})  # no two hands tie


@given(
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from(["highest", "lowest"]),
    st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True),
)
def test_of_more_cards_the_best_count(cards: int, more: int, wins: str, row: list[int]) -> None:
    order = ranking(cards, wins=wins)
    row = row[: cards + more]
    choices = np.array(list(combinations(row, cards)), np.uint8)
    assert order.strength(np.array([row], np.uint8))[0] == order.strength(choices).max()


def test_the_lowest_door_card_of_stud() -> None:
    door = ranking(1, wins="lowest")
    best_first = parse_cards("2c2d2h2s3cKsAcAs")
    strengths = door.strength(np.array(best_first, np.uint8)[:, None]).tolist()
    assert all(better > worse for better, worse in pairwise(strengths))
    assert [door.describe(strength) for strength in strengths[:2]] == ["two of clubs", "two of diamonds"]
    razz = ranking(1, ace="always-low")
    highest_first = parse_cards("KsKhKdKcQs2cAsAc")
    strengths = razz.strength(np.array(highest_first, np.uint8)[:, None]).tolist()
    assert all(higher > lower for higher, lower in pairwise(strengths))


def test_hands_that_the_rules_settle() -> None:
    three = ranking(3)
    best_first = ["2s2h2d", "9s9cAc", "9h9dAs", "8s8h7s", "AsKcQc", "AhKsQs", "AhKdQs", "AhKdQh"]
    strengths = [int(three.strength(np.array([parse_cards(hand)], np.uint8))[0]) for hand in best_first]
    assert all(better > worse for better, worse in pairwise(strengths))
    assert three.describe(strengths[1]) == "pair of nines, kicker ace (9♠ 9♣ A♣)"
    assert three.describe(strengths[4]) == "ace high: ace, king, queen (A♠ K♣ Q♣)"
    low = ranking(3, wins="lowest", ace="always-low")
    (strength,) = low.strength(np.array([parse_cards("3dAs2h")], np.uint8)).tolist()
    assert low.describe(strength) == "three-two low: three, two, ace (3♦ 2♥ A♠)"


def test_categories_marks_and_what_is_not_known() -> None:
    two = ranking(2, wins="lowest", marks={"nine": {"category": "high-card", "ranks": ["9"]}})
    hands = np.array([parse_cards("9s8h"), parse_cards("9c2c"), parse_cards("Td2c"), parse_cards("2c2d")], np.uint8)
    strengths = two.strength(hands)
    assert [two.categories[index] for index in two.category(strengths)] == ["high-card"] * 3 + ["pair"]
    assert (strengths >= two.lowest_strength("nine")).tolist() == [True, True, False, False]
    low, high = two.span("pair")
    assert [low <= strength < high for strength in strengths.tolist()] == [False] * 3 + [True]
    assert two.length(strengths).tolist() == [2] * 4
    unknown = two.strength(np.array([[UNKNOWN, 3], [3, NO_CARD]], np.uint8))
    assert unknown.tolist() == [-1, -1]
    assert two.category(unknown).tolist() == [255, 255]
    assert two.length(unknown).tolist() == [-1, -1]
    assert two.describe(-1) == "unknown hand"
    assert two.strength(np.zeros((0, 2), np.uint8)).shape == (0,)
    with pytest.raises(ValueError, match="a hand of 2 cards cannot be chosen from 1"):
        two.strength(np.zeros((1, 1), np.uint8))


def test_the_highest_strength_fits() -> None:
    many = [{"category": f"aces-{number}", "groups": [4], "ranks": ["A"]} for number in range(99)]
    order = ranking(4, categories=[*many, {"category": "rest"}])
    top = int(order.strength(np.array([parse_cards("AcAdAhAs")], np.uint8))[0])
    assert order.describe(top) == "aces 0 (A♠ A♥ A♦ A♣)"
    assert top < order.span("aces-0")[1] < 2**31


@pytest.mark.parametrize(
    ("suits", "cards", "reason"),
    [
        (["s", "h", "d"], 2, "`suits` must name each of the four suits once"),
        (["s", "h", "d", "d"], 2, "`suits` must name each of the four suits once"),
        (["S", "h", "d", "c"], 2, "Input should be 'c', 'd', 'h' or 's'"),
        (["s", "h", "d", "c"], 5, "suits can decide between hands of at most 4 cards"),
    ],
)
def test_suits_that_make_no_sense_are_refused(suits: list[str], cards: int, reason: str) -> None:
    model = {"cards": cards, "ace": "high", "suits": suits, "categories": GROUPS[1]}
    with pytest.raises(ValidationError) as caught:
        Ranking.model_validate(model)
    assert reason in str(caught.value)
