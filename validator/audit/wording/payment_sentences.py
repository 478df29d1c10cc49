"""Sentences about checks of payments: cases of settlement, pay tables, limits and pots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairdeal.validator.audit.wording.sentences import Sentence, indent, list_restriction
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.house_terms import find_spans
from fairdeal.validator.language.phrases import join_names, replace_hyphens
from fairdeal.validator.operators.rule_renderer import describe_condition, describe_quantity, read_condition
from fairdeal.validator.rules.payment_model import BankShare, Case, Commission, PayTable
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.rules.requirement_model import AwardedCheck, CappedCheck, SettledCheck
from fairdeal.validator.text.plain_values import format_money

_OUTCOMES = {
    "lost": "lost, the stake is taken",
    "returned": "returned, nothing is paid and nothing taken",
    "stays": "not decided, the stake stays on the table",
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


def _describe_settled(prepared: CompiledGame, check: SettledCheck) -> Iterator[Sentence]:
    cases = list_checked_cases(prepared, check)
    yield Sentence("The amounts paid and taken are the amounts due:")
    for case in cases:
        yield from indent(_describe_case(prepared, case, list_earlier_cases(prepared, case)))
    for table in list_pay_tables(prepared, cases):
        yield from indent(_describe_table(prepared, table))


def list_checked_cases(prepared: CompiledGame, check: SettledCheck) -> list[Case]:
    """Return the cases of a check that may arise under the readings in use."""
    return [
        candidate
        for candidate in prepared.game.settlement.cases
        if candidate.case in check.cases and may_arise(prepared, candidate)
    ]


def may_arise(prepared: CompiledGame, case: Case) -> bool:
    """Return whether a case can hold under the readings in use, and no earlier case takes all of its lines."""
    cases, when = prepared.game.settlement.cases, read_condition(prepared, case.when)
    before = [
        earlier for earlier in cases[: cases.index(case)] if read_condition(prepared, earlier.when) in (when, True)
    ]
    return when is not False and not {*case.lines} <= {line for earlier in before for line in earlier.lines}


def list_earlier_cases(prepared: CompiledGame, case: Case) -> list[Case]:
    """Return the earlier cases of settlement for the same lines that may arise under the readings in use."""
    cases = prepared.game.settlement.cases
    before = cases[: cases.index(case)]
    return [earlier for earlier in before if {*earlier.lines} & {*case.lines} and may_arise(prepared, earlier)]


def list_pay_tables(prepared: CompiledGame, cases: Sequence[Case]) -> list[PayTable]:
    """Return the pay tables of cases."""
    lines = {case.due.operand.of for case in cases if case.due.operator == "pay-table"}
    return [table for table in prepared.game.pay_tables.values() if table.of in lines]


def _describe_case(prepared: CompiledGame, case: Case, earlier: list[Case]) -> Iterator[Sentence]:
    """Describe a case of settlement; `earlier` are the cases that take precedence."""
    lines = join_names([line_title(prepared.game, line) for line in case.lines])
    due, clauses = _describe_due(prepared, case), ", ".join(case.clauses)
    yield Sentence(f"{lines}: {due} (case “{replace_hyphens(case.case)}”, {clauses})")
    yield from indent(list_restriction(prepared, case.when, "where"))
    if earlier:
        yield Sentence("unless one of these cases applies first:", 1)
        for earlier_case in earlier:
            when = "always" if earlier_case.when is None else describe_condition(prepared, earlier_case.when)
            yield Sentence(f"“{replace_hyphens(earlier_case.case)}”: {when}", 2)


def _describe_table(prepared: CompiledGame, table: PayTable) -> Iterator[Sentence]:
    """Describe a pay table: the hand or number looked up, its rows, and results without a row."""
    game, reads = prepared.game, prepared.regulation.is_option_in_force
    name = next(name for name, candidate in game.pay_tables.items() if candidate is table)
    ladders = [] if table.by else [prepared.hands[hand].ranking for hand in table.lookup_names]
    on = (
        game.scales[table.by].title
        if table.by
        else join_names([game.hands[hand].title for hand in table.lookup_names], "or")
    )
    yield Sentence(f"pay table {name} ({on}): {describe_rows(table)}")
    for unlisted in prepared.unlisted_rows:
        known = any(find_spans(ladder, [unlisted.category]) for ladder in ladders)
        if known and unlisted.category not in table.rows and (unlisted.pays or unlisted.pays_as in table.rows):
            paid, read = (
                unlisted.pays or f"as {replace_hyphens(str(unlisted.pays_as))}",
                ", under the readings in use" if unlisted.reading else "",
            )
            yield Sentence(f"{replace_hyphens(unlisted.category)}: {paid}{read}", 1)
    for share in table.shared:
        if share.reading is None or reads(share.reading.name, share.reading.is_):
            among = describe_condition(prepared, share.when)
            yield Sentence(
                f"{replace_hyphens(share.category)}: shared equally among the seats for which this holds: {among}", 1
            )
    lowest = min((start for ladder in ladders for start, _ in find_spans(ladder, table.rows).values()), default=0)
    if lowest > 0:
        lost = "nothing is paid" if table.of in game.bonuses else "the wager is lost"
        yield Sentence(f"a result without a row: {lost}", 1)


def _describe_due(prepared: CompiledGame, case: Case) -> str:
    match case.due.operator:
        case "outcome":
            return _OUTCOMES[case.due.operand]
        case "odds":
            stays = ", and the stake stays on the table" if case.due.stays else ""
            return f"paid {case.due.operand}{_describe_commission(case.due.commission)}{stays}"
        case "share":
            share: BankShare = case.due.operand
            what = f"{share.percent} % of what the bank wins in the round on {line_title(prepared.game, share.of)}"
            return f"paid {what}{_describe_commission(case.due.commission)}; the same part of a loss is taken"
        case "loses":
            taken, of = case.due.operand.value.as_integer_ratio()
            return f"lost in part, {taken} of every {of} staked is taken and the rest returned"
        case _:
            return _PAY_TABLE_MATCH[case.due.operand.match]


def _describe_commission(commission: Commission | None) -> str:
    if commission is None:
        return ""
    rounded = commission.rounded
    rule = "" if rounded is None else f", rounded {_ROUNDED[rounded.allow]} multiple of {format_money(rounded.to)}"
    share = f"a commission of {commission.percent} % of the payment{rule}"
    return f" less {share}" if commission.owed is None else f", and {share} is owed"


_ROUNDED = {
    "either": "to either",
    "nearest": "to the nearest",
    "down": "down to a",
    "up": "up to a",
}


def describe_rows(table: PayTable) -> str:
    """Describe the rows of a pay table as printed: `pair 1 to 1, flush 3 to 1`."""
    base = "" if table.wager is None else f", for a wager of {format_money(table.wager)} and in proportion for others"
    return ", ".join(f"{replace_hyphens(row)} {payout}" for row, payout in table.rows.items()) + base


def _describe_capped(prepared: CompiledGame, check: CappedCheck) -> Iterator[Sentence]:
    cap = next(limit for limit in prepared.game.settlement.caps if limit.cap == check.cap)
    lines = join_names([line_title(prepared.game, line) for line in cap.lines])
    most = describe_quantity(prepared, cap.at_most, money=True)
    yield Sentence(f"{lines}: the total paid for each {cap.each} is the total due, but at most {most}.")
    yield from list_restriction(prepared, cap.when)


def _describe_awarded(prepared: CompiledGame, check: AwardedCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_AWARDED[check.asks]}.")
    pots = prepared.pots
    if check.asks == "shares":
        for share in pots.shares:
            least = f", {share.at_least.replace('-', ' ')} or better" if share.at_least else ""
            yield Sentence(f"A share is won by {prepared.game.hands[share.hand].title}{least}.")
    for part in pots.parts:
        lines = join_names([line_title(prepared.game, line) for line in part.lines])
        condition = read_condition(prepared, part.when)
        if condition is not False:
            restriction = f", where {condition}" if isinstance(condition, str) else ""
            join = "joins" if len(part.lines) == 1 else "join"
            yield Sentence(f"{lines} {join} the pots {_JOINS[part.joins]}{restriction}", 1)


_JOINS = {
    "matched": "layer by layer, up to the amounts that others matched",
    "capped": "layer by layer, on their own",
    "whole": "whole, in the main pot",
}

MONEY_SENTENCES: Mapping[str, Callable[[CompiledGame, Any], Iterator[Sentence]]] = {
    "settled": _describe_settled,
    "capped": _describe_capped,
    "awarded": _describe_awarded,
}
"""Functions that describe a check of payments, by operator."""
