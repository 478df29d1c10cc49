"""Operators on seats and players: decisions, positions, order of seats, and the previous round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from validator.language.conditions import Condition, ConditionOperator, Quantity, QuantityOperator
from validator.language.grains import Grain
from validator.language.refs import DecisionName, PositionName
from validator.language.wording import quantity_in_words, spaced
from validator.language.words import Operand
from validator.operators.arithmetic import Exactly, OfParts
from validator.text.models.model import Closed

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.across import Across
    from validator.engine.core.context import Scope
    from validator.rules.model.game import Game


class Decided(ConditionOperator[str]):
    """The seat took this decision in the round, perhaps among others. The summary of a round records one decision of a
    seat; events record the others."""

    key = "decided"
    operand = DecisionName
    sample = "{decided: fold}"
    words = "the decision to {}"

    def grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == "this" else "seat"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.facts.decisions import is_decided

        return is_decided(scope, operand)

    def title(self, prepared: Prepared, operand: str) -> str:
        return prepared.game.decisions[operand].title

    def denied(self, prepared: Prepared, operand: str, description: str) -> str:
        return "no " + description.split(" ", 1)[1]


class DecidedInTheEnd(Decided):
    """The final decision of the seat is this one: the decision in the summary, else the last one in the events. If a
    seat decided several times, its hand is settled by the final decision."""

    key = "decided-in-the-end"
    sample = "{decided-in-the-end: fold}"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.facts.decisions import is_decided

        return is_decided(scope, operand, in_the_end=True)


class DecisionIsOpen(ConditionOperator[bool]):
    """The decision of the seat, if the log records one, is a decision of the game that is open to the seat."""

    key = "decision-is-open"
    operand = Literal[True]
    sample = "{decision-is-open: true}"
    words = "a decision that is open to the player"
    speaks_of = "seat"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.facts.decisions import is_open

        return is_open(scope)

    def purpose(self, scope: Scope, grain: Grain, index: int) -> str:
        decision = scope.prepared.game.decisions.get(_find_decision(scope, grain, index))
        return "" if decision is None else f"to {decision.title}: "

    def unmet(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
        decision = scope.prepared.game.decisions.get(_find_decision(scope, grain, index))
        open_to = None if decision is None else decision.open_to
        return [condition] if open_to is None else open_to.meaning.unmet(scope, open_to, grain, index)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        yield f"the decision recorded: {_find_decision(scope, grain, index)}"


def _find_decision(scope: Scope, grain: Grain, index: int) -> str:
    from validator.engine.facts.decisions import decisions

    return decisions(scope).text(int(scope.seat_of(grain)[index])) or "none"


class Position(ConditionOperator[str]):
    """The seat has this position in the round."""

    key = "position"
    operand = PositionName
    sample = "{position: button}"
    words = "the position {}"
    speaks_of = "seat"
    of_betting = True

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.turns.predicates import is_position

        return is_position(scope, operand)

    def title(self, prepared: Prepared, operand: str) -> str:
        return spaced(operand)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import who_has

        yield who_has(scope, condition.operand, int(scope.round_of(grain)[index]))


class TakingPart(ConditionOperator[bool]):
    """The seat takes part in the round; a seat that only sits at the table does not."""

    key = "taking-part"
    operand = Literal[True]
    sample = "{taking-part: true}"
    words = "a seat that takes part in the round"
    opposite = "a seat that takes no part in the round"
    speaks_of = "seat"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.core import kleene
        from validator.engine.seats.seat_order import taking_part

        return kleene.known(taking_part(scope))


class CalledOff(ConditionOperator[bool]):
    """A misdeal is declared for the seat or for all, and the hand is not played on: no event records that a stake of
    the seat was paid or taken. Stakes that are spent when placed may be paid and taken."""

    key = "called-off"
    operand = Literal[True]
    sample = "{called-off: true}"
    words = "a misdeal is declared and the hand not played on"
    opposite = "no misdeal is declared, or the hand is played on"
    speaks_of = "seat"
    looks_at = "events"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.facts.decisions import called_off

        return called_off(scope)


class FirstOfSession(ConditionOperator[bool]):
    """The round is the first since the table opened: its number is 1."""

    key = "first-of-session"
    operand = Literal[True]
    sample = "{first-of-session: true}"
    words = "the first round since the table opened"

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.arrays import ABSENT
        from validator.engine.core import kleene

        number, after = scope.batch.number, scope.batch.after.codes
        return kleene.where_known(number == 1, (number != ABSENT) | (after != ABSENT))


class NewPlayer(ConditionOperator[bool]):
    """The player of the seat has sat down since the previous round at the table. The table has just opened, or the
    player had left, or was not there since it opened. A player who is missing from rounds without a record of leaving
    has sat out."""

    key = "new-player"
    operand = Literal[True]
    sample = "{new-player: true}"
    words = "a player who has sat down since the previous round"
    opposite = "a player who was at the table before"
    speaks_of = "seat"
    looks_back = True

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        yield from ()

    def across(self, rounds: Across, operand: bool, name: str) -> Tri:
        return rounds.new


class DeckAsBefore(ConditionOperator[bool]):
    """The deck in play is the deck of the previous round at the table."""

    key = "deck-as-before"
    operand = Literal[True]
    sample = "{deck-as-before: true}"
    words = "the deck of the previous round"
    opposite = "another deck than in the previous round"
    looks_back = True

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        yield from ()

    def across(self, rounds: Across, operand: bool, name: str) -> Tri:
        return rounds.same_deck


class HandsOfPlayer(QuantityOperator[str]):
    """A number of hands of the player of the seat. `so-far`: the hands that the player holds at this seat and the seats
    before it. `span`: the number of positions from the lowest to the highest of the player, both included. A seat
    without stake and cards holds no hand."""

    key = "hands-of-player"
    operand = Literal["so-far", "span"]
    sample = "{hands-of-player: so-far}"
    words = {
        "so-far": "the number of hands of this player so far",
        "span": "the number of positions that the hands of this player span",
    }
    speaks_of = "seat"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.hands_per_player import hands_so_far, span_of_hands

        return hands_so_far(scope) if operand == "so-far" else span_of_hands(scope)


class Players(QuantityOperator[str]):
    """The number of seats. `dealt-in`: those that take part in the round. `seated`: all that the record lists."""

    key = "players"
    operand = Literal["dealt-in", "seated"]
    sample = "{players: dealt-in}"
    words = {"dealt-in": "the seats dealt in", "seated": "the seats at the table"}

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.betting.chip_movements import players

        return players(scope, operand)


class Button(QuantityOperator[str]):
    """The number of the seat with the button."""

    key = "button"
    operand = Literal["seat"]
    sample = "{button: seat}"
    words = "the seat of the button"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import told

        return told(scope.batch.button.astype(np.int64))


class Previous(QuantityOperator[Quantity]):
    """A quantity of the previous round at the table. If players are judged, it is taken from the seat of the same
    player in that player's previous round, if no round between is missing. For a `new-player` it is 0."""

    key = "previous"
    operand = Quantity
    sample = "{previous: {stack: after}}"
    looks_back = True

    def grain(self, operand: Quantity, game: Game) -> Grain:
        return operand.grain(game)

    def columns(self, scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
        from validator.engine.core.across import columns_of_quantity

        yield from columns_of_quantity(scope, quantity.operand, grain, name)

    def across(self, rounds: Across, operand: Quantity, name: str) -> Bounds:
        return rounds.before_each(rounds.bounds(operand, name))

    def is_money(self, prepared: Prepared, operand: Quantity) -> bool:
        return operand.meaning.is_money(prepared, operand.operand)

    def asked(self, prepared: Prepared, operand: Quantity, *, money: bool) -> str:
        return f"{quantity_in_words(prepared, operand, money=money)} in the previous round"


class _SeatNumberQuantity(OfParts[Operand]):
    """A quantity that is computed from seat numbers."""

    asks_seating = True


class NextSeat(_SeatNumberQuantity[Quantity]):
    """The number of the next seat, clockwise from a seat number, that takes part in this round."""

    key = "next-seat"
    operand = Quantity
    sample = "{next-seat: {previous: {button: seat}}}"

    def parts(self, operand: Quantity) -> Sequence[Quantity]:
        return [operand]

    def bounds(self, scope: Scope, operand: Quantity, grain: Grain) -> Bounds:
        from validator.engine.facts.next_seat import next_seat

        return next_seat(scope, scope.bounds(operand, "round"))

    def columns(self, scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
        from validator.engine.seats.seat_order import seats_follow

        yield from super().columns(scope, quantity, grain, name)
        yield f"{name}.follow", seats_follow(scope)[scope.round_of(grain)]

    def across(self, rounds: Across, operand: Quantity, name: str) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import FAR

        low, high = rounds.next_to(rounds.bounds(operand, f"{name}.0"))
        follow = rounds.column(f"{name}.follow")
        return np.where(follow, -FAR, low), np.where(follow, FAR, high)

    def asked(self, prepared: Prepared, operand: Quantity, *, money: bool) -> str:
        if operand.operator == Exactly.key and operand.operand == 0:
            return "the first seat from the dealer's left"
        return f"the next seat from {quantity_in_words(prepared, operand, money=money)}"


class PassedOver(Closed):
    """Two seat numbers, clockwise."""

    from_: Quantity
    """The seat number to start from."""
    to: Quantity
    """The seat number to end at. If both are equal, the whole table lies between them."""


class PlayersPassedOver(_SeatNumberQuantity[PassedOver]):
    """The number of players clockwise between two seat numbers, both excluded. Only players count who take part in this
    round and took part in the previous one."""

    key = "passed-over"
    operand = PassedOver
    sample = "{passed-over: {from: {previous: {button: seat}}, to: {button: seat}}}"
    looks_back = True

    def parts(self, operand: PassedOver) -> Sequence[Quantity]:
        return [operand.from_, operand.to]

    def across(self, rounds: Across, operand: PassedOver, name: str) -> Bounds:
        return rounds.between(rounds.bounds(operand.from_, f"{name}.0"), rounds.bounds(operand.to, f"{name}.1"))

    def asked(self, prepared: Prepared, operand: PassedOver, *, money: bool) -> str:
        start, end = (quantity_in_words(prepared, part, money=False) for part in self.parts(operand))
        return f"the number of players of both rounds passed over from {start} to {end}"
