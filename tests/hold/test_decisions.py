"""Worth of decisions, by the cards, in games in which it is hard to count."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from fairdeal.validator.hold.decision_costs import GroupDecisions, share_hand_counts, weigh_offered_decisions
from fairdeal.validator.odds.card_sets import list_suit_classes
from fairdeal.validator.odds.choosing.simulated_odds import sample_exchanges
from fairdeal.validator.odds.player_options import list_wager_groups, set_up_table
from fairdeal.validator.odds.wager_odds import NO_CHOICES
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.rulebook import Rulebook


@cache
def weigh_decisions(game: str, wager: str) -> GroupDecisions:
    prepared = compile_game(Rulebook(folder=None).regulation(game))
    group = next(group for group in list_wager_groups(prepared.game) if group.wager == wager)
    found = weigh_offered_decisions(prepared, None, group)
    assert found is not None
    return found


def test_hands_that_share_cards_are_worth_on_average_what_the_wager_is() -> None:
    found = weigh_decisions("co-rule10-flushes-gone-wild", "ante")
    wild = (found.worths.cards // 4 == 0).sum(axis=1)
    # The classes are those of the natural cards, each with a number of the four deuces.
    weight = np.zeros(len(wild))
    for number in range(5):
        classes = list_suit_classes(5 - number, 12)
        rows = np.flatnonzero(wild == number)
        ways = (1, 4, 6, 4, 1)[number]
        cards = found.worths.cards[rows][:, : 5 - number] - np.uint8(4)
        weight[rows] = classes.weight[classes.find_classes(cards)] * ways
    assert weight.sum() == 2_598_960
    assert weight @ found.theory_worth / weight.sum() == pytest.approx(-231128793029 / 3178242865798, abs=1e-12)
    decisions = [row.decision for row in found.worths.decisions_taken]
    assert (found.worths.worth[decisions.index("fold")] == -2).all()


def test_a_hand_is_worth_the_same_with_its_suits_renamed_and_with_other_deuces() -> None:
    found = weigh_decisions("co-rule10-flushes-gone-wild", "ante").worths
    rng = np.random.default_rng(2)
    for _ in range(200):
        hand = rng.permutation(52)[:5].astype(np.uint8)
        order = np.array([*permutations(range(4))][rng.integers(24)])
        other = hand // 4 * 4 + order[hand % 4]
        other[other < 4] = rng.permutation(4)[: (other < 4).sum()]
        one, two = found.find_classes(np.stack([hand, rng.permutation(other).astype(np.uint8)])).tolist()
        assert one == two
        assert sorted(found.cards[one] // 4) == sorted(hand // 4)


def test_hands_to_be_exchanged_are_worth_on_average_what_the_wager_is_nearly() -> None:
    found = weigh_decisions("caribbean-draw", "ante")
    classes = list_suit_classes(5)
    average = classes.weight @ found.theory_worth / classes.weight.sum()
    assert average == pytest.approx(-0.026, abs=0.006)  # reckoned with a deck of the dealer's own
    assert {row.decision for row in found.worths.decisions_taken} == {"call", "fold"}
    best = found.worths.worth.argmax(axis=0)
    assert all(
        found.worths.decisions_taken[at].decision == "call" for at in np.unique(best)
    )  # as is published: never fold
    hand = np.array([[50, 46, 42, 38, 1]], np.uint8)  # four to a royal flush, and a deuce
    does = found.worths.decisions_taken[best[found.worths.find_classes(hand)[0]]]
    cards = found.worths.cards[found.worths.find_classes(hand)[0]]
    assert does.discards is not None
    assert [int(cards[place] // 4) for place in does.discards] == [0]


def test_random_hands_that_both_sides_exchange_have_every_decision() -> None:
    prepared = compile_game(Rulebook(folder=None).regulation("caribbean-draw"))
    group = next(group for group in list_wager_groups(prepared.game) if group.wager == "ante")
    deals = sample_exchanges(set_up_table(prepared, NO_CHOICES, group), share_hand_counts(prepared), 300, 300, 1)
    assert set(deals.decisions) == {"call", "fold"}
    assert deals.best[0, 0] == deals.decisions.index("call")
    won = np.take_along_axis(deals.net, deals.best[None], axis=0)[0]
    assert (won * deals.weight).sum() / deals.weight.sum() == pytest.approx(-0.026, abs=0.25)
    assert (deals.net[deals.decisions.index("fold")] == -1).all()
