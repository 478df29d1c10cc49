"""Summary of the findings by requirement: their numbers, amounts, tables and days, from one pass over the findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from validator.reports.grouping import Counts, Totals
from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import Severity, State, Status

MOST_GROUPS = 400
"""Limit of the groups of findings that a report shows; a rulebook has far fewer requirements."""
MOST_TABLES = 1_000
"""Limit of the tables that are distinguished for one requirement."""
WORST = 3
"""Number of the most serious violations that a report names first."""

TOLD_AT_ONCE = (Status.FAIL, Status.ERROR)
"""Statuses whose findings are listed one by one; open requirements are listed by cause."""

Table = tuple[str | None, str]
"""Casino, if one is named, and name of a table."""
GroupNumbers = Mapping[tuple[Status, str], int]
"""Numbers of groups of findings in a report, by status and requirement."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class FindingGroup(Struct, kw_only=True):
    """Findings of one requirement with one status."""

    number: int
    """Number of the group in the report, from 1."""
    status: Status
    """Status of all its findings."""
    severity: Severity
    """Severity of all its findings."""
    requirement: str
    """Full id of the requirement."""
    document: str
    """Id of its document."""
    shown: list[Finding] = field(default_factory=list)
    """First findings of the group."""
    total: int = 0
    """Number of findings."""
    items: int = 0
    """Sum of the counts of the findings."""
    waived: int = 0
    """Number of findings with a waiver."""
    on_money: int = 0
    """Number of unwaived findings that concern money."""
    money: dict[str | None, tuple[int, int]] = field(default_factory=dict)
    """Sums of the unwaived findings that concern money, by currency: owed and overpaid, in minor units."""
    states: Counter[State] = field(default_factory=Counter)
    """Findings that are new and known; empty without a baseline."""
    tables: Counter[Table] = field(default_factory=Counter)
    """Findings by table."""
    tables_beyond: int = 0
    """Findings at tables beyond `MOST_TABLES`."""
    first_day: str | None = None
    """First day of the rounds; None if no day is known."""
    last_day: str | None = None
    """Last day of the rounds; None if no day is known."""

    @property
    def first(self) -> Finding:
        """First finding."""
        return self.shown[0]

    @property
    def most_money(self) -> int:
        """Largest amount in any currency, by which groups are ranked without rates of exchange."""
        return max(map(sum, self.money.values()), default=0)

    @property
    def unshown(self) -> int:
        """Number of findings that are not shown."""
        return self.total - len(self.shown)

    @property
    def clauses(self) -> tuple[str, ...]:
        """Clauses that the shown findings cite."""
        return tuple(dict.fromkeys(clause for finding in self.shown for clause in finding.clauses))

    def distinct_values(self, name: str) -> tuple[str, ...]:
        """Return the values of a field in the shown findings, each once and without empty ones."""
        return tuple(dict.fromkeys(text for finding in self.shown if (text := getattr(finding, name))))

    def add(self, finding: Finding, *, most: int) -> None:
        """Count a finding, and keep it if fewer than `most` are kept."""
        self.total += 1
        self.items += finding.count
        self.waived += finding.waived is not None
        if finding.waived is None and finding.owed is not None and finding.overpaid is not None:
            self.on_money += 1
            owed, overpaid = self.money.get(finding.currency, (0, 0))
            self.money[finding.currency] = owed + finding.owed, overpaid + finding.overpaid
        if finding.state is not None:
            self.states[finding.state] += 1
        where = finding.where
        if where.table is not None:
            table = (where.casino, where.table)
            if table in self.tables or len(self.tables) < MOST_TABLES:
                self.tables[table] += 1
            else:
                self.tables_beyond += 1
        day = day_of(where.time)
        if day is not None:
            self.first_day = min(day, self.first_day or day)
            self.last_day = max(day, self.last_day or day)
        if len(self.shown) < most:
            self.shown.append(finding)


class Overview(Struct, frozen=True, kw_only=True):
    """Summary of the findings of a run."""

    totals: Totals
    """Numbers of requirements and findings."""
    groups: tuple[FindingGroup, ...]
    """Groups of findings by requirement and status."""
    total: int
    """Number of findings."""
    states: Mapping[State, int]
    """Findings that are new and known."""
    beyond: int
    """Number of findings beyond `MOST_GROUPS` groups."""

    @property
    def listed_groups(self) -> tuple[FindingGroup, ...]:
        """Groups whose findings are listed one by one."""
        return tuple(group for group in self.groups if group.status in TOLD_AT_ONCE)

    def shown_numbers(self, results: Results) -> GroupNumbers:
        """Return the numbers of the groups that are shown."""
        groups = (*self.listed_groups, *self.find_unexplained(results))
        return {(group.status, group.requirement): group.number for group in groups}

    def find_unexplained(self, results: Results) -> tuple[FindingGroup, ...]:
        """Return open groups without a cause, as in results of an older version."""
        known = {name for cause in results.open for name in cause.requirements}
        return tuple(
            group for group in self.groups if group.status not in TOLD_AT_ONCE and group.requirement not in known
        )

    def worst(self) -> tuple[FindingGroup, ...]:
        """Return the most serious unwaived violations, ordered by severity, amount and number of findings."""
        failed = [group for group in self.groups if group.status is Status.FAIL and group.waived < group.total]
        grave = list(Severity)
        failed.sort(key=lambda group: (grave.index(group.severity), -group.most_money, -group.total, group.number))
        return tuple(failed[:WORST])


def overview(results: Results, *, shown: int) -> Overview:
    """Summarize the findings, keeping at most `shown` of each group.

    Groups are numbered from 1, first those whose findings are listed one by one, in the order of the findings.
    """
    counts, states = Counts(), Counter[State]()
    by_key: dict[tuple[Status, str], FindingGroup] = {}
    total = beyond = 0
    for finding in results.findings:
        total += 1
        counts.add(finding)
        if finding.state is not None:
            states[finding.state] += 1
        key = finding.status, finding.requirement
        group = by_key.get(key)
        if group is None:
            if len(by_key) >= MOST_GROUPS:
                beyond += 1
                continue
            group = by_key[key] = FindingGroup(
                number=0,
                status=finding.status,
                severity=finding.severity,
                requirement=finding.requirement,
                document=finding.document,
            )
        group.add(finding, most=shown)
    groups = tuple(_number_groups(list(by_key.values())))
    return Overview(totals=counts.totals(results), groups=groups, total=total, states=states, beyond=beyond)


def _number_groups(groups: Sequence[FindingGroup]) -> Iterator[FindingGroup]:
    order = sorted(groups, key=lambda group: group.status not in TOLD_AT_ONCE)
    for number, group in enumerate(order, 1):
        group.number = number
        yield group


def day_of(time: str | None) -> str | None:
    """Return the day of a time of a log, None if it has none."""
    return time[:10] if time is not None and _DAY.match(time) else None
