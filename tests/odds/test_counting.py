"""Sets of cards counted by class, completed, and compared with each other."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.cards.hand_orders import LongestFlushRanking
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.odds.card_sets import SharedFlush, list_suit_classes
from fairdeal.validator.odds.choosing.own_card_decisions import DiscardWay, OneUnseenHand
from fairdeal.validator.odds.hand_counts import FlushCounter, HandCounts
from fairdeal.validator.odds.sample_rounds import DecidingHands
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.odds.plain import DECK, classes, five_cards


@cache
def compile_shipped(game: str) -> CompiledGame:
    return compile_game(Rulebook(folder=None).regulation(game))


@pytest.mark.parametrize(("size", "number"), [(0, 1), (1, 13), (2, 169), (3, 1755), (4, 16_432), (5, 134_459)])
def test_classes_of_suits_are_as_many_as_are_known(size: int, number: int) -> None:
    found = list_suit_classes(size)
    assert len(found.cards) == number
    assert found.weight.sum() == comb(52, size)


def test_classes_stand_for_the_sets_that_differ_by_suits_alone() -> None:
    found = list_suit_classes(3)
    plain = classes(3)
    at = found.find_classes(np.array([*plain], np.uint8))
    assert sorted(at.tolist()) == list(range(len(plain)))
    assert found.weight[at].tolist() == list(plain.values())


@settings(max_examples=3, deadline=None)
@given(own=st.lists(st.sampled_from(DECK), min_size=3, max_size=3, unique=True), gone=st.integers(0, 2))
def test_hands_completed_without_some_cards_are_those_of_a_plain_count(own: list[int], gone: int) -> None:
    game = compile_shipped("s38")
    ranking = game.hands["final"].ranking
    names = ["pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind"]
    looks = DecidingHands(bounds={"final": {ranking.span(name)[0] for name in names}})
    hidden = OneUnseenHand(HandCounts(game), looks, [], "final")
    at = int(list_suit_classes(3).find_classes(np.array([own], np.uint8))[0])
    found = hidden.count_deals(DiscardWay(discards=(gone,), matters=True))[at]
    cards = list_suit_classes(3).cards[at].tolist()
    kept = [card for place, card in enumerate(cards) if place != gone]
    boards = np.array([*combinations([card for card in DECK if card not in cards], 3)])
    category, _ = five_cards(np.concatenate([np.tile(kept, (len(boards), 1)), boards], axis=1))
    assert found.tolist() == np.bincount(np.minimum(category, 7), minlength=8).tolist()


@pytest.mark.parametrize(("own", "shared"), [((16, 24, 36, 5, 49), (38, 9)), ((12, 44, 17, 37, 0), (1, 47))])
def test_two_longest_flushes_stand_to_each_other_as_every_other_hand_does(
    own: tuple[int, ...], shared: tuple[int, ...]
) -> None:
    ranking = compile_shipped("co-rule10-flushes-gone-wild").hands["player"].ranking
    assert isinstance(ranking, LongestFlushRanking)
    flush = SharedFlush(ranking, 5, 5, 2)
    rest = [card for card in DECK if card not in own and card not in shared]
    others = np.array([(*shared, *cards) for cards in combinations(rest, 5)], np.uint8)
    mine = ranking.strength(np.array([(*own, *shared)], np.uint8))
    every = flush.find_signatures(np.repeat(mine, len(others)), ranking.strength(others))
    wild = sum(card // 4 == 0 for card in shared)
    alike = comb(4 - sum(card // 4 == 0 for card in own), wild)
    hand = flush.sort_own_hand(np.array(own, np.uint8))
    found = FlushCounter(flush).count(hand, [flush.sort_shared_cards(shared)])[0]
    assert found.tolist() == (np.bincount(every, minlength=flush.signatures) * alike).tolist()


def test_hands_with_the_same_wild_cards_stand_for_all() -> None:
    ranking = compile_shipped("co-rule10-flushes-gone-wild").hands["player"].ranking
    assert isinstance(ranking, LongestFlushRanking)
    assert sum(int(own.weight.sum()) for own in SharedFlush(ranking, 5, 5, 2).list_own_hands()) == comb(52, 5)
