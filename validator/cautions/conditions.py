"""Conditions that always hold, or never, and parts of conditions that say nothing."""

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
    """Every condition of a file is tried, the outermost first, then its parts where the whole may hold or not."""
    known = dict(_given(terms, model))
    inside: list[Path] = []
    for path, found in walk(model, ()):
        if isinstance(found, Condition) and not any(path[: len(outer)] == outer for outer in inside):
            told = list(_of_condition(terms, found, known.get(path, True), path))
            told += _miscounts(terms.game, found, path)
            told += _units(terms, found, path)
            inside.append(path)
            yield from told


def _miscounts(game: Game, condition: Condition, here: Path) -> Iterator[Caution]:
    """Numbers of cards that are told from the number dealt are told from the right one."""
    for path, found in walk(condition, here):
        if not (isinstance(found, Condition) and isinstance(found.meaning, NumberIs)):
            continue
        asked: Comparison = found.operand
        place, bound = asked.of.operand, asked.operand
        dealt = game.deal.cards.get(place) if asked.of.operator == "cards" else None
        if dealt is None or not isinstance(bound.meaning, Exactly) or place in game.deal.held:
            continue
        told = {"more-than": 1, "at-least": 0, "at-most": 0, "less-than": -1}
        least = bound.operand + told.get(asked.operator, -bound.operand)
        if (asked.operator == "differs-from" and bound.operand != dealt) or least > 2 * dealt:
            yield Caution(
                code="other-number",
                at=(*path, found.operator),
                severity="warning",
                message=f"the {place} is dealt {dealt} cards, not {bound.operand}",
                help="hold the number against `cards` of the deal",
            )


def _units(terms: Terms, condition: Condition, here: Path) -> Iterator[Caution]:
    """Money is held against money, and numbers of things against numbers of things."""
    for path, found in walk(condition, here):
        if isinstance(found, Condition) and isinstance(found.meaning, NumberIs):
            asked: Comparison = found.operand
            one, other = asked.of, asked.operand
            money = [part.meaning.is_money(terms.prepared, part.operand) for part in (one, other)]
            if not isinstance(other.meaning, Exactly) and money[0] != money[1]:
                yield Caution(
                    code="other-unit",
                    at=(*path, found.operator),
                    severity="warning",
                    message="an amount of money is held against a number of something else",
                    help="hold amounts against amounts",
                )


def _given(terms: Terms, model: BaseModel) -> Iterator[tuple[Path, Formula]]:
    """What is certain where conditions are asked, by their places."""
    if not isinstance(model, Game):
        return
    for name in model.wagers:
        for key, asked in (("needs", "placed"), ("tip", "tipped")):
            yield ("wagers", name, key), terms.formula(Condition.model_validate({asked: name}))


def _of_condition(terms: Terms, condition: Condition, given: Formula, here: Path) -> Iterator[Caution]:
    if isinstance(condition.meaning, Fact):
        return  # what is wrong with it is said where it is defined
    what = f"the fact {here[1]}" if here[0] == "facts" and len(here) == 2 else "this"
    if not terms.may_hold(every([given, terms.formula(condition)])):
        yield Caution(
            code="never-holds",
            at=here,
            message=f"{what} never holds, whatever happens in a round",
            help="look for parts that rule each other out, a name that is meant to be another, or a bound turned round",
        )
        return
    if not terms.may_hold(every([given, denied(terms.formula(condition))])):
        yield Caution(
            code="always-holds",
            at=here,
            message=f"{what} always holds, whatever happens in a round",
            help="look for a name that is meant to be another or a bound turned round; what always holds is left out",
        )
        return
    if not isinstance(condition.meaning, Connective):
        return
    parts: Sequence[Condition] = condition.meaning.parts(condition.operand)
    if isinstance(condition.meaning, All):
        yield from _one_number(parts, (*here, condition.operator))
        yield from _one_decision(terms.game, parts, (*here, condition.operator))
    for index, part in enumerate(parts):
        place = (
            (*here, condition.operator, index) if isinstance(condition.operand, list) else (*here, condition.operator)
        )
        found = list(_of_condition(terms, part, given, place))
        yield from found
        others = [terms.formula(other) for other in parts if other is not part]
        if not found and others and _adds_nothing(terms, condition, terms.formula(part), others, given):
            yield Caution(
                code="says-nothing",
                at=place,
                severity="warning",
                message="this part changes nothing: "
                + (
                    "it holds wherever the other parts do"
                    if isinstance(condition.meaning, All)
                    else "where it holds, another part does"
                ),
                help="take it away, or say what it is meant to add",
            )


def _one_number(parts: Sequence[Condition], here: Path) -> Iterator[Caution]:
    """Two bounds of a quantity that are the same leave one number."""
    bounds: dict[tuple[bytes, bytes], set[str]] = {}
    for index, part in enumerate(parts):
        if isinstance(part.meaning, NumberIs):
            asked: Comparison = part.operand
            told = bounds.setdefault((asked.of.identity, asked.operand.identity), set())
            told.add(asked.operator)
            if told >= {"at-least", "at-most"}:
                yield Caution(
                    code="one-number",
                    at=(*here, index),
                    severity="warning",
                    message="the bound from above is the same as that from below, which leaves one number",
                    help="name the other bound; or say `equals`, if that is meant",
                )


def _one_decision(game: Game, parts: Sequence[Condition], here: Path) -> Iterator[Caution]:
    """Two decisions of which a seat takes one: those that are taken in one step alone, and the same one."""
    taken: dict[tuple[str, ...], str] = {}
    for index, part in enumerate(parts):
        if isinstance(part.meaning, Decided) and game.betting is None:
            steps = [one for one in game.procedure if "decide" in one.events and not one.aside]
            where = tuple(one.step for one in steps if not one.decisions or part.operand in one.decisions)
            other = taken.setdefault(where, part.operand)
            if len(where) == 1 and other != part.operand:
                yield Caution(
                    code="never-holds",
                    at=(*here, index),
                    message=f"a seat decides once in {where[0]}, so nobody takes both {other} and {part.operand}",
                    help="say `any` for either of them",
                )


def _adds_nothing(terms: Terms, whole: Condition, part: Formula, others: Sequence[Formula], given: Formula) -> bool:
    if isinstance(whole.meaning, All):
        return not terms.may_hold(every([given, *others, denied(part)]))
    return isinstance(whole.meaning, AnyOf) and not terms.may_hold(every([given, part, denied(some(others))]))


def rule_cautions(terms: Terms, file: RequirementFile) -> Iterator[Caution]:
    """Statements that can never be broken, or never be fulfilled, wherever they are asked."""
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, RoundCheck):
            continue
        here: Path = ("requirements", index, "check", "rule", "must")
        asked = True if check.when is None else terms.formula(check.when)
        must = terms.formula(check.must)
        if not terms.may_hold(asked) or isinstance(must, bool):
            continue  # said already, where it stands
        if not terms.may_hold(every([asked, denied(must)])):
            yield Caution(
                code="never-broken",
                at=here,
                message="this holds wherever it is asked, so the requirement can never be broken",
                help="ask for something that `when` does not say already",
            )
        elif not terms.may_hold(every([asked, must])):
            yield Caution(
                code="never-fulfilled",
                at=here,
                severity="warning",
                message="this holds nowhere where it is asked: whatever `when` speaks of breaks the requirement",
                help="if that is meant, say `must: {not: ...}` of what is forbidden, and leave it out of `when`",
            )
