"""What is asked of payments, in sentences: cases of settlement, pay tables, limits, pots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from validator.audit.rule_text.sentences import Sentence, conditions, named, where, within
from validator.engine.compiled.game import Prepared
from validator.language.conditions import NOTHING
from validator.language.wording import demanded, quantity_in_words
from validator.rules.core.titles import title_of
from validator.rules.model.pay_tables import PayTable
from validator.rules.model.requirement import AwardedCheck, CappedCheck, SettledCheck
from validator.rules.model.settlement import Case

_OUTCOMES = {
    "lost": "lost, the stake is taken",
    "returned": "returned, nothing is paid and nothing taken",
    "nothing": "nothing is paid",
    "open": "what is paid is left to the house",
}
_MATCH = {
    "exactly": "by the pay table in use, which must be a printed one",
    "at-least": "at least by the printed pay table, and as posted where more is posted",
    "at-least-posted": "at least by the pay table in use",
    "at-least-printed": "at least by the printed pay table",
}
_AWARDED = {
    "shares": "Every pot goes in even shares to the best hands among those who may win it",
    "uncalled": "What nobody matched goes back to its owner",
    "refunds": "All that each seat put in goes back to it",
}


def _settled(prepared: Prepared, check: SettledCheck) -> Iterator[Sentence]:
    yield Sentence("What was paid and taken is what is due:")
    for case in prepared.game.settlement.cases:
        if case.case in check.cases:
            yield from within(_case(prepared, case, decided_before(prepared, case)))


def decided_before(prepared: Prepared, case: Case) -> list[Case]:
    """The cases of settlement that are asked before one, of the same lines, and may arise as the text is read."""
    cases = prepared.game.settlement.cases
    return [
        one
        for one in cases[: cases.index(case)]
        if {*one.lines} & {*case.lines} and (one.when is None or demanded(prepared, one.when) != NOTHING)
    ]


def _case(prepared: Prepared, case: Case, earlier: list[Case]) -> Iterator[Sentence]:
    """A case of settlement; `earlier` are those that are asked before it."""
    lines = named([title_of(prepared.game, line) for line in case.lines])
    yield Sentence(f"{lines}: {_due(case)} (case {case.case}, {', '.join(case.clauses)})")
    if case.when is not None and demanded(prepared, case.when) == NOTHING:
        yield Sentence("does not arise, as the text is read", 1)
    elif case.when is not None:
        yield from within(conditions(prepared, "where", case.when))
    if earlier:
        yield Sentence("where none of these cases decides it first:", 1)
        for one in earlier:
            when = "whatever happens" if one.when is None else demanded(prepared, one.when)
            yield Sentence(f"{one.case}: {when}", 2)
    if case.due.operator == "pay-table":
        for name, table in prepared.game.pay_tables.items():
            if table.for_ == case.due.operand.of:
                yield Sentence(f"pay table {name}: {rows_in_words(table)}", 1)


def _due(case: Case) -> str:
    match case.due.operator:
        case "outcome":
            return _OUTCOMES[case.due.operand]
        case "odds":
            return f"paid {case.due.operand}"
        case _:
            return _MATCH[case.due.operand.match]


def rows_in_words(table: PayTable) -> str:
    """The rows of a pay table, as printed: `pair 1 to 1, flush 3 to 1`."""
    return ", ".join(f"{row.replace('-', ' ')} {payout}" for row, payout in table.rows.items())


def _capped(prepared: Prepared, check: CappedCheck) -> Iterator[Sentence]:
    cap = next(one for one in prepared.game.settlement.caps if one.cap == check.cap)
    lines = named([title_of(prepared.game, line) for line in cap.lines])
    most = quantity_in_words(prepared, cap.at_most, money=True)
    yield Sentence(
        f"{lines}: where more would be due for each {cap.per} together than {most}, exactly that much is paid; "
        "where less is due, what is due."
    )
    yield from where(prepared, cap.when)


def _awarded(prepared: Prepared, check: AwardedCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_AWARDED[check.asks]}.")
    pots = prepared.pots
    if check.asks == "shares":
        for share in pots.shares:
            least = f", {share.at_least.replace('-', ' ')} or better" if share.at_least else ""
            yield Sentence(f"A share is won by {prepared.game.hands[share.hand].title}{least}.")
    for part in pots.parts:
        lines = named([title_of(prepared.game, line) for line in part.lines])
        speaks = "" if part.when is None else f", where {demanded(prepared, part.when)}"
        yield Sentence(f"{lines} join the pots {_JOINS[part.joins]}{speaks}", 1)
    yield from where(prepared, check.when)


_JOINS = {
    "matched": "layer by layer, as far as others matched them",
    "capped": "layer by layer, by themselves",
    "whole": "whole, in the main pot",
}

MONEY: Mapping[str, Callable[[Prepared, Any], Iterator[Sentence]]] = {
    "settled": _settled,
    "capped": _capped,
    "awarded": _awarded,
}
"""What a check on payments asks, by its operator."""
