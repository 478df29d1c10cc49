"""What is asked of payments, in sentences: cases of settlement, pay tables, limits, pots."""

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
    asked = cases_asked(prepared, check)
    yield Sentence("What was paid and taken is what is due:")
    for case in asked:
        yield from within(_case(prepared, case, decided_before(prepared, case)))
    for table in tables_of(prepared, asked):
        yield from within(_table(prepared, table))


def cases_asked(prepared: Prepared, check: SettledCheck) -> list[Case]:
    """The cases that are asked, of those that may arise as the text is read."""
    return [one for one in prepared.game.settlement.cases if one.case in check.cases and may_arise(prepared, one)]


def may_arise(prepared: Prepared, case: Case) -> bool:
    """Whether a case may arise as the text is read: not where it never holds, nor where one before it
    takes the same."""
    cases, when = prepared.game.settlement.cases, _when(prepared, case)
    before = [one for one in cases[: cases.index(case)] if _when(prepared, one) in (when, ANYTHING)]
    return when != NOTHING and not {*case.lines} <= {line for one in before for line in one.lines}


def _when(prepared: Prepared, case: Case) -> str:
    return ANYTHING if case.when is None else demanded(prepared, case.when)


def decided_before(prepared: Prepared, case: Case) -> list[Case]:
    """The cases of settlement that are asked before one, of the same lines, and may arise as the text is read."""
    cases = prepared.game.settlement.cases
    before = cases[: cases.index(case)]
    return [one for one in before if {*one.lines} & {*case.lines} and may_arise(prepared, one)]


def tables_of(prepared: Prepared, cases: Sequence[Case]) -> list[PayTable]:
    """The pay tables by which cases pay."""
    lines = {case.due.operand.of for case in cases if case.due.operator == "pay-table"}
    return [table for table in prepared.game.pay_tables.values() if table.for_ in lines]


def _case(prepared: Prepared, case: Case, earlier: list[Case]) -> Iterator[Sentence]:
    """A case of settlement; `earlier` are those that are asked before it."""
    lines = named([title_of(prepared.game, line) for line in case.lines])
    yield Sentence(f"{lines}: {_due(case)} (case “{spaced(case.case)}”, {', '.join(case.clauses)})")
    yield from within(where(prepared, case.when, "where"))
    if earlier:
        yield Sentence("where none of these cases decides it first:", 1)
        for one in earlier:
            when = "whatever happens" if one.when is None else demanded(prepared, one.when)
            yield Sentence(f"“{spaced(one.case)}”: {when}", 2)


def _table(prepared: Prepared, table: PayTable) -> Iterator[Sentence]:
    """A pay table: what is looked up in it, its rows, and what having none comes to."""
    game, reads = prepared.game, prepared.regulation.applies
    name = next(name for name, one in game.pay_tables.items() if one is table)
    ladders = [] if table.by else [prepared.hands[one].ranking for one in table.looks_at]
    on = game.scales[table.by].title if table.by else named([game.hands[one].title for one in table.looks_at], "or")
    yield Sentence(f"pay table {name} ({on}): {rows_in_words(table)}")
    for one in prepared.unlisted:
        known = any(spans_of(ladder, [one.category]) for ladder in ladders)
        if known and one.category not in table.rows and (one.pays or one.pays_as in table.rows):
            paid, read = one.pays or f"as {spaced(str(one.pays_as))}", ", as the text is read" if one.reading else ""
            yield Sentence(f"{spaced(one.category)}: {paid}{read}", 1)
    for share in table.shared:
        if share.reading is None or reads(share.reading.name, share.reading.is_):
            among = demanded(prepared, share.among)
            yield Sentence(f"{spaced(share.row)}: shared alike among the seats of which this holds: {among}", 1)
    lowest = min((start for ladder in ladders for start, _ in spans_of(ladder, table.rows).values()), default=0)
    if lowest > 0:
        lost = "nothing is paid" if table.for_ in game.bonuses else "the wager is lost"
        yield Sentence(f"what has no row: {lost}", 1)


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
    base = "" if table.wager is None else f", for a wager of {format_money(table.wager)} and in proportion for others"
    return ", ".join(f"{spaced(row)} {payout}" for row, payout in table.rows.items()) + base


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
        told = ANYTHING if part.when is None else demanded(prepared, part.when)
        if told != NOTHING:
            speaks = "" if told == ANYTHING else f", where {told}"
            join = "joins" if len(part.lines) == 1 else "join"
            yield Sentence(f"{lines} {join} the pots {_JOINS[part.joins]}{speaks}", 1)
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
