"""Operators on the choices of the licensee: offered wagers, posted limits, options, submitted values and meters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from validator.language.conditions import OTHERS, Condition, ConditionOperator, QuantityOperator
from validator.language.grains import Grain
from validator.language.refs import LineName, MeterName, SubmissionPath
from validator.language.submission.conditions import SubmissionCondition
from validator.language.submission.wording import named, text_of
from validator.language.wording import spaced
from validator.operators.stakes import THIS, OfLine
from validator.text.models.model import Closed
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.arrays import Bounds, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.rules.model.game import Game


class Offered(OfLine):
    """The submission offers this wager. `this`: the wager of the judged stake."""

    key = "offered"
    operand = LineName
    sample = "{offered: side}"
    looks_at = "submission"
    words = {THIS: "a wager that is offered", OTHERS: "{} offered"}
    of_this = "the licensee offers"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.submission.in_force import of_lines

        offers = None if scope.configuration is None else scope.configuration.offers

        def state(line: str) -> int:
            return UNKNOWN if offers is None else YES if line in offers else NO

        return of_lines(scope, operand, state)


class TakesTips(OfLine):
    """The submission states that tips are taken on this wager. `this`: the wager of the judged stake."""

    key = "takes-tips"
    operand = LineName
    sample = "{takes-tips: this}"
    looks_at = "submission"
    words = "tips taken on {}"
    of_this = "the licensee takes tips on"

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        from validator.engine.submission.in_force import of_lines

        offers = {} if scope.configuration is None else scope.configuration.offers or {}

        def state(line: str) -> int:
            tips = offers[line].tips if line in offers else None
            return UNKNOWN if tips is None else YES if tips else NO

        return of_lines(scope, operand, state)


class OptionIs(Closed):
    """An option of the submission and its required value."""

    name: str
    """The option: a key under `options` in the submission."""
    is_: bool | str
    """The required value."""


class Option(ConditionOperator[OptionIs]):
    """An option of the submission has this value; unknown if the submission does not state it."""

    key = "option"
    operand = OptionIs
    sample = "{option: {name: second-deck, is: true}}"
    looks_at = "submission"

    def truth(self, scope: Scope, operand: OptionIs, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        options = {} if scope.configuration is None else scope.configuration.options
        chosen = options.get(operand.name)
        value = UNKNOWN if chosen is None else YES if chosen == operand.is_ else NO
        return kleene.constant(value, scope.length(grain))

    def asked(self, prepared: Prepared, operand: OptionIs) -> str:
        return f"the option {spaced(operand.name)}: {text_of(operand.is_)}"


class Submitted(ConditionOperator[SubmissionCondition]):
    """The submission in force satisfies this condition; unknown if there is no submission."""

    key = "submitted"
    operand = SubmissionCondition
    sample = "{submitted: {value: {at: deck.decks, equals: 2}}}"
    looks_at = "submission"

    def truth(self, scope: Scope, operand: SubmissionCondition, grain: Grain) -> Tri:
        from validator.engine.core import kleene
        from validator.engine.submission.in_force import view_of

        view = view_of(scope)
        value = UNKNOWN if view is None else operand.answer(view).value
        return kleene.constant(value, scope.length(grain))

    def asked(self, prepared: Prepared, operand: SubmissionCondition) -> str | bool:
        read = operand.as_read(prepared.regulation)
        return read if isinstance(read, bool) else f"as submitted, {read.asked()}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.submission.in_force import view_of

        view = view_of(scope)
        if view is None:
            yield "no submission is in force"
            return
        reasons = condition.operand.answer(view).reasons
        places = [named(".".join(key for key in reason.path if isinstance(key, str))) for reason in reasons]
        texts = [f"{place}: {reason.observed}" for place, reason in zip(places, reasons, strict=True) if reason.path]
        yield f"as submitted, {', '.join(texts) or condition.operand.asked_of_item(view)}"


class _PostedLimit(QuantityOperator[str]):
    """A posted limit of a line, or of the line of the judged stake."""

    operand = LineName
    looks_at = "submission"
    money = True

    def grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == THIS else "round"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import posted_limit

        return posted_limit(scope, "minimum" if self.key == "minimum" else "maximum", operand)


class Minimum(_PostedLimit):
    """The posted minimum of a wager, from the submission. `this`: of the judged stake."""

    key = "minimum"
    sample = "{minimum: this}"
    words = "the posted minimum"


class Maximum(_PostedLimit):
    """The posted maximum of a wager, from the submission. `this`: of the judged stake."""

    key = "maximum"
    sample = "{maximum: main}"
    words = "the posted maximum"


class NumberSubmitted(QuantityOperator[str]):
    """A whole number in the submission; its path is keys joined by dots."""

    key = "submitted"
    operand = SubmissionPath
    sample = "{submitted: hands-per-player}"
    words = "{} as submitted"
    looks_at = "submission"

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.submission.in_force import number_for_all, view_of

        view = view_of(scope)
        return number_for_all(scope, None if view is None else view.value(view.path(operand)))

    def title(self, prepared: Prepared, operand: str) -> str:
        return named(operand)

    def is_money(self, prepared: Prepared, operand: str) -> bool:
        from validator.evidence.submission.view import keys_of_money

        return operand.rpartition(".")[2] in keys_of_money()


class MeterAt(Closed):
    """A meter, and a point in the round at which it is read."""

    name: MeterName
    """The meter, by its name in a pay table of the game."""
    at: Literal["opening", "shown", "closing"]
    """`opening`: before the wagers of the round. `shown`: when awards are made, after all wagers and before any award.
    `closing`: after the round."""


_POINT_WORDS = {"opening": "before the wagers", "shown": "when awards are made", "closing": "after the round"}


class Meter(QuantityOperator[MeterAt]):
    """The value of a meter in minor currency units."""

    key = "meter"
    operand = MeterAt
    sample = "{meter: {name: jackpot, at: shown}}"
    money = True

    def bounds(self, scope: Scope, operand: MeterAt, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import unless
        from validator.engine.facts.meters import meter_reads

        values, known = meter_reads(scope, operand.name, operand.at)
        return unless(known, values)

    def asked(self, prepared: Prepared, operand: MeterAt, *, money: bool) -> str:
        return f"the meter {operand.name} {_POINT_WORDS[operand.at]}"


class MeterTerm(Closed):
    """A meter, and one of its submitted terms."""

    meter: MeterName
    """The meter, by its name in a pay table of the game."""
    is_: Literal["seed", "increment"]
    """`seed`: the amount that it starts from. `increment`: the amount that a wager adds."""


class Term(QuantityOperator[MeterTerm]):
    """A submitted term of a meter."""

    key = "term"
    operand = MeterTerm
    sample = "{term: {meter: jackpot, is: seed}}"
    looks_at = "submission"
    money = True

    def bounds(self, scope: Scope, operand: MeterTerm, grain: Grain) -> Bounds:
        from validator.engine.submission.in_force import number_for_all

        submitted = [] if scope.configuration is None else scope.configuration.data.get("meters") or []
        stated = [terms.get(operand.is_) for terms in submitted if terms["meter"] == operand.meter]
        return number_for_all(scope, stated[0] if len(stated) == 1 else None)

    def asked(self, prepared: Prepared, operand: MeterTerm, *, money: bool) -> str:
        return f"the submitted {operand.is_} of the meter {operand.meter}"
