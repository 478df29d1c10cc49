"""Operators on the stakes of a game: amounts staked, paid and taken, and declared wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import MinLen

from validator.language.conditions import (
    FROM_PLAYERS,
    OTHERS,
    TO_PLAYERS,
    Condition,
    ConditionOperator,
    QuantityOperator,
    answered,
)
from validator.language.grains import Grain
from validator.language.refs import LineName, WagerName
from validator.language.words import ShortForm
from validator.rules.core.titles import title_of, title_or_it

if TYPE_CHECKING:
    from validator.arrays import Bounds, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.propositions.formula import Formula
    from validator.rules.model.game import Game

THIS = "this"
"""Operand for the line of the judged stake."""


class OfLine(ConditionOperator[str]):
    """A condition on a line, or on the line of the judged stake."""

    of_this: ClassVar[str] = ""
    """Words to put before the title of the line of the judged stake; empty to show the description instead."""

    def grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == THIS else self.speaks_of

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        if condition.operand != THIS or not self.of_this:
            yield from super().shown(scope, condition, grain, index)
            return
        line = scope.batch.stakes.wager.text(index) or ""
        answer = answered(int(scope.truth(condition, grain)[index]))
        yield f"{self.of_this} {title_of(scope.prepared.game, line)}: {answer}"

    def title(self, prepared: Prepared, operand: str) -> str:
        return title_or_it(prepared.game, operand)


class _SeatLineCondition(OfLine):
    """A condition on a seat and a line; its words begin with `a`."""

    speaks_of = "seat"

    def denied(self, prepared: Prepared, operand: str, description: str) -> str:
        return "no " + description.split(" ", 1)[1]


class Placed(_SeatLineCondition):
    """The seat has a stake of its own on this wager. `this`: on the wager of the judged stake."""

    key = "placed"
    operand = WagerName
    sample = "{placed: main}"
    words = {THIS: "a wager of the player's own next to it", OTHERS: "a wager on {}"}
    of_this = "a wager of the player's own on"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.facts.wagers import is_staked

        return is_staked(scope, operand, tip=False)


class Tipped(_SeatLineCondition):
    """The seat has a stake for the dealer, a tip, on this wager."""

    key = "tipped"
    operand = WagerName
    sample = "{tipped: main}"
    words = "a tip on {}"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.facts.wagers import is_staked

        return is_staked(scope, operand, tip=True)


class Claimed(_SeatLineCondition):
    """The seat declared a win on this wager."""

    key = "claimed"
    operand = WagerName
    sample = "{claimed: side}"
    words = "a win declared on {}"
    of_this = "a win declared on"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.facts.wagers import is_claimed

        return is_claimed(scope, operand)


class PaidAsDue(_SeatLineCondition):
    """The amounts paid and taken on the seat's own stake are those due by the cases of settlement; holds also if the
    seat has no stake. Do not use it within settlement."""

    key = "paid-as-due"
    operand = WagerName
    sample = "{paid-as-due: side}"
    words = "a payment of the amount due on {}"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.payouts.settlement import paid_as_due

        return paid_as_due(scope, operand)


class WagerIs(ConditionOperator["list[str]"]):
    """The judged stake is on one of these wagers or bonuses."""

    key = "wager-is"
    operand = Annotated[list[LineName], MinLen(1)]
    sample = "{wager-is: [main, side]}"
    speaks_of = "stake"

    def truth(self, scope: Scope, operand: list[str], grain: Grain) -> Tri:
        from validator.engine.core import kleene

        stakes, bonuses = scope.batch.stakes, scope.prepared.game.bonuses
        as_wager = stakes.wager.among([line for line in operand if line not in bonuses]) & ~stakes.bonus
        as_bonus = stakes.wager.among([line for line in operand if line in bonuses]) & stakes.bonus
        return kleene.known(as_wager | as_bonus)

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        return terms.one_of("the stake's line", condition.operand, "the stake on {}")

    def asked(self, prepared: Prepared, operand: list[str]) -> str:
        return f"the stake is on {' or '.join(_format_lines(prepared.game, operand))}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import stake_in_words

        yield stake_in_words(scope, index)


def _format_lines(game: Game, lines: Sequence[str]) -> Iterator[str]:
    wagers = [title_of(game, line) for line in lines if line not in game.bonuses]
    if wagers:
        yield " or ".join(wagers)
    yield from (f"the bonus {title_of(game, line)}" for line in lines if line in game.bonuses)


class IsTip(ConditionOperator[bool]):
    """The judged stake was placed for the dealer: it is a tip."""

    key = "is-tip"
    operand = Literal[True]
    sample = "{is-tip: true}"
    words = "the stake is a tip"
    opposite = "the stake is no tip"
    speaks_of = "stake"

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        tips = any(wager.tip is not None for wager in terms.game.wagers.values())
        return tips and terms.whether(condition)

    def truth(self, scope: Scope, operand: bool, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        return kleene.known(scope.batch.stakes.tip)


class _LineAmount(QuantityOperator[str]):
    """An amount of a seat on a line, or of the judged stake."""

    money = True

    def grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == THIS else "seat"

    def title(self, prepared: Prepared, operand: str) -> str:
        return title_or_it(prepared.game, operand)


class Amount(_LineAmount):
    """The amount of the seat's own stake on a wager; 0 if it has none. `this`: the judged stake."""

    key = "amount"
    operand = LineName
    sample = "{amount: main}"
    words = {THIS: "the stake", OTHERS: "the {} wager"}

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import staked_on, stakes_that_lie

        return stakes_that_lie(scope) if operand == THIS else staked_on(scope, operand, tip=False)


class Tip(_LineAmount):
    """The amount that the seat staked for the dealer on a wager. `this`: on the wager of the judged stake."""

    key = "tip"
    operand = LineName
    sample = "{tip: main}"
    words = {THIS: "the tip", OTHERS: "the tip on {}"}

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import staked_on

        return staked_on(scope, operand, tip=True)


class Paid(_LineAmount):
    """The amount paid to the seat on a wager of its own, or on a bonus; 0 if it has none."""

    key = "paid"
    operand = LineName
    sample = "{paid: main}"
    words = "the amount paid on {}"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import outcome

        return outcome(scope, "paid", operand)

    def direction(self, operand: str) -> int:
        return TO_PLAYERS


class Taken(_LineAmount):
    """The amount taken of the seat's own stake on a wager; 0 if it has none."""

    key = "taken"
    operand = LineName
    sample = "{taken: side}"
    words = "the amount taken on {}"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import outcome

        return outcome(scope, "taken", operand)

    def direction(self, operand: str) -> int:
        return FROM_PLAYERS


class Staked(QuantityOperator[str]):
    """The total amount staked on all wagers. `this-seat`: by the seat. `all-seats`: by all seats of the round."""

    key = "staked"
    operand = Literal["this-seat", "all-seats"]
    sample = "{staked: this-seat}"
    words = {"this-seat": "the total amount put in by the seat", "all-seats": "the total amount put in"}
    money = True

    def grain(self, operand: str, game: Game) -> Grain:
        return "seat" if operand == "this-seat" else "round"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.betting.chip_movements import staked
        from validator.engine.core.intervals import certain

        return certain(staked(scope, operand))


class WithinLimits(ShortForm):
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""

    key = "within-limits"
    operand = LineName
    sample = "{within-limits: this}"

    def full(self, operand: str) -> dict[str, Any]:
        bounds = ({"at-least": {"minimum": operand}}, {"at-most": {"maximum": operand}})
        return {"all": [{"number": {"of": {"amount": operand}, **bound}} for bound in bounds]}
