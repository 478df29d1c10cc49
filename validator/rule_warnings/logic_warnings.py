"""Warnings about logic: conditions that always or never hold, cases of settlement that no stake reaches.

The checks build formulas from the conditions and try all hands at once. Only the strength of a hand and its comparison
with other hands matter, so the checks try every range of strengths that some case distinguishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from fairdeal.validator.language.grammar import HandComparison
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf, Connective, NamedFact
from fairdeal.validator.operators.number_operators import FixedNumber, NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.propositions import Formula, conjoin, disjoin, negate
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import RequirementFile, RoundCheck
from fairdeal.validator.text.positioned_document import DataPath


def find_condition_warnings(terms: PropositionBuilder, model: BaseModel) -> Iterator[RuleWarning]:
    """Yield warnings about every condition of a file: the outermost first, then its parts if the whole may hold or
    fail."""
    known = dict(_list_certain_facts(terms, model))
    checked: list[DataPath] = []
    for path, part in walk_models(model, ()):
        if isinstance(part, Condition) and not any(path[: len(outer)] == outer for outer in checked):
            warnings = list(_check_condition(terms, part, known.get(path, True), path))
            warnings += _find_wrong_card_counts(terms.game, part, path)
            warnings += _find_mixed_units(terms, part, path)
            checked.append(path)
            yield from warnings


def _find_wrong_card_counts(game: Game, condition: Condition, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about numbers of cards that differ from the number that is dealt."""
    for path, part in walk_models(condition, here):
        if not (isinstance(part, Condition) and isinstance(OPERATORS.find(part), NumberIs)):
            continue
        comparison: Comparison = part.operand
        place, bound = comparison.of.operand, comparison.operand
        dealt = game.deal.cards.get(place) if comparison.of.operator == "cards" else None
        if dealt is None or not isinstance(OPERATORS.find(bound), FixedNumber) or place in game.deal.held:
            continue
        margins = {"more-than": 1, "at-least": 0, "at-most": 0, "less-than": -1}
        least = bound.operand + margins.get(comparison.operator, -bound.operand)
        if (comparison.operator == "differs-from" and bound.operand != dealt) or least > 2 * dealt:
            yield RuleWarning(
                code="number-mismatch",
                path=(*path, part.operator),
                severity="warning",
                message=f"the {place} is dealt {dealt} cards, not {bound.operand}",
                help="compare the number with `cards` of the deal",
            )


def _find_mixed_units(terms: PropositionBuilder, condition: Condition, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about comparisons of money with numbers of other things."""
    for path, part in walk_models(condition, here):
        if isinstance(part, Condition) and isinstance(OPERATORS.find(part), NumberIs):
            comparison: Comparison = part.operand
            left, right = comparison.of, comparison.operand
            is_money = [OPERATORS.find(part).measures_money(terms.prepared, part.operand) for part in (left, right)]
            if not isinstance(OPERATORS.find(right), FixedNumber) and is_money[0] != is_money[1]:
                yield RuleWarning(
                    code="unit-mismatch",
                    path=(*path, part.operator),
                    severity="warning",
                    message="an amount of money is compared with a number of something else",
                    help="compare amounts with amounts",
                )


def _list_certain_facts(terms: PropositionBuilder, model: BaseModel) -> Iterator[tuple[DataPath, Formula]]:
    """Yield what is certain when a condition is evaluated, by the place of the condition."""
    if not isinstance(model, Game):
        return
    for name in model.wagers:
        for key, operator in (("needs", "placed"), ("tip", "tipped")):
            yield ("wagers", name, key), terms.build_formula(Condition.model_validate({operator: name}))


def _check_condition(
    terms: PropositionBuilder, condition: Condition, given: Formula, here: DataPath
) -> Iterator[RuleWarning]:
    if isinstance(OPERATORS.find(condition), NamedFact):
        return  # reported where the fact is defined
    subject = f"the fact {here[1]}" if here[0] == "facts" and len(here) == 2 else "this"
    if not terms.may_hold(conjoin([given, terms.build_formula(condition)])):
        yield RuleWarning(
            code="never-holds",
            path=here,
            message=f"{subject} never holds, whatever happens in a round",
            help="check for parts that exclude each other, for a wrong name, and for a reversed bound",
        )
        return
    if not terms.may_hold(conjoin([given, negate(terms.build_formula(condition))])):
        yield RuleWarning(
            code="always-holds",
            path=here,
            message=f"{subject} always holds, whatever happens in a round",
            help="check for a wrong name and for a reversed bound; leave out a condition that always holds",
        )
        return
    connective = OPERATORS.find(condition)
    if not isinstance(connective, Connective):
        return
    parts: Sequence[Condition] = connective.list_parts(condition.operand)
    if isinstance(connective, AllOf):
        yield from _find_equal_bounds(parts, (*here, condition.operator))
        yield from _find_exclusive_decisions(terms.game, parts, (*here, condition.operator))
    for index, part in enumerate(parts):
        place = (
            (*here, condition.operator, index) if isinstance(condition.operand, list) else (*here, condition.operator)
        )
        warnings = list(_check_condition(terms, part, given, place))
        yield from warnings
        others = [terms.build_formula(other) for other in parts if other is not part]
        if not warnings and others and _is_redundant(terms, condition, terms.build_formula(part), others, given):
            yield RuleWarning(
                code="redundant",
                path=place,
                severity="warning",
                message="this part has no effect: "
                + (
                    "it holds wherever the other parts do"
                    if isinstance(OPERATORS.find(condition), AllOf)
                    else "where it holds, another part does"
                ),
                help="remove it, or state what it should add",
            )


def _find_equal_bounds(parts: Sequence[Condition], here: DataPath) -> Iterator[RuleWarning]:
    """Yield a warning if the lower and the upper bound of a quantity are equal."""
    bounds: dict[tuple[bytes, bytes], set[str]] = {}
    for index, part in enumerate(parts):
        if isinstance(OPERATORS.find(part), NumberIs):
            comparison: Comparison = part.operand
            operators = bounds.setdefault((comparison.of.identity, comparison.operand.identity), set())
            operators.add(comparison.operator)
            if operators >= {"at-least", "at-most"}:
                yield RuleWarning(
                    code="equal-bounds",
                    path=(*here, index),
                    severity="warning",
                    message="the upper bound equals the lower bound, which leaves one number",
                    help="correct one of the bounds, or write `equals`",
                )


def _find_exclusive_decisions(game: Game, parts: Sequence[Condition], here: DataPath) -> Iterator[RuleWarning]:
    """Yield a warning if two different decisions are required of which a seat takes one, in the same single step."""
    decisions: dict[tuple[str, ...], str] = {}
    for index, part in enumerate(parts):
        if isinstance(OPERATORS.find(part), HasDecided) and game.betting is None:
            steps = [step for step in game.procedure if "decide" in step.events and not step.aside]
            deciding = tuple(step.step for step in steps if not step.decisions or part.operand in step.decisions)
            other = decisions.setdefault(deciding, part.operand)
            if len(deciding) == 1 and other != part.operand:
                yield RuleWarning(
                    code="never-holds",
                    path=(*here, index),
                    message=f"a seat decides once in {deciding[0]}, so no seat takes both {other} and {part.operand}",
                    help="write `any` for either of them",
                )


def _is_redundant(
    terms: PropositionBuilder, whole: Condition, part: Formula, others: Sequence[Formula], given: Formula
) -> bool:
    if isinstance(OPERATORS.find(whole), AllOf):
        return not terms.may_hold(conjoin([given, *others, negate(part)]))
    return isinstance(OPERATORS.find(whole), AnyOf) and not terms.may_hold(
        conjoin([given, part, negate(disjoin(others))])
    )


def find_vacuous_rules(terms: PropositionBuilder, file: RequirementFile) -> Iterator[RuleWarning]:
    """Yield warnings about requirements that can never fail, or never pass, when they apply."""
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
            yield RuleWarning(
                code="cannot-fail",
                path=here,
                message="this holds whenever the requirement applies, so the requirement can never fail",
                help="require something that `when` does not already imply",
            )
        elif not terms.may_hold(conjoin([applies, must])):
            yield RuleWarning(
                code="cannot-pass",
                path=here,
                severity="warning",
                message="this never holds when the requirement applies: every case of `when` fails",
                help="if that is meant, write `must: {not: ...}` and leave the forbidden part out of `when`",
            )


_HAND_TEXTS = {"lower": "a lower hand", "equal": "an equal hand", "higher": "a higher hand"}
_OUTCOME_RANKS = {"lost": 0, "nothing": 0, "returned": 1}
_PAID_RANK = 2
_OUTCOME_TEXTS = ("is lost", "is returned", "is paid")


def find_reversed_payouts(terms: PropositionBuilder, line: str) -> Iterator[RuleWarning]:
    """Yield a warning if settlement of a line pays a stronger hand of the player less than a weaker one.

    Only the first case that compares two hands, and the cases after it, are considered.
    """
    cases = [(index, case) for index, case in enumerate(terms.game.settlement.cases) if line in case.lines]
    if any(case.due.operand == "open" for _, case in cases):
        return
    for hands in dict.fromkeys(pair for _, case in cases for pair in _list_compared_hands(terms.game, case)):
        outcomes = {comparison: list(_list_outcomes(terms, cases, hands, comparison)) for comparison in _HAND_TEXTS}
        for worse, better in (("lower", "higher"), ("lower", "equal"), ("equal", "higher")):
            if not outcomes[worse] or not outcomes[better]:
                continue
            least, most = min(outcomes[worse])[0], max(outcomes[better])[0]
            if least > most:
                yield RuleWarning(
                    code="reversed",
                    path=("settlement", "cases", max(outcomes[better])[1], "due"),
                    severity="warning",
                    message=f"{line} {_OUTCOME_TEXTS[most]} here with {_HAND_TEXTS[better]} of the player, but "
                    f"{_OUTCOME_TEXTS[least]} "
                    f"elsewhere with {_HAND_TEXTS[worse]}",
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
    terms: PropositionBuilder, cases: list[tuple[int, Case]], hands: tuple[str, str], comparison: str
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


def find_settlement_warnings(terms: PropositionBuilder) -> Iterator[RuleWarning]:
    """Yield warnings about the settlement of every line, case by case in the order in which stakes reach them."""
    game = terms.game
    reaching: dict[int, list[Formula]] = {}  # the stakes that reach each case, line by line
    for line in game.settlement.order:
        yield from find_reversed_payouts(terms, line)
        staked = _build_stake_formula(terms, line)
        remaining = staked
        for index, case in enumerate(game.settlement.cases):
            if line not in case.lines:
                continue
            condition = True if case.when is None else terms.build_formula(case.when)
            here = ("settlement", "cases", index)
            reaching.setdefault(index, []).append(remaining)
            if not terms.may_hold(conjoin([remaining, condition])):
                yield RuleWarning(
                    code="unreachable",
                    path=(*here, "case") if len(case.lines) == 1 else (*here, "lines", case.lines.index(line)),
                    message=f"no stake on {line} reaches the case {case.case}: "
                    f"{_explain_unreached(terms, remaining, condition)}",
                    help="cases are tried from the top, and the first that holds decides: put this one before the "
                    "case that takes its stakes, or remove it",
                )
            remaining = conjoin([remaining, negate(condition)])
        example = terms.find_example(remaining, staked)
        if example is not None:
            yield RuleWarning(
                code="undecided",
                path=("settlement", "order", game.settlement.order.index(line)),
                message=f"no case decides what is due on a stake on {line}{example.describe()}",
                help=f"add a case for it, or end the cases of {line} with a case without `when`",
            )
    yield from _find_redundant_parts(terms, reaching)


def _find_redundant_parts(
    terms: PropositionBuilder, reaching: Mapping[int, Sequence[Formula]]
) -> Iterator[RuleWarning]:
    """Yield warnings about alternatives of a case that add no stakes to it."""
    for index, formulas in reaching.items():
        case = terms.game.settlement.cases[index]
        alternatives = None if case.when is None else OPERATORS.find(case.when)
        if case.when is None or not isinstance(alternatives, AnyOf):
            continue
        parts = alternatives.list_parts(case.when.operand)
        for nth, part in enumerate(parts):
            others = disjoin([terms.build_formula(other) for other in parts if other is not part])
            contribution = conjoin([disjoin(formulas), terms.build_formula(part), negate(others)])
            if not terms.may_hold(contribution):
                yield RuleWarning(
                    code="redundant",
                    path=("settlement", "cases", index, "when", case.when.operator, nth),
                    severity="warning",
                    message="this part adds no stakes to the case: earlier cases take them, or another part includes "
                    "them",
                    help="remove it, or put the case before those that take its stakes",
                )


def _build_stake_formula(terms: PropositionBuilder, line: str) -> Formula:
    """Build the formula that a seat has a stake or a tip on a line."""
    bonus = terms.game.bonuses.get(line)
    wager = line if bonus is None else bonus.reckoned_on
    staked = (Condition.model_validate({key: wager}) for key in ("placed", "tipped"))
    return disjoin([terms.build_formula(condition) for condition in staked])


def _explain_unreached(terms: PropositionBuilder, remaining: Formula, condition: Formula) -> str:
    if not terms.may_hold(remaining):
        return "the cases before it take all stakes"
    return (
        "its condition never holds"
        if not terms.may_hold(condition)
        else "the cases before it take all stakes for which it holds"
    )
