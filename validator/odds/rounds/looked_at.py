"""Hands that decide the settlement of some lines, and the strengths that settlement distinguishes.

The interpreter settles a deal with unknown cards. A case that certainly does not hold is skipped, and cases after one
that certainly holds are never reached. The remaining conditions depend on the cards; their hands decide the settlement.
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
    """Hands on which settlement or a condition depends."""

    ends: dict[str, set[int]] = field(default_factory=dict)
    """Bounds of the distinguished strengths of each hand."""
    compared: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of hands that are compared with each other."""
    lengths: set[str] = field(default_factory=set)
    """Hands whose number of cards matters."""

    @property
    def hands(self) -> list[str]:
        """Return the name of every hand."""
        return sorted(self.ends)

    def tell_apart(self, hand: str, *ends: int) -> None:
        """Record that hands on both sides of some strengths are distinguished."""
        self.ends.setdefault(hand, set()).update(ends)


def looked_at(scope: Scope, lines: Iterable[str], hands: Looks) -> None:
    """Record the hands that decide what some lines are due, in a round with unknown cards.

    Args:
        scope: the round.
        lines: the lines.
        hands: receives the hands.
    """
    for line in lines:
        for case in scope.prepared.game.settlement.cases:
            if line not in case.lines:
                continue
            holds = YES if case.when is None else int(scope.truth(case.when, "seat")[0])
            if holds == NO:
                continue
            if case.when is not None:
                asked_of_hands(scope, case.when, hands)
            _record_pay_table_hands(scope.prepared, case, hands)
            if holds == YES:
                break


def asked_of_hands(scope: Scope, part: BaseModel, hands: Looks) -> None:
    """Record the hands on which a part of a rule depends."""
    if isinstance(part, Condition):
        answers = scope.truth(part, scope.prepared.grain(part))
        if len(answers) and (answers != UNKNOWN).all():
            return
    match part:
        case Holds():
            hands.tell_apart(part.hand, *scope.prepared.hands[part.hand].ranking.span(part.operand))
        case Compare():
            hands.tell_apart(part.hand)
            hands.tell_apart(part.to)
            hands.compared.add((part.hand, part.to))
        case Listed():
            _record_rows(scope.prepared, part.pay_table, part.hand, hands)
        case Condition() | Quantity():
            for name in part.meaning.facts(part.operand):
                asked_of_hands(scope, scope.prepared.game.facts[name], hands)
            if part.operator == "length":
                _record_length(part.operand, hands)
        case _:
            pass
    for inner in _list_models(part):
        asked_of_hands(scope, inner, hands)


def _list_models(part: BaseModel) -> Iterator[BaseModel]:
    waiting = [value for _, value in given(part)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, BaseModel):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()


def _record_pay_table_hands(prepared: Prepared, case: Case, hands: Looks) -> None:
    """Record the hands that select the payment of a case."""
    if case.due.operator != "pay-table":
        return
    due = case.due.operand
    name = due.hand or prepared.printed[due.of][0].table.looks_at[0]
    scale = prepared.game.scales.get(name)
    if scale is None:
        _record_rows(prepared, due.of, name, hands)
        return
    waiting: list[BaseModel] = [scale.of]
    while waiting:
        model = waiting.pop()
        if isinstance(model, Quantity) and model.operator == "length":
            _record_length(model.operand, hands)
        waiting += _list_models(model)


def _record_length(hand: str, hands: Looks) -> None:
    hands.tell_apart(hand)
    hands.lengths.add(hand)


def _record_rows(prepared: Prepared, line: str, hand: str, hands: Looks) -> None:
    """Record the strengths at which rows of the tables of a line change, and categories that the tables may lack."""
    names = {row for printed in prepared.printed.get(line, ()) for row in printed.rows}
    names |= {row.category for row in prepared.unlisted}
    hands.tell_apart(hand)
    for span in spans_of(prepared.hands[hand].ranking, sorted(names)).values():
        hands.tell_apart(hand, *span)


def of_categories(ranking: HandOrder, ends: set[int]) -> bool:
    """Return whether only categories of a ranking are distinguished."""
    spans = [ranking.span(category) for category in ranking.categories]
    return ends <= {end for span in spans for end in span}
