"""Check of posted pay tables against printed ones, and of published tables against those in use, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from validator.engine.compiled.printed_tables import Printed, at_least, base_of, print_table
from validator.engine.core.house_rules import configuration_of
from validator.evidence.submission.model import Submission
from validator.evidence.submission.money import PayRow, SubmittedPayTable
from validator.language.submission.answers import Answer, Reason, every
from validator.language.submission.checks import PayTablesCheck, PublicationsCheck
from validator.language.submission.wording import NOT_STATED
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES
from validator.text.values.money import format_money
from validator.text.values.odds import Form, Payout

_FORM_WORDS: Mapping[Form, str] = {"to": "to", "for": "for", "colon": ":", "win": "win"}


class _Comparison(Struct, frozen=True, kw_only=True):
    """Posted table and the printed one it is compared with."""

    printed: Printed
    posted: SubmittedPayTable
    size: int | None
    """Only amount that may be staked, if there is only one."""
    match: Literal["exactly", "at-least", "wording"]


def pay_tables_answer(regulation: Regulation, game: Game, submission: Submission, check: PayTablesCheck) -> Answer:
    """Return whether every table in use for a line is one of the printed ones.

    Depending on the check, it suffices that the table pays at least as much or has the same wording; for wording,
    publications count too. A table that matches none is compared with the printed one it differs least from.
    """
    printed = [print_table(regulation, game, name) for name in check.one_of]
    tables = enumerate(submission.pay_tables or []) if check.match == "wording" else submission.tables_in_use()
    posted = [(index, table) for index, table in tables if table.pays == check.for_]
    if not posted:
        return _answer_without_table(game, submission, check)
    size = configuration_of(submission).only_size(base_of(game, check.for_))
    reasons: list[Reason] = []
    for index, table in posted:
        comparisons = [
            _Comparison(printed=printed_table, posted=table, size=size, match=check.match) for printed_table in printed
        ]
        differences = [list(_posted_differences(comparison, ("pay-tables", index))) for comparison in comparisons]
        reasons += sorted(differences, key=len)[0]
    return Answer(value=NO if reasons else YES, reasons=tuple(reasons))


def publications_answer(submission: Submission, check: PublicationsCheck) -> Answer:
    """Return whether every table that is only in publications pays as a table in use for the same line."""
    in_use = submission.tables_in_use()
    used = {index for index, _ in in_use}
    answers: list[Answer] = []
    for index, table in enumerate(submission.pay_tables or []):
        if table.pays in check.for_ and index not in used:
            rivals = [other for _, other in in_use if other.pays == table.pays]
            reasons = min(
                (list(_published_differences(table, rival, ("pay-tables", index))) for rival in rivals), key=len
            )
            answers.append(Answer(value=NO if reasons else YES, reasons=tuple(reasons)))
    return every(answers)


def _published_differences(table: SubmittedPayTable, in_use: SubmittedPayTable, here: Path) -> Iterator[Reason]:
    rows = {row.hand: row.odds for row in in_use.rows}
    seen: set[str] = set()
    for index, row in enumerate(table.rows):
        path: Path = (*here, "rows", index)
        if row.hand in seen:
            yield _build_reason((*path, "hand"), "each hand once", f"{row.hand} again")
        elif row.hand not in rows:
            yield _build_reason(
                (*path, "hand"), f"no row for {row.hand}, {_AS_IN_TABLE_IN_USE}", f"{row.hand} {row.odds}"
            )
        elif (row.odds.unit, row.odds.worth) != (rows[row.hand].unit, rows[row.hand].worth):
            yield _build_reason((*path, "odds"), f"{row.hand} {rows[row.hand]}, {_AS_IN_TABLE_IN_USE}", str(row.odds))
        seen.add(row.hand)
    for name, payout in rows.items():
        if name not in seen:
            yield _build_reason((*here, "rows"), f"{name} {payout}, {_AS_IN_TABLE_IN_USE}", "no such row")


_AS_IN_TABLE_IN_USE = "as in the table in use"


def _answer_without_table(game: Game, submission: Submission, check: PayTablesCheck) -> Answer:
    base = base_of(game, check.for_)
    if submission.wagers is not None and all(offer.wager != base for offer in submission.wagers):
        return Answer(value=YES, idle=True)
    reason = Reason(path=("pay-tables",), expected=f"a pay table for {check.for_}", observed=NOT_STATED)
    return Answer(value=UNKNOWN, reasons=(reason,))


def _posted_differences(comparison: _Comparison, here: Path) -> Iterator[Reason]:
    if comparison.match == "wording":
        yield from _wording_differences(comparison, here)
        return
    printed = comparison.printed
    seen: set[str] = set()
    for index, row in enumerate(comparison.posted.rows):
        path: Path = (*here, "rows", index)
        if row.hand in seen:
            yield _build_reason((*path, "hand"), "each hand once", f"{row.hand} again")
        elif row.hand in printed.rows:
            yield from _paid_differences(comparison, row, path)
        elif comparison.match == "exactly":
            expected = f"no row for {row.hand}, as in pay table {printed.name}"
            yield _build_reason((*path, "hand"), expected, f"{row.hand} {row.odds}")
        seen.add(row.hand)
    if comparison.match == "at-least":
        yield from _undercut_rows(comparison, here)
    for name, payout in printed.rows.items():
        if name not in seen:
            yield _build_reason((*here, "rows"), f"{name} {payout}, as in pay table {printed.name}", "no such row")


def _paid_differences(comparison: _Comparison, row: PayRow, path: Path) -> Iterator[Reason]:
    """Yield the difference of a row that pays something other than the printed row, or too little."""
    printed = comparison.printed
    posted = printed.posted_worth({row.hand: row.odds}, comparison.size)[row.hand]
    wanted = printed.worth[row.hand]
    exactly = comparison.match == "exactly"
    if not (posted == wanted if exactly else at_least(posted, wanted)):
        least = "" if exactly else "at least "
        expected, observed, base = f"{row.hand} {least}{printed.rows[row.hand]}", str(row.odds), printed.table.wager
        if base is not None and row.odds.unit == "money":
            expected += f" for a wager of {format_money(base)} and in proportion for others"
            observed += f" for a wager of {format_money(comparison.size or base)}"
        yield _build_reason((*path, "odds"), f"{expected}, as in pay table {printed.name}", observed)


def _undercut_rows(comparison: _Comparison, here: Path) -> Iterator[Reason]:
    """Yield rows in addition to the printed ones that pay their hands less than the printed row would."""
    printed, rows = comparison.printed, comparison.posted.rows
    posted = printed.posted_worth({row.hand: row.odds for row in rows}, comparison.size)
    places = {row.hand: index for index, row in enumerate(rows)}
    for name, over in printed.undercut_by(posted):
        expected = f"{name} at least {printed.rows[over]}, as {over} in pay table {printed.name}"
        yield _build_reason((*here, "rows", places[name], "odds"), expected, str(rows[places[name]].odds))


def _wording_differences(comparison: _Comparison, here: Path) -> Iterator[Reason]:
    """Yield odds whose wording differs from the printed odds."""
    printed = comparison.printed
    for index, row in enumerate(comparison.posted.rows):
        wanted = printed.rows.get(row.hand)
        if wanted is not None and wanted.form != row.odds.form and _are_odds(wanted, row.odds):
            expected = f"{row.hand} with “{_FORM_WORDS[wanted.form]}”, as in pay table {printed.name}"
            yield _build_reason((*here, "rows", index, "odds"), expected, str(row.odds))


def _are_odds(*payouts: Payout) -> bool:
    return all(payout.form in _FORM_WORDS for payout in payouts)


def _build_reason(path: Path, expected: str, observed: str) -> Reason:
    return Reason(path=path, expected=expected, observed=observed)
