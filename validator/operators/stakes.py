"""Operators on the stakes of a game: amounts staked, paid and taken, and declared wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import MinLen

from validator.language.conditions import (
    FROM_PLAYERS,
    OTHER_OPERANDS,
    TO_PLAYERS,
    Condition,
    ConditionOperator,
    QuantityOperator,
    format_truth,
)
from validator.language.grains import Grain
from validator.language.refs import LineName, WagerName
from validator.language.words import ShortForm
from validator.rules.core.titles import line_title, line_title_or_it

if TYPE_CHECKING:
    from validator.arrays import Bounds, Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.operators.terms import PropositionBuilder
    from validator.propositions.formula import Formula
    from validator.rules.model.game import Game

JUDGED_STAKE = "this"
"""Operand for the line of the judged stake."""


class LineCondition(ConditionOperator[str]):
    """A condition on a line, or on the line of the judged stake."""

    judged_line_words: ClassVar[str] = ""
    """Words to put before the title of the line of the judged stake; empty to show the description instead."""

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else self.native_grain

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        if condition.operand != JUDGED_STAKE or not self.judged_line_words:
            yield from super().show_evidence(scope, condition, grain, index)
            return
        line = scope.batch.stakes.wager.text(index) or ""
        answer = format_truth(int(scope.evaluate(condition, grain)[index]))
        yield f"{self.judged_line_words} {line_title(scope.compiled_game.game, line)}: {answer}"

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return line_title_or_it(prepared.game, operand)


class _SeatLineCondition(LineCondition):
    """A condition on a seat and a line; its words begin with `a`."""

    native_grain = "seat"

    def describe_negation(self, prepared: CompiledGame, operand: str, description: str) -> str:
        return "no " + description.split(" ", 1)[1]


class WagerIsPlaced(_SeatLineCondition):
    """The seat has a stake of its own on this wager. `this`: on the wager of the judged stake."""

    key = "placed"
    operand = WagerName
    sample = "{placed: main}"
    words = {JUDGED_STAKE: "a wager of the player's own next to it", OTHER_OPERANDS: "a wager on {}"}
    judged_line_words = "a wager of the player's own on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.facts.wagers import is_staked

        return is_staked(scope, operand, tip=False)


class TipIsPlaced(_SeatLineCondition):
    """The seat has a stake for the dealer, a tip, on this wager."""

    key = "tipped"
    operand = WagerName
    sample = "{tipped: main}"
    words = "a tip on {}"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.facts.wagers import is_staked

        return is_staked(scope, operand, tip=True)


class WinIsDeclared(_SeatLineCondition):
    """The seat declared a win on this wager."""

    key = "claimed"
    operand = WagerName
    sample = "{claimed: side}"
    words = "a win declared on {}"
    judged_line_words = "a win declared on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.facts.wagers import is_claimed

        return is_claimed(scope, operand)


class WagerIsPaidAsDue(_SeatLineCondition):
    """The amounts paid and taken on the seat's own stake are those due by the cases of settlement; holds also if the
    seat has no stake. Do not use it within settlement."""

    key = "paid-as-due"
    operand = WagerName
    sample = "{paid-as-due: side}"
    words = "a payment of the amount due on {}"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.payouts.settlement import is_paid_as_due

        return is_paid_as_due(scope, operand)


class WagerIs(ConditionOperator["list[str]"]):
    """The judged stake is on one of these wagers or bonuses."""

    key = "wager-is"
    operand = Annotated[list[LineName], MinLen(1)]
    sample = "{wager-is: [main, side]}"
    native_grain = "stake"

    def evaluate(self, scope: EvaluationContext, operand: list[str], grain: Grain) -> Truths:
        from validator.engine.core import kleene

        stakes, bonuses = scope.batch.stakes, scope.compiled_game.game.bonuses
        as_wager = stakes.wager.is_one_of([line for line in operand if line not in bonuses]) & ~stakes.bonus
        as_bonus = stakes.wager.is_one_of([line for line in operand if line in bonuses]) & stakes.bonus
        return kleene.from_flags(as_wager | as_bonus)

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        return terms.build_one_of("the stake's line", condition.operand, "the stake on {}")

    def describe(self, prepared: CompiledGame, operand: list[str]) -> str:
        return f"the stake is on {' or '.join(_format_lines(prepared.game, operand))}"

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_stake

        yield describe_stake(scope, index)


def _format_lines(game: Game, lines: Sequence[str]) -> Iterator[str]:
    wagers = [line_title(game, line) for line in lines if line not in game.bonuses]
    if wagers:
        yield " or ".join(wagers)
    yield from (f"the bonus {line_title(game, line)}" for line in lines if line in game.bonuses)


class IsTip(ConditionOperator[bool]):
    """The judged stake was placed for the dealer: it is a tip."""

    key = "is-tip"
    operand = Literal[True]
    sample = "{is-tip: true}"
    words = "the stake is a tip"
    negated_words = "the stake is no tip"
    native_grain = "stake"

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        tips = any(wager.tip is not None for wager in terms.game.wagers.values())
        return tips and terms.build_opaque(condition)

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        from validator.engine.core import kleene

        return kleene.from_flags(scope.batch.stakes.tip)


class _LineAmount(QuantityOperator[str]):
    """An amount of a seat on a line, or of the judged stake."""

    is_amount = True

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else "seat"

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return line_title_or_it(prepared.game, operand)


class AmountStaked(_LineAmount):
    """The amount of the seat's own stake on a wager; 0 if it has none. `this`: the judged stake."""

    key = "amount"
    operand = LineName
    sample = "{amount: main}"
    words = {JUDGED_STAKE: "the stake", OTHER_OPERANDS: "the {} wager"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import bound_staked_on, bound_stakes

        return bound_stakes(scope) if operand == JUDGED_STAKE else bound_staked_on(scope, operand, tip=False)


class TipAmount(_LineAmount):
    """The amount that the seat staked for the dealer on a wager. `this`: on the wager of the judged stake."""

    key = "tip"
    operand = LineName
    sample = "{tip: main}"
    words = {JUDGED_STAKE: "the tip", OTHER_OPERANDS: "the tip on {}"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import bound_staked_on

        return bound_staked_on(scope, operand, tip=True)


class AmountPaid(_LineAmount):
    """The amount paid to the seat on a wager of its own, or on a bonus; 0 if it has none."""

    key = "paid"
    operand = LineName
    sample = "{paid: main}"
    words = "the amount paid on {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import bound_outcome

        return bound_outcome(scope, "paid", operand)

    def find_direction(self, operand: str) -> int:
        return TO_PLAYERS


class AmountTaken(_LineAmount):
    """The amount taken of the seat's own stake on a wager; 0 if it has none."""

    key = "taken"
    operand = LineName
    sample = "{taken: side}"
    words = "the amount taken on {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import bound_outcome

        return bound_outcome(scope, "taken", operand)

    def find_direction(self, operand: str) -> int:
        return FROM_PLAYERS


class TotalStaked(QuantityOperator[str]):
    """The total amount staked on all wagers. `this-seat`: by the seat. `all-seats`: by all seats of the round."""

    key = "staked"
    operand = Literal["this-seat", "all-seats"]
    sample = "{staked: this-seat}"
    words = {"this-seat": "the total amount put in by the seat", "all-seats": "the total amount put in"}
    is_amount = True

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "seat" if operand == "this-seat" else "round"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.betting.chip_movements import sum_staked
        from validator.engine.core.intervals import exact_bounds

        return exact_bounds(sum_staked(scope, operand))


class WithinLimits(ShortForm):
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""

    key = "within-limits"
    operand = LineName
    sample = "{within-limits: this}"

    def expand(self, operand: str) -> dict[str, Any]:
        bounds = ({"at-least": {"minimum": operand}}, {"at-most": {"maximum": operand}})
        return {"all": [{"number": {"of": {"amount": operand}, **bound}} for bound in bounds]}
