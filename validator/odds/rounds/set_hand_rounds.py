"""Simulated odds of games in which places set their cards: every place sets them by the rules of the dealer."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes
from fairdeal.validator.cards.card_codes import KNOWN_CARDS
from fairdeal.validator.cards.setting_rules import list_splits
from fairdeal.validator.engine.facts.drawing_rules import evaluate_drawing
from fairdeal.validator.engine.facts.set_hands import compile_setting
from fairdeal.validator.odds.rounds.deal_settlement import OutcomeShare, Solution, settle_deals
from fairdeal.validator.odds.rounds.player_options import Alternative, OddsTable, TooManyDeals
from fairdeal.validator.odds.rounds.sample_rounds import SampleRounds, SetHands

_BLOCK = 10_000
"""Number of deals that are settled at once."""


class _SetRounds(Struct, frozen=True, kw_only=True, eq=False):
    """Deals of which the player and the dealer set seven cards, or as many as the game has."""

    table: OddsTable
    drawing: str
    """Rules by which the dealer sets cards."""
    alternative: Alternative

    def set_cards(self, cards: Codes) -> SetHands:
        """Return the hands that the rules make of the cards of each row."""
        scope = self.table.open_rounds(SampleRounds(dealt={"dealer": cards}, stakes={}))
        decisions, ways = evaluate_drawing(scope, self.drawing), np.zeros(len(cards), np.uint32)
        for may_decide, permitted in zip(decisions.may_decide, decisions.permitted_keeps, strict=True):
            ways = np.where((ways == 0) & may_decide, permitted, ways)
        if (ways == 0).any():
            raise TooManyDeals(f"some cards are set by no rule of {self.drawing}")
        setting = compile_setting(self.table.prepared, "dealer")
        splits = np.array(list_splits(setting.size, setting.low.size))
        low = splits[np.bitwise_count((ways & (~ways + np.uint32(1))) - np.uint32(1))]
        is_low = np.zeros((len(cards), setting.size), np.bool_)
        np.put_along_axis(is_low, low, True, axis=1)
        order = np.argsort(is_low, axis=1, kind="stable")
        ordered = np.take_along_axis(cards, order, axis=1)
        return SetHands(high=ordered[:, : setting.high.size], low=ordered[:, setting.high.size :])

    def deal(self, rng: np.random.Generator, deck: Codes) -> SampleRounds:
        """Return random deals, and after them the same deals with the cards of player and dealer exchanged."""
        prepared = self.table.prepared
        size = prepared.game.deal.cards["dealer"]
        order = np.argsort(rng.random((_BLOCK, len(deck))), axis=1)[:, : 2 * size]
        cards = np.concatenate([deck[order[:, :size]], deck[order[:, size:]]])
        hands = self.set_cards(cards)
        exchanged = np.roll(np.arange(2 * _BLOCK), _BLOCK)
        return SampleRounds(
            dealt={"player": cards, "dealer": cards[exchanged]},
            stakes=self.alternative.stakes,
            decisions=self.alternative.decisions,
            set_hands={"player": hands, "dealer": hands.select(exchanged)},
            outcomes={
                name: np.full(len(cards), prepared.outcomes[name].numbers.index(None))
                for name in prepared.game.banking_outcomes
            },
        )


def simulate_set_hands(table: OddsTable, rounds: int, seed: int) -> Solution:
    """Return the odds of a wager on hands that are set, the same for the same seed.

    Each deal is settled a second time with the cards exchanged, so that luck hardly matters: without ties and
    commissions, both would add up to nothing.

    Args:
        table: the table.
        rounds: number of settled rounds.
        seed: seed of the random numbers.

    Raises:
        TooManyDeals: the game is of another kind.
    """
    prepared, alternatives = table.prepared, table.list_alternatives()
    deal = prepared.game.deal.cards
    drawings = [name for name, drawing in prepared.game.drawing.items() if drawing.sets_cards]
    sizes = {deal.get(place) for place in ("player", "dealer")}
    if len(drawings) != 1 or len(alternatives) != 1 or len(sizes) != 1 or set(deal) != {"player", "dealer"}:
        raise TooManyDeals("only hands that both sides set by one rule are simulated")
    set_rounds = _SetRounds(table=table, drawing=drawings[0], alternative=alternatives[0])
    assert prepared.game.deck is not None, "hands consist of cards"
    vocabulary = prepared.regulation.vocabulary.decks[prepared.game.deck.cards]
    deck = np.array([card for card in range(KNOWN_CARDS) if card < KNOWN_CARDS - 1 or vocabulary.jokers], np.uint8)
    rng, shares, pairs = np.random.default_rng(seed), Counter[tuple[str, Fraction]](), []
    for _ in range(max(rounds // (2 * _BLOCK), 1)):
        settled = settle_deals(table, set_rounds.deal(rng, deck))
        kinds, counts = np.unique(np.stack([settled.outcome, settled.net]), axis=1, return_counts=True)
        for (outcome, net), count in zip(kinds.T.tolist(), counts.tolist(), strict=True):
            shares[settled.outcomes[outcome], Fraction(net, settled.denominator)] += count
        pairs.append(settled.net.reshape(2, -1).sum(axis=0) / (2 * settled.denominator * table.stake))
    won = np.concatenate(pairs)
    return Solution(
        alternatives=tuple(alternatives),
        shares=tuple(
            OutcomeShare(outcome=outcome, alternative=0, net=net, count=count)
            for (outcome, net), count in sorted(shares.items())
        ),
        choice=None,
        error=float(won.std()) / sqrt(len(won)),
    )
