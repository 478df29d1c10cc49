"""Hands of a place compared with the rules of drawing: rules that keep cards, and rules that set two hands."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Bits32, Codes, Flags, Truths
from fairdeal.validator.cards import kept_cards
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN, sort_columns
from fairdeal.validator.cards.kept_cards import DiscardConstraint
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.cards.ranking_models import RANKS
from fairdeal.validator.cards.setting_rules import CompiledSetRule, SetGroup
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, compile_game_deck
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.core.kleene import UNKNOWN as UNKNOWN_TRUTH
from fairdeal.validator.engine.facts.final_hands import exchanged_cards, hand_strength, may_discard_later
from fairdeal.validator.engine.facts.set_hands import collect_set_cards, compile_setting
from fairdeal.validator.language.grammar import grain_of_place
from fairdeal.validator.rules import deal_model as language


class DrawDecisions(Struct, frozen=True, kw_only=True):
    """Hands of a place compared with rules of drawing, one entry per hand (a seat or a round).

    A way is a choice of kept cards, as in `cards.kept_cards`, or a way to set cards, as in `cards.setting_rules`.
    """

    hand: Codes
    """Cards of each hand."""
    is_hand_known: Flags
    """True if all cards of the hand are known."""
    may_decide: tuple[Flags, ...]
    """Hands that each rule, in order, may decide, bool[n] each."""
    permitted_keeps: tuple[Bits32, ...]
    """Ways that each rule permits."""
    may_be_undecided: Flags
    """True if it may be that no rule decides."""
    are_own_cards: Flags
    """True if the log shows the discards, which are cards of the hand, or the hands that were set."""
    matching_keeps: Bits32
    """Ways that match the discards, or the hands that were set."""

    def is_decided_by(self, rules: Collection[int]) -> Truths:
        """Return whether one of these rules decides, and no other.

        Returns:
            uint8[n].
        """
        chosen = np.zeros(len(self.is_hand_known), bool)
        others = self.may_be_undecided.copy()
        for index, may in enumerate(self.may_decide):
            (chosen if index in rules else others)[may] = True
        return np.where(chosen, np.where(others, np.uint8(UNKNOWN_TRUTH), np.uint8(YES)), np.uint8(NO))

    def follows_rules(self, rules: Collection[int]) -> Truths:
        """Return whether the cards are discarded or set as the deciding one of these rules requires.

        Returns:
            uint8[n].
        """
        some, every = np.zeros(len(self.is_hand_known), bool), self.matching_keeps != 0
        for index in rules:
            may, lets = self.may_decide[index], self.permitted_keeps[index]
            some |= may & (self.matching_keeps & lets != 0)
            every &= ~may | (self.matching_keeps & ~lets == 0)
        fits = np.where(every, np.uint8(YES), np.where(some, np.uint8(UNKNOWN_TRUTH), np.uint8(NO)))
        return np.where(self.is_hand_known & self.are_own_cards, fits, np.uint8(UNKNOWN_TRUTH))


@cached_fact
def evaluate_drawing(scope: EvaluationContext, name: str) -> DrawDecisions:
    """Compare the hands of a place with the rules of drawing of a name."""
    drawing = scope.compiled_game.game.drawing[name]
    if drawing.sets_cards:
        return _compare_with_setting_rules(scope, drawing)
    return _compare_with_keeping_rules(scope, drawing)


def _compare_with_keeping_rules(scope: EvaluationContext, drawing: language.Drawing) -> DrawDecisions:
    ranking = _find_ranking(scope.compiled_game, drawing)
    assert drawing.hand is not None, "rules that keep cards name a hand"
    known = hand_strength(scope, drawing.hand) != ABSENT
    hand = np.where(known[:, None], scope.dealt_hands(drawing.place).cards[:, : ranking.size], np.uint8(NO_CARD))
    columns = sort_columns(hand)
    ways = [
        compile_keep(scope.compiled_game, drawing, rule.keep).ways(columns)
        for rule in drawing.rules
        if rule.keep is not None
    ]
    discards = exchanged_cards(scope, drawing.place, "discard")
    aside = kept_cards.match_discards(columns, discards.cards, discards.count, may_discard_later(scope, drawing.place))
    return _decide_by_rules(scope, drawing, hand, known, ways, aside)


def _compare_with_setting_rules(scope: EvaluationContext, drawing: language.Drawing) -> DrawDecisions:
    setting = compile_setting(scope.compiled_game, drawing.place)
    dealt = scope.dealt_hands(drawing.place)
    hand = np.full((len(dealt.count), setting.size), NO_CARD, np.uint8)
    hand[:, : dealt.cards.shape[1]] = dealt.cards[:, : setting.size]
    known = (dealt.count == setting.size) & (hand < KNOWN_CARDS).all(axis=1)
    hand[~known] = NO_CARD
    splits = setting.rank_splits(hand)
    ways = [setting.find_ways(compile_set_rule(rule.set_), splits) for rule in drawing.rules if rule.set_ is not None]
    high, low = (collect_set_cards(scope, drawing.place, low=is_low) for is_low in (False, True))
    shown = (high.count != ABSENT) & ~((high.cards == UNKNOWN).any(axis=1) | (low.cards == UNKNOWN).any(axis=1))
    matching = DiscardConstraint(ways=setting.match_ways(hand, high.cards, low.cards), own=shown)
    return _decide_by_rules(scope, drawing, hand, known, ways, matching)


def _decide_by_rules(
    scope: EvaluationContext,
    drawing: language.Drawing,
    hand: Codes,
    known: Flags,
    ways: Sequence[Bits32],
    matching: DiscardConstraint,
) -> DrawDecisions:
    """Find the rule that decides each hand, by the ways in which the hand can follow each of them."""
    may_decide = []
    open_ = np.ones(len(known), bool)
    for rule, permitted in zip(drawing.rules, ways, strict=True):
        applies = (
            kleene.constant(YES, len(known))
            if rule.when is None
            else scope.evaluate(rule.when, grain_of_place(drawing.place))
        )
        applies = np.where(known, np.where(permitted != 0, applies, np.uint8(NO)), np.minimum(applies, UNKNOWN_TRUTH))
        may_decide.append(open_ & (applies != NO))
        open_ = open_ & (applies != YES)
    return DrawDecisions(
        hand=hand,
        is_hand_known=known,
        may_decide=tuple(may_decide),
        permitted_keeps=tuple(ways),
        may_be_undecided=open_,
        are_own_cards=matching.own,
        matching_keeps=matching.ways,
    )


def _find_ranking(prepared: CompiledGame, drawing: language.Drawing) -> CompiledRanking:
    ranking = None if drawing.hand is None else prepared.hands[drawing.hand].ranking
    if not isinstance(ranking, CompiledRanking):
        raise TypeError(f"{drawing.hand} has a ranking without a fixed number of cards")
    return ranking


def compile_keep(prepared: CompiledGame, drawing: language.Drawing, keep: language.Keep) -> kept_cards.CompiledKeepRule:
    """Compile the cards that a rule of drawing lets a hand keep."""
    ranking = _find_ranking(prepared, drawing)
    match keep:
        case language.KeepGroups():
            return kept_cards.CompiledKeepGrouped(
                ranking=ranking,
                groups=keep.groups is not None,
                others=keep.highest or keep.lowest or 0,
                lowest=keep.lowest is not None,
            )
        case language.KeepDraw():
            deck = compile_game_deck(prepared)
            assert deck is not None, "a hand consists of cards"
            completing = kept_cards.Completion(
                ranking=ranking,
                category=keep.toward,
                cards=keep.cards,
                deck=deck,
                decks=prepared.game.decks,
            )
            return kept_cards.CompiledKeepToward(
                completing=completing, completed_by=keep.completed_by or 1, prefer=keep.prefer
            )
        case _:
            return kept_cards.CompiledKeepAll(size=ranking.size)


def compile_set_rule(model: language.SetCards) -> CompiledSetRule:
    """Compile a rule that sets cards."""
    return CompiledSetRule(
        groups=tuple(
            SetGroup(size=group.cards, ranks=frozenset(map(RANKS.index, group.ranks or RANKS)), low=group.low)
            for group in model.groups or ()
        ),
        completes=tuple(model.complete or ()),
    )
