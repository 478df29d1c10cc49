"""Operators on cards: the cards of places and decks, and the way of dealing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from validator.language.conditions import OTHERS, Condition, ConditionOperator, QuantityOperator
from validator.language.grains import Grain, grain_of_place
from validator.language.operands import Among
from validator.language.refs import SUBMITTED, StepName, WayDealt
from validator.language.terms import Place
from validator.language.wording import spaced

if TYPE_CHECKING:
    from validator.arrays import Bounds, Ints16, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.rules.model.game import Game

Cardholder: TypeAlias = Place | Literal["everywhere"]


class CardsFromDeck(ConditionOperator[bool]):
    """No card of the round appears more often than the decks in play contain it."""

    key = "cards-from-deck"
    operand = Literal[True]
    sample = "{cards-from-deck: true}"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.core import kleene
        from validator.engine.deal_checks.cards_seen import deck_holds

        fits, whole = deck_holds(scope)
        return kleene.unknown_where(fits & ~whole, kleene.known(fits))

    def asked(self, prepared: Prepared, operand: bool) -> str:
        decks = prepared.game.deck.decks
        return "no card more than once" if decks == 1 else f"no card more than {decks} times"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import repeated

        yield repeated(scope, int(scope.round_of(grain)[index]))


class CardsUnused(ConditionOperator[str]):
    """No card that the events of a step show is in a hand at the end or is dealt later. Example: cards set aside."""

    key = "cards-unused"
    operand = StepName
    sample = "{cards-unused: set-aside}"
    words = "no card of “{}” in use"

    def steps(self, operand: str) -> Sequence[str]:
        return (operand,)

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.cards.dead_cards import cards_unused

        return cards_unused(scope, operand)

    def title(self, prepared: Prepared, operand: str) -> str:
        return prepared.steps[operand].title

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import in_use

        yield in_use(scope, condition.operand, int(scope.round_of(grain)[index]))


class CardsAmong(ConditionOperator[Among]):
    """Every card that the events of a step show is also shown by the events of another step. Each card counts once."""

    key = "cards-among"
    operand = Among
    sample = "{cards-among: {step: off-the-table, among: set-aside}}"

    def steps(self, operand: Among) -> Sequence[str]:
        return (operand.step, operand.among)

    def truth(self, scope: Scope, operand: Among, grain: Grain) -> Tri:
        from validator.engine.cards.dead_cards import cards_among

        return cards_among(scope, operand.step, operand.among)

    def asked(self, prepared: Prepared, operand: Among) -> str:
        step, among = (prepared.steps[name].title for name in (operand.step, operand.among))
        return f"every card of “{step}” also among those of “{among}”"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import not_among

        yield not_among(scope, condition.operand, int(scope.round_of(grain)[index]))


class DealtAs(ConditionOperator[str]):
    """The cards were dealt in this way. `submitted`: in the way that the submission names."""

    key = "dealt-as"
    operand = WayDealt
    sample = "{dealt-as: submitted}"
    looks_at = "submission"
    words = {SUBMITTED: "the cards dealt as submitted", OTHERS: "the cards dealt as “{}”"}

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.core import kleene
        from validator.engine.deal_checks.dealing_order import dealt_as
        from validator.engine.timeline.step_events import kinds_recorded

        way = operand
        if way == SUBMITTED:
            way = "" if scope.configuration is None else scope.configuration.dealing or ""
        if way not in scope.prepared.game.deal.ways:
            return kleene.constant(kleene.UNKNOWN, scope.length(grain))
        fits, known = dealt_as(scope, way)
        return kleene.where_known(fits, known & kinds_recorded(scope, ["deal"]))

    def title(self, prepared: Prepared, operand: str) -> str:
        return spaced(operand)

    def denied(self, prepared: Prepared, operand: str, description: str) -> str:
        return description.replace("the cards dealt", "the cards not dealt", 1)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import way_of_dealing

        yield way_of_dealing(scope, int(scope.round_of(grain)[index]))


class DealStopped(ConditionOperator[bool]):
    """The first stage of the deal stopped before every place had its cards, and all cards until then were dealt in
    turn. No place had a wrong number of cards, and more cards were due. Does not hold if a seat decided or showed a
    hand afterwards."""

    key = "deal-stopped-in-turn"
    operand = Literal[True]
    sample = "{deal-stopped-in-turn: true}"
    words = "a deal that was correct until it stopped"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.deal_checks.broken_deals import stopped_in_turn

        return stopped_in_turn(scope)


class DealtInTurn(ConditionOperator[bool]):
    """The first stage of the deal, complete or not, gave every seat that plays its cards in turn."""

    key = "dealt-in-turn"
    operand = Literal[True]
    sample = "{dealt-in-turn: true}"
    words = "every card dealt in its turn"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.deal_checks.broken_deals import dealt_in_turn

        return dealt_in_turn(scope)


class _PlaceCardCount(QuantityOperator[Place]):
    """A number of cards of a place."""

    def grain(self, operand: Place, game: Game) -> Grain:
        return grain_of_place(operand)


def _bounds_if_known(count: Ints16) -> Bounds:
    import numpy as np

    from validator.engine.core.intervals import unless

    return unless(count >= 0, count.astype(np.int64))


class Cards(QuantityOperator[Cardholder]):
    """The number of cards dealt to a place: the seat, the dealer or the community. Cards that the way of dealing sets
    aside at once are included. `everywhere`: the number of cards that left the deck in the round, with replacement
    cards and cards burnt or set aside."""

    key = "cards"
    operand = Cardholder
    sample = "{cards: dealer}"
    words = {"everywhere": "the cards out of the deck", OTHERS: "the {}'s number of cards"}

    def grain(self, operand: Cardholder, game: Game) -> Grain:
        return grain_of_place(operand)

    def bounds(self, scope: Scope, operand: Cardholder, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import FAR, unless
        from validator.engine.deal_checks.cards_seen import cards_out
        from validator.engine.timeline.truncated_records import dealing

        if operand == "everywhere":
            total, known = cards_out(scope)
            return unless(known, total)
        low, high = _bounds_if_known(scope.hands_at(operand).count)
        owed = (low < scope.prepared.game.deal.cards.get(operand, 0)) & dealing(scope)[0][scope.round_of(grain)]
        return (low, np.where(owed, FAR, high)) if owed.any() else (low, high)


class Discarded(_PlaceCardCount):
    """The number of cards that a place discarded."""

    key = "discarded"
    operand = Place
    sample = "{discarded: player}"
    words = "the {}'s number of cards discarded"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import exchanged

        return _bounds_if_known(exchanged(scope, operand, "discard").count)


class Drawn(_PlaceCardCount):
    """The number of replacement cards that a place received."""

    key = "drawn"
    operand = Place
    sample = "{drawn: player}"
    words = "the {}'s number of cards drawn"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import exchanged

        return _bounds_if_known(exchanged(scope, operand, "draw").count)


class Held(_PlaceCardCount):
    """The number of cards that a place holds at the end: dealt, minus discarded, plus drawn."""

    key = "held"
    operand = Place
    sample = "{held: community}"
    words = "the {}'s number of cards held"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import held

        return _bounds_if_known(held(scope, operand).count)


class ShownCards(QuantityOperator[str]):
    """The number of different cards of the seat that were shown. A card with no recorded face may be a further one or
    not."""

    key = "shown-cards"
    operand = Literal["player"]
    sample = "{shown-cards: player}"
    words = "the {}'s number of cards shown"
    speaks_of = "seat"
    looks_at = "events"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import FAR, unless
        from validator.engine.pots.shown_hands import shown_count

        least, hidden, recorded = shown_count(scope)
        if not hidden.any():
            return unless(recorded, least)
        return np.where(recorded, least, -FAR), np.where(recorded, least + hidden, FAR)
