"""Odds of hands for which decisions take cards: against plain recursions, published figures and whole enumerations."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.validator.arrays import Reals
from fairdeal.validator.odds.choosing.hand_values import FinalWorths, HandValues, SplitHand, SplitValues
from fairdeal.validator.odds.choosing.taken_cards import TakenCards
from fairdeal.validator.odds.choosing.taking_rules import TakingRules
from fairdeal.validator.odds.odds_figures import WagerOdds
from fairdeal.validator.odds.player_options import list_wager_groups, set_up_table
from fairdeal.validator.odds.wager_odds import NO_CHOICES, work_out_odds
from fairdeal.validator.operators.operator_table import compile_game
from tests.facade.rules import load_regulation, rules_folder
from tests.odds.plain_blackjack import Hand, House, fill_shoe, take
from tests.odds.plain_suited_nine import value_game
from tests.odds.rulebooks import rulebook

TEMPLATES = rules_folder() / "templates"
HOUSE = replace(NO_CHOICES, options={"soft-17": "stands", "surrender": True})


@cache
def find_odds(wager: str) -> WagerOdds:
    [row] = work_out_odds(load_regulation("blackjack", TEMPLATES), stated=HOUSE, wager=wager).wagers
    return row


def percent(row: WagerOdds) -> float:
    assert row.house_advantage is not None, row.why
    return 100 * float(Fraction(row.house_advantage))


@cache
def follow_hands() -> tuple[TakenCards, FinalWorths]:
    prepared = compile_game(load_regulation("blackjack", TEMPLATES))
    group = next(group for group in list_wager_groups(prepared.game) if group.wager == "main")
    hands = TakenCards(TakingRules(set_up_table(prepared, HOUSE, group), {}))
    return hands, hands.make_finals()


def find_unit(hands: TakenCards) -> int:
    """Return the stake in the units of balances."""
    return hands.table.stake * hands.settlement.denominator


def count_class(card: int) -> int:
    """Return the class of a card that counts 1 (ace) to 10, in the order of ranks."""
    return 9 if card == 1 else card - 2


def find_front(hands: TakenCards, up: int) -> int:
    """Return the front of an up card with a dealer who has no blackjack."""
    fronts = [at for at, front in enumerate(hands.draws.fronts) if front.seen == (count_class(up),)]
    return max(fronts, key=lambda at: hands.levels[0].open_[:, 0, hands.draws.group_of_front[at]].any())


def test_six_decks_cost_what_is_published() -> None:
    """The Blackjack Review Network lists 0.56 % for six decks of which the dealer stands on soft 17, splits up to four
    hands but aces once, no double after a split and no surrender. It subtracts 0.14 for doubles after a split, and 0.08
    for late surrender (https://www.blackjackreview.com/wp/blackjack-rule-variations/)."""
    row = find_odds("main")
    assert abs(percent(row) - (0.56 - 0.14 - 0.08)) < 0.05
    assert not row.exact
    assert row.method is not None
    assert "split" in row.method
    low, high = row.interval or (0.0, 0.0)
    assert low < percent(row) / 100 < high < low + 0.0006


def test_outcomes_add_up() -> None:
    row = find_odds("main")
    assert sum(Fraction(outcome.probability) for outcome in row.outcomes) == 1
    lost = -sum(Fraction(outcome.probability) * Fraction(outcome.pays) for outcome in row.outcomes)
    assert lost == Fraction(row.house_advantage or 0)
    natural = next(outcome for outcome in row.outcomes if outcome.outcome == "blackjack")
    assert (
        abs(float(Fraction(natural.probability)) - 2 * 24 * 96 / (312 * 311) * (1 - 2 * 23 * 95 / (310 * 309))) < 1e-9
    )


@pytest.mark.parametrize(("wager", "expected"), [("pair", 6.1093), ("insurance", 7.3955)])
def test_side_wagers_are_counted_deal_by_deal(wager: str, expected: float) -> None:
    row = find_odds(wager)
    assert row.exact
    assert round(percent(row), 4) == expected


@pytest.mark.parametrize(("first", "second", "up"), [(10, 6, 10), (10, 5, 1), (9, 7, 9), (10, 1, 10), (8, 3, 10)])
def test_hands_without_a_split_are_worth_what_a_plain_recursion_finds(first: int, second: int, up: int) -> None:
    hands, finals = follow_hands()
    values = HandValues(hands.rules, hands.draws, hands.levels, finals, np.zeros(10, np.int64))
    row, front = hands.starts.index((count_class(first), count_class(second))), find_front(hands, up)
    shoe = take(fill_shoe(6), first, second, up)
    hand = Hand(House(), up)
    chance = 1 - (shoe[hand.blackjack] / sum(shoe) if hand.blackjack else 0)
    found = values.values[0].worth[row, front] / find_unit(hands)
    assert found == pytest.approx(chance * hand.begin(shoe, (first, second)), abs=1e-9)


def test_split_aces_are_worth_what_all_pairs_of_second_cards_give() -> None:
    """Each hand receives one card, so both hands are enumerated together, card by card."""
    hands, _ = follow_hands()
    front, up = find_front(hands, 10), 10
    shoe, hand = take(fill_shoe(6), 1, 1, up), Hand(House(), up)
    expected = 0.0
    for first, chance in hand.draw(shoe):
        for second, likely in hand.draw(take(shoe, first)):
            left = take(shoe, first, second)
            both = hand.stand(left, (1, first)) + hand.stand(left, (1, second))
            expected += chance * likely * both
    open_share = 1 - shoe[1] / sum(shoe)
    split = hands.value_split(count_class(1))
    assert split.worth[front] / find_unit(hands) == pytest.approx(open_share * expected, abs=1e-9)


class UrnSplit(SplitValues):
    """Split whose hands are worth a number that depends on the second card alone, in an urn of few cards."""

    def __init__(self, of_class: int, others: list[float], pair: float) -> None:
        self.of_class, self.values, self.pair = of_class, others, pair

    def chance_again(self, number: int) -> Reals:
        result, total = 1.0, self.of_class + len(self.values)
        for drawn in range(number):
            result *= max(self.of_class - drawn, 0) / (total - drawn)
        return np.array([result])

    def play_hand(self, gone: int, *, is_first: bool = False) -> SplitHand:
        left = max(self.of_class - (gone - 1), 0)
        total = left + len(self.values)
        hand = object.__new__(SplitHand)
        hand.pair_worth = np.array([self.pair * left / total])
        hand.worth = hand.pair_worth + sum(self.values) / total
        return hand

    @property
    def draws(self) -> UrnSplit:  # type: ignore[override]
        return self

    @property
    def fronts(self) -> list[int]:
        return [0]


@pytest.mark.parametrize("most", [2, 3, 4])
def test_splits_as_often_as_permitted_equal_all_orders_of_an_urn(most: int) -> None:
    others, pair = [1.0, -2.0, 4.0, 0.5], 7.0
    urn: list[float | None] = [None, None, None, *others]
    totals = []
    for order in permutations(range(len(urn))):
        cards, hands, pending, total = iter(order), 2, 2, 0.0
        while pending:
            card = urn[next(cards)]
            if card is None and hands < most:
                hands, pending = hands + 1, pending + 1
            else:
                total, pending = total + (pair if card is None else card), pending - 1
        totals.append(total)
    found = UrnSplit(3, others, pair).sum_worth(most)
    assert found[0] == pytest.approx(sum(totals) / len(totals), abs=1e-12)


def test_suits_and_hands_split_off_count_as_a_plain_recursion_finds(tmp_path: Path) -> None:
    """Settlement depends on the suits of three cards, and on whether a hand was split off. The dealer's cards come in
    two stages, and the deck lacks most ranks."""
    folder = rulebook(tmp_path, "suited-nine")
    decks = folder / "vocabulary" / "decks.yaml"
    decks.write_text(decks.read_text("utf-8") + '  low-16: {ranks: "234A", suits: "cdhs"}\n', "utf-8")
    [row] = work_out_odds(load_regulation("suited-nine", folder), wager="main").wagers
    assert percent(row) == pytest.approx(-100 * value_game(), abs=1e-9)
    assert {part.decision for part in row.strategy} >= {"hit", "stand", "split"}
