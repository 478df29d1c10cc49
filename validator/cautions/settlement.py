"""Cases of settlement that no stake ever comes to, and stakes that come to no case.

It is told from what the cases ask, for all hands at once: of a hand matters how strong it is and how it stands to
others, and every stretch of strengths that some case tells from another is tried.
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
    """Every line is gone through case by case, as stakes are."""
    game = terms.game
    come: dict[int, list[Formula]] = {}  # what comes to each case, line by line
    for line in game.settlement.order:
        yield from turned_round(terms, line)
        staked = _staked(terms, line)
        left = staked
        for index, case in enumerate(game.settlement.cases):
            if line not in case.lines:
                continue
            asked = True if case.when is None else terms.formula(case.when)
            here = ("settlement", "cases", index)
            come.setdefault(index, []).append(left)
            if not terms.may_hold(every([left, asked])):
                yield Caution(
                    code="never-reached",
                    at=(*here, "case") if len(case.lines) == 1 else (*here, "lines", case.lines.index(line)),
                    message=f"no stake on {line} comes to the case {case.case}: {_why(terms, left, asked)}",
                    help="cases are gone through from the top, and the first that holds decides: put it before the "
                    "case that takes its stakes, or take it away",
                )
            left = every([left, denied(asked)])
        undecided = terms.example(left, staked)
        if undecided is not None:
            yield Caution(
                code="undecided",
                at=("settlement", "order", game.settlement.order.index(line)),
                message=f"no case decides what a stake on {line} is due{undecided.told()}",
                help=f"add a case for it, or end the cases of {line} with one that has no `when`",
            )
    yield from _idle(terms, come)


def _idle(terms: Terms, come: Mapping[int, Sequence[Formula]]) -> Iterator[Caution]:
    """Of what a case is for by any of several conditions, each brings stakes that the others do not."""
    for index, left in come.items():
        case = terms.game.settlement.cases[index]
        if case.when is None or not isinstance(case.when.meaning, AnyOf):
            continue
        parts = case.when.meaning.parts(case.when.operand)
        for nth, part in enumerate(parts):
            others = some([terms.formula(one) for one in parts if one is not part])
            asked = every([some(left), terms.formula(part), denied(others)])
            if not terms.may_hold(asked):
                yield Caution(
                    code="says-nothing",
                    at=("settlement", "cases", index, "when", case.when.operator, nth),
                    severity="warning",
                    message="this part brings nothing to the case: cases before it take those stakes, or another part "
                    "brings them",
                    help="take it away, or put the case before those that take its stakes",
                )


def _staked(terms: Terms, line: str) -> Formula:
    """That a seat has something on a line."""
    bonus = terms.game.bonuses.get(line)
    base = line if bonus is None else bonus.reckoned_on
    staked = (Condition.model_validate({key: base}) for key in ("placed", "tipped"))
    return some([terms.formula(one) for one in staked])


def _why(terms: Terms, left: Formula, asked: Formula) -> str:
    if not terms.may_hold(left):
        return "the cases before it take them all"
    return "what it asks for never holds" if not terms.may_hold(asked) else "the cases before it take those it is for"
