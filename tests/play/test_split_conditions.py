"""Conditions and quantities on the cards of a hand among themselves, and on hands that were split."""

from __future__ import annotations

import pytest

from tests.play.table import answers, measures, round_of

SPLIT = round_of(
    {"cards": "8h8d3s", "wagers": [{"wager": "main", "amount": 100}]},
    {"cards": "TsTd", "wagers": [{"wager": "main", "amount": 300}]},
    {"seat": 11, "split-of": 1, "cards": "4c5c", "wagers": [{"wager": "main", "amount": 200}]},
)


@pytest.mark.parametrize(
    ("cards", "rank", "suit", "colour"),
    [
        ("AsAdAh", "yes", "no", "no"),
        ("2hKhQh", "no", "yes", "yes"),
        ("2hKdQh", "no", "no", "yes"),
        ("2h??Qs", "no", "no", "no"),
        ("2h??Qh", "no", "unknown", "unknown"),
        ("2h??2d", "unknown", "no", "unknown"),
    ],
)
def test_cards_are_alike_in_rank_suit_or_colour(cards: str, rank: str, suit: str, colour: str) -> None:
    found = [answers({"alike": {"hand": "dealt", "in": way}}, [round_of({"cards": cards})]) for way in _WAYS]
    assert found == [[rank], [suit], [colour]]


_WAYS = ("rank", "suit", "colour")


@pytest.mark.parametrize(
    ("cards", "red", "black", "hearts", "spades"),
    [
        ("2hKhQh", "yes", "no", "yes", "no"),
        ("2hKdQh", "yes", "no", "no", "no"),
        ("2sKcQs", "no", "yes", "no", "no"),
        ("2hKsQs", "no", "no", "no", "no"),
        ("2h??Qs", "no", "no", "no", "no"),
        ("2h??Qh", "unknown", "no", "unknown", "no"),
        ("??????", "unknown", "unknown", "unknown", "unknown"),
    ],
)
def test_cards_are_all_of_a_colour_or_suit(cards: str, red: str, black: str, hearts: str, spades: str) -> None:
    asked = [("colour", "red"), ("colour", "black"), ("suit", "hearts"), ("suit", "spades")]
    found = [
        answers({"alike": {"hand": "dealt", "in": way, "is": name}}, [round_of({"cards": cards})])
        for way, name in asked
    ]
    assert found == [[red], [black], [hearts], [spades]]


def test_hands_of_a_split() -> None:
    assert answers({"split-hand": "any"}, [SPLIT]) == ["yes", "no", "yes"]
    assert answers({"split-hand": "split-off"}, [SPLIT]) == ["no", "no", "yes"]
    assert measures({"hands-of-box": "all"}, [SPLIT]) == [2, 1, 2]
    assert measures({"of-box": {"amount": "main"}}, [SPLIT]) == [100, 300, 100]
