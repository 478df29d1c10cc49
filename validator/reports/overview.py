"""What a report says before it lists anything: findings by requirement, what they come to, where and since when.

One pass over the findings; of each requirement only the first few are kept.
"""

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
"""Requirements with one status whose findings a report shows; a rulebook has far fewer."""
MOST_TABLES = 1_000
"""Tables told apart for one requirement."""
WORST = 3

TOLD_AT_ONCE = (Status.FAIL, Status.ERROR)
"""Statuses whose findings are told one by one; what is open is told by its cause."""

Table = tuple[str | None, str]
"""A table: its casino, where one is named, and its name."""
GroupNumbers = Mapping[tuple[Status, str], int]
"""The number a report gives the findings of a requirement with a status."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class FindingGroup(Struct, kw_only=True):
    """The findings of one requirement with one status.

    `shown` are the first of them, `total` counts all and `items` what they stand for. `first_day` and `last_day` are
    those of rounds, None where no day is told.
    """

    number: int
    status: Status
    severity: Severity
    requirement: str
    document: str
    shown: list[Finding] = field(default_factory=list)
    total: int = 0
    items: int = 0
    waived: int = 0
    on_money: int = 0
    """Number of findings on money that no waiver lifts."""
    money: dict[str | None, tuple[int, int]] = field(default_factory=dict)
    """Sums of the findings on money that no waiver lifts, by currency: owed and overpaid, in minor units."""
    states: Counter[State] = field(default_factory=Counter)
    tables: Counter[Table] = field(default_factory=Counter)
    tables_beyond: int = 0
    first_day: str | None = None
    last_day: str | None = None

    @property
    def first(self) -> Finding:
        """The first finding."""
        return self.shown[0]

    @property
    def most_money(self) -> int:
        """The largest amount in any currency, by which groups are ranked: there are no rates of exchange here."""
        return max(map(sum, self.money.values()), default=0)

    @property
    def unshown(self) -> int:
        """The number of findings beyond those shown."""
        return self.total - len(self.shown)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that the findings shown rest on."""
        return tuple(dict.fromkeys(clause for one in self.shown for clause in one.clauses))

    def said(self, name: str) -> tuple[str, ...]:
        """What the findings shown say in one of their fields, each text once."""
        return tuple(dict.fromkeys(text for one in self.shown if (text := getattr(one, name))))

    def add(self, finding: Finding, *, most: int) -> None:
        """Count a finding, and keep it as long as there are fewer than `most`."""
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
    """The findings of a run, summed up. `beyond` counts those of requirements that are not in `groups`."""

    totals: Totals
    groups: tuple[FindingGroup, ...]
    total: int
    states: Mapping[State, int]
    beyond: int

    @property
    def told(self) -> tuple[FindingGroup, ...]:
        """What is told finding by finding."""
        return tuple(group for group in self.groups if group.status in TOLD_AT_ONCE)

    def shown_numbers(self, results: Results) -> GroupNumbers:
        """The numbers of the groups that are shown."""
        return {(group.status, group.requirement): group.number for group in (*self.told, *self.unexplained(results))}

    def unexplained(self, results: Results) -> tuple[FindingGroup, ...]:
        """What is open and no cause speaks of, such as in results of an older version."""
        known = {name for cause in results.open for name in cause.requirements}
        return tuple(
            group for group in self.groups if group.status not in TOLD_AT_ONCE and group.requirement not in known
        )

    def worst(self) -> tuple[FindingGroup, ...]:
        """The worst failures that no waiver lifts: the gravest first, among those what costs most, then the most."""
        failed = [group for group in self.groups if group.status is Status.FAIL and group.waived < group.total]
        grave = list(Severity)
        failed.sort(key=lambda one: (grave.index(one.severity), -one.most_money, -one.total, one.number))
        return tuple(failed[:WORST])


def overview(results: Results, *, shown: int) -> Overview:
    """The findings summed up, at most `shown` of each group kept.

    Groups are numbered from 1: first those told finding by finding, each kind in the order of the findings.
    """
    counts, states = Counts(), Counter[State]()
    found: dict[tuple[Status, str], FindingGroup] = {}
    total = beyond = 0
    for finding in results.findings:
        total += 1
        counts.add(finding)
        if finding.state is not None:
            states[finding.state] += 1
        key = finding.status, finding.requirement
        group = found.get(key)
        if group is None:
            if len(found) >= MOST_GROUPS:
                beyond += 1
                continue
            group = found[key] = FindingGroup(
                number=0,
                status=finding.status,
                severity=finding.severity,
                requirement=finding.requirement,
                document=finding.document,
            )
        group.add(finding, most=shown)
    groups = tuple(_numbered(list(found.values())))
    return Overview(totals=counts.totals(results), groups=groups, total=total, states=states, beyond=beyond)


def _numbered(groups: Sequence[FindingGroup]) -> Iterator[FindingGroup]:
    order = sorted(groups, key=lambda group: group.status not in TOLD_AT_ONCE)
    for number, group in enumerate(order, 1):
        group.number = number
        yield group


def day_of(time: str | None) -> str | None:
    """The day of a time as logs write it, None where none is told."""
    return time[:10] if time is not None and _DAY.match(time) else None
