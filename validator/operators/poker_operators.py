"""Operators on betting and pots: the state just before an event, stacks, amounts received and the rake."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairdeal.validator.arrays import Bounds, Ints, Truths, np
from fairdeal.validator.engine.core.kleene import bounds_where_known, exact_bounds, keep_where_known, recorded_bounds
from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import replace_hyphens
from fairdeal.validator.operators import operator_interface
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


STILL_IN = "still-in"
"""The predicate that does not depend on the state of the betting, only on whether the seat takes part."""
DEPENDS_ON_BET = (
    *("faced", "unopened", "may-raise", "check-raising", "bets-to", "to-call", "level", "raise-by", "last-raise"),
    *("smallest-raise", "largest-raise"),
)
"""Predicates and quantities that depend on the current bet. They also depend on whether an amount above it became the
bet."""
_DEPENDS_ON_TURN = frozenset({"open", "left-open", "in-turn", "option-owed", "option-moot"})
"""Predicates that depend on the seat that must act."""

_COUNTS = frozenset(
    {"raises", "players-in", "voluntary-players", "voluntary-wagers", "tenders", "motions", "tendered-chips"}
)
"""Quantities that are counts; the others are amounts."""
_QUANTITY_WORDS = {
    "put-in": "the amount put in",
    "bets-to": "the total bet of the seat",
    "to-call": "the amount to call",
    "level": "the current bet",
    "raise-by": "the raise",
    "last-raise": "the last raise",
    "smallest-bet": "the smallest bet",
    "smallest-raise": "the smallest raise",
    "largest-raise": "the largest raise",
    "largest-answer": "the most that another player could match",
    "behind": "the chips of the seat",
    "pot": "the pot",
    "raises": "the raises in the betting round",
    "players-in": "the players left",
    "voluntary-players": "players who put in chips voluntarily",
    "voluntary-wagers": "times that players put in chips voluntarily",
    "declared": "the total declared",
    "declared-in": "the amount that the seat declared to put in",
    "tenders": "times that the seat put chips forward",
    "motions": "motions in which the seat put its chips forward",
    "first-tender": "the chips first put forward",
    "tendered": "the chips put forward",
    "tendered-chips": "the number of chips first put forward",
}
"""Quantities of the betting in words."""
_PREDICATE_WORDS = {
    "open": "a player still to act in the betting round",
    "left-open": "a player still to act in the betting round",
    "in-turn": "an act in turn",
    "out-of-order": "chips put in when the seat may not act",
    "acts-next": "an act of the seat that follows at once",
    "still-in": "a seat that is still in",
    "gives-up": "a hand given up without a word",
    "faced": "a bet to call",
    "unopened": "no bet yet in the betting round",
    "may-raise": "the betting open to a raise by the seat",
    "all-in": "all of the seat's chips",
    "contested": "two players or more still in",
    "option-moot": "the option of a seat that posted a bet, when no other seat has chips",
    "option-owed": "the option still open to a seat that posted a bet",
    "check-raising": "a raise after a check",
    "more-to-come": "a betting round to come in which two seats can bet",
    "contends-at-the-end": "a seat that contends with others for a pot",
    "declared-in-turn": "words that bind the seat",
    "declared-raise": "a raise declared in turn",
    "declared-wager": "words that bind the seat to put chips in",
    "said-incomplete": "a statement that the bet is not complete",
}
"""Predicates on the betting in words."""
_NEGATED_PREDICATE_WORDS = {
    **{
        name: f"no {_PREDICATE_WORDS[name].removeprefix('a ')}"
        for name in (
            *("open", "left-open", "faced", "check-raising", "more-to-come", "said-incomplete"),
            *("declared-in-turn", "declared-raise", "declared-wager"),
        )
    },
    "out-of-order": "an act that the seat may take",
    "acts-next": "no act of the seat that follows at once",
    "still-in": "a seat that has folded or conceded",
    "gives-up": "a hand that is not given up",
    "unopened": "a bet in the betting round",
    "all-in": "chips left with the seat",
    "option-moot": "no option of a seat that posted a bet, when no other seat has chips",
    "option-owed": "no option open to a seat that posted a bet",
}
"""Opposites of predicates in words; a predicate that is not listed has `not (...)`."""


def _require_betting(game: Game, here: DataPath) -> Iterator[operator_interface.Problem]:
    if game.betting is None:
        yield here, "is about betting, but the game has no `betting`"


class BettingPredicate(operator_interface.ConditionOperator[grammar.BettingPredicateName]):
    """The condition `betting`."""

    key = "betting"
    sample = "{betting: in-turn}"
    words, negated_words = _PREDICATE_WORDS, _NEGATED_PREDICATE_WORDS
    evidence_needed = "events"
    depends_on_betting = True

    def find_grain(self, operand: grammar.BettingPredicateName, game: Game) -> grammar.Grain:
        return "seat" if operand == grammar.CONTENDS_AT_THE_END else "event"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.BettingPredicateName, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from _require_betting(game, here)

    def evaluate(self, scope: EvaluationContext, operand: grammar.BettingPredicateName, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.betting.betting_operators import evaluate_betting_predicate

        return evaluate_betting_predicate(scope, operand)

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        if condition.operand in _DEPENDS_ON_TURN and item.grain == "event":
            return item.describe_turn()
        if condition.operand == "may-raise" and not negated:
            return "a fold or a call"
        return super().describe_required(item, condition, negated=negated)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        if item.grain != "event":
            yield from super().describe_observed(item, condition)
            return
        done = item.describe_action()
        match condition.operand:
            case "faced":
                yield f"{done}; {item.describe_amount_to_call()}"
            case "may-raise":
                yield f"{done}; {item.explain_closed_betting()}"
            case _:
                yield done


class InBettingRound(operator_interface.ConditionOperator["list[str]"]):
    """The condition `betting-round`."""

    key = "betting-round"
    sample = "{betting-round: [on-the-turn, on-the-river]}"
    native_grain = "event"
    evidence_needed = "events"
    depends_on_betting = True

    def evaluate(self, scope: EvaluationContext, operand: list[str], grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.betting.betting_predicates import is_in_betting_round

        return is_in_betting_round(scope, operand)

    def describe(self, prepared: CompiledGame, operand: list[str]) -> str:
        return f"the betting {' or '.join(map(replace_hyphens, operand))}"

    def negate(self, prepared: CompiledGame, operand: list[str]) -> str:
        return f"a betting round other than {self.describe(prepared, operand)}"


class BettingQuantity(operator_interface.QuantityOperator[grammar.BettingQuantityName]):
    """The quantity `betting`."""

    key = "betting"
    sample = "{betting: to-call}"
    words = _QUANTITY_WORDS
    native_grain = "event"
    evidence_needed = "events"
    depends_on_betting = True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.BettingQuantityName, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from _require_betting(game, here)

    def compute_bounds(
        self, scope: EvaluationContext, operand: grammar.BettingQuantityName, grain: grammar.Grain
    ) -> Bounds:
        return self._compute_at(scope, operand, None)

    def compute_bounds_of_items(
        self, scope: EvaluationContext, operand: grammar.BettingQuantityName, grain: grammar.Grain, items: Ints
    ) -> Bounds:
        return self._compute_at(scope, operand, items)

    def _compute_at(
        self, scope: EvaluationContext, operand: grammar.BettingQuantityName, events: Ints | None
    ) -> Bounds:
        from fairdeal.validator.engine.betting.betting_operators import evaluate_betting_quantity

        values, known = evaluate_betting_quantity(scope, operand, events)
        return bounds_where_known(known, values)

    def measures_money(self, prepared: CompiledGame, operand: grammar.BettingQuantityName) -> bool:
        return operand not in _COUNTS


class BetSize(operator_interface.QuantityOperator[str]):
    """The quantity `bet-size`."""

    key = "bet-size"
    sample = "{bet-size: small}"
    words = "the size of {} bets"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        submitted = None if scope.configuration is None else scope.configuration.data.get("fixed-limit")
        if submitted is not None:
            return exact_bounds(np.full(len(scope.batch), submitted[f"{operand}-bet"], np.int64))
        stated = scope.batch.small_bet if operand == "small" else scope.batch.big_bet
        return exact_bounds(np.maximum(stated, 0))


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
_DIRECTION = {
    "awarded": operator_interface.TO_PLAYERS,
    "returned": operator_interface.TO_PLAYERS,
    "raked": operator_interface.FROM_PLAYERS,
}


def _require_pots(game: Game, here: DataPath) -> Iterator[operator_interface.Problem]:
    if game.pots is None:
        yield here, "the game has no pots"


class StackSize(operator_interface.QuantityOperator[str]):
    """The quantity `stack`."""

    key = "stack"
    sample = "{stack: start}"
    words = _STACK_WORDS
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.pots.pot_totals import bound_chips_left

        if operand == "reckoned":
            return bound_chips_left(scope)
        seats = scope.batch.seats
        return recorded_bounds(seats.stack if operand == "start" else seats.stack_after)


class AmountReceived(operator_interface.QuantityOperator[grammar.SeatReceives]):
    """The quantity `received`."""

    key = "received"
    sample = "{received: awarded}"
    words = _RECEIVED_WORDS
    native_grain = "seat"
    depends_on_betting = True
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.SeatReceives, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.pots.pot_totals import find_seat_receipts

        values, known = find_seat_receipts(scope, operand)
        return bounds_where_known(known, values)

    def needs_pots(self, operand: grammar.SeatReceives) -> bool:
        return operand == "uncalled"

    def find_direction(self, operand: grammar.SeatReceives) -> int:
        return _DIRECTION.get(operand, operator_interface.NO_DIRECTION)


class ChipsMoved(operator_interface.QuantityOperator[str]):
    """The quantity `chips`."""

    key = "chips"
    sample = "{chips: added}"
    words = "the chips {}"
    native_grain = "seat"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import bound_chips_moved

        return bound_chips_moved(scope, operand)


class PotAmount(operator_interface.QuantityOperator[grammar.PotNumber]):
    """The quantity `pot`."""

    key = "pot"
    sample = "{pot: raked}"
    words = _POT_WORDS
    depends_on_betting = True

    def needs_pots(self, operand: grammar.PotNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.PotNumber, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.PotNumber, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.pots.pot_totals import bound_pot_amount

        return keep_where_known(*bound_pot_amount(scope, operand))

    def measures_money(self, prepared: CompiledGame, operand: grammar.PotNumber) -> bool:
        return operand not in ("count", "boards")

    def find_direction(self, operand: grammar.PotNumber) -> int:
        return _DIRECTION.get(operand, operator_interface.NO_DIRECTION)


class RakeSoFar(operator_interface.QuantityOperator[grammar.RakeNumber]):
    """The quantity `rake-so-far`."""

    key = "rake-so-far"
    sample = "{rake-so-far: taken}"
    words = _RAKE_WORDS
    native_grain = "event"
    is_amount = True

    def needs_pots(self, operand: grammar.RakeNumber) -> bool:
        return True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.RakeNumber, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from _require_pots(game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.RakeNumber, grain: grammar.Grain) -> Bounds:
        return self.compute_bounds_of_items(scope, operand, grain, np.arange(scope.count_items("event")))

    def compute_bounds_of_items(
        self, scope: EvaluationContext, operand: grammar.RakeNumber, grain: grammar.Grain, items: Ints
    ) -> Bounds:
        from fairdeal.validator.engine.pots.pot_totals import rake_so_far

        values, known = rake_so_far(scope, operand, items)
        return bounds_where_known(known, values)


class HasPotShare(operator_interface.ConditionOperator[grammar.PotSharing]):
    """The condition `pot-share`."""

    key = "pot-share"
    sample = "{pot-share: winning}"
    words = {
        "winning": "a seat with one of the best hands for a pot",
        "losing": "a seat without a best hand for any pot",
        "received": "a seat that received its share of the pots",
    }
    native_grain = "seat"
    depends_on_betting = True

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.PotSharing, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from _require_pots(game, here)

    def evaluate(self, scope: EvaluationContext, operand: grammar.PotSharing, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.pots.pot_totals import has_pot_share

        return has_pot_share(scope, operand)
