"""Checks of logic: conditions that always or never hold, and cases of settlement that no stake reaches.

The checks build formulas from the conditions and try all hands at once. Only the strength of a hand and its comparison
with other hands matter, so the checks try every range of strengths that some case distinguishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairdeal.validator.language.grammar import HandComparison, walk_models
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf, Connective, NamedFact
from fairdeal.validator.operators.number_operators import FixedNumber, NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.propositions import Formula, conjoin, disjoin, negate
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameCheck
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import RequirementFile, RoundCheck
from fairdeal.validator.text.positioned_document import DataPath


def _build_given(terms: PropositionBuilder, here: DataPath) -> Formula:
    """Build the formula of what is certain when the condition at a place is evaluated.

    A wager is placed when its needs are evaluated, and its tip when the condition of the tip is.
    """
    operator = {"needs": "placed", "tip": "tipped"}.get(str(here[-1]))
    if len(here) != 3 or here[0] != "wagers" or operator is None:
        return True
    return terms.build_formula(Condition.model_validate({operator: here[1]}))


def _find_constant_parts(
    terms: PropositionBuilder, condition: Condition, here: DataPath, given: Formula
) -> Iterator[tuple[DataPath, bool]]:
    """Yield the place of a condition that always (True) or never holds; otherwise those of its parts."""
    if isinstance(OPERATORS.find(condition), NamedFact):
        return  # reported where the fact is defined
    formula = terms.build_formula(condition)
    if not terms.may_hold(conjoin([given, formula])):
        yield here, False
    elif not terms.may_hold(conjoin([given, negate(formula)])):
        yield here, True
    elif isinstance(OPERATORS.find(condition), Connective):
        for part, place in _list_parts(condition, here):
            yield from _find_constant_parts(terms, part, place, given)


def _list_parts(condition: Condition, here: DataPath) -> Iterator[tuple[Condition, DataPath]]:
    """Yield the parts of a connective, each with its place."""
    connective = OPERATORS.find(condition)
    if isinstance(connective, Connective):
        several = isinstance(condition.operand, list)
        for index, part in enumerate(connective.list_parts(condition.operand)):
            yield part, (*here, condition.operator, index) if several else (*here, condition.operator)


def _name_subject(here: DataPath) -> str:
    return f"the fact {here[1]}" if here[0] == "facts" and len(here) == 2 else "this"


class NeverHolds(GameCheck[Condition]):
    """A condition never holds, whatever happens in a round."""

    code = "never-holds"
    on = Condition
    outermost = True

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        for path, always in _find_constant_parts(context.terms, part, here, _build_given(context.terms, here)):
            if not always:
                yield RuleMistake(
                    path=path,
                    message=f"{_name_subject(path)} never holds, whatever happens in a round",
                    help="check for parts that exclude each other, for a wrong name, and for a reversed bound",
                )


class AlwaysHolds(GameCheck[Condition]):
    """A condition always holds, whatever happens in a round."""

    code = "always-holds"
    on = Condition
    outermost = True

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        for path, always in _find_constant_parts(context.terms, part, here, _build_given(context.terms, here)):
            if always:
                yield RuleMistake(
                    path=path,
                    message=f"{_name_subject(path)} always holds, whatever happens in a round",
                    help="check for a wrong name and for a reversed bound; leave out a condition that always holds",
                )


class RedundantPart(GameCheck[Condition]):
    """A part of `all` or `any` has no effect, since the other parts already decide."""

    code = "redundant"
    severity = "warning"
    on = Condition
    outermost = True

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        given = _build_given(context.terms, here)
        if not list(_find_constant_parts(context.terms, part, here, given)):
            yield from self._find_in(context.terms, part, here, given)

    def _find_in(
        self, terms: PropositionBuilder, condition: Condition, here: DataPath, given: Formula
    ) -> Iterator[RuleMistake]:
        parts = list(_list_parts(condition, here))
        for part, path in parts:
            inner = list(self._find_in(terms, part, path, given))
            yield from inner
            others = [terms.build_formula(other) for other, _ in parts if other is not part]
            formula = terms.build_formula(part)
            if inner or not others:
                continue
            if isinstance(OPERATORS.find(condition), AllOf) and not terms.may_hold(
                conjoin([given, *others, negate(formula)])
            ):
                reason = "it holds wherever the other parts do"
            elif isinstance(OPERATORS.find(condition), AnyOf) and not terms.may_hold(
                conjoin([given, formula, negate(disjoin(others))])
            ):
                reason = "where it holds, another part does"
            else:
                continue
            yield RuleMistake(
                path=path,
                message=f"this part has no effect: {reason}",
                help="remove it, or state what it should add",
            )


class EqualBounds(GameCheck[Condition]):
    """The lower and the upper bound of a quantity are equal. One may be a copy that should have been changed."""

    code = "equal-bounds"
    severity = "warning"
    on = Condition

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        bounds: dict[tuple[bytes, bytes], set[str]] = {}
        for bound, path in _list_parts(part, here) if isinstance(OPERATORS.find(part), AllOf) else ():
            if isinstance(OPERATORS.find(bound), NumberIs):
                comparison: Comparison = bound.operand
                operators = bounds.setdefault((comparison.of.identity, comparison.operand.identity), set())
                operators.add(comparison.operator)
                if operators >= {"at-least", "at-most"}:
                    yield RuleMistake(
                        path=path,
                        message="the upper bound equals the lower bound, which leaves one number",
                        help="correct one of the bounds, or write `equals`",
                    )


class ExclusiveDecisions(GameCheck[Condition]):
    """A condition requires two decisions of which a seat takes one. It never holds."""

    code = "never-holds"
    on = Condition

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the second of two decisions in the same single step; betting games are not checked."""
        if not isinstance(OPERATORS.find(part), AllOf) or context.game.betting is not None:
            return
        deciding = [step for step in context.game.procedure if "decide" in step.events and not step.aside]
        decisions: dict[tuple[str, ...], str] = {}
        for decided, path in _list_parts(part, here):
            if not isinstance(OPERATORS.find(decided), HasDecided):
                continue
            steps = tuple(step.step for step in deciding if not step.decisions or decided.operand in step.decisions)
            other = decisions.setdefault(steps, decided.operand)
            if len(steps) == 1 and other != decided.operand:
                yield RuleMistake(
                    path=path,
                    message=f"a seat decides once in {steps[0]}, so no seat takes both {other} and {decided.operand}",
                    help="write `any` for either of them",
                )


class WrongCardCount(GameCheck[Condition]):
    """A condition compares the cards of a place with another number than is dealt there."""

    code = "number-mismatch"
    severity = "warning"
    on = Condition

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        if not isinstance(OPERATORS.find(part), NumberIs):
            return
        comparison: Comparison = part.operand
        place, bound, deal = comparison.of.operand, comparison.operand, context.game.deal
        dealt = deal.cards.get(place) if comparison.of.operator == "cards" else None
        if dealt is None or not isinstance(OPERATORS.find(bound), FixedNumber) or place in deal.held:
            return
        margins = {"more-than": 1, "at-least": 0, "at-most": 0, "less-than": -1}
        least = bound.operand + margins.get(comparison.operator, -bound.operand)
        if (comparison.operator == "differs-from" and bound.operand != dealt) or least > 2 * dealt:
            yield RuleMistake(
                path=(*here, part.operator),
                message=f"the {place} is dealt {dealt} cards, not {bound.operand}",
                help="compare the number with `cards` of the deal",
            )


class MixedUnits(GameCheck[Condition]):
    """A condition compares an amount of money with a number of something else."""

    code = "unit-mismatch"
    severity = "warning"
    on = Condition

    def find(self, context: DocumentContext, part: Condition, here: DataPath) -> Iterator[RuleMistake]:
        if not isinstance(OPERATORS.find(part), NumberIs):
            return
        comparison: Comparison = part.operand
        left, right = comparison.of, comparison.operand
        is_money = [OPERATORS.find(side).measures_money(context.terms.prepared, side.operand) for side in (left, right)]
        if not isinstance(OPERATORS.find(right), FixedNumber) and is_money[0] != is_money[1]:
            yield RuleMistake(
                path=(*here, part.operator),
                message="an amount of money is compared with a number of something else",
                help="compare amounts with amounts",
            )


def _list_vacuous_rules(context: DocumentContext, file: RequirementFile) -> Iterator[tuple[DataPath, bool]]:
    """Yield the place of every `must` that always (True) or never holds when its requirement applies."""
    terms = context.terms
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck):
            continue
        here: DataPath = ("requirements", index, "check", "rule", "must")
        applies = True if check.when is None else terms.build_formula(check.when)
        must = terms.build_formula(check.must)
        if not terms.may_hold(applies) or isinstance(must, bool):
            continue  # reported at the condition itself
        if not terms.may_hold(conjoin([applies, negate(must)])):
            yield here, True
        elif not terms.may_hold(conjoin([applies, must])):
            yield here, False


class CannotFail(GameCheck[RequirementFile]):
    """A requirement can never fail: what it requires already holds whenever it applies."""

    code = "cannot-fail"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        for path, always in _list_vacuous_rules(context, part):
            if always:
                yield RuleMistake(
                    path=path,
                    message="this holds whenever the requirement applies, so the requirement can never fail",
                    help="require something that `when` does not already imply",
                )


class CannotPass(GameCheck[RequirementFile]):
    """A requirement fails whenever it applies."""

    code = "cannot-pass"
    severity = "warning"
    on = RequirementFile

    def find(self, context: DocumentContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        for path, always in _list_vacuous_rules(context, part):
            if not always:
                yield RuleMistake(
                    path=path,
                    message="this never holds when the requirement applies: every case of `when` fails",
                    help="if that is meant, write `must: {not: ...}` and leave the forbidden part out of `when`",
                )


_HAND_TEXTS = {"lower": "a lower hand", "equal": "an equal hand", "higher": "a higher hand"}
_OUTCOME_RANKS = {"lost": 0, "nothing": 0, "returned": 1}
_PAID_RANK = 2
_OUTCOME_TEXTS = ("is lost", "is returned", "is paid")


class ReversedPayout(GameCheck[Game]):
    """Settlement pays a stronger hand of the player less than a weaker one.

    Only the first case that compares two hands, and the cases after it, are considered.
    """

    code = "reversed"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        for line in part.settlement.order:
            cases = [(index, case) for index, case in enumerate(part.settlement.cases) if line in case.lines]
            if any(case.due.operand == "open" for _, case in cases):
                continue
            for hands in dict.fromkeys(pair for _, case in cases for pair in _list_compared_hands(part, case)):
                outcomes = {
                    comparison: list(_list_outcomes(context.terms, cases, hands, comparison))
                    for comparison in _HAND_TEXTS
                }
                for worse, better in (("lower", "higher"), ("lower", "equal"), ("equal", "higher")):
                    if not outcomes[worse] or not outcomes[better]:
                        continue
                    least, most = min(outcomes[worse])[0], max(outcomes[better])[0]
                    if least > most:
                        yield RuleMistake(
                            path=("settlement", "cases", max(outcomes[better])[1], "due"),
                            message=f"{line} {_OUTCOME_TEXTS[most]} here with {_HAND_TEXTS[better]} of the player, but "
                            f"{_OUTCOME_TEXTS[least]} elsewhere with {_HAND_TEXTS[worse]}",
                            help="exchange the cases or their `due`, if higher hands should win",
                        )
                        break


def _list_compared_hands(game: Game, case: Case) -> Iterator[tuple[str, str]]:
    """Yield pairs of hands that a case compares: the player's first, then the dealer's."""
    for _, part in walk_models(case, ()):
        if isinstance(part, HandComparison):
            is_player, other_is_player = ("player" in game.hands[name].from_ for name in (part.hand, part.to))
            if is_player != other_is_player:
                yield (part.hand, part.to) if is_player else (part.to, part.hand)


def _list_outcomes(
    terms: PropositionBuilder, cases: Sequence[tuple[int, Case]], hands: tuple[str, str], comparison: str
) -> Iterator[tuple[int, int]]:
    """Yield the outcomes that stakes with such a hand may have, each with the index of its case."""
    compared = {"compare": {"hand": hands[0], "is": comparison, "to": hands[1]}}
    remaining: Formula = terms.build_formula(Condition.model_validate(compared))
    started = False
    for index, case in cases:
        condition = True if case.when is None else terms.build_formula(case.when)
        started = started or hands in _list_compared_hands(terms.game, case)
        if started and terms.may_hold(conjoin([remaining, condition])):
            yield _OUTCOME_RANKS.get(str(case.due.operand), _PAID_RANK), index
        remaining = conjoin([remaining, negate(condition)])


def iterate_stakes(terms: PropositionBuilder, line: str) -> Iterator[tuple[int, Case, Formula, Formula]]:
    """Yield the cases of a line, each with its index, the stakes that reach it and its own condition."""
    remaining = build_stake_formula(terms, line)
    for index, case in enumerate(terms.game.settlement.cases):
        if line in case.lines:
            condition = True if case.when is None else terms.build_formula(case.when)
            yield index, case, remaining, condition
            remaining = conjoin([remaining, negate(condition)])


def build_stake_formula(terms: PropositionBuilder, line: str) -> Formula:
    """Build the formula that a seat has a stake or a tip on a line."""
    bonus = terms.game.bonuses.get(line)
    wager = line if bonus is None else bonus.reckoned_on
    staked = (Condition.model_validate({key: wager}) for key in ("placed", "tipped"))
    return disjoin([terms.build_formula(condition) for condition in staked])


class UnreachableCase(GameCheck[Game]):
    """No stake reaches a case of settlement: the cases before it take all stakes for which it holds."""

    code = "unreachable"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the unreachable cases, line by line."""
        for line in part.settlement.order:
            for index, case, remaining, condition in iterate_stakes(context.terms, line):
                if not context.terms.may_hold(conjoin([remaining, condition])):
                    at = ("case",) if len(case.lines) == 1 else ("lines", case.lines.index(line))
                    yield RuleMistake(
                        path=("settlement", "cases", index, *at),
                        message=f"no stake on {line} reaches the case {case.case}: "
                        f"{_explain_unreached(context.terms, remaining, condition)}",
                        help="cases are tried from the top, and the first that holds decides: put this one before the "
                        "case that takes its stakes, or remove it",
                    )


def _explain_unreached(terms: PropositionBuilder, remaining: Formula, condition: Formula) -> str:
    if not terms.may_hold(remaining):
        return "the cases before it take all stakes"
    return (
        "its condition never holds"
        if not terms.may_hold(condition)
        else "the cases before it take all stakes for which it holds"
    )


class UndecidedStake(GameCheck[Game]):
    """No case of settlement decides what is due on some stake."""

    code = "undecided"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the lines with such a stake, each with an example."""
        for nth, line in enumerate(part.settlement.order):
            staked = remaining = build_stake_formula(context.terms, line)
            for _, _, reaching, condition in iterate_stakes(context.terms, line):
                remaining = conjoin([reaching, negate(condition)])
            example = context.terms.find_example(remaining, staked)
            if example is not None:
                yield RuleMistake(
                    path=("settlement", "order", nth),
                    message=f"no case decides what is due on a stake on {line}{example.describe()}",
                    help=f"add a case for it, or end the cases of {line} with a case without `when`",
                )


class RedundantAlternative(GameCheck[Game]):
    """An alternative of a case adds no stakes to the case."""

    code = "redundant"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        reaching: dict[int, list[Formula]] = {}
        for line in part.settlement.order:
            for index, _, remaining, _ in iterate_stakes(context.terms, line):
                reaching.setdefault(index, []).append(remaining)
        for index, formulas in reaching.items():
            when = part.settlement.cases[index].when
            connective = None if when is None else OPERATORS.find(when)
            if when is None or not isinstance(connective, AnyOf):
                continue
            parts = connective.list_parts(when.operand)
            for nth, alternative in enumerate(parts):
                others = disjoin([context.terms.build_formula(other) for other in parts if other is not alternative])
                added = conjoin([disjoin(formulas), context.terms.build_formula(alternative), negate(others)])
                if not context.terms.may_hold(added):
                    yield RuleMistake(
                        path=("settlement", "cases", index, "when", when.operator, nth),
                        message="this part adds no stakes to the case: earlier cases take them, or another part "
                        "includes them",
                        help="remove it, or put the case before those that take its stakes",
                    )


CHECKS = (
    NeverHolds,
    AlwaysHolds,
    RedundantPart,
    EqualBounds,
    ExclusiveDecisions,
    WrongCardCount,
    MixedUnits,
    CannotFail,
    CannotPass,
    ReversedPayout,
    UnreachableCase,
    UndecidedStake,
    RedundantAlternative,
)
"""Checks of conditions and of settlement."""
