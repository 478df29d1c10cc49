"""Rules of drawing: the rule that applies to each hand, and the cards that the hand may keep."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Codes, Flags, Truths
from validator.cards.cards import NO_CARD
from validator.cards.deck import compile_deck
from validator.cards.keep_rules import (
    CompiledKeepAll,
    CompiledKeepGrouped,
    CompiledKeepRule,
    CompiledKeepToward,
    Completion,
    match_discards,
)
from validator.cards.ranking import CompiledRanking
from validator.cards.sorting import sort_columns
from validator.engine.cards.final_hands import exchanged_cards, may_discard_later
from validator.engine.cards.ranked_hands import hand_strength
from validator.engine.compiled.game import CompiledGame
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.grains import grain_of_place
from validator.rules.model import keep_rules as language


class DrawDecisions(Struct, frozen=True, kw_only=True):
    """Hands of a place compared with rules of drawing, one entry per hand (a seat or a round)."""

    hand: Codes
    """Cards of each hand."""
    is_hand_known: Flags
    """True if all cards of the hand are known."""
    may_decide: tuple[Flags, ...]
    """Hands that each rule, in order, may decide, bool[n] each."""
    permitted_keeps: tuple[Bits32, ...]
    """Ways to keep cards that each rule permits."""
    may_be_undecided: Flags
    """True if it may be that no rule decides."""
    are_own_cards: Flags
    """True if the discards are cards of the hand, as in `cards.keep_rules.PutAside`."""
    matching_keeps: Bits32
    """Ways to keep cards that match the discards, as in `cards.keep_rules.PutAside`."""

    def is_decided_by(self, rules: Collection[int]) -> Truths:
        """Return whether one of these rules decides, and no other.

        Returns:
            uint8[n].
        """
        chosen = np.zeros(len(self.is_hand_known), bool)
        others = self.may_be_undecided.copy()
        for index, may in enumerate(self.may_decide):
            (chosen if index in rules else others)[may] = True
        return np.where(chosen, np.where(others, np.uint8(UNKNOWN), np.uint8(YES)), np.uint8(NO))

    def follows_rules(self, rules: Collection[int]) -> Truths:
        """Return whether the discards are those that the deciding one of these rules requires.

        Returns:
            uint8[n].
        """
        some, every = np.zeros(len(self.is_hand_known), bool), np.ones(len(self.is_hand_known), bool)
        for index in rules:
            may, lets = self.may_decide[index], self.permitted_keeps[index]
            some |= may & (self.matching_keeps & lets != 0)
            every &= ~may | (self.matching_keeps & ~lets == 0)
        fits = np.where(every, np.uint8(YES), np.where(some, np.uint8(UNKNOWN), np.uint8(NO)))
        return np.where(self.is_hand_known & self.are_own_cards, fits, np.uint8(UNKNOWN))


@cached_fact
def evaluate_drawing(scope: EvaluationContext, name: str) -> DrawDecisions:
    """Compare the hands of a place with the rules of drawing of a name."""
    return _compare_with_rules(scope, scope.compiled_game.game.drawing[name])


def _compare_with_rules(scope: EvaluationContext, drawing: language.Drawing) -> DrawDecisions:
    ranking = _find_ranking(scope.compiled_game, drawing)
    grain = grain_of_place(drawing.place)
    known = hand_strength(scope, drawing.hand) != ABSENT
    hand = np.where(known[:, None], scope.dealt_hands(drawing.place).cards[:, : ranking.size], np.uint8(NO_CARD))
    columns = sort_columns(hand)
    may_decide, lets = [], []
    open_ = np.ones(len(known), bool)
    for rule in drawing.rules:
        speaks = kleene.constant(YES, len(known)) if rule.when is None else scope.evaluate(rule.when, grain)
        ways = compile_keep(scope.compiled_game, drawing, rule.keep).ways(columns)
        speaks = np.where(known, np.where(ways != 0, speaks, np.uint8(NO)), np.minimum(speaks, UNKNOWN))
        may_decide.append(open_ & (speaks != NO))
        lets.append(ways)
        open_ = open_ & (speaks != YES)
    discards = exchanged_cards(scope, drawing.place, "discard")
    aside = match_discards(columns, discards.cards, discards.count, may_discard_later(scope, drawing.place))
    return DrawDecisions(
        hand=hand,
        is_hand_known=known,
        may_decide=tuple(may_decide),
        permitted_keeps=tuple(lets),
        may_be_undecided=open_,
        are_own_cards=aside.own,
        matching_keeps=aside.ways,
    )


def _find_ranking(prepared: CompiledGame, drawing: language.Drawing) -> CompiledRanking:
    ranking = prepared.hands[drawing.hand].ranking
    if not isinstance(ranking, CompiledRanking):
        raise TypeError(f"{drawing.hand} has a ranking without a fixed number of cards")
    return ranking


def compile_keep(prepared: CompiledGame, drawing: language.Drawing, keep: language.Keep) -> CompiledKeepRule:
    """Compile the cards that a rule of drawing lets a hand keep."""
    ranking = _find_ranking(prepared, drawing)
    match keep:
        case language.KeepGroups():
            return CompiledKeepGrouped(ranking=ranking, groups=keep.groups is not None, highest=keep.highest or 0)
        case language.KeepDraw():
            deck = prepared.game.deck
            completing = Completion(
                ranking=ranking,
                category=keep.toward,
                cards=keep.cards,
                deck=compile_deck(deck.cards, prepared.regulation.vocabulary.decks[deck.cards]),
                decks=deck.decks,
            )
            return CompiledKeepToward(completing=completing, completed_by=keep.completed_by or 1, prefer=keep.prefer)
        case _:
            return CompiledKeepAll(size=ranking.size)
