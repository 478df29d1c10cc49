"""Rules of drawing: the rule that applies to each hand, and the cards that the hand may keep."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Codes, Flags, Tri
from validator.cards.cards import NO_CARD
from validator.cards.deck import compile_deck
from validator.cards.keep_rules import Completing, KeepAll, KeepGrouped, Keeping, KeepToward, put_aside
from validator.cards.ranking import CompiledRanking
from validator.cards.sorting import sorted_columns
from validator.engine.cards.final_hands import discards_go_on, exchanged
from validator.engine.cards.ranked_hands import strength
from validator.engine.compiled.game import Prepared
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.grains import grain_of_place
from validator.rules.model import keep_rules as language


class Drawn(Struct, frozen=True, kw_only=True):
    """Hands of a place compared with rules of drawing, one entry per hand (a seat or a round)."""

    hand: Codes
    """Cards of each hand."""
    known: Flags
    """True if all cards of the hand are known."""
    may_decide: tuple[Flags, ...]
    """Hands that each rule, in order, may decide, bool[n] each."""
    lets: tuple[Bits32, ...]
    """Ways to keep cards that each rule permits."""
    undecided: Flags
    """True if it may be that no rule decides."""
    own: Flags
    """True if the discards are cards of the hand, as in `cards.keep_rules.PutAside`."""
    fits: Bits32
    """Ways to keep cards that match the discards, as in `cards.keep_rules.PutAside`."""

    def decided_by(self, rules: Collection[int]) -> Tri:
        """Return whether one of these rules decides, and no other.

        Returns:
            uint8[n].
        """
        chosen = np.zeros(len(self.known), bool)
        others = self.undecided.copy()
        for index, may in enumerate(self.may_decide):
            (chosen if index in rules else others)[may] = True
        return np.where(chosen, np.where(others, np.uint8(UNKNOWN), np.uint8(YES)), np.uint8(NO))

    def follows(self, rules: Collection[int]) -> Tri:
        """Return whether the discards are those that the deciding one of these rules requires.

        Returns:
            uint8[n].
        """
        some, every = np.zeros(len(self.known), bool), np.ones(len(self.known), bool)
        for index in rules:
            may, lets = self.may_decide[index], self.lets[index]
            some |= may & (self.fits & lets != 0)
            every &= ~may | (self.fits & ~lets == 0)
        fits = np.where(every, np.uint8(YES), np.where(some, np.uint8(UNKNOWN), np.uint8(NO)))
        return np.where(self.known & self.own, fits, np.uint8(UNKNOWN))


@fact
def drawn(scope: Scope, name: str) -> Drawn:
    """Compare the hands of a place with the rules of drawing of a name."""
    return _compare_with_rules(scope, scope.prepared.game.drawing[name])


def _compare_with_rules(scope: Scope, drawing: language.Drawing) -> Drawn:
    ranking = _find_ranking(scope.prepared, drawing)
    grain = grain_of_place(drawing.place)
    known = strength(scope, drawing.hand) != ABSENT
    hand = np.where(known[:, None], scope.hands_at(drawing.place).cards[:, : ranking.size], np.uint8(NO_CARD))
    columns = sorted_columns(hand)
    may_decide, lets = [], []
    open_ = np.ones(len(known), bool)
    for rule in drawing.rules:
        speaks = kleene.constant(YES, len(known)) if rule.when is None else scope.truth(rule.when, grain)
        ways = compile_keep(scope.prepared, drawing, rule.keep).ways(columns)
        speaks = np.where(known, np.where(ways != 0, speaks, np.uint8(NO)), np.minimum(speaks, UNKNOWN))
        may_decide.append(open_ & (speaks != NO))
        lets.append(ways)
        open_ = open_ & (speaks != YES)
    discards = exchanged(scope, drawing.place, "discard")
    aside = put_aside(columns, discards.cards, discards.count, discards_go_on(scope, drawing.place))
    return Drawn(
        hand=hand,
        known=known,
        may_decide=tuple(may_decide),
        lets=tuple(lets),
        undecided=open_,
        own=aside.own,
        fits=aside.ways,
    )


def _find_ranking(prepared: Prepared, drawing: language.Drawing) -> CompiledRanking:
    ranking = prepared.hands[drawing.hand].ranking
    if not isinstance(ranking, CompiledRanking):
        raise TypeError(f"{drawing.hand} has a ranking without a fixed number of cards")
    return ranking


def compile_keep(prepared: Prepared, drawing: language.Drawing, keep: language.Keep) -> Keeping:
    """Compile the cards that a rule of drawing lets a hand keep."""
    ranking = _find_ranking(prepared, drawing)
    match keep:
        case language.KeepGroups():
            return KeepGrouped(ranking=ranking, groups=keep.groups is not None, highest=keep.highest or 0)
        case language.KeepToward():
            deck = prepared.game.deck
            completing = Completing(
                ranking=ranking,
                category=keep.toward,
                cards=keep.cards,
                deck=compile_deck(deck.cards, prepared.regulation.vocabulary.decks[deck.cards]),
                decks=deck.decks,
            )
            return KeepToward(completing=completing, completed_by=keep.completed_by or 1, prefer=keep.prefer)
        case _:
            return KeepAll(size=ranking.size)
