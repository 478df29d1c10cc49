"""Three-card hands under a ranking with three aces on top, compared with counts and a plain oracle."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest

from fairdeal.validator.cards.ranking import CompiledRanking
from tests.cards.conftest import list_hands
from tests.facade.cards import UNKNOWN, format_cards, parse_cards

COUNTS = {
    "three-aces": 4,
    "straight-flush": 48,
    "three-of-a-kind": 48,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
    "high-card": 16_440,
}


def oracle(hand: str) -> tuple[int, str]:
    """Return the category, 6 the highest, and a text that sorts as the ranks do, from the signs of the hand."""
    letters = str.maketrans("23456789TJQKA", "bcdefghijklmn")
    a, b, c = sorted(hand[::2].translate(letters))
    one_suit = hand[1::2] in ("ccc", "ddd", "hhh", "sss")
    if a == b == c:
        return (6 if a == "n" else 4), a
    if a + b + c == "bcn":
        return (5 if one_suit else 3), "c"
    if a + b + c in "bcdefghijklmn":
        return (5 if one_suit else 3), c
    if one_suit:
        return 2, c + b + a
    if b in {a, c}:
        return 1, b + (c if a == b else a)
    return 0, c + b + a


def strength(ranking: CompiledRanking, text: str) -> int:
    return int(ranking.strength(np.array([parse_cards(text)], np.uint8))[0])


def name(ranking: CompiledRanking, text: str) -> str:
    index = int(ranking.category(np.array([strength(ranking, text)], np.int32))[0])
    return ranking.categories[index]


def test_exact_counts(three: CompiledRanking) -> None:
    strengths = three.strength(list_hands(3))
    assert strengths.shape == (22_100,)
    assert strengths.dtype == np.int32
    categories = three.category(strengths)
    assert categories.dtype == np.uint8
    assert Counter(three.categories[index] for index in categories) == COUNTS
    assert list(reversed(three.categories)) == list(COUNTS)


@pytest.mark.parametrize("rank", "56789TJQKA")
def test_high_cards_from_a_rank_up(three: CompiledRanking, rank: str) -> None:
    # Below the rank lie n ranks: C(n, 3) choices of three of them, the runs among them taken out, each in
    # 4 ** 3 suits less the 4 of one suit. An ace is never below, so the runs are those of neighbours.
    below = "23456789TJQKA".index(rank)
    lower = (comb(below, 3) - (below - 2)) * (4**3 - 4)
    high_cards = three.strength(list_hands(3))
    high_cards = high_cards[three.category(high_cards) == 0]
    assert (high_cards >= three.floor("high-card", [rank])).sum() == 16_440 - lower


def test_the_mark_is_its_floor(three: CompiledRanking) -> None:
    assert three.lowest_strength("queen-high") == three.floor("high-card", ["Q"])
    assert three.lowest_strength("pair") == three.floor("pair")
    assert strength(three, "Qc3d2h") >= three.lowest_strength("queen-high") > strength(three, "JcTd8h")
    with pytest.raises(ValueError, match="king-high is not a category of three-aces, straight-flush"):
        three.lowest_strength("king-high")


def test_the_order_is_the_oracles_also_with_several_decks(three: CompiledRanking) -> None:
    hands = np.array(list(combinations_with_replacement(range(52), 3)), np.uint8)
    expected = [oracle(format_cards(hand)) for hand in hands]
    place = {key: number for number, key in enumerate(sorted(set(expected)))}
    _, ours = np.unique(three.strength(hands), return_inverse=True)
    assert ours.tolist() == [place[key] for key in expected]


def test_runs(three: CompiledRanking) -> None:
    runs = ["Ac2d3h", "2c3d4h", "9cTdJh", "JcQdKh", "QcKdAh"]
    assert [name(three, run) for run in runs] == ["straight"] * 5
    assert [strength(three, run) for run in runs] == sorted({strength(three, run) for run in runs})
    assert name(three, "KcAd2h") == "high-card"
    assert name(three, "AsKsQs") == "straight-flush"
    assert name(three, "As2sKs") == "flush"


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("AcAdAh", "AsKsQs"),
        ("4s3s2s", "KcKdKh"),
        ("3sAs2s", "KcKdKh"),
        ("2c2d2h", "AcKdQh"),
        ("3cAd2h", "AsKs9s"),
        ("5s3s2s", "AcAdKh"),
        ("2c2d3h", "AcKdJh"),
        ("9c9d4h", "9h9s3c"),
        ("9c9d2h", "8h8sAc"),
        ("Qc4d2h", "Qd3h2s"),
        ("Ac4d3h", "KcQdTh"),
    ],
)
def test_higher_beats_lower(three: CompiledRanking, higher: str, lower: str) -> None:
    assert strength(three, higher) > strength(three, lower)


def test_suits_never_decide(three: CompiledRanking) -> None:
    assert strength(three, "KsQs9s") == strength(three, "KcQc9c")
    assert strength(three, "9c9dAh") == strength(three, "9h9sAc")


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("AcAdAh", "three aces"),
        ("KcKdKh", "three of a kind: kings"),
        ("6c6d6h", "three of a kind: sixes"),
        ("3s2sAs", "straight flush to the three"),
        ("5c4d3h", "straight to the five"),
        ("Ks9s2s", "flush: king, nine, two"),
        ("9c9dAh", "pair of nines, kicker ace"),
        ("4cQd9h", "queen high: queen, nine, four"),
        ("4cQd??", "unknown hand"),
    ],
)
def test_in_words(three: CompiledRanking, text: str, described: str) -> None:
    assert three.describe(strength(three, text)) == described


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("9c9dAh", True),
        ("9d9cAh", True),
        ("Ah9c9d", False),
        ("9cAh9d", False),
        ("AhKh2c", True),
        ("AhKhQc", True),
        ("QhKhAc", False),
        ("3h2dAc", True),
        ("Ac3h2d", False),
        ("Ac3c2c", False),
        ("3c2cAc", True),
        ("7c7d7h", True),
        ("AcAd??", False),
        ("??????", False),
    ],
)
def test_arranged(three: CompiledRanking, text: str, yes: bool) -> None:
    assert three.is_arranged(np.array([parse_cards(text)], np.uint8)).tolist() == [yes]


def test_unknown_cards_leave_the_strength_unknown(three: CompiledRanking) -> None:
    rows = np.array([[0, 1, UNKNOWN, 2], [254, 0, 1, 2], [0, 1, 2, 3]], np.uint8)
    strengths = three.strength(rows)
    assert strengths[:2].tolist() == [-1, -1]
    assert three.category(strengths).tolist() == [255, 255, three.categories.index("three-of-a-kind")]
