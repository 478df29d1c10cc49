"""Warnings about cases of settlement that no stake reaches, and stakes that reach no case.

The checks build formulas from the conditions of the cases and try all hands at once. Only the strength of a hand and
its comparison with other hands matter, so the checks try every range of strengths that some case distinguishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validator.cautions.caution import Caution
from validator.cautions.turned_round import turned_round
from validator.language.conditions import Condition
from validator.operators.logic import AnyOf
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every, some


def settlement_cautions(terms: Terms) -> Iterator[Caution]:
    """Yield warnings about the settlement of every line, case by case in the order in which stakes reach them."""
    game = terms.game
    reaching: dict[int, list[Formula]] = {}  # the stakes that reach each case, line by line
    for line in game.settlement.order:
        yield from turned_round(terms, line)
        staked = _build_stake_formula(terms, line)
        remaining = staked
        for index, case in enumerate(game.settlement.cases):
            if line not in case.lines:
                continue
            condition = True if case.when is None else terms.formula(case.when)
            here = ("settlement", "cases", index)
            reaching.setdefault(index, []).append(remaining)
            if not terms.may_hold(every([remaining, condition])):
                yield Caution(
                    code="unreachable",
                    at=(*here, "case") if len(case.lines) == 1 else (*here, "lines", case.lines.index(line)),
                    message=f"no stake on {line} reaches the case {case.case}: "
                    f"{_explain_unreached(terms, remaining, condition)}",
                    help="cases are tried from the top, and the first that holds decides: put this one before the "
                    "case that takes its stakes, or remove it",
                )
            remaining = every([remaining, denied(condition)])
        example = terms.example(remaining, staked)
        if example is not None:
            yield Caution(
                code="undecided",
                at=("settlement", "order", game.settlement.order.index(line)),
                message=f"no case decides what is due on a stake on {line}{example.told()}",
                help=f"add a case for it, or end the cases of {line} with a case without `when`",
            )
    yield from _find_redundant_parts(terms, reaching)


def _find_redundant_parts(terms: Terms, reaching: Mapping[int, Sequence[Formula]]) -> Iterator[Caution]:
    """Yield warnings about alternatives of a case that add no stakes to it."""
    for index, formulas in reaching.items():
        case = terms.game.settlement.cases[index]
        if case.when is None or not isinstance(case.when.meaning, AnyOf):
            continue
        parts = case.when.meaning.parts(case.when.operand)
        for nth, part in enumerate(parts):
            others = some([terms.formula(other) for other in parts if other is not part])
            contribution = every([some(formulas), terms.formula(part), denied(others)])
            if not terms.may_hold(contribution):
                yield Caution(
                    code="redundant",
                    at=("settlement", "cases", index, "when", case.when.operator, nth),
                    severity="warning",
                    message="this part adds no stakes to the case: earlier cases take them, or another part includes "
                    "them",
                    help="remove it, or put the case before those that take its stakes",
                )


def _build_stake_formula(terms: Terms, line: str) -> Formula:
    """Build the formula that a seat has a stake or a tip on a line."""
    bonus = terms.game.bonuses.get(line)
    wager = line if bonus is None else bonus.reckoned_on
    staked = (Condition.model_validate({key: wager}) for key in ("placed", "tipped"))
    return some([terms.formula(condition) for condition in staked])


def _explain_unreached(terms: Terms, remaining: Formula, condition: Formula) -> str:
    if not terms.may_hold(remaining):
        return "the cases before it take all stakes"
    return (
        "its condition never holds"
        if not terms.may_hold(condition)
        else "the cases before it take all stakes for which it holds"
    )
