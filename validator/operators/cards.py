"""The deal: cards of places and of decks, and the way they were dealt."""

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
    """No card of the round turns up more often than the decks in play hold it."""

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
    """No card that the events of a step show, such as a card set aside, is held by anybody in the end, or dealt to
    anybody after that."""

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
    """Every card that the events of a step show is shown by those of another step too, each counted once."""

    key = "cards-among"
    operand = Among
    sample = "{cards-among: {step: off-the-table, among: set-aside}}"

    def steps(self, operand: Among) -> Sequence[str]:
        return (operand.step, operand.among)

    def truth(self, scope: Scope, operand: Among, grain: Grain) -> Tri:
        from validator.engine.cards.dead_cards import cards_among

        return cards_among(scope, operand.step, operand.among)

    def asked(self, prepared: Prepared, operand: Among) -> str:
        one, other = (prepared.steps[step].title for step in (operand.step, operand.among))
        return f"every card of “{one}” also among those of “{other}”"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import not_among

        yield not_among(scope, condition.operand, int(scope.round_of(grain)[index]))


class DealtAs(ConditionOperator[str]):
    """The cards were dealt in this way. `submitted`: in the way the submission names."""

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
        fits, told = dealt_as(scope, way)
        return kleene.where_known(fits, told & kinds_recorded(scope, ["deal"]))

    def title(self, prepared: Prepared, operand: str) -> str:
        return spaced(operand)

    def denied(self, prepared: Prepared, operand: str, asked: str) -> str:
        return asked.replace("the cards dealt", "the cards not dealt", 1)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import way_of_dealing

        yield way_of_dealing(scope, int(scope.round_of(grain)[index]))


class DealStopped(ConditionOperator[bool]):
    """The deal stopped before every place had its cards, of which all that were dealt came in their turn: no place was
    dealt a wrong number, and more cards were due. Where somebody decided or showed a hand afterwards it is not so. Of
    several stages, the first is meant."""

    key = "deal-stopped-in-turn"
    operand = Literal[True]
    sample = "{deal-stopped-in-turn: true}"
    words = "a deal that was right until it stopped"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.deal_checks.broken_deals import stopped_in_turn

        return stopped_in_turn(scope)


class DealtInTurn(ConditionOperator[bool]):
    """What was dealt in the first stage of the deal came in its turn to every seat that plays, be it all or the
    beginning."""

    key = "dealt-in-turn"
    operand = Literal[True]
    sample = "{dealt-in-turn: true}"
    words = "every card dealt in its turn"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.deal_checks.broken_deals import dealt_in_turn

        return dealt_in_turn(scope)


class _CountAt(QuantityOperator[Place]):
    """A number of cards of a place."""

    def grain(self, operand: Place, game: Game) -> Grain:
        return grain_of_place(operand)


def _known(count: Ints16) -> Bounds:
    import numpy as np

    from validator.engine.core.intervals import unless

    return unless(count >= 0, count.astype(np.int64))


class Cards(QuantityOperator[Cardholder]):
    """How many cards a place was dealt: the seat's own, the dealer's, the community's, those that the way of dealing
    puts aside at once included. `everywhere`: how many left the deck in the round, replacement cards and cards burnt or
    set aside included."""

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
            total, told = cards_out(scope)
            return unless(told, total)
        low, high = _known(scope.hands_at(operand).count)
        owed = (low < scope.prepared.game.deal.cards.get(operand, 0)) & dealing(scope)[0][scope.round_of(grain)]
        return (low, np.where(owed, FAR, high)) if owed.any() else (low, high)


class Discarded(_CountAt):
    """How many cards a place put aside."""

    key = "discarded"
    operand = Place
    sample = "{discarded: player}"
    words = "the {}'s number of cards discarded"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import exchanged

        return _known(exchanged(scope, operand, "discard").count)


class Drawn(_CountAt):
    """How many replacement cards a place received."""

    key = "drawn"
    operand = Place
    sample = "{drawn: player}"
    words = "the {}'s number of cards drawn"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import exchanged

        return _known(exchanged(scope, operand, "draw").count)


class Held(_CountAt):
    """How many cards a place holds in the end: those dealt, less those discarded, and those drawn."""

    key = "held"
    operand = Place
    sample = "{held: community}"
    words = "the {}'s number of cards held"

    def bounds(self, scope: Scope, operand: Place, grain: Grain) -> Bounds:
        from validator.engine.cards.final_hands import held

        return _known(held(scope, operand).count)


class ShownCards(QuantityOperator[str]):
    """How many different cards of the seat's own were shown; one whose face is not recorded may be another, or not."""

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
