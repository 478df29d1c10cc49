"""Warnings about conditions that always or never hold, and about parts of conditions without effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.language.comparison import Comparison
from validator.language.conditions import Condition
from validator.operators.arithmetic import Exactly
from validator.operators.comparisons import NumberIs
from validator.operators.logic import All, AnyOf, Connective
from validator.operators.names import Fact
from validator.operators.seats import Decided
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every, some
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile, RoundCheck
from validator.text.trees.tree import Path


def condition_cautions(terms: Terms, model: BaseModel) -> Iterator[Caution]:
    """Yield warnings about every condition of a file: the outermost first, then its parts if the whole may hold or
    fail."""
    known = dict(_list_certain_facts(terms, model))
    checked: list[Path] = []
    for path, part in walk(model, ()):
        if isinstance(part, Condition) and not any(path[: len(outer)] == outer for outer in checked):
            warnings = list(_check_condition(terms, part, known.get(path, True), path))
            warnings += _find_wrong_card_counts(terms.game, part, path)
            warnings += _find_mixed_units(terms, part, path)
            checked.append(path)
            yield from warnings


def _find_wrong_card_counts(game: Game, condition: Condition, here: Path) -> Iterator[Caution]:
    """Yield warnings about numbers of cards that differ from the number that is dealt."""
    for path, part in walk(condition, here):
        if not (isinstance(part, Condition) and isinstance(part.meaning, NumberIs)):
            continue
        comparison: Comparison = part.operand
        place, bound = comparison.of.operand, comparison.operand
        dealt = game.deal.cards.get(place) if comparison.of.operator == "cards" else None
        if dealt is None or not isinstance(bound.meaning, Exactly) or place in game.deal.held:
            continue
        margins = {"more-than": 1, "at-least": 0, "at-most": 0, "less-than": -1}
        least = bound.operand + margins.get(comparison.operator, -bound.operand)
        if (comparison.operator == "differs-from" and bound.operand != dealt) or least > 2 * dealt:
            yield Caution(
                code="number-mismatch",
                at=(*path, part.operator),
                severity="warning",
                message=f"the {place} is dealt {dealt} cards, not {bound.operand}",
                help="compare the number with `cards` of the deal",
            )


def _find_mixed_units(terms: Terms, condition: Condition, here: Path) -> Iterator[Caution]:
    """Yield warnings about comparisons of money with numbers of other things."""
    for path, part in walk(condition, here):
        if isinstance(part, Condition) and isinstance(part.meaning, NumberIs):
            comparison: Comparison = part.operand
            left, right = comparison.of, comparison.operand
            is_money = [part.meaning.is_money(terms.prepared, part.operand) for part in (left, right)]
            if not isinstance(right.meaning, Exactly) and is_money[0] != is_money[1]:
                yield Caution(
                    code="unit-mismatch",
                    at=(*path, part.operator),
                    severity="warning",
                    message="an amount of money is compared with a number of something else",
                    help="compare amounts with amounts",
                )


def _list_certain_facts(terms: Terms, model: BaseModel) -> Iterator[tuple[Path, Formula]]:
    """Yield what is certain when a condition is evaluated, by the place of the condition."""
    if not isinstance(model, Game):
        return
    for name in model.wagers:
        for key, operator in (("needs", "placed"), ("tip", "tipped")):
            yield ("wagers", name, key), terms.formula(Condition.model_validate({operator: name}))


def _check_condition(terms: Terms, condition: Condition, given: Formula, here: Path) -> Iterator[Caution]:
    if isinstance(condition.meaning, Fact):
        return  # reported where the fact is defined
    subject = f"the fact {here[1]}" if here[0] == "facts" and len(here) == 2 else "this"
    if not terms.may_hold(every([given, terms.formula(condition)])):
        yield Caution(
            code="never-holds",
            at=here,
            message=f"{subject} never holds, whatever happens in a round",
            help="check for parts that exclude each other, for a wrong name, and for a reversed bound",
        )
        return
    if not terms.may_hold(every([given, denied(terms.formula(condition))])):
        yield Caution(
            code="always-holds",
            at=here,
            message=f"{subject} always holds, whatever happens in a round",
            help="check for a wrong name and for a reversed bound; leave out a condition that always holds",
        )
        return
    if not isinstance(condition.meaning, Connective):
        return
    parts: Sequence[Condition] = condition.meaning.parts(condition.operand)
    if isinstance(condition.meaning, All):
        yield from _find_equal_bounds(parts, (*here, condition.operator))
        yield from _find_exclusive_decisions(terms.game, parts, (*here, condition.operator))
    for index, part in enumerate(parts):
        place = (
            (*here, condition.operator, index) if isinstance(condition.operand, list) else (*here, condition.operator)
        )
        warnings = list(_check_condition(terms, part, given, place))
        yield from warnings
        others = [terms.formula(other) for other in parts if other is not part]
        if not warnings and others and _is_redundant(terms, condition, terms.formula(part), others, given):
            yield Caution(
                code="redundant",
                at=place,
                severity="warning",
                message="this part has no effect: "
                + (
                    "it holds wherever the other parts do"
                    if isinstance(condition.meaning, All)
                    else "where it holds, another part does"
                ),
                help="remove it, or state what it should add",
            )


def _find_equal_bounds(parts: Sequence[Condition], here: Path) -> Iterator[Caution]:
    """Yield a warning if the lower and the upper bound of a quantity are equal."""
    bounds: dict[tuple[bytes, bytes], set[str]] = {}
    for index, part in enumerate(parts):
        if isinstance(part.meaning, NumberIs):
            comparison: Comparison = part.operand
            operators = bounds.setdefault((comparison.of.identity, comparison.operand.identity), set())
            operators.add(comparison.operator)
            if operators >= {"at-least", "at-most"}:
                yield Caution(
                    code="equal-bounds",
                    at=(*here, index),
                    severity="warning",
                    message="the upper bound equals the lower bound, which leaves one number",
                    help="correct one of the bounds, or write `equals`",
                )


def _find_exclusive_decisions(game: Game, parts: Sequence[Condition], here: Path) -> Iterator[Caution]:
    """Yield a warning if two different decisions are required of which a seat takes one, in the same single step."""
    decisions: dict[tuple[str, ...], str] = {}
    for index, part in enumerate(parts):
        if isinstance(part.meaning, Decided) and game.betting is None:
            steps = [step for step in game.procedure if "decide" in step.events and not step.aside]
            deciding = tuple(step.step for step in steps if not step.decisions or part.operand in step.decisions)
            other = decisions.setdefault(deciding, part.operand)
            if len(deciding) == 1 and other != part.operand:
                yield Caution(
                    code="never-holds",
                    at=(*here, index),
                    message=f"a seat decides once in {deciding[0]}, so no seat takes both {other} and {part.operand}",
                    help="write `any` for either of them",
                )


def _is_redundant(terms: Terms, whole: Condition, part: Formula, others: Sequence[Formula], given: Formula) -> bool:
    if isinstance(whole.meaning, All):
        return not terms.may_hold(every([given, *others, denied(part)]))
    return isinstance(whole.meaning, AnyOf) and not terms.may_hold(every([given, part, denied(some(others))]))


def rule_cautions(terms: Terms, file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about requirements that can never fail, or never pass, when they apply."""
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck):
            continue
        here: Path = ("requirements", index, "check", "rule", "must")
        applies = True if check.when is None else terms.formula(check.when)
        must = terms.formula(check.must)
        if not terms.may_hold(applies) or isinstance(must, bool):
            continue  # reported at the condition itself
        if not terms.may_hold(every([applies, denied(must)])):
            yield Caution(
                code="cannot-fail",
                at=here,
                message="this holds whenever the requirement applies, so the requirement can never fail",
                help="require something that `when` does not already imply",
            )
        elif not terms.may_hold(every([applies, must])):
            yield Caution(
                code="cannot-pass",
                at=here,
                severity="warning",
                message="this never holds when the requirement applies: every case of `when` fails",
                help="if that is meant, write `must: {not: ...}` and leave the forbidden part out of `when`",
            )
