"""The results as an Excel workbook: a summary, the findings, the requirements and the money, each on a sheet; with
statistics, hold on another, hands and cards on the last.

Every text is written as text, so no cell is ever a formula or a link, not even once somebody enters it again; amounts
are numbers in units of the currency. Rows are written as they come and never held. The same results give the same bytes
wherever the same zlib compresses them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from validator.reports.formats.columns import COLUMNS, Kind, Value, row
from validator.reports.formats.through_file import folder_of_parts
from validator.reports.subject_words import currency_in_words
from validator.reports.wording import VERDICT_MEANING, reading_done, recorded_twice, standing, waiver_in_words
from validator.results.results import Results
from validator.results.statistics import Statistics
from validator.results.statuses import WORST_FIRST
from validator.text.scratch import in_temporary_folder
from validator.text.values.money import EXPONENT, format_money
from validator.text.visible import visible

ROWS = 1_048_576
"""Rows of a sheet; findings go on on further sheets."""
LONGEST = 32_767
"""Characters of a cell; what is longer is cut."""
_FORMULA = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""What programs take for the beginning of a formula once somebody enters a text again; the text is marked as one."""
_EXACT = 10**15
"""Amounts from here on are written as text: a number in a cell has 15 digits."""
_FIRST_DAY = date(1900, 3, 1)
"""Before it programs count days in different ways."""

_WIDTHS = {Kind.TEXT: 18, Kind.LONG: 48, Kind.NUMBER: 9, Kind.MONEY: 14, Kind.DAY: 12, Kind.SHARE: 10}
_FORMATS = {Kind.NUMBER: "0", Kind.MONEY: f"#,##0.{'0' * EXPONENT}", Kind.DAY: "yyyy-mm-dd", Kind.SHARE: "0.0000"}

_UNITS = list(COLUMNS).index("exponent")
_FINDINGS = {name: kind for name, kind in COLUMNS.items() if name != "exponent"}
"""Those of `COLUMNS`, but as amounts are in units here nobody needs an exponent."""

_REQUIREMENTS = {
    "requirement": Kind.TEXT,
    "title": Kind.LONG,
    "document": Kind.TEXT,
    "clauses": Kind.TEXT,
    "evidence": Kind.TEXT,
    "severity": Kind.TEXT,
    "status": Kind.TEXT,
    "reason": Kind.LONG,
    **dict.fromkeys((status.value for status in WORST_FIRST), Kind.NUMBER),
    "reading": Kind.TEXT,
    "waived": Kind.LONG,
}
_MONEY = {
    "by": Kind.TEXT,
    "name": Kind.TEXT,
    "casino": Kind.TEXT,
    "findings": Kind.NUMBER,
    "owed": Kind.MONEY,
    "overpaid": Kind.MONEY,
    "currency": Kind.TEXT,
}


_HOLD = {
    **dict.fromkeys(("by", "document", "wager", "casino", "table", "day", "dealer", "currency"), Kind.TEXT),
    "stakes": Kind.NUMBER,
    **dict.fromkeys(("handle", "at risk", "win"), Kind.MONEY),
    "hold": Kind.SHARE,
    "theoretical win": Kind.MONEY,
    "theoretical hold": Kind.SHARE,
    **dict.fromkeys(("given away", "standard deviation", "low", "high"), Kind.MONEY),
    **dict.fromkeys(("p", "q"), Kind.SHARE),
    **dict.fromkeys(("outside", "stands out"), Kind.TEXT),
    "left out": Kind.NUMBER,
    "why": Kind.LONG,
}
_CAME = {
    **dict.fromkeys(("document", "casino", "table", "deck", "of", "came"), Kind.TEXT),
    "count": Kind.NUMBER,
    **dict.fromkeys(("expected", "off", "p", "q"), Kind.SHARE),
    **dict.fromkeys(("outside", "stands out"), Kind.TEXT),
    "why": Kind.LONG,
}


def write_xlsx(results: Results, stream: BinaryIO) -> None:
    """Write the workbook. Raises ResourceError where the temporary folder has no room for it, OSError where the stream
    has none."""
    with in_temporary_folder():
        spool = TemporaryFile()  # noqa: SIM115 - closed below
    with spool:
        with in_temporary_folder(), folder_of_parts() as folder:
            _write(results, spool, folder)
        spool.seek(0)
        shutil.copyfileobj(spool, stream)


class _Package:
    """A temporary file that takes nothing more once it is given up.

    What makes the archive writes its end even then, when nobody can be told that this fails too.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._given_up = False

    def give_up(self) -> None:
        """Pass over all that is still to come."""
        self._given_up = True

    def write(self, data: bytes) -> int:
        """Write bytes. Raises OSError where there is no room."""
        return len(data) if self._given_up else self._stream.write(data)

    def flush(self) -> None:
        """Write what is held. Raises OSError where there is no room."""
        if not self._given_up:
            self._stream.flush()

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place, unless the file is given up."""
        return 0 if self._given_up else self._stream.seek(place, whence)

    def tell(self) -> int:
        """Return the place, 0 if the file is given up."""
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
        book.set_properties({"title": "fairdeal", "created": _made(results.provenance.generated)})
        names = ("summary", "findings", "requirements", "money")
        summary, findings, requirements, money = map(book.add_worksheet, names)
        looks: dict[Kind, Any] = {kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()}
        looks |= dict.fromkeys((Kind.TEXT, Kind.LONG), book.add_format({"quote_prefix": True}))
        heading = book.add_format({"bold": True, "bottom": 1})
        rows = _findings(results)
        full = _table(findings, _FINDINGS, rows, looks, heading)
        sheets = 1
        while full:
            sheets += 1
            full = _table(book.add_worksheet(f"findings {sheets}"), _FINDINGS, rows, looks, heading)
        _table(requirements, _REQUIREMENTS, _requirements(results), looks, heading)
        _table(money, _MONEY, _money(results), looks, heading)
        if results.statistics is not None:
            _table(book.add_worksheet("hold"), _HOLD, _hold(results.statistics), looks, heading)
            _table(book.add_worksheet("hands and cards"), _CAME, _came(results.statistics), looks, heading)
        _summary(summary, results, sheets, heading)


def _summary(sheet: Any, results: Results, sheets: int, heading: Any) -> None:
    """What came out, in lines of a name and a value."""
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100)
    sheet.freeze_panes(1, 0)
    for line, (name, value) in enumerate(_lines(results, sheets)):
        sheet.write_string(line, 0, _text(name), heading)
        sheet.write_string(line, 1, _text(value), heading if line == 0 else None)


def _lines(results: Results, sheets: int) -> Iterator[tuple[str, str]]:
    subject, provenance = results.subject, results.provenance
    yield "verdict", results.verdict.value
    yield "meaning", VERDICT_MEANING[results.verdict]
    yield "requirements", standing(results)
    yield "evidence", reading_done(results)
    yield from (("recorded twice", said) for said in recorded_twice(results))
    yield from (("licensee", " ".join(filter(None, (one.name, one.license)))) for one in subject.licensees)
    yield from (("casino", casino) for casino in subject.casinos)
    yield from (("law", f"{one.title}: {one.citation} ({one.regulator})") for one in subject.law)
    yield "first day", subject.first or "not told"
    yield "last day", subject.last or "not told"
    yield "currency", currency_in_words(subject)
    yield from _sums_of_money(results)
    yield from (("open", one.says) for one in results.open)
    yield from (("input", f"{one.file} ({one.kind}), SHA-256 {one.sha256}") for one in provenance.inputs)
    yield "program", provenance.program
    yield "rulebook SHA-256", provenance.rulebook_sha256
    yield "profile", provenance.profile or "none"
    yield "generated", provenance.generated
    if sheets > 1:
        yield "sheets of findings", f"{sheets}: findings go on after {ROWS - 1:,} of a sheet, on findings 2 and so on"


def _sums_of_money(results: Results) -> Iterator[tuple[str, str]]:
    names = ("findings on money", "owed to players", "overpaid to players")
    if results.money is None:
        yield from ((name, "not told") for name in names)
        return
    several = bool(results.money.others)
    for money in results.money.by_currency:
        unit = f", {money.currency or 'currency not told'}" if several else ""
        sums = (str(money.findings), format_money(money.owed), format_money(money.overpaid))
        yield from ((f"{name}{unit}", said) for name, said in zip(names, sums, strict=True))


def _findings(results: Results) -> Iterator[Sequence[Value]]:
    for finding in results.findings:
        values = row(finding, results)
        yield values[:_UNITS] + values[_UNITS + 1 :]


def _requirements(results: Results) -> Iterator[Sequence[Value]]:
    for one in results.requirements:
        counts = [one.totals.get(status, 0) for status in WORST_FIRST]
        yield (
            one.requirement,
            one.title,
            one.document,
            ", ".join(one.clauses),
            one.evidence.value,
            one.severity.value,
            one.status.value,
            one.reason,
            *counts,
            ", ".join(one.reading),
            None if one.waived is None else waiver_in_words(one.waived),
        )


def _money(results: Results) -> Iterator[Sequence[Value]]:
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        yield "all", None, None, money.findings, money.owed, money.overpaid, currency
        for one in money.sums:
            yield one.by, one.name, one.casino, one.findings, one.owed, one.overpaid, currency


def _hold(found: Statistics) -> Iterator[Sequence[Value | float]]:
    for one in found.hold:
        low, high = one.interval or (None, None)
        yield (
            *(one.by, one.document, one.wager, one.casino, one.table, one.day, one.dealer, one.currency),
            *(one.stakes, one.handle, one.at_risk, one.win, one.hold),
            *(_whole(one.theoretical_win), one.theoretical_hold, _whole(one.given_away)),
            _whole(one.standard_deviation),
            *(_whole(low), _whole(high), one.p, one.q, _yes(one.outside), _yes(one.stands_out), one.left_out, one.why),
        )


def _came(found: Statistics) -> Iterator[Sequence[Value | float]]:
    for one in (*found.hands, *found.cards):
        for came in one.came:
            yield (
                *(one.document, one.casino, one.table, one.deck, one.of or "cards", came.name, came.count),
                *(came.expected, came.off, one.p, one.q, _yes(one.outside), _yes(one.stands_out), one.why),
            )


def _whole(amount: float | None) -> int | None:
    return None if amount is None else round(amount)


def _yes(said: bool) -> str:
    return "yes" if said else "no"


def _made(generated: str) -> datetime:
    """When the results were made, as the workbook says it was; 1980 where they do not say."""
    try:
        return datetime.fromisoformat(generated).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return datetime(1980, 1, 1)


def _table(
    sheet: Any,
    columns: Mapping[str, Kind],
    rows: Iterator[Sequence[Value | float]],
    looks: Mapping[Kind, Any],
    heading: Any,
) -> bool:
    """Write rows under their heading; returns whether the sheet was full before they ended."""
    for place, (name, kind) in enumerate(columns.items()):
        sheet.set_column(place, place, max(_WIDTHS[kind], len(name) + 4))
        sheet.write_string(0, place, name, heading)
    sheet.freeze_panes(1, 0)
    line = 0
    for values in islice(rows, ROWS - 1):
        line += 1
        for place, (value, kind) in enumerate(zip(values, columns.values(), strict=True)):
            _cell(sheet, line, place, value, kind, looks.get(kind))
    sheet.autofilter(0, 0, max(line, 1), len(columns) - 1)
    return line == ROWS - 1


def _cell(sheet: Any, line: int, place: int, value: Value | float, kind: Kind, look: Any) -> None:
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
        sheet.write_number(line, place, value / 10**EXPONENT if kind is Kind.MONEY else value, look)
    elif value is not None:
        sheet.write_string(line, place, format_money(round(value)) if kind is Kind.MONEY else str(value))


def _text(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."
