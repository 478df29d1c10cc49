"""Excel workbook of the results, with sheets for the summary, findings, requirements, amounts and statistics.

Every text is written as text, so that no cell becomes a formula or a link, even if a user enters it again. Amounts are
numbers in units of the currency. Rows are streamed. The same results give the same bytes with the same version of zlib.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.formats import finding_rows
from fairdeal.validator.reports.letter import HEADINGS, list_restitution, list_schedule
from fairdeal.validator.results.findings import WORST_FIRST
from fairdeal.validator.results.game_statistics import Statistics
from fairdeal.validator.results.results import Results
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.plain_values import DECIMALS, count_decimals, format_decimal, format_money
from fairdeal.validator.text.source import report_temp_errors

ROWS = 1_048_576
"""Rows of a sheet; more findings go to further sheets."""
LONGEST = 32_767
"""Characters of a cell; longer texts are cut."""
_FORMULA = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""Characters at which a spreadsheet begins a formula; cells that begin with them are marked as text."""
_EXACT = 10**15
"""Smallest amount that is written as text: a number in a cell has 15 digits."""
_FIRST_DAY = date(1900, 3, 1)
"""First day that all spreadsheets count in the same way."""

_WIDTHS = {
    finding_rows.ColumnKind.TEXT: 18,
    finding_rows.ColumnKind.LONG: 48,
    finding_rows.ColumnKind.NUMBER: 9,
    finding_rows.ColumnKind.MONEY: 14,
    finding_rows.ColumnKind.DAY: 12,
    finding_rows.ColumnKind.SHARE: 10,
}
_FORMATS = {
    finding_rows.ColumnKind.NUMBER: "0",
    finding_rows.ColumnKind.MONEY: f"#,##0.{'0' * DECIMALS}",
    finding_rows.ColumnKind.DAY: "yyyy-mm-dd",
    finding_rows.ColumnKind.SHARE: "0.0000",
}

_UNITS = list(finding_rows.FINDING_COLUMNS).index("exponent")
_FINDINGS = {name: kind for name, kind in finding_rows.FINDING_COLUMNS.items() if name != "exponent"}
"""The `COLUMNS` without the exponent: amounts are in units here."""

_REQUIREMENTS = {
    "requirement": finding_rows.ColumnKind.TEXT,
    "title": finding_rows.ColumnKind.LONG,
    "document": finding_rows.ColumnKind.TEXT,
    "clauses": finding_rows.ColumnKind.TEXT,
    "evidence": finding_rows.ColumnKind.TEXT,
    "severity": finding_rows.ColumnKind.TEXT,
    "status": finding_rows.ColumnKind.TEXT,
    "reason": finding_rows.ColumnKind.LONG,
    **dict.fromkeys((status.value for status in WORST_FIRST), finding_rows.ColumnKind.NUMBER),
    "reading": finding_rows.ColumnKind.TEXT,
    "waived": finding_rows.ColumnKind.LONG,
}
_MONEY = {
    "by": finding_rows.ColumnKind.TEXT,
    "name": finding_rows.ColumnKind.TEXT,
    "casino": finding_rows.ColumnKind.TEXT,
    "findings": finding_rows.ColumnKind.NUMBER,
    "owed": finding_rows.ColumnKind.MONEY,
    "overpaid": finding_rows.ColumnKind.MONEY,
    "currency": finding_rows.ColumnKind.TEXT,
}


_SCHEDULE = {
    **dict.fromkeys(HEADINGS, finding_rows.ColumnKind.TEXT),
    **dict.fromkeys(("number", "seat"), finding_rows.ColumnKind.NUMBER),
    **dict.fromkeys(("due", "done"), finding_rows.ColumnKind.LONG),
    "day": finding_rows.ColumnKind.DAY,
    "difference": finding_rows.ColumnKind.MONEY,
    "currency": finding_rows.ColumnKind.TEXT,
    "casino": finding_rows.ColumnKind.TEXT,
}
_RESTITUTION = {
    "player": finding_rows.ColumnKind.TEXT,
    "casino": finding_rows.ColumnKind.TEXT,
    "owed by": finding_rows.ColumnKind.TEXT,
    "findings": finding_rows.ColumnKind.NUMBER,
    "owed": finding_rows.ColumnKind.MONEY,
    "currency": finding_rows.ColumnKind.TEXT,
}

_HOLD = {
    **dict.fromkeys(
        ("by", "document", "wager", "casino", "table", "day", "dealer", "currency"), finding_rows.ColumnKind.TEXT
    ),
    "stakes": finding_rows.ColumnKind.NUMBER,
    **dict.fromkeys(("handle", "at risk", "win"), finding_rows.ColumnKind.MONEY),
    "hold": finding_rows.ColumnKind.SHARE,
    "theoretical win": finding_rows.ColumnKind.MONEY,
    "theoretical hold": finding_rows.ColumnKind.SHARE,
    **dict.fromkeys(("given away", "standard deviation", "low", "high"), finding_rows.ColumnKind.MONEY),
    **dict.fromkeys(("p", "q"), finding_rows.ColumnKind.SHARE),
    **dict.fromkeys(("outside", "stands out"), finding_rows.ColumnKind.TEXT),
    "left out": finding_rows.ColumnKind.NUMBER,
    "why": finding_rows.ColumnKind.LONG,
}
_CAME = {
    **dict.fromkeys(("document", "casino", "table", "deck", "of", "came"), finding_rows.ColumnKind.TEXT),
    "count": finding_rows.ColumnKind.NUMBER,
    **dict.fromkeys(("expected", "off", "p", "q"), finding_rows.ColumnKind.SHARE),
    **dict.fromkeys(("outside", "stands out"), finding_rows.ColumnKind.TEXT),
    "why": finding_rows.ColumnKind.LONG,
}
_RATES = {
    **dict.fromkeys(("by", "document", "casino", "name"), finding_rows.ColumnKind.TEXT),
    "rounds": finding_rows.ColumnKind.NUMBER,
    "rounds an hour": finding_rows.ColumnKind.SHARE,
    **dict.fromkeys(("violations", "violated rounds"), finding_rows.ColumnKind.NUMBER),
    **dict.fromkeys(("violations in 1,000", "low", "high", "p", "q"), finding_rows.ColumnKind.SHARE),
    **dict.fromkeys(("outside", "stands out"), finding_rows.ColumnKind.TEXT),
    "why": finding_rows.ColumnKind.LONG,
}


def write_xlsx(results: Results, stream: BinaryIO) -> None:
    """Write the workbook.

    Raises:
        ResourceError: if the temporary folder is full.
        OSError: if the stream cannot take all of it.
    """
    with report_temp_errors():
        spool = TemporaryFile()  # noqa: SIM115 - closed below
    with spool:
        with report_temp_errors(), finding_rows.open_parts_folder() as folder:
            _write(results, spool, folder)
        spool.seek(0)
        shutil.copyfileobj(spool, stream)


class _Package:
    """Temporary file that ignores writes once it is given up.

    XlsxWriter writes the end of the archive even after a failure; that write must not raise a second error.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._given_up = False

    def give_up(self) -> None:
        """Ignore all further writes."""
        self._given_up = True

    def write(self, data: bytes) -> int:
        """Write bytes. Raises OSError if there is no room."""
        return len(data) if self._given_up else self._stream.write(data)

    def flush(self) -> None:
        """Write buffered bytes. Raises OSError if there is no room."""
        if not self._given_up:
            self._stream.flush()

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a position, unless the file is given up."""
        return 0 if self._given_up else self._stream.seek(place, whence)

    def tell(self) -> int:
        """Return the position, 0 if the file is given up."""
        return 0 if self._given_up else self._stream.tell()


def _write(results: Results, spool: IO[bytes], folder: str) -> None:
    package = _Package(spool)
    try:
        _make(results, package, folder)
        package.flush()
    except XlsxWriterException as error:
        raise OSError(str(error)) from error
    finally:
        package.give_up()


def _make(results: Results, package: _Package, folder: str) -> None:
    options = {
        "constant_memory": True,
        "tmpdir": folder,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(package, options) as book:
        book.use_zip64()
        book.set_properties(
            {"title": "fairdeal", "created": report_wording.parse_generation_time(results.provenance.generated)}
        )
        names = ("summary", "findings", "requirements", "money", "schedule", "restitution")
        summary, findings, requirements, money, schedule, restitution = map(book.add_worksheet, names)
        looks: dict[finding_rows.ColumnKind, Any] = {
            kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()
        }
        looks |= dict.fromkeys(
            (finding_rows.ColumnKind.TEXT, finding_rows.ColumnKind.LONG), book.add_format({"quote_prefix": True})
        )
        heading = book.add_format({"bold": True, "bottom": 1})
        rows = _findings(results)
        full = _table(findings, _FINDINGS, rows, looks, heading)
        sheets = 1
        while full:
            sheets += 1
            full = _table(book.add_worksheet(f"findings {sheets}"), _FINDINGS, rows, looks, heading)
        _table(requirements, _REQUIREMENTS, _requirements(results), looks, heading)
        _table(money, _MONEY, _money(results), looks, heading)
        _table(schedule, _SCHEDULE, _schedule(results), looks, heading)
        _table(restitution, _RESTITUTION, _restitution(results), looks, heading)
        if results.statistics is not None:
            _table(book.add_worksheet("hold"), _HOLD, _hold(results.statistics), looks, heading)
            _table(book.add_worksheet("hands and cards"), _CAME, _came(results.statistics), looks, heading)
            _table(book.add_worksheet("rates"), _RATES, _rates(results.statistics), looks, heading)
        _summary(summary, results, sheets, heading)


def _summary(sheet: Any, results: Results, sheets: int, heading: Any) -> None:
    """Write the summary, a name and a value on each line."""
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100)
    sheet.freeze_panes(1, 0)
    for line, (name, value) in enumerate(_lines(results, sheets)):
        sheet.write_string(line, 0, _text(name), heading)
        sheet.write_string(line, 1, _text(value), heading if line == 0 else None)


def _lines(results: Results, sheets: int) -> Iterator[tuple[str, str]]:
    subject, provenance = results.subject, results.provenance
    yield "verdict", results.verdict.value
    yield "meaning", report_wording.describe_verdict(results)
    yield "rules", report_wording.summarize_requirements(results)
    yield "evidence", report_wording.summarize_reading(results)
    yield from (("recorded twice", sentence) for sentence in report_wording.describe_repeated_rounds(results))
    yield from (("licensee", " ".join(filter(None, (holder.name, holder.license)))) for holder in subject.licensees)
    yield from (("casino", casino) for casino in subject.casinos)
    yield from (("regulation", f"{law.title}: {law.citation} ({law.regulator})") for law in subject.law)
    yield "first day", subject.first or report_wording.NOT_STATED
    yield "last day", subject.last or report_wording.NOT_STATED
    yield "currency", report_wording.format_currencies(subject)
    yield from _sums_of_money(results)
    yield from (("not confirmed", cause.says) for cause in results.open)
    yield from (("input", f"{file.file} ({file.kind}), SHA-256 {file.sha256}") for file in provenance.inputs)
    yield "program", provenance.program
    yield "rulebook", report_wording.describe_edition(provenance)
    yield "rulebook SHA-256", provenance.rulebook_sha256
    yield "profile", provenance.profile or "none"
    yield "generated", provenance.generated
    if sheets > 1:
        yield (
            "sheets of findings",
            f"{sheets}, as a sheet has {ROWS - 1:,} findings at most",
        )


def _sums_of_money(results: Results) -> Iterator[tuple[str, str]]:
    names = ("findings on money", "owed to players", "overpaid to players")
    if results.money is None:
        yield from ((name, report_wording.NOT_STATED) for name in names)
        return
    several = bool(results.money.others)
    for money in results.money.by_currency:
        unit = f", {money.currency or 'currency not stated'}" if several else ""
        amounts = (
            format_money(amount, money.currency or results.subject.currency) for amount in (money.owed, money.overpaid)
        )
        sums = (str(money.findings), *amounts)
        yield from ((f"{name}{unit}", text) for name, text in zip(names, sums, strict=True))


def _findings(results: Results) -> Iterator[Sequence[finding_rows.CellValue]]:
    for finding in results.findings:
        values = finding_rows.make_row(finding, results)
        yield values[:_UNITS] + values[_UNITS + 1 :]


def _requirements(results: Results) -> Iterator[Sequence[finding_rows.CellValue]]:
    for result in results.requirements:
        counts = [result.totals.get(status, 0) for status in WORST_FIRST]
        yield (
            result.requirement,
            result.title,
            result.document,
            ", ".join(result.clauses),
            result.evidence.value,
            result.severity.value,
            result.status.value,
            result.reason,
            *counts,
            ", ".join(result.reading),
            None if result.waived is None else report_wording.describe_waiver(result.waived),
        )


def _money(results: Results) -> Iterator[Sequence[finding_rows.CellValue]]:
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        yield "all", None, None, money.findings, money.owed, money.overpaid, currency
        for total in money.sums:
            yield total.by, total.name, total.casino, total.findings, total.owed, total.overpaid, currency


def _schedule(results: Results) -> Iterator[Sequence[finding_rows.CellValue]]:
    for row in list_schedule(results):
        cells = {name: getattr(row, name) for name in _SCHEDULE}
        yield tuple((cells | {"day": finding_rows.parse_day(row.day)}).values())


def _restitution(results: Results) -> Iterator[Sequence[finding_rows.CellValue]]:
    for row in list_restitution(results):
        player = "not named in the log" if row.player is None else row.player
        yield player, row.casino, row.debtor, row.findings, row.owed, row.currency


def _hold(statistics: Statistics) -> Iterator[Sequence[finding_rows.CellValue | float]]:
    for hold in statistics.hold:
        low, high = hold.interval or (None, None)
        yield (
            *(hold.by, hold.document, hold.wager, hold.casino, hold.table, hold.day, hold.dealer, hold.currency),
            *(hold.stakes, hold.handle, hold.at_risk, hold.win, hold.hold),
            *(_whole(hold.theoretical_win), hold.theoretical_hold, _whole(hold.given_away)),
            _whole(hold.standard_deviation),
            *(_whole(low), _whole(high), hold.p, hold.q),
            *(_yes(hold.outside), _yes(hold.stands_out), hold.left_out, hold.why),
        )


def _came(statistics: Statistics) -> Iterator[Sequence[finding_rows.CellValue | float]]:
    for table in (*statistics.hands, *statistics.cards):
        for category in table.came:
            yield (
                *(table.document, table.casino, table.table, table.deck, table.of or "cards"),
                *(category.name, category.count, category.expected, category.off),
                *(table.p, table.q, _yes(table.outside), _yes(table.stands_out), table.why),
            )


def _rates(statistics: Statistics) -> Iterator[Sequence[finding_rows.CellValue | float]]:
    for rate in statistics.rates:
        low, high = rate.interval or (None, None)
        yield (
            *(rate.by, rate.document, rate.casino, rate.name, rate.rounds, rate.pace),
            *(rate.violations, rate.violated, rate.per_thousand, low, high, rate.p, rate.q),
            *(_yes(rate.outside), _yes(rate.stands_out), rate.why),
        )


def _whole(amount: float | None) -> int | None:
    return None if amount is None else round(amount)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _table(
    sheet: Any,
    columns: Mapping[str, finding_rows.ColumnKind],
    rows: Iterator[Sequence[finding_rows.CellValue | float]],
    looks: Mapping[finding_rows.ColumnKind, Any],
    heading: Any,
) -> bool:
    """Write rows under their heading and return whether the sheet was full before they ended."""
    for place, (name, kind) in enumerate(columns.items()):
        sheet.set_column(place, place, max(_WIDTHS[kind], len(name) + 4))
        sheet.write_string(0, place, name, heading)
    sheet.freeze_panes(1, 0)
    line = 0
    currency_at = list(columns).index("currency") if "currency" in columns else None
    for values in islice(rows, ROWS - 1):
        line += 1
        currency = None if currency_at is None else values[currency_at]
        decimals = count_decimals(currency if isinstance(currency, str) else None)
        for place, (value, kind) in enumerate(zip(values, columns.values(), strict=True)):
            is_plain = kind is finding_rows.ColumnKind.MONEY and decimals != DECIMALS
            _cell(sheet, line, place, value, kind, None if is_plain else looks.get(kind), decimals)
    sheet.autofilter(0, 0, max(line, 1), len(columns) - 1)
    return line == ROWS - 1


def _cell(
    sheet: Any,
    line: int,
    place: int,
    value: finding_rows.CellValue | float,
    kind: finding_rows.ColumnKind,
    look: Any,
    decimals: int,
) -> None:
    if isinstance(value, str):
        if value:
            text = _text(value)
            sheet.write_string(line, place, text, look if text.lstrip()[:1] in _FORMULA else None)
    elif isinstance(value, date):
        if value >= _FIRST_DAY:
            sheet.write_datetime(line, place, datetime(value.year, value.month, value.day), look)
        else:
            sheet.write_string(line, place, value.isoformat())
    elif value is not None and abs(value) < _EXACT:
        sheet.write_number(line, place, value / 10**decimals if kind is finding_rows.ColumnKind.MONEY else value, look)
    elif value is not None:
        sheet.write_string(
            line, place, format_decimal(round(value), decimals) if kind is finding_rows.ColumnKind.MONEY else str(value)
        )


def _text(text: str) -> str:
    shown = sanitize(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."
