"""Which hands the settlement of some lines looks at, and what of them it tells apart.

The interpreter itself is asked, with a deal of which no card is known: a case that certainly does not hold is left out,
and what comes after one that certainly holds is never reached. What is left is unknown because of cards, and the hands
are those that stand in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from pydantic import BaseModel

from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.game import Prepared
from validator.engine.compiled.ladders import spans_of
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.conditions import Condition, Quantity
from validator.language.operands import Listed
from validator.operators.hands import Compare, Holds
from validator.rules.model.settlement import Case
from validator.text.models.model import given


class Looks(Struct, frozen=True, kw_only=True):
    """What is asked of hands, by name: at which strengths something begins or ends (`ends`), which are held against
    each other (`compared`), and of which the number of cards counts (`lengths`)."""

    ends: dict[str, set[int]] = field(default_factory=dict)
    compared: set[tuple[str, str]] = field(default_factory=set)
    lengths: set[str] = field(default_factory=set)

    @property
    def hands(self) -> list[str]:
        """Every hand, by name."""
        return sorted(self.ends)

    def tell_apart(self, hand: str, *ends: int) -> None:
        """Put down that hands on both sides of some strengths are told apart."""
        self.ends.setdefault(hand, set()).update(ends)


def looked_at(scope: Scope, lines: Iterable[str], found: Looks) -> None:
    """Put down the hands that decide what some lines are due in a round of which no card is known."""
    for line in lines:
        for case in scope.prepared.game.settlement.cases:
            if line not in case.lines:
                continue
            holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
            if holds == NO:
                continue
            if case.when is not None:
                asked_of_hands(scope, case.when, found)
            _paid_by(scope.prepared, case, found)
            if holds == YES:
                break


def asked_of_hands(scope: Scope, part: BaseModel, found: Looks) -> None:
    """Put down the hands that a part of a rule asks about, as far as its answer hangs on them."""
    if isinstance(part, Condition):
        answers = scope.truth(part, scope.prepared.grain(part))
        if len(answers) and (answers != UNKNOWN).all():
            return
    match part:
        case Holds():
            found.tell_apart(part.hand, *scope.prepared.hands[part.hand].ranking.span(part.operand))
        case Compare():
            found.tell_apart(part.hand)
            found.tell_apart(part.to)
            found.compared.add((part.hand, part.to))
        case Listed():
            _rows(scope.prepared, part.pay_table, part.hand, found)
        case Condition() | Quantity():
            for name in part.meaning.facts(part.operand):
                asked_of_hands(scope, scope.prepared.game.facts[name], found)
            if part.operator == "length":
                _by_length(part.operand, found)
        case _:
            pass
    for inner in _models_in(part):
        asked_of_hands(scope, inner, found)


def _models_in(part: BaseModel) -> Iterator[BaseModel]:
    waiting = [value for _, value in given(part)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, BaseModel):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()


def _paid_by(prepared: Prepared, case: Case, found: Looks) -> None:
    """The hands by which a case pays."""
    if case.due.operator != "pay-table":
        return
    due = case.due.operand
    name = due.hand or prepared.printed[due.of][0].table.looks_at[0]
    scale = prepared.game.scales.get(name)
    if scale is None:
        _rows(prepared, due.of, name, found)
        return
    waiting: list[BaseModel] = [scale.of]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Quantity) and one.operator == "length":
            _by_length(one.operand, found)
        waiting += _models_in(one)


def _by_length(hand: str, found: Looks) -> None:
    found.tell_apart(hand)
    found.lengths.add(hand)


def _rows(prepared: Prepared, line: str, hand: str, found: Looks) -> None:
    """The rows of the tables of a line, and the categories that those may lack."""
    names = {row for printed in prepared.printed.get(line, ()) for row in printed.rows}
    names |= {row.category for row in prepared.unlisted}
    found.tell_apart(hand)
    for span in spans_of(prepared.hands[hand].ranking, sorted(names)).values():
        found.tell_apart(hand, *span)


def of_categories(ranking: HandOrder, ends: set[int]) -> bool:
    """Whether nothing but categories of a ranking is told apart."""
    spans = [ranking.span(category) for category in ranking.categories]
    return ends <= {end for span in spans for end in span}
