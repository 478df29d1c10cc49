"""Findings counted, grouped and summarized by requirement, from one pass over the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice

from msgspec import Struct, field

from fairdeal.validator.results.findings import (
    WORST_FIRST,
    Finding,
    FindingState,
    ResultRecord,
    Severity,
    Status,
    digest_round,
)
from fairdeal.validator.results.results import Results

GroupKey = tuple[Status, str]
"""Key of a group of findings: a status and a requirement."""

DETAILS = (
    "severity",
    "message",
    "expected",
    "observed",
    "remedy",
    "clauses",
    "document",
    "reading",
    "waived",
    "claimed",
)
"""Fields that findings of a group may share, in the order in which reports show them."""


class Totals(ResultRecord, frozen=True, kw_only=True):
    """Numbers of requirements and findings."""

    requirements: Mapping[Status, int]
    """Requirements by status, worst first, with zeros."""
    findings: Mapping[Status, int]
    """Findings by status, worst first, with zeros."""
    severity: Mapping[Severity, int]
    """Violations by severity, waived ones included."""
    waived: int
    """Findings of any status that have a waiver."""


class FindingRun(Struct, frozen=True, kw_only=True):
    """Consecutive findings of one requirement with one status."""

    number: int
    """Number of the group, from 1."""
    status: Status
    """Status of all its findings."""
    requirement: str
    """Full id of the requirement."""
    shown: tuple[Finding, ...]
    """First findings of the group."""
    total: int
    """Number of findings."""
    items: int
    """Sum of the counts of its findings."""
    varying: frozenset[str]
    """Names of the `DETAILS` in which its findings differ."""

    @property
    def first(self) -> Finding:
        """First finding; its details are those of all findings but for the `varying` ones."""
        return self.shown[0]

    @property
    def unshown(self) -> int:
        """Number of findings that are not shown."""
        return self.total - len(self.shown)


class FindingCounter(Struct):
    """Counter of findings."""

    findings: dict[Status, int] = field(default_factory=lambda: dict.fromkeys(WORST_FIRST, 0))
    """Findings by status."""
    severity: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    """Violations by severity."""
    waived: int = 0
    """Findings that have a waiver."""

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        self.findings[finding.status] += 1
        self.waived += finding.waived is not None
        if finding.status is Status.FAIL:
            self.severity[finding.severity] += 1

    def totals(self, results: Results) -> Totals:
        """Return the totals, once every finding of the results was counted."""
        return Totals(
            requirements=results.count_by_status(), findings=self.findings, severity=self.severity, waived=self.waived
        )


def count_findings(results: Results) -> Totals:
    """Return the totals in one pass over the findings."""
    counts = FindingCounter()
    for finding in results.findings:
        counts.add(finding)
    return counts.totals(results)


def group_findings(findings: Iterable[Finding], *, limit: int) -> Iterator[FindingRun]:
    """Yield the groups of findings in their order, each with its first `limit` findings.

    A requirement has more than one group if its findings are not in the order of `Results`.
    """
    for number, (key, run) in enumerate(groupby(findings, _key), 1):
        shown = tuple(islice(run, limit))
        first = shown[0]
        total = items = 0
        varying: set[str] = set()
        for finding in chain(shown, run):
            total += 1
            items += finding.count
            varying.update(name for name in DETAILS if getattr(finding, name) != getattr(first, name))
        yield FindingRun(
            number=number,
            status=key[0],
            requirement=key[1],
            shown=shown,
            total=total,
            items=items,
            varying=frozenset(varying),
        )


def _key(finding: Finding) -> GroupKey:
    return finding.status, finding.requirement


GROUP_LIMIT = 400
"""Limit of the groups of findings that a report shows; a rulebook has far fewer requirements."""
TABLE_LIMIT = 1_000
"""Limit of the tables that are distinguished for one requirement."""
WORST_SHOWN = 3
"""Number of the most serious violations that a report names first."""

LISTED_STATUSES = (Status.FAIL, Status.ERROR)
"""Statuses whose findings are listed one by one; open requirements are listed by cause."""

Table = tuple[str | None, str]
"""Casino, if one is named, and name of a table."""
GroupNumbers = Mapping[tuple[Status, str], int]
"""Numbers of groups of findings in a report, by status and requirement."""

PLACE_KINDS = ("table", "day", "dealer")
"""Kinds of places that violations are counted by."""
PLACE_LIMIT = 10_000
"""Limit of the places of one kind that are distinguished."""
ROUND_LIMIT = 100_000
"""Limit of the rounds that are counted."""

PlaceName = tuple[str | None, str]
"""Casino of a table, and name of a place."""


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
    states: Counter[FindingState] = field(default_factory=Counter)
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
            if table in self.tables or len(self.tables) < TABLE_LIMIT:
                self.tables[table] += 1
            else:
                self.tables_beyond += 1
        day = where.played_on
        if day is not None:
            self.first_day = min(day, self.first_day or day)
            self.last_day = max(day, self.last_day or day)
        if len(self.shown) < most:
            self.shown.append(finding)


class _ViolationCounter(Struct):
    """Counter of the rounds and places of unwaived violations."""

    places: dict[str, Counter[PlaceName]] = field(default_factory=lambda: {kind: Counter() for kind in PLACE_KINDS})
    """Violations by place, for each of `PLACE_KINDS`."""
    rounds: set[bytes] = field(default_factory=set)
    """Digests of the rounds."""
    is_submission_violated: bool = False
    """True if a violation is outside of any round."""
    kept: list[Finding] = field(default_factory=list)
    """First violations."""

    def add(self, finding: Finding, *, most: int) -> None:
        """Count a finding if it is an unwaived violation, and keep it if fewer than `most` are kept."""
        if finding.status is not Status.FAIL or finding.waived is not None:
            return
        if len(self.kept) < most:
            self.kept.append(finding)
        where = finding.where
        if where.round is None:
            self.is_submission_violated = True
            return
        if len(self.rounds) < ROUND_LIMIT:
            self.rounds.add(digest_round(finding))
        dealer = (where.context or {}).get("dealer")
        names = {"table": (where.casino, where.table), "day": (None, where.played_on), "dealer": (None, dealer)}
        for kind, (casino, name) in names.items():
            counts = self.places[kind]
            if name is not None and ((casino, name) in counts or len(counts) < PLACE_LIMIT):
                counts[casino, name] += 1


class FindingsSummary(Struct, frozen=True, kw_only=True):
    """Summary of the findings of a run."""

    totals: Totals
    """Numbers of requirements and findings."""
    groups: tuple[FindingGroup, ...]
    """Groups of findings by requirement and status."""
    total: int
    """Number of findings."""
    states: Mapping[FindingState, int]
    """Findings that are new and known."""
    beyond: int
    """Number of findings beyond `MOST_GROUPS` groups."""
    places: Mapping[str, Counter[PlaceName]]
    """Unwaived violations by place, for each of `PLACE_KINDS`."""
    violated_rounds: int
    """Number of rounds with an unwaived violation, up to `ROUND_LIMIT`."""
    is_submission_violated: bool
    """True if a submission has an unwaived violation."""
    violations: tuple[Finding, ...]
    """First unwaived violations."""

    @property
    def rounds_beyond(self) -> bool:
        """Return whether there may be more rounds with a violation."""
        return self.violated_rounds >= ROUND_LIMIT

    @property
    def listed_groups(self) -> tuple[FindingGroup, ...]:
        """Groups whose findings are listed one by one."""
        return tuple(group for group in self.groups if group.status in LISTED_STATUSES)

    def shown_numbers(self, results: Results) -> GroupNumbers:
        """Return the numbers of the groups that are shown."""
        groups = (*self.listed_groups, *self.find_unexplained(results))
        return {(group.status, group.requirement): group.number for group in groups}

    def find_unexplained(self, results: Results) -> tuple[FindingGroup, ...]:
        """Return open groups without a cause, as in results of an older version."""
        known = {name for cause in results.open for name in cause.requirements}
        return tuple(
            group for group in self.groups if group.status not in LISTED_STATUSES and group.requirement not in known
        )

    def worst(self) -> tuple[FindingGroup, ...]:
        """Return the most serious unwaived violations, ordered by severity, amount and number of findings."""
        failed = [group for group in self.groups if group.status is Status.FAIL and group.waived < group.total]
        grave = list(Severity)
        failed.sort(key=lambda group: (grave.index(group.severity), -group.most_money, -group.total, group.number))
        return tuple(failed[:WORST_SHOWN])


def summarize_findings(results: Results, *, shown: int, violations: int = 0) -> FindingsSummary:
    """Summarize the findings.

    Groups are numbered from 1, first those whose findings are listed one by one, in the order of the findings.

    Args:
        shown: limit of the findings of each group that are kept.
        violations: limit of the unwaived violations that are kept.
    """
    counts, states, violated = FindingCounter(), Counter[FindingState](), _ViolationCounter()
    by_key: dict[tuple[Status, str], FindingGroup] = {}
    total = beyond = 0
    for finding in results.findings:
        total += 1
        counts.add(finding)
        violated.add(finding, most=violations)
        if finding.state is not None:
            states[finding.state] += 1
        key = finding.status, finding.requirement
        group = by_key.get(key)
        if group is None:
            if len(by_key) >= GROUP_LIMIT:
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
    return FindingsSummary(
        totals=counts.totals(results),
        groups=groups,
        total=total,
        states=states,
        beyond=beyond,
        places=violated.places,
        violated_rounds=len(violated.rounds),
        is_submission_violated=violated.is_submission_violated,
        violations=tuple(violated.kept),
    )


def _number_groups(groups: Sequence[FindingGroup]) -> Iterator[FindingGroup]:
    order = sorted(groups, key=lambda group: group.status not in LISTED_STATUSES)
    for number, group in enumerate(order, 1):
        group.number = number
        yield group
