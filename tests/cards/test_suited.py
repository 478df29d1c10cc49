"""The longest suited hand, compared with exact counts and a plain description of it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fairdeal.validator.cards.hand_orders import HandOrder, LongestFlushRanking, compile_longest_flush
from fairdeal.validator.cards.ranking_models import SuitedRanking
from tests.cards.conftest import compile_ranking_of
from tests.cards.oracles import suited_key
from tests.facade.cards import NO_CARD, RANK_WORDS, UNKNOWN, parse_cards

COUNTS = {
    "7-card-natural-flush": 3_168,
    "7-card-wild-flush": 42_592,
    "6-card-natural-flush": 133_056,
    "6-card-wild-flush": 1_020_096,
    "5-card-natural-flush": 1_995_840,
    "5-card-wild-flush": 8_883_648,
    "4-card-natural-flush": 14_137_200,
    "4-card-wild-flush": 30_554_880,
    "shorter-flush": 43_560_000 + 19_654_272 + 13_799_808,
}
"""Hands of 7 cards out of 52, every two being wild."""
MOVED = {7: 3_696, 6: 114_048, 5: 1_247_400, 4: 6_283_200}
"""Number of these hands that are natural instead, by length, if no two is wild in its own suit."""
READINGS: list[tuple[str, str]] = [
    ("highest-missing", "wild"),
    ("highest-missing", "natural"),
    ("ace", "wild"),
    ("own-rank", "wild"),
    ("own-rank", "natural"),
]


def order(counts_as: str, own: str, wild: str = "2") -> LongestFlushRanking:
    """Build a ranking with every length, with and without wild cards, as a category of its own."""
    categories: list[dict[str, Any]] = []
    for length in range(12, 1, -1):
        categories += [
            {"category": f"{length}-natural", "length": length, "natural": True},
            {"category": f"{length}-wild", "length": length},
        ]
    categories += [{"category": "1-natural", "natural": True}, {"category": "1-wild"}]
    model: dict[str, Any] = {"makes": "longest-suited", "categories": categories}
    if wild:
        model["wild"] = {"ranks": list(wild), "ranks-as": counts_as, "in-own-suit": own}
    return compile_longest_flush(SuitedRanking.model_validate(model))


def strength(ranking: HandOrder, text: str) -> int:
    return int(ranking.strength(np.array([parse_cards(text)], np.uint8))[0])


def name_category(ranking: HandOrder, text: str) -> str:
    return ranking.categories[int(ranking.category(np.array([strength(ranking, text)], np.int32))[0])]


def count_categories(ranking: HandOrder, width: int) -> Counter[str]:
    """Count the hands of `width` cards out of 52 in each category. One hand is evaluated for every choice of twos and
    every number of other cards in each suit, and weighted by its frequency. Other ranks do not matter to categories."""
    rows, times = [], []
    for twos in range(width + 1):
        for sizes in product(range(width - twos + 1), repeat=4):
            if sum(sizes) == width - twos:
                others = [4 * (1 + nth) + suit for suit, size in enumerate(sizes) for nth in range(size)]
                rows += [[*chosen, *others] for chosen in combinations(range(4), twos)]
                times += [prod(comb(12, size) for size in sizes)] * comb(4, twos)
    found: Counter[str] = Counter()
    for category, count in zip(ranking.category(ranking.strength(np.array(rows, np.uint8))), times, strict=True):
        found[ranking.categories[category]] += count
    return found


def test_exact_counts() -> None:
    counts = count_categories(compile_ranking_of("natural-or-wild-flush"), 7)
    assert counts == COUNTS
    assert sum(counts.values()) == comb(52, 7) == 133_784_560


def test_exact_counts_where_a_two_is_natural_in_its_own_suit() -> None:
    expected = dict(COUNTS)
    for length, moved in MOVED.items():
        expected[f"{length}-card-natural-flush"] += moved
        expected[f"{length}-card-wild-flush"] -= moved
    assert count_categories(compile_ranking_of("natural-or-wild-flush-own-suit"), 7) == expected


def test_exact_counts_of_lengths() -> None:
    by_length = {7: 45_760, 6: 1_153_152, 5: 10_879_488, 4: 44_692_080, 3: 63_214_272, 2: 13_799_808}
    for name in ("longest-flush", "longest-flush-wild-ace", "longest-flush-wild-two"):
        assert count_categories(compile_ranking_of(name), 7) == {
            f"{length}-card-flush": count for length, count in by_length.items()
        }


rows = st.integers(1, 12).flatmap(
    lambda width: st.lists(
        # Few suits and many twos more often than by chance; several decks as well.
        st.sampled_from(range(52)) | st.sampled_from(range(0, 52, 4)) | st.sampled_from(range(8)),
        min_size=width,
        max_size=width,
    )
)


@given(rows, rows, st.sampled_from(READINGS), st.sampled_from(["", "2", "2A", "7"]))
def test_columns_say_what_the_plain_telling_says(
    one: list[int], other: list[int], reading: tuple[str, str], wild: str
) -> None:
    counts_as, own = reading
    ranking = order(counts_as, own, wild)
    keys, strengths = [], []
    for row in (one, other):
        found = ranking.strength(np.array([row], np.uint8))
        key = suited_key(
            row,
            wild=frozenset("23456789TJQKA".index(rank) for rank in wild),
            counts_as=counts_as,
            natural_in_own_suit=own == "natural",
        )
        length, natural, _ = key
        name = f"{length}-{'natural' if natural else 'wild'}"
        assert ranking.categories[ranking.category(found)[0]] == name
        assert ranking.length(found).tolist() == [length]
        low, high = ranking.span(name)
        assert low <= found[0] < high
        keys.append(key)
        strengths.append(int(found[0]))
    assert (strengths[0] > strengths[1]) == (keys[0] > keys[1])
    assert (strengths[0] == strengths[1]) == (keys[0] == keys[1])


@given(rows, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_order_and_names_of_suits_do_not_matter(row: list[int], suits: list[int], random: Any) -> None:
    ranking = order("highest-missing", "natural")
    other = [code // 4 * 4 + suits[code % 4] for code in row]
    random.shuffle(other)
    assert ranking.strength(np.array([row], np.uint8)) == ranking.strength(np.array([other], np.uint8))


def test_many_hands_are_ranked_as_each_alone() -> None:
    rng = np.random.default_rng(5)
    cards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (400, 1)), axis=1)[:, :7]
    ranking = compile_ranking_of("longest-flush")
    alone = [int(ranking.strength(row[None])[0]) for row in cards]
    assert ranking.strength(cards).tolist() == alone


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("AhTh7hKcQd", "Ac7c3cKhQd"),  # of equal length, from the highest card down
        ("4h3h5h6h", "AhKhQh9c"),  # length before rank
        ("Kc2h", "QcJc"),  # a two becomes the ace it lacks
        ("Ac2h9d", "KcQc9d"),
        ("AcQc2d", "AcKc"),  # ace, king, queen
    ],
)
def test_higher_beats_lower(higher: str, lower: str) -> None:
    ranking = compile_ranking_of("longest-flush")
    assert strength(ranking, higher) > strength(ranking, lower)


def test_what_a_wild_card_counts_as_decides() -> None:
    missing, ace, two = (
        compile_ranking_of(name) for name in ("longest-flush", "longest-flush-wild-ace", "longest-flush-wild-two")
    )
    assert strength(missing, "AcKcQc2d") == strength(missing, "AcKcQcJc")
    assert strength(ace, "AcQc2d") > strength(ace, "AcKcQc")
    assert strength(ace, "Ac2d") > strength(ace, "AcKc")
    assert strength(two, "AcQc2d") < strength(two, "AcQc3c")
    assert strength(two, "2d2h2s") == strength(two, "2c2d2s")


def test_a_natural_hand_stands_above_a_wild_one_of_its_length() -> None:
    ranking = compile_ranking_of("natural-or-wild-flush")
    assert [name_category(ranking, text) for text in ("3c4c5c6c", "AcKcQc2d", "AcKcQc2c", "AcKcQcJc2d")] == [
        "4-card-natural-flush",
        "4-card-wild-flush",
        "4-card-wild-flush",
        "5-card-wild-flush",
    ]
    assert strength(ranking, "3c4c5c6c") > strength(ranking, "AcKcQc2d")
    own = compile_ranking_of("natural-or-wild-flush-own-suit")
    assert [name_category(own, text) for text in ("AcKcQc2c", "AcKcQc2d", "AcKcQc2c2d")] == [
        "4-card-natural-flush",
        "4-card-wild-flush",
        "5-card-wild-flush",
    ]


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("AhTh7hKcQd", "3-card flush: ace, ten, seven"),
        ("AhTh7h2cQd", "4-card flush: ace, king, ten, seven"),
        ("2c2d2h2s", "4-card flush: ace, king, queen, jack"),
        ("9c", "2-card flush: nine"),
        ("AhTh7hKc??", "unknown hand"),
    ],
)
def test_in_words(text: str, described: str) -> None:
    ranking = compile_ranking_of("longest-flush")
    assert ranking.describe(strength(ranking, text)) == described


def test_every_hand_in_words_names_its_ranks() -> None:
    ranking = order("own-rank", "natural")
    for size in (1, 2, 11, 12):
        for row in ([4 * (12 - nth) for nth in range(size)], [0] * size, [48] * size, [4 * nth for nth in range(size)]):
            words = ranking.describe(int(ranking.strength(np.array([row], np.uint8))[0])).split(": ")[1].split(", ")
            signs = {word: rank for rank, word in enumerate(RANK_WORDS)}
            assert [signs[word] for word in words] == sorted((code // 4 for code in row), reverse=True)


def test_unknown_cards_leave_the_strength_unknown() -> None:
    ranking = compile_ranking_of("longest-flush")
    found = ranking.strength(np.array([[0, UNKNOWN, 4], [NO_CARD, 1, 4], [0, 1, 4]], np.uint8))
    assert found[:2].tolist() == [-1, -1]
    assert found[2] > 0
    assert ranking.category(found)[:2].tolist() == [255, 255]
    assert ranking.length(found).tolist() == [-1, -1, 3]


@pytest.mark.parametrize("width", [0, 13])
def test_no_more_cards_than_are_ranked(width: int) -> None:
    with pytest.raises(ValueError, match=f"a suited hand is made of 1 to 12 cards, not of {width}"):
        compile_ranking_of("longest-flush").strength(np.zeros((2, width), np.uint8))


def test_nothing_comes_of_nothing() -> None:
    assert compile_ranking_of("longest-flush").strength(np.zeros((0, 7), np.uint8)).shape == (0,)


def test_the_suits_of_wild_cards_do_not_matter_where_they_are_wild() -> None:
    ranking = compile_ranking_of("longest-flush")
    strengths = {
        strength(ranking, "AhTh7hKc9d" + "".join(f"2{suit}" for suit in suits)) for suits in permutations("cdhs", 2)
    }
    assert len(strengths) == 1


LAST = {"category": "rest"}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({"categories": []}, "at least 1 item"),
        ({"categories": [LAST, LAST]}, "the category rest is listed twice"),
        ({"categories": [{"category": "four", "length": 4}]}, "four, the last category, must take every hand"),
        ({"categories": [{"category": "pure", "natural": True}]}, "pure, the last category, must take every hand"),
        ({"categories": [{"category": "any"}, LAST]}, "any must require more cards than rest"),
        (
            {"categories": [{"category": "four", "length": 4}, {"category": "five", "length": 5}, LAST]},
            "four must require more cards than five, or natural cards if that does not",
        ),
        (
            {"categories": [{"category": "a", "length": 4}, {"category": "b", "length": 4, "natural": True}, LAST]},
            "a must require more cards than b",
        ),
        ({"categories": [{"category": "one", "length": 1}, LAST]}, "greater than or equal to 2"),
        ({"categories": [{"category": "many", "length": 13}, LAST]}, "less than or equal to 12"),
        ({"categories": [LAST], "cards": 3}, "Extra inputs are not permitted"),
        ({"categories": [LAST], "wild": {"ranks": [], "ranks-as": "ace"}}, "at least 1 item"),
        ({"categories": [LAST], "wild": {"ranks": ["2", "2"], "ranks-as": "ace"}}, "no rank may occur twice"),
        ({"categories": [LAST], "wild": {"ranks": ["2"]}}, "Field required"),
        ({"categories": [LAST], "wild": {"ranks": ["2"], "ranks-as": "king"}}, "Input should be"),
        ({"categories": [LAST], "bands": {"rest": {"from": "rest", "to": "rest"}}}, "rest is a category and cannot"),
        ({"categories": [LAST], "bands": {"b": {"from": "rest", "to": "most"}}}, "names most, which is neither"),
    ],
)
def test_a_ranking_that_makes_no_sense_is_refused(model: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        SuitedRanking.model_validate({"makes": "longest-suited", **model})
    assert reason in str(caught.value)
