"""Files of `hold`: drop sheets and statistics; and rates of violations by dealer, shift, month and table."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from io import TextIOWrapper
from math import sqrt
from typing import BinaryIO, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.evidence.columns.log_draft import code_context
from fairdeal.validator.evidence.columns.round_batch import MOMENT, UNDATED, Batch
from fairdeal.validator.hold.stake_counts import find_distinct_rows
from fairdeal.validator.reports.json_format import encode_json
from fairdeal.validator.reports.statistics_report import drop_lines, statistics_lines
from fairdeal.validator.results import game_statistics
from fairdeal.validator.results.findings import EvidencePlace, Finding, ResultRecord, Status, digest_round
from fairdeal.validator.results.game_statistics import DropResult, Grouping, RateUnit, RoundRate, Statistics
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, guard_formulas, limit_diagnostics, sanitize
from fairdeal.validator.text.plain_values import parse_money, written_in
from fairdeal.validator.text.source import Source

_QUARTER = 15 * 60 * 1_000_000
"""Microseconds of a quarter of an hour."""
_QUARTERS_OF_AN_HOUR = 4
MOST_GROUPS = 60_000
"""Limit of the groups of rounds. The rounds of further ones are counted together, and nothing is tested then."""
OTHERS = "…"
"""Casino and name of these rounds."""


class RoundGroup(NamedTuple):
    """Rounds of a game with one dealer, in one shift, in one month or at one table of a casino."""

    by: RateUnit
    document: str
    casino: str | None
    stratum: tuple[str | None, ...]
    """Table and shift at which the rounds are compared with others, by `STRATA`."""
    name: str
    """Name of the dealer, shift or table, or the month."""


STRATA: Mapping[RateUnit, tuple[RateUnit, ...]] = {
    RateUnit.DEALER: (RateUnit.TABLE, RateUnit.SHIFT),
    RateUnit.SHIFT: (RateUnit.TABLE,),
    RateUnit.MONTH: (RateUnit.TABLE,),
    RateUnit.TABLE: (),
}
"""Units in which rounds are compared: a dealer with the others at the same table in the same shift."""


class RoundSums(Struct, kw_only=True):
    """Number of rounds, and the time in which they were played."""

    rounds: int = 0
    timed: int = 0
    """Number of rounds at a table whose time of day is known."""
    quarters: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Quarters of an hour in which these rounds began, in order, int64[n]."""

    @property
    def pace(self) -> float | None:
        """Rounds an hour while the table was in play; None if no time of day is known."""
        return _QUARTERS_OF_AN_HOUR * self.timed / len(self.quarters) if self.timed else None

    def add(self, other: RoundSums) -> None:
        """Add other rounds."""
        self.rounds += other.rounds
        self.timed += other.timed
        if other.timed:
            self.quarters = np.union1d(self.quarters, other.quarters)


def add_rounds(sums: dict[RoundGroup, RoundSums], group: RoundGroup, more: RoundSums) -> None:
    """Add rounds to those of their group."""
    if group not in sums and len(sums) >= MOST_GROUPS:
        group, more = RoundGroup(group.by, group.document, OTHERS, (), OTHERS), RoundSums(rounds=more.rounds)
    sums.setdefault(group, RoundSums()).add(more)


def count_rounds(batch: Batch) -> Iterator[tuple[RoundGroup, RoundSums]]:
    """Yield the rounds of a batch by unit and name; rounds that do not state a name are left out."""
    named = {by: _list_names(batch, by) for by in RateUnit}
    for by in RateUnit:
        names, strata = named[by][0], [named[unit][0] for unit in STRATA[by]]
        within = [named[unit][1] for unit in STRATA[by]]
        rows, at = find_distinct_rows(batch.casino.codes, named[by][1], *within)
        counts = np.bincount(at, minlength=len(rows)).tolist()
        for number, (casino, code, *codes) in enumerate(rows.tolist()):
            if code < 0:
                continue
            sums = RoundSums(rounds=counts[number])
            if by is RateUnit.TABLE:
                times = batch.time[(at == number) & (batch.dated == MOMENT)]
                sums.timed, sums.quarters = len(times), np.unique(times // _QUARTER)
            stratum = tuple([_find_name(*pair) for pair in zip(strata, codes, strict=True)])
            yield RoundGroup(by, batch.game, _find_name(batch.casino.names, casino), stratum, names[code]), sums


def _find_name(names: Sequence[str], code: int) -> str | None:
    return None if code < 0 else names[code]


def _list_names(batch: Batch, by: RateUnit) -> tuple[Sequence[str], Ints]:
    """Return the names of a unit, and the index of the name of each round, int64[rounds]; negative for none."""
    match by:
        case RateUnit.TABLE:
            return batch.table.names, batch.table.codes.astype(np.int64)
        case RateUnit.MONTH:
            months, code = np.unique(batch.day.astype("datetime64[D]").astype("datetime64[M]"), return_inverse=True)
            return months.astype(str).tolist(), np.where(batch.dated == UNDATED, ABSENT, code)
        case _:
            return code_context(batch.context, by)


MOST_VIOLATED = 100_000
"""Limit of the rounds with a violation that are distinguished; with more, there is no test."""
_THOUSAND = 1_000
_REACH = 40.0
"""Standard deviations beyond which a number is left out of a distribution."""
_SMALLEST = 1e-15
"""Smallest probability that is stated."""
_TOO_MANY_NAMES = "the log has too many names"
_TOO_MANY = f"more than {MOST_VIOLATED:,} rounds have a violation"


class ViolationCounts(Struct):
    """Number of violations and of violated rounds."""

    violations: Counter[RoundGroup] = field(default_factory=Counter)
    violated: Counter[RoundGroup] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set)
    """Digests of the violated rounds."""

    def add(self, finding: Finding) -> None:
        """Add a finding, if it is a violation in a round without contradicting records that no waiver lifts."""
        where = finding.where
        if where.round is None or finding.status is not Status.FAIL or finding.waived or finding.version is not None:
            return
        digest, groups = digest_round(finding), [*_list_groups(finding.document, where)]
        self.violations.update(groups)
        if digest not in self.seen and len(self.seen) <= MOST_VIOLATED:
            self.seen.add(digest)
            self.violated.update(groups)


def _list_groups(document: str, where: EvidencePlace) -> Iterator[RoundGroup]:
    """Yield the groups that a round belongs to, as `count_rounds` names them."""
    notes = where.context or {}
    dated = where.time if where.played_on is not None else None
    names = {
        RateUnit.DEALER: notes.get("dealer"),
        RateUnit.SHIFT: notes.get("shift"),
        RateUnit.MONTH: None if dated is None else dated[: len("2026-03")],
        RateUnit.TABLE: where.table,
    }
    for by, name in names.items():
        if name is not None:
            yield RoundGroup(by, document, where.casino, tuple([names[unit] for unit in STRATA[by]]), name)


class _Comparison(NamedTuple):
    """Rounds of a name in a stratum, and all rounds there."""

    own: int
    violated: int
    """Number of violated rounds in the stratum."""
    played: int
    """Number of rounds in the stratum."""


def compare_rates(
    rounds: Mapping[RoundGroup, RoundSums], findings: Iterable[Finding] | None, level: float
) -> Iterator[RoundRate]:
    """Yield the rate of violations of each name, tested but not yet corrected for the number of tests.

    Args:
        rounds: rounds by group.
        findings: findings of an audit of these rounds; None if nothing was checked, which leaves the pace of tables.
        level: probability of the interval.
    """
    counts = ViolationCounts()
    for finding in findings or ():
        counts.add(finding)
    played, violated = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
    by_name: dict[tuple[RateUnit, str, tuple[bool, str], str], list[RoundGroup]] = {}
    for group, sums in rounds.items():
        played[group[:-1]] += sums.rounds
        violated[group[:-1]] += counts.violated[group]
        casino = (group.casino is not None, group.casino or "")
        by_name.setdefault((group.by, group.document, casino, group.name), []).append(group)
    full = {(group.by, group.document) for group in rounds if group.name == OTHERS}
    for (by, document, _, name), groups in sorted(by_name.items()):
        (pace,) = {rounds[group].pace for group in groups} if by is RateUnit.TABLE else {None}
        rate = RoundRate(
            by=by,
            document=document,
            casino=groups[0].casino,
            name=name,
            rounds=sum(rounds[group].rounds for group in groups),
            pace=None if pace is None else round(pace, 2),
        )
        if findings is None:
            if by is RateUnit.TABLE:
                yield rate
            continue
        violations = sum(counts.violations[group] for group in groups)
        rate = replace(rate, violations=violations, per_thousand=round(_THOUSAND * violations / rate.rounds, 4))
        if (by, document) in full or len(counts.seen) > MOST_VIOLATED:
            yield replace(rate, why=_TOO_MANY_NAMES if (by, document) in full else _TOO_MANY)
            continue
        strata = [_Comparison(rounds[group].rounds, violated[group[:-1]], played[group[:-1]]) for group in groups]
        yield _test_rate(rate, sum(counts.violated[group] for group in groups), strata, level)


def _test_rate(rate: RoundRate, number: int, strata: Sequence[_Comparison], level: float) -> RoundRate:
    """Return a rate with the interval of its violated rounds, and its test."""
    from scipy import stats  # noqa: PLC0415 - counts of rounds need no distribution

    within = min(max(level, 0.0), 1.0)  # saved results that are verified may state anything
    bounds = stats.binomtest(number, rate.rounds).proportion_ci(within, "exact")
    p = why = None
    if all(stratum.own == stratum.played for stratum in strata):
        why = "nothing to compare with"
    elif not any(stratum.violated for stratum in strata):
        why = "no violation"
    else:
        p = float(f"{compute_tail(strata, number):.6g}")
    return replace(
        rate,
        violated=number,
        interval=(round(_THOUSAND * float(bounds.low), 4), round(_THOUSAND * float(bounds.high), 4)),
        p=p,
        why=why,
    )


def compute_tail(strata: Iterable[tuple[int, int, int]], number: int) -> float:
    """Return the probability of at least a number of violated rounds, if each stratum spreads its own by chance.

    Args:
        strata: of each stratum its own rounds, all violated rounds, and all rounds.
        number: number of violated rounds in all strata.
    """
    from scipy import stats  # noqa: PLC0415 - counts of rounds need no distribution

    chances, first = np.ones(1), 0
    for own, violated, played in strata:
        mean = own * violated / played
        reach = _REACH * (1 + sqrt(mean))
        least = max(0, own + violated - played, int(mean - reach))
        numbers = np.arange(least, min(own, violated, int(mean + reach) + 1) + 1)
        chances = np.convolve(chances, stats.hypergeom.pmf(numbers, played, violated, own))
        first += least
    return min(max(float(chances[max(number - first, 0) :].sum()), _SMALLEST), 1.0)


COLUMNS = ("table", "day", "drop", "win")
"""Columns that a sheet must have; `casino` may be added."""
MOST_ROWS = 100_000
_LEAST_DAYS = 3
"""Number of days of a table from which the spread of its win can be estimated."""
_HELP = "write a CSV with the columns table, day (2026-03-31), drop and win, in units of the currency"

_Place = tuple[str | None, str, str]
"""Casino, table and day."""


class DropRow(Struct, frozen=True, kw_only=True):
    """Drop and win of a table on a day, in minor units."""

    casino: str | None
    table: str
    day: str
    drop: int
    win: int


def read_drop_sheet(source: Source, currency: str | None) -> list[DropRow]:
    """Read a drop sheet with amounts in a currency. Raises InputError if a row cannot be read."""
    problems: list[Diagnostic] = []
    rows: dict[_Place, DropRow] = {}
    reader = csv.DictReader(source.text.splitlines(keepends=True), strict=True)
    try:
        headings = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        problems += [_refuse(source, 1, f"it has no column `{name}`") for name in COLUMNS if name not in headings]
        reader.fieldnames = headings
        for cells in () if problems else reader:
            try:
                with written_in(currency):
                    row = _read_row(cells)
                place = (row.casino, row.table, row.day)
                if place in rows:
                    raise ValueError(f"table {row.table} is listed twice on {row.day}")
            except ValueError as error:
                problems.append(_refuse(source, reader.line_num, str(error)))
            else:
                rows[place] = row
            if len(rows) + len(problems) > MOST_ROWS:
                problems.append(_refuse(source, reader.line_num, f"it has more than {MOST_ROWS:,} rows"))
                break
    except csv.Error as error:
        problems.append(_refuse(source, reader.line_num, f"it cannot be read as CSV: {error}"))
    if problems or not rows:
        raise InputError(limit_diagnostics(problems or [_refuse(source, 1, "it has no rows")]))
    return [*rows.values()]


def _refuse(source: Source, line: int, message: str) -> Diagnostic:
    return Diagnostic(code="not-a-drop-sheet", message=message, file=source.name, line=line, help=_HELP)


def _read_row(cells: Mapping[str, str | None]) -> DropRow:
    texts = {name: (cells.get(name) or "").strip() for name in (*COLUMNS, "casino")}
    if not texts["table"]:
        raise ValueError("the table is not named")
    return DropRow(
        casino=texts["casino"] or None,
        table=texts["table"],
        day=date.fromisoformat(texts["day"]).isoformat(),
        drop=parse_money(texts["drop"]),
        win=_parse_win(texts["win"]),
    )


def _parse_win(text: str) -> int:
    """Return a win, which may be a loss: `-5.00`, `-$5.00` or `(5.00)`."""
    if text.startswith("(") and text.endswith(")"):
        return -parse_money(text[1:-1].strip())
    return -parse_money(text[1:].lstrip()) if text[:1] in ("-", "\u2212") else parse_money(text)


def compare_drops(rows: Iterable[DropRow], statistics: Statistics) -> tuple[DropResult, ...]:
    """Return win to drop of each table on each day, its deviation, and the win in the logs.

    The variance of a day's win is taken as proportional to its drop, as for bets that do not depend on each other.

    Args:
        rows: rows of the sheet.
        statistics: statistics of the logs.
    """
    by_table: dict[tuple[str | None, str], list[DropRow]] = defaultdict(list)
    for row in rows:
        by_table[row.casino, row.table].append(row)
    logged = _list_logged_wins(statistics)
    found = []
    for (casino, table), days in sorted(by_table.items(), key=lambda entry: (entry[0][0] or "", entry[0][1])):
        drop, win = sum(row.drop for row in days), sum(row.win for row in days)
        share = win / drop if drop else None
        residuals = [row.win - (share or 0.0) * row.drop for row in days]
        squares = sum(residual**2 / row.drop for residual, row in zip(residuals, days, strict=True) if row.drop)
        spread = sqrt(squares / (len(days) - 1)) if len(days) >= _LEAST_DAYS else 0.0
        for row, residual in sorted(zip(days, residuals, strict=True), key=lambda entry: entry[0].day):
            scale = spread * sqrt(row.drop * (1 - row.drop / drop)) if drop else 0.0
            found.append(
                DropResult(
                    casino=casino,
                    table=table,
                    day=row.day,
                    drop=row.drop,
                    win=row.win,
                    win_to_drop=row.win / row.drop if row.drop else None,
                    of_table=share,
                    off=round(residual / scale, 4) if scale else None,
                    logged_win=_find_logged_win(logged, row),
                )
            )
    return tuple(found)


def _list_logged_wins(statistics: Statistics) -> Mapping[tuple[str, str], Mapping[str | None, int]]:
    """Return the wins in the logs by table and day, then by casino: what the house took less what it paid, and rake."""
    wins = Counter[_Place]()
    for hold in statistics.hold:
        if hold.by is Grouping.DAY and hold.table is not None and hold.day is not None:
            wins[hold.casino, hold.table, hold.day] += hold.win
    for rake in statistics.rake:
        if rake.by is Grouping.DAY and rake.table is not None and rake.day is not None:
            wins[rake.casino, rake.table, rake.day] += rake.raked
    by_table: dict[tuple[str, str], dict[str | None, int]] = defaultdict(dict)
    for (casino, table, day), win in wins.items():
        by_table[table, day][casino] = win
    return by_table


def _find_logged_win(logged: Mapping[tuple[str, str], Mapping[str | None, int]], row: DropRow) -> int | None:
    """Return the win of a row in the logs; None if they have none, or several casinos may be meant."""
    wins = logged.get((row.table, row.day), {})
    if row.casino is not None:
        return wins.get(row.casino)
    return next(iter(wins.values())) if len(wins) == 1 else None


HOLD_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(game_statistics.HoldResult))
"""Columns of the CSV: the keys of a hold."""


class StatisticsReport(ResultRecord, frozen=True, kw_only=True):
    """Statistics of hand logs with their inputs."""

    program: str
    """Name and version of the program."""
    inputs: tuple[InputFile, ...]
    """Hand logs and submissions that were read."""
    currency: str | None
    """Currency of all amounts, or several with commas; None if none is stated."""
    statistics: game_statistics.Statistics
    """Hold, hands, cards and rake."""
    drop_sheet: game_statistics.DropSheet | None = None
    """Win to drop by the drop sheet; None if none was given."""

    @property
    def drops(self) -> tuple[game_statistics.DropResult, ...]:
        """Return the rows of the drop sheet."""
        return () if self.drop_sheet is None else self.drop_sheet.rows


StatisticsWriter = Callable[[StatisticsReport, BinaryIO], None]


def write_statistics_json(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write everything as a JSON object."""
    stream.write(msgspec.json.format(encode_json(report), indent=2) + b"\n")


def write_statistics_text(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write tables of hold, then of hands and cards, then of the drop sheet, as text."""
    stream.write("\n".join([*statistics_lines(report.statistics), *drop_lines(report.drops), ""]).encode())


def write_statistics_csv(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write a line for each hold, with amounts in minor units."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(HOLD_COLUMNS)
        for hold in report.statistics.hold:
            lines.writerow([_cell(value) for value in msgspec.structs.astuple(hold)])
    finally:
        text.detach()  # or the stream would be closed with it


def _cell(value: object) -> object:
    if isinstance(value, str):
        return guard_formulas(sanitize(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " to ".join(map(str, value)) if isinstance(value, tuple) else value


def write_statistics_html(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write an HTML page in the style of reports, without a script."""
    from fairdeal.validator.reports.html.html_pages import LISTED, build_environment  # noqa: PLC0415 - other forms need no templates

    page = build_environment().get_template("hold.html.j2")
    stream.write(
        page.render(
            statistics=report.statistics,
            drops=report.drops,
            inputs=report.inputs,
            currency=report.currency,
            program=report.program,
            listed=LISTED,
        ).encode()
    )


STATISTICS_WRITERS: Mapping[str, StatisticsWriter] = {
    "text": write_statistics_text,
    "json": write_statistics_json,
    "csv": write_statistics_csv,
    "html": write_statistics_html,
}
