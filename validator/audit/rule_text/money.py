"""Sentences about checks of payments: settlement cases, pay tables, limits, pots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from validator.audit.rule_text.sentences import Sentence, where, within
from validator.engine.compiled.game import Prepared
from validator.engine.compiled.ladders import spans_of
from validator.language.conditions import ANYTHING, NOTHING
from validator.language.wording import demanded, named, quantity_in_words, spaced
from validator.rules.core.titles import title_of
from validator.rules.model.pay_tables import PayTable
from validator.rules.model.requirement import AwardedCheck, CappedCheck, SettledCheck
from validator.rules.model.settlement import Case
from validator.text.values.money import format_money

_OUTCOMES = {
    "lost": "lost, the stake is taken",
    "returned": "returned, nothing is paid and nothing taken",
    "nothing": "nothing is paid",
    "open": "the house chooses the amount",
}
_PAY_TABLE_MATCH = {
    "exactly": "by the pay table in use, which must be a printed one",
    "at-least": "at least by the printed pay table, and as posted where more is posted",
    "at-least-posted": "at least by the pay table in use",
    "at-least-printed": "at least by the printed pay table",
}
_AWARDED = {
    "shares": "Every pot goes in even shares to the best hands among those who may win it",
    "uncalled": "An uncalled bet is returned to its owner",
    "refunds": "Everything that each seat put in is returned to it",
}


def _describe_settled(prepared: Prepared, check: SettledCheck) -> Iterator[Sentence]:
    cases = cases_asked(prepared, check)
    yield Sentence("The amounts paid and taken are the amounts due:")
    for case in cases:
        yield from within(_describe_case(prepared, case, decided_before(prepared, case)))
    for table in tables_of(prepared, cases):
        yield from within(_describe_table(prepared, table))


def cases_asked(prepared: Prepared, check: SettledCheck) -> list[Case]:
    """Return the cases of a check that may arise under the readings in use."""
    return [
        candidate
        for candidate in prepared.game.settlement.cases
        if candidate.case in check.cases and may_arise(prepared, candidate)
    ]


def may_arise(prepared: Prepared, case: Case) -> bool:
    """Return whether a case can hold under the readings in use, and no earlier case takes all of its lines."""
    cases, when = prepared.game.settlement.cases, _condition_text(prepared, case)
    before = [
        earlier for earlier in cases[: cases.index(case)] if _condition_text(prepared, earlier) in (when, ANYTHING)
    ]
    return when != NOTHING and not {*case.lines} <= {line for earlier in before for line in earlier.lines}


def _condition_text(prepared: Prepared, case: Case) -> str:
    return ANYTHING if case.when is None else demanded(prepared, case.when)


def decided_before(prepared: Prepared, case: Case) -> list[Case]:
    """Return the earlier cases of settlement for the same lines that may arise under the readings in use."""
    cases = prepared.game.settlement.cases
    before = cases[: cases.index(case)]
    return [earlier for earlier in before if {*earlier.lines} & {*case.lines} and may_arise(prepared, earlier)]


def tables_of(prepared: Prepared, cases: Sequence[Case]) -> list[PayTable]:
    """Return the pay tables of cases."""
    lines = {case.due.operand.of for case in cases if case.due.operator == "pay-table"}
    return [table for table in prepared.game.pay_tables.values() if table.for_ in lines]


def _describe_case(prepared: Prepared, case: Case, earlier: list[Case]) -> Iterator[Sentence]:
    """Describe a case of settlement; `earlier` are the cases that take precedence."""
    lines = named([title_of(prepared.game, line) for line in case.lines])
    yield Sentence(f"{lines}: {_describe_due(case)} (case “{spaced(case.case)}”, {', '.join(case.clauses)})")
    yield from within(where(prepared, case.when, "where"))
    if earlier:
        yield Sentence("unless one of these cases applies first:", 1)
        for earlier_case in earlier:
            when = "always" if earlier_case.when is None else demanded(prepared, earlier_case.when)
            yield Sentence(f"“{spaced(earlier_case.case)}”: {when}", 2)


def _describe_table(prepared: Prepared, table: PayTable) -> Iterator[Sentence]:
    """Describe a pay table: the hand or number looked up, its rows, and results without a row."""
    game, reads = prepared.game, prepared.regulation.applies
    name = next(name for name, candidate in game.pay_tables.items() if candidate is table)
    ladders = [] if table.by else [prepared.hands[hand].ranking for hand in table.looks_at]
    on = game.scales[table.by].title if table.by else named([game.hands[hand].title for hand in table.looks_at], "or")
    yield Sentence(f"pay table {name} ({on}): {rows_in_words(table)}")
    for unlisted in prepared.unlisted:
        known = any(spans_of(ladder, [unlisted.category]) for ladder in ladders)
        if known and unlisted.category not in table.rows and (unlisted.pays or unlisted.pays_as in table.rows):
            paid, read = (
                unlisted.pays or f"as {spaced(str(unlisted.pays_as))}",
                ", under the readings in use" if unlisted.reading else "",
            )
            yield Sentence(f"{spaced(unlisted.category)}: {paid}{read}", 1)
    for share in table.shared:
        if share.reading is None or reads(share.reading.name, share.reading.is_):
            among = demanded(prepared, share.among)
            yield Sentence(f"{spaced(share.row)}: shared equally among the seats for which this holds: {among}", 1)
    lowest = min((start for ladder in ladders for start, _ in spans_of(ladder, table.rows).values()), default=0)
    if lowest > 0:
        lost = "nothing is paid" if table.for_ in game.bonuses else "the wager is lost"
        yield Sentence(f"a result without a row: {lost}", 1)


def _describe_due(case: Case) -> str:
    match case.due.operator:
        case "outcome":
            return _OUTCOMES[case.due.operand]
        case "odds":
            return f"paid {case.due.operand}"
        case _:
            return _PAY_TABLE_MATCH[case.due.operand.match]


def rows_in_words(table: PayTable) -> str:
    """Describe the rows of a pay table as printed: `pair 1 to 1, flush 3 to 1`."""
    base = "" if table.wager is None else f", for a wager of {format_money(table.wager)} and in proportion for others"
    return ", ".join(f"{spaced(row)} {payout}" for row, payout in table.rows.items()) + base


def _describe_capped(prepared: Prepared, check: CappedCheck) -> Iterator[Sentence]:
    cap = next(limit for limit in prepared.game.settlement.caps if limit.cap == check.cap)
    lines = named([title_of(prepared.game, line) for line in cap.lines])
    most = quantity_in_words(prepared, cap.at_most, money=True)
    yield Sentence(f"{lines}: the total paid for each {cap.per} is the total due, but at most {most}.")
    yield from where(prepared, cap.when)


def _describe_awarded(prepared: Prepared, check: AwardedCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_AWARDED[check.asks]}.")
    pots = prepared.pots
    if check.asks == "shares":
        for share in pots.shares:
            least = f", {share.at_least.replace('-', ' ')} or better" if share.at_least else ""
            yield Sentence(f"A share is won by {prepared.game.hands[share.hand].title}{least}.")
    for part in pots.parts:
        lines = named([title_of(prepared.game, line) for line in part.lines])
        condition = ANYTHING if part.when is None else demanded(prepared, part.when)
        if condition != NOTHING:
            restriction = "" if condition == ANYTHING else f", where {condition}"
            join = "joins" if len(part.lines) == 1 else "join"
            yield Sentence(f"{lines} {join} the pots {_JOINS[part.joins]}{restriction}", 1)
    yield from where(prepared, check.when)


_JOINS = {
    "matched": "layer by layer, up to the amounts that others matched",
    "capped": "layer by layer, on their own",
    "whole": "whole, in the main pot",
}

MONEY: Mapping[str, Callable[[Prepared, Any], Iterator[Sentence]]] = {
    "settled": _describe_settled,
    "capped": _describe_capped,
    "awarded": _describe_awarded,
}
"""Functions that describe a check of payments, by operator."""
