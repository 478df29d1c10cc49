"""Checks of logic: conditions that always or never hold, and cases of settlement that no stake reaches.

The checks build formulas from the conditions and try all hands at once. Only the strength of a hand and its comparison
with other hands matter, so the checks try every range of strengths that some case distinguishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairdeal.validator.engine.core.propositions import Formula, conjoin, disjoin, negate
from fairdeal.validator.language.grammar import HandComparison, iterate_models
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf, Connective, NamedFact
from fairdeal.validator.operators.number_operators import FixedNumber, ItemwiseQuantity, NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.rule_checks.check_context import ConstantParts, GameContext
from fairdeal.validator.rulebook.dependencies import iterate_dependencies
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.check_model import RoundCheck
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.text.positioned_document import DataPath


def _build_given(terms: PropositionBuilder, here: DataPath) -> Formula:
    """Build the formula of what is certain when the condition at a place is evaluated.

    A wager is placed when its needs are evaluated, and its tip when the condition of the tip is.
    """
    operator = {"when": "placed", "tip": "tipped"}.get(str(here[-1]))
    if len(here) != 3 or here[0] != "wagers" or operator is None:
        return True
    return terms.build_formula(Condition.model_validate({operator: here[1]}))


def _find_constant_parts(context: GameContext, condition: Condition, here: DataPath) -> ConstantParts:
    """Return the place of a condition that always or never holds; otherwise those of its parts."""
    key = (here, condition.identity)
    if key not in context.constant_parts:
        given = _build_given(context.terms, here)
        context.constant_parts[key] = tuple(_iterate_constant_parts(context.terms, condition, here, given))
    return context.constant_parts[key]


def _find_own_constant_parts(context: GameContext, condition: Condition, here: DataPath) -> ConstantParts:
    """Return the constant parts of a condition; none if they may follow from a fact, which is reported itself."""
    parts = _find_constant_parts(context, condition, here)
    if parts and any(
        fact.operand in context.game.facts and _is_constant(context.terms, context.game.facts[fact.operand])
        for fact in iterate_dependencies(context.game, condition)
        if isinstance(fact, Condition)
        and isinstance(OPERATORS.find(fact), NamedFact)
        and here != ("facts", fact.operand)
    ):
        return ()
    return parts


def _is_constant(terms: PropositionBuilder, condition: Condition) -> bool:
    formula = terms.build_formula(condition)
    return not terms.may_hold(formula) or not terms.may_hold(negate(formula))


def _iterate_constant_parts(
    terms: PropositionBuilder, condition: Condition, here: DataPath, given: Formula
) -> Iterator[tuple[DataPath, bool]]:
    if isinstance(OPERATORS.find(condition), NamedFact):
        return  # reported where the fact is defined
    formula = terms.build_formula(condition)
    if not terms.may_hold(conjoin([given, formula])):
        yield here, False
    elif not terms.may_hold(conjoin([given, negate(formula)])):
        yield here, True
    elif isinstance(OPERATORS.find(condition), Connective):
        for part, place in _list_parts(condition, here):
            yield from _iterate_constant_parts(terms, part, place, given)


def _list_parts(condition: Condition, here: DataPath) -> Iterator[tuple[Condition, DataPath]]:
    """Yield the parts of a connective, each with its place."""
    connective = OPERATORS.find(condition)
    if isinstance(connective, Connective):
        several = isinstance(condition.operand, list)
        for index, part in enumerate(connective.list_parts(condition.operand)):
            yield part, (*here, condition.operator, index) if several else (*here, condition.operator)


def _name_subject(here: DataPath) -> str:
    return f"the fact {here[1]}" if here[0] == "facts" and len(here) == 2 else "this"


@error(
    "never-holds", "check for parts that exclude each other, for a wrong name, and for a reversed bound", outermost=True
)
def find_never_holds(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that never holds, whatever happens in a round."""
    for path, always in _find_own_constant_parts(context, condition, here):
        if not always:
            yield path, f"{_name_subject(path)} never holds, whatever happens in a round"


@error(
    "always-holds",
    "check for a wrong name and for a reversed bound; leave out a condition that always holds",
    outermost=True,
)
def find_always_holds(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that always holds, whatever happens in a round."""
    for path, always in _find_own_constant_parts(context, condition, here):
        if always:
            yield path, f"{_name_subject(path)} always holds, whatever happens in a round"


@warning("redundant", "remove it, or state what it should add", outermost=True)
def find_redundant_part(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a part of a list or of `any` that has no effect, since the other parts already decide."""
    if not _find_constant_parts(context, condition, here):
        yield from _find_redundant_parts(context.terms, condition, here, _build_given(context.terms, here))


def _find_redundant_parts(
    terms: PropositionBuilder, condition: Condition, here: DataPath, given: Formula
) -> Iterator[tuple[DataPath, str]]:
    parts = list(_list_parts(condition, here))
    for part, path in parts:
        inner = list(_find_redundant_parts(terms, part, path, given))
        yield from inner
        others = [terms.build_formula(other) for other, _ in parts if other is not part]
        formula = terms.build_formula(part)
        if inner or not others:
            continue
        operator = OPERATORS.find(condition)
        if isinstance(operator, AllOf) and not terms.may_hold(conjoin([given, *others, negate(formula)])):
            yield path, "this part has no effect: it holds wherever the other parts do"
        elif isinstance(operator, AnyOf) and not terms.may_hold(conjoin([given, formula, negate(disjoin(others))])):
            yield path, "this part has no effect: where it holds, another part does"


@warning("equal-bounds", "correct one of the bounds, or write `equals`")
def find_equal_bounds(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a lower and an upper bound of a quantity that are equal. One may be a copy that should have been changed."""
    bounds: dict[tuple[bytes, bytes], set[str]] = {}
    for bound, path in _list_parts(condition, here) if isinstance(OPERATORS.find(condition), AllOf) else ():
        if isinstance(OPERATORS.find(bound), NumberIs):
            comparison: Comparison = bound.operand
            operators = bounds.setdefault((comparison.of.identity, comparison.operand.identity), set())
            operators.add(comparison.operator)
            if operators >= {"at-least", "at-most"}:
                yield path, "the upper bound equals the lower bound, which leaves one number"


@error("never-holds", "write `any` for either of them")
def find_exclusive_decisions(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that requires two decisions of which a seat takes one. It never holds.

    Games with betting are not examined.
    """
    if not isinstance(OPERATORS.find(condition), AllOf) or context.game.betting is not None:
        return
    deciding = [act for act in context.game.acts.values() if "decide" in act.events]
    decisions: dict[tuple[str, ...], str] = {}
    for decided, path in _list_parts(condition, here):
        if not isinstance(OPERATORS.find(decided), HasDecided):
            continue
        steps = tuple(act.name for act in deciding if not act.decisions or decided.operand in act.decisions)
        other = decisions.setdefault(steps, decided.operand)
        if len(steps) == 1 and other != decided.operand:
            message = f"a seat decides once in {steps[0]}, so no seat takes both {other} and {decided.operand}"
            yield path, message


@warning("number-mismatch", "compare the number with `cards` of the deal")
def find_wrong_card_count(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that compares the cards of a place with another number than is dealt there."""
    if not isinstance(OPERATORS.find(condition), NumberIs):
        return
    comparison: Comparison = condition.operand
    place, bound, deal = comparison.of.operand, comparison.operand, context.game.deal
    dealt = deal.cards.get(place) if comparison.of.operator == "cards" else None
    if dealt is None or not isinstance(OPERATORS.find(bound), FixedNumber) or place in deal.held:
        return
    margins = {"more-than": 1, "at-least": 0, "at-most": 0, "less-than": -1}
    least = bound.operand + margins.get(comparison.operator, -bound.operand)
    if (comparison.operator == "differs-from" and bound.operand != dealt) or least > 2 * dealt:
        yield (*here, condition.operator), f"the {place} is dealt {dealt} cards, not {bound.operand}"


@error("unit-mismatch", "compare amounts with amounts, and write an amount of money as `$5` or `2.50`")
def find_mixed_units(context: GameContext, condition: Condition, here: DataPath) -> Mistakes:
    """Find a condition that compares an amount of money with a number of something else, or adds the two up.

    A whole number without a sign is no amount.
    """
    if not isinstance(OPERATORS.find(condition), NumberIs):
        return
    comparison: Comparison = condition.operand
    waiting = [[comparison.of, comparison.operand]]
    while waiting:
        compared = waiting.pop()
        units = {_measures_money(context, part) for part in compared if not _is_zero(part)}
        if len(units) > 1:
            yield (*here, condition.operator), "an amount of money is compared with a number of something else"
            return
        waiting += [
            list(OPERATORS.find(part).list_parts(part.operand))
            for part in compared
            if isinstance(OPERATORS.find(part), ItemwiseQuantity)
        ]


def _measures_money(context: GameContext, quantity: Quantity) -> bool:
    return OPERATORS.find(quantity).measures_money(context.terms.prepared, quantity.operand)


def _is_zero(quantity: Quantity) -> bool:
    return isinstance(OPERATORS.find(quantity), FixedNumber) and quantity.operand == 0


@error("cannot-fail", "require something that `when` does not already imply")
def find_cannot_fail(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a requirement that can never fail: what it requires already holds whenever it applies."""
    terms, applies = context.terms, _build_unsettled(context.terms, check)
    if applies is not None and not terms.may_hold(conjoin([applies, negate(terms.build_formula(check.must))])):
        message = "this holds whenever the requirement applies, so the requirement can never fail"
        yield (*here, "must"), message


@warning("cannot-pass", "if that is meant, write `must: {not: ...}` and leave the forbidden part out of `when`")
def find_cannot_pass(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a requirement that fails whenever it applies."""
    terms, applies = context.terms, _build_unsettled(context.terms, check)
    if applies is not None and not terms.may_hold(conjoin([applies, terms.build_formula(check.must)])):
        yield (*here, "must"), "this never holds when the requirement applies: every case of `when` fails"


def _build_unsettled(terms: PropositionBuilder, check: RoundCheck) -> Formula | None:
    """Build the formula of what a check applies to; None if a condition of its own never or always holds."""
    applies = terms.build_formula(check.when)
    return applies if terms.may_hold(applies) and not isinstance(terms.build_formula(check.must), bool) else None


_HAND_TEXTS = {"lower": "a lower hand", "equal": "an equal hand", "higher": "a higher hand"}
_OUTCOME_RANKS = {"lost": 0, "nothing": 0, "loses": 1, "returned": 2, "stays": 2}
_PAID_RANK = 3
_OUTCOME_TEXTS = ("is lost", "is lost in part", "is returned", "is paid")


@warning("reversed", "exchange the cases or their `due`, if higher hands should win")
def find_reversed_payout(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a stronger hand of the player that settlement pays less than a weaker one.

    Only the first case that compares two hands, and the cases after it, are considered.
    """
    for line in game.settlement.order:
        cases = [(index, case) for index, case in enumerate(game.settlement.cases) if line in case.lines]
        if any(case.due.operand == "open" for _, case in cases):
            continue
        for hands in dict.fromkeys(pair for _, case in cases for pair in _list_compared_hands(game, case)):
            outcomes = {
                comparison: list(_list_outcomes(context.terms, cases, hands, comparison)) for comparison in _HAND_TEXTS
            }
            for worse, better in (("lower", "higher"), ("lower", "equal"), ("equal", "higher")):
                if not outcomes[worse] or not outcomes[better]:
                    continue
                (least, _), (most, index) = min(outcomes[worse]), max(outcomes[better])
                if least > most:
                    yield (
                        ("settlement", "cases", index, "due"),
                        f"{line} {_OUTCOME_TEXTS[most]} here with {_HAND_TEXTS[better]} of the player, but "
                        f"{_OUTCOME_TEXTS[least]} elsewhere with {_HAND_TEXTS[worse]}",
                    )
                    break


def _list_compared_hands(game: Game, case: Case) -> Iterator[tuple[str, str]]:
    """Yield pairs of hands that a case compares: the player's first, then the dealer's."""
    for part in iterate_models(case):
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
        condition = terms.build_formula(case.when)
        started = started or hands in _list_compared_hands(terms.game, case)
        if started and terms.may_hold(conjoin([remaining, condition])):
            outcome = case.due.operand if case.due.operator == "outcome" else case.due.operator
            yield _OUTCOME_RANKS.get(outcome, _PAID_RANK), index
        remaining = conjoin([remaining, negate(condition)])


def iterate_stakes(terms: PropositionBuilder, line: str) -> Iterator[tuple[int, Case, Formula, Formula]]:
    """Yield the cases of a line, each with its index, the stakes that reach it and its own condition."""
    remaining = _build_stake_formula(terms, line)
    for index, case in enumerate(terms.game.settlement.cases):
        if line in case.lines:
            condition = terms.build_formula(case.when)
            yield index, case, remaining, condition
            remaining = conjoin([remaining, negate(condition)])


def _build_stake_formula(terms: PropositionBuilder, line: str) -> Formula:
    """Build the formula that a seat has a stake or a tip on a line."""
    bonus = terms.game.bonuses.get(line)
    wager = line if bonus is None else bonus.of
    staked = (Condition.model_validate({key: wager}) for key in ("placed", "tipped"))
    return disjoin([terms.build_formula(condition) for condition in staked])


@error(
    "unreachable",
    "cases are tried from the top, and the first that holds decides: put this one before the case that takes its "
    "stakes, or remove it",
)
def find_unreachable_case(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a case of settlement that no stake reaches: the cases before it take all stakes for which it holds."""
    for line in game.settlement.order:
        for index, case, remaining, condition in iterate_stakes(context.terms, line):
            if not context.terms.may_hold(conjoin([remaining, condition])):
                at = ("case",) if len(case.lines) == 1 else ("lines", case.lines.index(line))
                reason = _explain_unreached(context.terms, remaining, condition)
                message = f"no stake on {line} reaches the case {case.case}: {reason}"
                yield ("settlement", "cases", index, *at), message


def _explain_unreached(terms: PropositionBuilder, remaining: Formula, condition: Formula) -> str:
    if not terms.may_hold(remaining):
        return "the cases before it take all stakes"
    return (
        "its condition never holds"
        if not terms.may_hold(condition)
        else "the cases before it take all stakes for which it holds"
    )


@error("undecided")
def find_undecided_stake(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a line with stakes on which no case of settlement decides what is due."""
    for nth, line in enumerate(game.settlement.order):
        staked = remaining = _build_stake_formula(context.terms, line)
        for _, _, reaching, condition in iterate_stakes(context.terms, line):
            remaining = conjoin([reaching, negate(condition)])
        example = context.terms.find_example(remaining, staked)
        if example is not None:
            yield (
                ("settlement", "order", nth),
                f"no case decides what is due on a stake on {line}{example.describe()}",
                f"add a case for it, or end the cases of {line} with a case without `when`",
            )


@warning("redundant", "remove it, or put the case before those that take its stakes")
def find_redundant_alternative(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find an alternative of a case that adds no stakes to the case."""
    reaching: dict[int, list[Formula]] = {}
    for line in game.settlement.order:
        for index, _, remaining, _ in iterate_stakes(context.terms, line):
            reaching.setdefault(index, []).append(remaining)
    for index, formulas in reaching.items():
        when = game.settlement.cases[index].when
        if when is None or not isinstance(OPERATORS.find(when), AnyOf):
            continue
        parts = list(_list_parts(when, ("settlement", "cases", index, "when")))
        for alternative, path in parts:
            others = disjoin([context.terms.build_formula(other) for other, _ in parts if other is not alternative])
            added = conjoin([disjoin(formulas), context.terms.build_formula(alternative), negate(others)])
            if not context.terms.may_hold(added):
                yield (
                    path,
                    "this part adds no stakes to the case: earlier cases take them, or another part includes them",
                )
