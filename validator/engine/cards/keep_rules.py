"""Which rule of drawing each hand falls under, and what it lets the hand keep."""

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
    """Every hand of a place held against rules of drawing; all arrays have one entry a hand (a seat or a round).

    `known` says where all cards of the hand are. For each rule, in order, `may_decide` says (bool[n]) whether it
    may be the one that decides, and `lets` which ways to keep cards it allows. `undecided` is where it may be
    that no rule decides. `own` and `fits` are what is shown of the cards put aside, see `cards.drawing.PutAside`.
    """

    hand: Codes
    known: Flags
    may_decide: tuple[Flags, ...]
    lets: tuple[Bits32, ...]
    undecided: Flags
    own: Flags
    fits: Bits32

    def decided_by(self, rules: Collection[int]) -> Tri:
        """uint8[n]: whether one of these rules decides, and no other."""
        chosen = np.zeros(len(self.known), bool)
        others = self.undecided.copy()
        for index, may in enumerate(self.may_decide):
            (chosen if index in rules else others)[may] = True
        return np.where(chosen, np.where(others, np.uint8(UNKNOWN), np.uint8(YES)), np.uint8(NO))

    def follows(self, rules: Collection[int]) -> Tri:
        """uint8[n]: whether the cards put aside are those that these rules ask for, where one of them decides."""
        some, every = np.zeros(len(self.known), bool), np.ones(len(self.known), bool)
        for index in rules:
            may, lets = self.may_decide[index], self.lets[index]
            some |= may & (self.fits & lets != 0)
            every &= ~may | (self.fits & ~lets == 0)
        fits = np.where(every, np.uint8(YES), np.where(some, np.uint8(UNKNOWN), np.uint8(NO)))
        return np.where(self.known & self.own, fits, np.uint8(UNKNOWN))


@fact
def drawn(scope: Scope, name: str) -> Drawn:
    """The hands of a place held against the rules of drawing of this name."""
    return _drawn(scope, scope.prepared.game.drawing[name])


def _drawn(scope: Scope, drawing: language.Drawing) -> Drawn:
    ranking = _ranking(scope.prepared, drawing)
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


def _ranking(prepared: Prepared, drawing: language.Drawing) -> CompiledRanking:
    ranking = prepared.hands[drawing.hand].ranking
    if not isinstance(ranking, CompiledRanking):
        raise TypeError(f"{drawing.hand} is ranked by hands of no fixed size")
    return ranking


def compile_keep(prepared: Prepared, drawing: language.Drawing, keep: language.Keep) -> Keeping:
    """What a rule of drawing lets a hand keep, ready for use."""
    ranking = _ranking(prepared, drawing)
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
