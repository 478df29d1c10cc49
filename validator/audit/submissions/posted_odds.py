"""Checks of the odds that a submission posts or states: pay tables, publications, signs at the table, stated odds.

Contents of a sign that are given as data are compared. The words of a sign do not count as limits. Words that seem to
state other limits than those of the wager lead to NOT_EVIDENCED. The casino must then state the sign as data.

No clause requires stated odds. A submission that states wrong figures fails; one without stated odds is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from fairdeal.validator.engine.core import house_terms
from fairdeal.validator.engine.core.house_terms import build_configuration
from fairdeal.validator.evidence import submission_model
from fairdeal.validator.language import submission_conditions
from fairdeal.validator.language.submission_conditions import NOT_STATED
from fairdeal.validator.results.findings import Status
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES, Payout, PayoutWording, count_decimals, format_money
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.odds.hand_counts import ReportProgress


def check_stated_odds(
    regulation: Regulation, submission: submission_model.Submission, report_progress: ReportProgress
) -> tuple[Status, tuple[submission_conditions.AnswerReason, ...]]:
    """Return the status of the stated odds, with the figures that are wrong or, if none is wrong, not known.

    Args:
        `report_progress`: callback with messages on the progress of the computation.
    """
    from fairdeal.validator.odds.odds_figures import format_percentage  # noqa: PLC0415 - most submissions state no odds
    from fairdeal.validator.odds.odds_reports import work_out_stated_odds  # noqa: PLC0415

    figures = work_out_stated_odds(regulation, submission, report_progress).stated or ()
    for holds, status in ((False, Status.FAIL), (None, Status.NOT_EVIDENCED)):
        reasons = tuple(
            submission_conditions.AnswerReason(
                path=figure.at,
                expected=f"{format_percentage(figure.found)} ({figure.found})"
                if figure.why is None
                else f"a figure that can be checked: {figure.why}",
                observed=f"{figure.stated} as the {figure.figure.replace('-', ' ')} of {figure.wager}",
            )
            for figure in figures
            if figure.holds is holds
        )
        if reasons:
            return status, reasons
    return Status.PASS if figures else Status.NOT_APPLICABLE, ()


_FORM_WORDS: Mapping[PayoutWording, str] = {"to": "to", "for": "for", "colon": ":", "win": "win"}


class _Comparison(Struct, frozen=True, kw_only=True):
    """Posted table and the printed one it is compared with."""

    printed: house_terms.PrintedTable
    posted: submission_model.SubmittedPayTable
    size: int | None
    """Only amount that may be staked, if there is only one."""
    match: Literal["exactly", "at-least", "wording"]


def check_pay_tables(
    regulation: Regulation,
    game: Game,
    submission: submission_model.Submission,
    check: submission_conditions.PayTablesCheck,
) -> submission_conditions.Answer:
    """Return whether every table in use for a line is one of the printed ones.

    Depending on the check, it suffices that the table pays at least as much or has the same wording; for wording,
    publications count too. A table that matches none is compared with the printed one it differs least from.
    """
    printed = [house_terms.read_printed_table(regulation, game, name) for name in check.one_of]
    tables = enumerate(submission.pay_tables or []) if check.match == "wording" else submission.list_tables_in_use()
    posted = [(index, table) for index, table in tables if table.pays == check.of]
    if not posted:
        return _answer_without_table(game, submission, check)
    size = build_configuration(submission).fixed_stake(house_terms.find_base_wager(game, check.of))
    reasons: list[submission_conditions.AnswerReason] = []
    for index, table in posted:
        comparisons = [
            _Comparison(printed=printed_table, posted=table, size=size, match=check.match) for printed_table in printed
        ]
        differences = [list(_posted_differences(comparison, ("pay-tables", index))) for comparison in comparisons]
        reasons += sorted(differences, key=len)[0]
    return submission_conditions.Answer(value=NO if reasons else YES, reasons=tuple(reasons))


def check_publications(
    submission: submission_model.Submission, check: submission_conditions.PublicationsCheck
) -> submission_conditions.Answer:
    """Return whether every table that is only in publications pays as a table in use for the same line."""
    in_use = submission.list_tables_in_use()
    used = {index for index, _ in in_use}
    answers: list[submission_conditions.Answer] = []
    for index, table in enumerate(submission.pay_tables or []):
        if table.pays in check.of and index not in used:
            rivals = [other for _, other in in_use if other.pays == table.pays]
            reasons = min(
                (list(_published_differences(table, rival, ("pay-tables", index))) for rival in rivals), key=len
            )
            answers.append(submission_conditions.Answer(value=NO if reasons else YES, reasons=tuple(reasons)))
    return submission_conditions.combine_answers(answers)


def _published_differences(
    table: submission_model.SubmittedPayTable, in_use: submission_model.SubmittedPayTable, here: DataPath
) -> Iterator[submission_conditions.AnswerReason]:
    rows = {row.hand: row.odds for row in in_use.rows}
    seen: set[str] = set()
    for index, row in enumerate(table.rows):
        path: DataPath = (*here, "rows", index)
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


def _answer_without_table(
    game: Game, submission: submission_model.Submission, check: submission_conditions.PayTablesCheck
) -> submission_conditions.Answer:
    base = house_terms.find_base_wager(game, check.of)
    if submission.wagers is not None and all(offer.wager != base for offer in submission.wagers):
        return submission_conditions.Answer(value=YES, is_vacuous=True)
    reason = submission_conditions.AnswerReason(
        path=("pay-tables",), expected=f"a pay table for {check.of}", observed=NOT_STATED
    )
    return submission_conditions.Answer(value=UNKNOWN, reasons=(reason,))


def _posted_differences(comparison: _Comparison, here: DataPath) -> Iterator[submission_conditions.AnswerReason]:
    if comparison.match == "wording":
        yield from _wording_differences(comparison, here)
        return
    printed = comparison.printed
    seen: set[str] = set()
    for index, row in enumerate(comparison.posted.rows):
        path: DataPath = (*here, "rows", index)
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


def _paid_differences(
    comparison: _Comparison, row: submission_model.PayRow, path: DataPath
) -> Iterator[submission_conditions.AnswerReason]:
    """Yield the difference of a row that pays something other than the printed row, or too little."""
    printed = comparison.printed
    posted = printed.compute_posted_worth({row.hand: row.odds}, comparison.size)[row.hand]
    wanted = printed.worth[row.hand]
    exactly = comparison.match == "exactly"
    if not (posted == wanted if exactly else house_terms.pays_at_least(posted, wanted)):
        least = "" if exactly else "at least "
        expected, observed, base = f"{row.hand} {least}{printed.rows[row.hand]}", str(row.odds), printed.table.wager
        if base is not None and row.odds.unit == "money":
            expected += f" for a wager of {format_money(base)} and in proportion for others"
            observed += f" for a wager of {format_money(comparison.size or base)}"
        yield _build_reason((*path, "odds"), f"{expected}, as in pay table {printed.name}", observed)


def _undercut_rows(comparison: _Comparison, here: DataPath) -> Iterator[submission_conditions.AnswerReason]:
    """Yield rows in addition to the printed ones that pay their hands less than the printed row would."""
    printed, rows = comparison.printed, comparison.posted.rows
    posted = printed.compute_posted_worth({row.hand: row.odds for row in rows}, comparison.size)
    places = {row.hand: index for index, row in enumerate(rows)}
    for name, over in printed.find_undercuts(posted):
        expected = f"{name} at least {printed.rows[over]}, as {over} in pay table {printed.name}"
        yield _build_reason((*here, "rows", places[name], "odds"), expected, str(rows[places[name]].odds))


def _wording_differences(comparison: _Comparison, here: DataPath) -> Iterator[submission_conditions.AnswerReason]:
    """Yield odds whose wording differs from the printed odds."""
    printed = comparison.printed
    for index, row in enumerate(comparison.posted.rows):
        wanted = printed.rows.get(row.hand)
        if wanted is not None and wanted.form != row.odds.form and _are_odds(wanted, row.odds):
            expected = f"{row.hand} with “{_FORM_WORDS[wanted.form]}”, as in pay table {printed.name}"
            yield _build_reason((*here, "rows", index, "odds"), expected, str(row.odds))


def _are_odds(*payouts: Payout) -> bool:
    return all(payout.form in _FORM_WORDS for payout in payouts)


def _build_reason(path: DataPath, expected: str, observed: str) -> submission_conditions.AnswerReason:
    return submission_conditions.AnswerReason(path=path, expected=expected, observed=observed)


_SIGNAGE: DataPath = ("layout", "signage")
_AMOUNT = r"(?<![\w.,])\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(\.[0-9]{2})?(?![\w%]|[.,][0-9])"
_MAXIMUM = r"max(?:imum)?\b[.:]?(?: of)?"
_BETWEEN = rf" ?(?:(?:to|and|up to|[-–—,;/])(?: ?{_MAXIMUM})?|{_MAXIMUM}) ?"  # noqa: RUF001 - dashes as signs have them
_LIMITS = _AMOUNT + _BETWEEN + _AMOUNT
_WORD = r"[^\W_]+"


def check_signs(
    game: Game | None, submission: submission_model.Submission, check: submission_conditions.SignsCheck
) -> submission_conditions.Answer:
    """Return whether the contents of signs agree with the submission; the check does not apply without such a sign."""
    signs = [] if submission.layout is None else submission.layout.signs
    placed = [(sign, (*_SIGNAGE, index)) for index, sign in enumerate(signs)]
    if check.show == "rake":
        return submission_conditions.combine_answers(list(_check_rake(submission, placed)))
    answers: list[submission_conditions.Answer] = []
    for line in check.of or ():
        own = [(sign, here) for sign, here in placed if sign.wager == line]
        if check.show == "odds":
            only_words = any(sign.wager is None and sign.rake is None for sign in signs)
            answers += _check_odds(submission, line, own, only_words=only_words)
        else:
            answers += _check_limits(submission, line, own)
            answers += _check_words(game, submission, line, placed)
    return submission_conditions.combine_answers(answers)


_Placed = Sequence[tuple[submission_model.Sign, DataPath]]
"""Signs with their paths."""


def _answer_no(path: DataPath, expected: str, observed: str) -> submission_conditions.Answer:
    return submission_conditions.Answer(
        value=NO, reasons=(submission_conditions.AnswerReason(path=path, expected=expected, observed=observed),)
    )


def _answer_unknown(path: DataPath, expected: str, observed: str = NOT_STATED) -> submission_conditions.Answer:
    return submission_conditions.Answer(
        value=UNKNOWN, reasons=(submission_conditions.AnswerReason(path=path, expected=expected, observed=observed),)
    )


def _check_limits(
    submission: submission_model.Submission, line: str, signs: _Placed
) -> Iterator[submission_conditions.Answer]:
    """Check that signs show the limits of a wager, and both limits if they are posted only on signs."""
    offers = None if submission.wagers is None else [offer for offer in submission.wagers if offer.wager == line]
    showing = [(sign, here) for sign, here in signs if sign.minimum is not None or sign.maximum is not None]
    for sign, here in showing:
        if not offers:
            expected = "a wager that is offered"
            yield (
                _answer_no((*here, "wager"), expected, line)
                if offers == []
                else _answer_unknown((*here, "wager"), expected)
            )
            continue
        for key in ("minimum", "maximum"):
            shown = getattr(sign, key)
            if shown is not None:
                yield _check_limit((*here, key), f"{key} of {line}", shown, {getattr(offer, key) for offer in offers})
    for offer in offers or () if showing else ():
        one_amount = offer.minimum == offer.maximum and any(sign.minimum == offer.minimum for sign, _ in showing)
        on_signs_alone = set(offer.posted or ()) == {"signage"}
        for key in ("minimum", "maximum") if on_signs_alone and not one_amount else ():
            amount = getattr(offer, key)
            if amount is not None and all(getattr(sign, key) is None for sign, _ in showing):
                yield _answer_unknown(showing[0][1], f"{format_money(amount)}, the {key} of {line}, on the sign")


def _check_limit(place: DataPath, what: str, shown: int, limits: set[int | None]) -> submission_conditions.Answer:
    """Check that a sign shows the submitted limit."""
    [limit, *others] = limits
    if limit is None or others:
        return _answer_unknown(place, f"the {what}, which is {NOT_STATED}", format_money(shown))
    if shown == limit:
        return submission_conditions.Answer(value=YES)
    return _answer_no(place, f"{format_money(limit)}, the {what}", format_money(shown))


def _check_words(
    game: Game | None, submission: submission_model.Submission, line: str, signs: _Placed
) -> Iterator[submission_conditions.Answer]:
    """Check words on signs that name one wager and two amounts other than its limits."""
    offers = [offer for offer in submission.wagers or () if offer.wager == line]
    limits = _limits_of_offer(offers[0]) if len(offers) == 1 else None
    currency = submission.currency
    for sign, here in signs if limits else ():
        text = " ".join((sign.text or "").split())
        named = sign.wager or (None if game is None else _find_line_in_text(game, text))
        amounts = [
            (_parse_amount(match[1], match[2], currency), _parse_amount(match[3], match[4], currency))
            for match in re.finditer(_LIMITS, text, re.IGNORECASE)
        ]
        ranges = [(least, most) for least, most in amounts if least < most]
        if named != line or len(ranges) != 1:
            continue
        if ranges[0] == limits:
            yield submission_conditions.Answer(value=YES)
            continue
        limits_text = " to ".join(map(format_money, limits or ()))
        expected = f"{limits_text}, the limits of {line}; words on a sign do not count as limits: state them as data"
        yield _answer_unknown(here if sign.wager is None else (*here, "text"), expected, text)


def _limits_of_offer(offer: submission_model.SubmittedWager) -> tuple[int, int] | None:
    return None if offer.minimum is None or offer.maximum is None else (offer.minimum, offer.maximum)


def _parse_amount(whole: str, part: str | None, currency: str | None) -> int:
    return int(Decimal(whole.replace(",", "") + (part or "")).scaleb(count_decimals(currency)))


def _find_line_in_text(game: Game, text: str) -> str | None:
    """Return the only wager or bonus whose title or name occurs in a text; of overlapping names, the longest counts."""
    lines = [(name, line.title) for of_game in (game.wagers, game.bonuses) for name, line in of_game.items()]
    line_of_words = {
        " ".join(re.findall(_WORD, words.casefold())): name for name, title in lines for words in (name, title)
    }
    remaining = f" {' '.join(re.findall(_WORD, text.casefold()))} "
    lines_found: set[str] = set()
    for words in sorted(line_of_words, key=lambda name: (-len(name), name)):
        if f" {words} " in remaining:
            lines_found.add(line_of_words[words])
            remaining = remaining.replace(f" {words} ", " | ")
    return lines_found.pop() if len(lines_found) == 1 else None


def _check_odds(
    submission: submission_model.Submission, line: str, signs: _Placed, *, only_words: bool
) -> Iterator[submission_conditions.Answer]:
    """Check that the rows on signs are those of the table in use, and all of them if it is displayed only on signs.

    Args:
        only_words: True if other signs have words that may show the missing rows.
    """
    tables = [table for _, table in submission.list_tables_in_use() if table.pays == line]
    showing = [(sign, here) for sign, here in signs if sign.rows is not None]
    shown: dict[str, list[Payout]] = {}
    for sign, here in showing:
        for index, row in enumerate(sign.rows or ()):
            place: DataPath = (*here, "rows", index)
            shown.setdefault(row.hand, []).append(row.odds)
            posted = [used.odds for table in tables for used in table.rows if used.hand == row.hand]
            if not tables:
                yield _answer_unknown(place, f"a pay table for {line}")
            elif not posted:
                expected = f"no row for {row.hand}, as in the table in use"
                yield _answer_no((*place, "hand"), expected, f"{row.hand} {row.odds}")
            elif any(_has_same_odds(row.odds, odds) for odds in posted):
                yield submission_conditions.Answer(value=YES)
            else:
                yield _answer_no((*place, "odds"), f"{row.hand} {posted[0]}, as in the table in use", str(row.odds))
    for table in tables if showing else ():
        for row in table.rows if set(table.displayed or ()) == {"signage"} else ():
            if row.hand not in shown:
                place = (*showing[0][1], "rows")
                answer = _answer_unknown if only_words else _answer_no
                yield answer(place, f"{row.hand} {row.odds}, as in the table in use", "no such row")


def _has_same_odds(odds: Payout, other: Payout) -> bool:
    return (odds.unit, odds.worth) == (other.unit, other.worth)


def _check_rake(submission: submission_model.Submission, signs: _Placed) -> Iterator[submission_conditions.Answer]:
    """Check that signs show the rake that is taken: its kind and its levels."""
    rake = submission.rake
    showing = [(sign.rake, (*here, "rake")) for sign, here in signs if sign.rake is not None]
    for key in ("kind", "levels"):
        taken = None if rake is None else getattr(rake, key)
        stated = [(getattr(shown, key), (*here, key)) for shown, here in showing if getattr(shown, key) is not None]
        for shown, place in stated:
            if taken is None:
                yield _answer_unknown(place, f"the {key} of the rake, which is {NOT_STATED}", _describe_rake(shown))
            elif _comparable_rake(shown) == _comparable_rake(taken):
                yield submission_conditions.Answer(value=YES)
            else:
                yield _answer_no(place, f"{_describe_rake(taken)}, as submitted", _describe_rake(shown))
        if showing and not stated:
            yield _answer_unknown((*showing[0][1], key), f"the {key} of the rake, on the sign")


def _comparable_rake(value: str | list[submission_model.RakeLevel]) -> str | list[tuple[int, int]]:
    return value if isinstance(value, str) else sorted((level.pot, level.takes) for level in value)


def _describe_rake(value: str | list[submission_model.RakeLevel]) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(f"{format_money(level.takes)} at {format_money(level.pot)}" for level in value) or "nothing"
