"""Decks and shuffled shoes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from pydantic import ValidationError

from fairdeal.validator.cards.card_codes import CompiledDeck, compile_deck
from tests.facade.cards import DeckModel


def test_the_standard_deck_has_every_card_once(deck: CompiledDeck) -> None:
    assert (deck.name, deck.cards) == ("standard-52", tuple(range(52)))


def test_a_deck_may_lack_ranks() -> None:
    stripped = compile_deck("no-tens", DeckModel(ranks="A23456789JQK", suits="hd"))
    assert len(stripped.cards) == 24
    assert {code // 4 for code in stripped.cards} == set(range(13)) - {8}
    assert {code % 4 for code in stripped.cards} == {1, 2}


@pytest.mark.parametrize(("ranks", "suits"), [("", "c"), ("2", ""), ("2X", "c"), ("2", "C"), ("22", "c"), ("2", "cdc")])
def test_a_deck_that_is_none_is_refused(ranks: str, suits: str) -> None:
    with pytest.raises(ValidationError):
        DeckModel(ranks=ranks, suits=suits)


@pytest.mark.parametrize("decks", [1, 2, 8])
def test_a_whole_shoe_is_every_card_of_its_decks(deck: CompiledDeck, decks: int) -> None:
    rng = np.random.default_rng(1)
    shoes = deck.shuffle_shoes(rng=rng, rounds=20, decks=decks, cards=52 * decks)
    assert shoes.shape == (20, 52 * decks)
    assert shoes.dtype == np.uint8
    assert (np.sort(shoes, axis=1) == np.repeat(np.arange(52), decks)).all()
    assert len({row.tobytes() for row in shoes}) == 20


def test_the_seed_decides_the_shoes(deck: CompiledDeck) -> None:
    first, again, other = (
        deck.shuffle_shoes(rng=np.random.default_rng(seed), rounds=50, decks=1, cards=9) for seed in (7, 7, 8)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_every_order_is_as_likely_as_any_other() -> None:
    four = CompiledDeck(name="four", cards=(3, 5, 8, 13))
    rounds = 24_000
    shoes = four.shuffle_shoes(rng=np.random.default_rng(3), rounds=rounds, decks=1, cards=4)
    counts = Counter(map(tuple, shoes.tolist()))
    assert len(counts) == 24
    chi_square = sum((count - rounds / 24) ** 2 / (rounds / 24) for count in counts.values())
    assert chi_square < 49.7  # 23 degrees of freedom: exceeded by chance once in a thousand seeds


def test_every_card_is_as_likely_in_every_place(deck: CompiledDeck) -> None:
    rounds = 52_000
    shoes = deck.shuffle_shoes(rng=np.random.default_rng(4), rounds=rounds, decks=6, cards=5)
    for place in range(5):
        counts = np.bincount(shoes[:, place], minlength=52)
        assert ((counts - 1000) ** 2 / 1000).sum() < 87.97  # 51 degrees of freedom, one in a thousand


@pytest.mark.parametrize(("decks", "cards"), [(1, 53), (2, 105), (0, 1), (1, -1)])
def test_no_more_cards_than_the_shoe_has(deck: CompiledDeck, decks: int, cards: int) -> None:
    with pytest.raises(ValueError, match="cannot be dealt"):
        deck.shuffle_shoes(rng=np.random.default_rng(0), rounds=1, decks=decks, cards=cards)


def test_no_rounds_and_no_cards_are_empty(deck: CompiledDeck) -> None:
    assert deck.shuffle_shoes(rng=np.random.default_rng(0), rounds=0, decks=1, cards=5).shape == (0, 5)
    assert deck.shuffle_shoes(rng=np.random.default_rng(0), rounds=3, decks=1, cards=0).shape == (3, 0)
