"""Operators on chips and pots: stacks, amounts put in and received, and the rake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from validator.language.conditions import (
    FROM_PLAYERS,
    NO_DIRECTION,
    TO_PLAYERS,
    ConditionOperator,
    Problem,
    QuantityOperator,
)
from validator.language.grains import Grain
from validator.language.operands import PotNumber, PotSharing, RakeNumber, SeatReceives
from validator.text.trees.tree import DataPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.arrays import Bounds, Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game

_POT_WORDS = {
    "total": "the pots without the uncalled bet",
    "uncalled": "the uncalled bet",
    "awarded": "the amount awarded",
    "returned": "the amount returned",
    "raked": "the rake",
    "dropped": "the amount put into the container",
    "rake-due": "the rake by the submitted levels",
    "count": "the number of pots",
    "boards": "the number of boards",
}
_RAKE_WORDS = {
    "taken": "the rake so far",
    "due": "the rake by the submitted levels that were reached",
}
_STACK_WORDS = {
    "start": "the chips at the start",
    "after": "the chips when the round is over",
    "reckoned": "the chips at the start, less the amount put in, plus the amounts returned and awarded",
}
_RECEIVED_WORDS = {
    "awarded": "the amount awarded to the seat",
    "returned": "the amount returned to the seat",
    "uncalled": "the uncalled bet of the seat",
}
_DIRECTION = {"awarded": TO_PLAYERS, "returned": TO_PLAYERS, "raked": FROM_PLAYERS}


def _require_pots(game: Game, here: DataPath) -> Iterator[Problem]:
    if game.pots is None:
        yield here, "the game has no pots"


class StackSize(QuantityOperator[str]):
    """The chips of the seat. `start`: as counted before anything is put in. `after`: as counted when the round is over.
    `reckoned`: computed for the end of the round. It is the count at the start, less all that the seat put in, plus all
    that it got back and was awarded. Chips that came or went in the middle of the round may be included or not. If the
    log does not record an amount, the result is a range."""

    key = "stack"
    operand = Literal["start", "after", "reckoned"]
    sample = "{stack: start}"
    words = _STACK_WORDS
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import recorded_bounds
        from validator.engine.pots.expected_stacks import bound_chips_left

        if operand == "reckoned":
            return bound_chips_left(scope)
        seats = scope.batch.seats
        return recorded_bounds(seats.stack if operand == "start" else seats.stack_after)


class AmountReceived(QuantityOperator[SeatReceives]):
    """An amount that the seat receives. `awarded`: the amount from pots. `returned`: the stakes that it gets back.
    `uncalled`: the amount that it put in and nobody matched."""

    key = "received"
    operand = SeatReceives
    sample = "{received: awarded}"
    words = _RECEIVED_WORDS
    native_grain = "seat"
    depends_on_betting = True
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: SeatReceives, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import bounds_where_known
        from validator.engine.pots.totals import find_seat_receipts

        values, known = find_seat_receipts(scope, operand)
        return bounds_where_known(known, values)

    def needs_pots(self, operand: SeatReceives) -> bool:
        return operand == "uncalled"

    def find_direction(self, operand: SeatReceives) -> int:
        return _DIRECTION.get(operand, NO_DIRECTION)


class ChipsMoved(QuantityOperator[str]):
    """The chips that the seat bought or added in the record of the round, or took off the table. If the player of the
    seat has left and another has arrived, earlier chips are not counted. For chips moved in the middle of the round, it
    is then not known whether they are included."""

    key = "chips"
    operand = Literal["added", "removed"]
    sample = "{chips: added}"
    words = "the chips {}"
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.betting.chip_movements import bound_chips_moved

        return bound_chips_moved(scope, operand)


class PotAmount(QuantityOperator[PotNumber]):
    """An amount or number of the pots of the round. `total`: all pots together, before the rake and without the
    uncalled bet. `uncalled`: the amount that nobody matched. `awarded`: the amount that seats received from pots. If
    the record has only their chips before and after the round, it is all that seats got back, less recorded returns.
    `returned`: the stakes given back. `raked`: the rake taken. If the log does not record it, it is the amount put in
    that no seat got back. `dropped`: the amount put into the container of the table. `rake-due`: the rake by the
    submitted levels. `count`: the number of pots, including those that were given up or whose winner lost the hand; the
    uncalled bet is no pot. `boards`: the number of boards among which the pots are divided, 1 for a single board."""

    key = "pot"
    operand = PotNumber
    sample = "{pot: raked}"
    words = _POT_WORDS
    depends_on_betting = True

    def needs_pots(self, operand: PotNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: PotNumber, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: PotNumber, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import keep_where_known
        from validator.engine.pots.totals import bound_pot_amount

        return keep_where_known(*bound_pot_amount(scope, operand))

    def measures_money(self, prepared: CompiledGame, operand: PotNumber) -> bool:
        return operand not in ("count", "boards")

    def find_direction(self, operand: PotNumber) -> int:
        return _DIRECTION.get(operand, NO_DIRECTION)


class RakeSoFar(QuantityOperator[RakeNumber]):
    """An amount of the rake after the judged event. `taken`: the rake taken so far. `due`: the rake by the submitted
    levels that the amount put in so far, called or not, has reached."""

    key = "rake-so-far"
    operand = RakeNumber
    sample = "{rake-so-far: taken}"
    words = _RAKE_WORDS
    native_grain = "event"
    is_amount = True

    def needs_pots(self, operand: RakeNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: RakeNumber, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: RakeNumber, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import bounds_where_known
        from validator.engine.pots.rake_so_far import rake_so_far

        values, known = rake_so_far(scope, operand)
        return bounds_where_known(known, values)


class HasPotShare(ConditionOperator[PotSharing]):
    """The seat wins or loses when the pots are divided. `winning`: a share of a pot is due to it. `losing`: it takes
    part and no share is due to it."""

    key = "pot-share"
    operand = PotSharing
    sample = "{pot-share: winning}"
    words = {"winning": "a seat to which a share of a pot is due", "losing": "a seat to which no share of a pot is due"}
    native_grain = "seat"
    depends_on_betting = True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: PotSharing, here: DataPath
    ) -> Iterator[Problem]:
        yield from _require_pots(game, here)

    def evaluate(self, scope: EvaluationContext, operand: PotSharing, grain: Grain) -> Truths:
        from validator.engine.pots import pot_shares

        return pot_shares.has_pot_share(scope, operand)
