"""Chips and pots: what seats have, put in and receive, and what the house takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from validator.language.conditions import (
    FROM_PLAYERS,
    NEITHER,
    TO_PLAYERS,
    ConditionOperator,
    Problem,
    QuantityOperator,
)
from validator.language.grains import Grain
from validator.language.operands import PotNumber, RakeNumber, SeatReceives, Sharing
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.arrays import Bounds, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game

_POTS = {
    "total": "the pots without what nobody called",
    "uncalled": "what nobody called",
    "awarded": "what was awarded",
    "returned": "what was given back",
    "raked": "the rake",
    "dropped": "what went into the container",
    "rake-due": "the rake by the submitted levels",
    "count": "the number of pots",
    "boards": "the number of boards",
}
_RAKE = {
    "taken": "the rake so far",
    "due": "the rake by the submitted levels that were reached",
}
_STACK = {
    "start": "the chips at the start",
    "after": "the chips when the round is over",
    "reckoned": "the chips at the start less all that was put in, with what was given back and awarded",
}
_RECEIVED = {
    "awarded": "what the seat was awarded",
    "returned": "what the seat was given back",
    "uncalled": "what nobody called of the seat's",
}
_DIRECTION = {"awarded": TO_PLAYERS, "returned": TO_PLAYERS, "raked": FROM_PLAYERS}


def _in_a_game_with_pots(game: Game, here: Path) -> Iterator[Problem]:
    if game.pots is None:
        yield here, "the game has no pots"


class Stack(QuantityOperator[str]):
    """The chips of the seat before anything was put in, or when the round is over, as they are counted. `reckoned`:
    what they come to when the round is over, by the count at its start: less all that the seat put in, with what it
    was given back and was awarded. Chips that came or went in the middle of the round may be in it or not; what the log
    does not record leaves it between bounds."""

    key = "stack"
    operand = Literal["start", "after", "reckoned"]
    sample = "{stack: start}"
    words = _STACK
    speaks_of = "seat"
    money = True

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import told
        from validator.engine.pots.expected_stacks import chips_left

        if operand == "reckoned":
            return chips_left(scope)
        seats = scope.batch.seats
        return told(seats.stack if operand == "start" else seats.stack_after)


class Received(QuantityOperator[SeatReceives]):
    """An amount of the seat. `awarded`: what it received from pots. `returned`: what it was given back of its stakes.
    `uncalled`: what it put in that nobody matched."""

    key = "received"
    operand = SeatReceives
    sample = "{received: awarded}"
    words = _RECEIVED
    speaks_of = "seat"
    of_betting = True
    money = True

    def bounds(self, scope: Scope, operand: SeatReceives, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import unless
        from validator.engine.pots.totals import seat_receives

        values, known = seat_receives(scope, operand)
        return unless(known, values)

    def asks_pots(self, operand: SeatReceives) -> bool:
        return operand == "uncalled"

    def direction(self, operand: SeatReceives) -> int:
        return _DIRECTION.get(operand, NEITHER)


class Chips(QuantityOperator[str]):
    """What the seat bought or added to its chips in the record of the round, or took off the table. Where its player
    has left and somebody has come to it since, what was done before is not counted; whether that is which was done
    in the middle of the round, is not known."""

    key = "chips"
    operand = Literal["added", "removed"]
    sample = "{chips: added}"
    words = "the chips {}"
    speaks_of = "seat"
    money = True

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.betting.chip_movements import chips_moved

        return chips_moved(scope, operand)


class Pot(QuantityOperator[PotNumber]):
    """An amount of the round's pots. `total`: all pots together, before rake and without the uncalled bet.
    `uncalled`: what nobody matched. `awarded`: what seats received from pots; where only their chips before and after
    the round are recorded, all that came back to them less what is recorded as returned. `returned`: stakes given
    back. `raked`: what the house took, or, where the log does not record it, what was put in and came back to
    nobody. `dropped`: what went into the table's container. `rake-due`: what the submitted levels come to. `count`: how
    many pots were made, those counted that were given up or whose winner lost the hand; what nobody called is none.
    `boards`: how many boards the pots are divided by, 1 where the board is run once."""

    key = "pot"
    operand = PotNumber
    sample = "{pot: raked}"
    words = _POTS
    of_betting = True

    def asks_pots(self, operand: PotNumber) -> bool:
        return True

    def problems(self, regulation: Regulation, game: Game, operand: PotNumber, here: Path) -> Iterator[Problem]:
        yield from _in_a_game_with_pots(game, here)

    def bounds(self, scope: Scope, operand: PotNumber, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import where_told
        from validator.engine.pots.totals import pot_amount

        return where_told(*pot_amount(scope, operand))

    def is_money(self, prepared: Prepared, operand: PotNumber) -> bool:
        return operand not in ("count", "boards")

    def direction(self, operand: PotNumber) -> int:
        return _DIRECTION.get(operand, NEITHER)


class RakeSoFar(QuantityOperator[RakeNumber]):
    """An amount of the rake when the event that is judged is over. `taken`: what the house has taken. `due`: what the
    submitted levels come to that are reached by all that had been put in, be it called or not."""

    key = "rake-so-far"
    operand = RakeNumber
    sample = "{rake-so-far: taken}"
    words = _RAKE
    speaks_of = "event"
    money = True

    def asks_pots(self, operand: RakeNumber) -> bool:
        return True

    def problems(self, regulation: Regulation, game: Game, operand: RakeNumber, here: Path) -> Iterator[Problem]:
        yield from _in_a_game_with_pots(game, here)

    def bounds(self, scope: Scope, operand: RakeNumber, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import unless
        from validator.engine.pots.rake_so_far import rake_so_far

        values, known = rake_so_far(scope, operand)
        return unless(known, values)


class PotShare(ConditionOperator[Sharing]):
    """What the seat takes part for, as the pots come out. `winning`: a share of a pot is due to it. `losing`: it takes
    part, and none is."""

    key = "pot-share"
    operand = Sharing
    sample = "{pot-share: winning}"
    words = {"winning": "a seat to which a share of a pot is due", "losing": "a seat to which no share of a pot is due"}
    speaks_of = "seat"
    of_betting = True

    def problems(self, regulation: Regulation, game: Game, operand: Sharing, here: Path) -> Iterator[Problem]:
        yield from _in_a_game_with_pots(game, here)

    def truth(self, scope: Scope, operand: Sharing, grain: Grain) -> Tri:
        from validator.engine.pots import pot_shares

        return pot_shares.sharing(scope, operand)
