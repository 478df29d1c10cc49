"""Results derived from others: compared with those of an earlier run, or with local times and gaming days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import compress, islice, takewhile
from typing import overload
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from fairdeal.validator.results.findings import (
    EvidencePlace,
    Finding,
    FindingIds,
    FindingState,
    Severity,
    Status,
    Verdict,
)
from fairdeal.validator.results.results import Baseline, CurrencyMoney, Money, MoneySum, Results, count_doubtful_records

_JUDGED = frozenset({Status.PASS, Status.FAIL})
_SEVERITIES = tuple(Severity)


def decide_filtered_verdict(results: Results, *, new: bool, at_least: Severity) -> Verdict:
    """Return the verdict of a run as if it had only some of its findings.

    The run is inconclusive if nothing was checked, or if records were quarantined or contradicted. With a baseline,
    only newly doubtful records count.

    Args:
        results: results of the run.
        new: whether only new findings count.
        at_least: lowest severity that counts.
    """
    proven = True
    for finding in results.findings:
        if (new and finding.state is not FindingState.NEW) or not _severe(finding, at_least):
            continue
        if finding.status is not Status.FAIL:
            proven = False
        elif finding.waived is None:
            return Verdict.VIOLATIONS
    judged = any(not _JUDGED.isdisjoint(requirement.totals) for requirement in results.requirements)
    baseline = results.baseline
    doubtful = count_doubtful_records(results.provenance.inputs)
    if new and baseline is not None:
        doubtful = baseline.set_aside
    if doubtful or not (proven and judged):
        return Verdict.INCONCLUSIVE
    return Verdict.COMPLIANT


def _severe(finding: Finding, at_least: Severity) -> bool:
    return _SEVERITIES.index(finding.severity) <= _SEVERITIES.index(at_least)


MOST_CHANGED = 10_000
"""Largest number of findings that are listed as changed."""

_COMPARED_FIELDS = ("severity", "expected", "observed", "waived", "owed", "overpaid", "currency", "count")
"""Fields that may change while a finding keeps its id."""


class StatusChange(Struct, frozen=True, kw_only=True):
    """Requirement whose status differs from the earlier run."""

    requirement: str
    before: Status | None
    """Status in the earlier run; None if that run did not check the requirement."""
    now: Status | None
    """Status in this run; None if this run did not check the requirement."""


class RunComparison(Struct, frozen=True, kw_only=True):
    """Differences between two runs, apart from findings that are new or gone."""

    moved: tuple[StatusChange, ...]
    """Requirements whose status changed, by name."""
    changed: tuple[Finding, ...]
    """Findings of both runs whose content changed, as they are now; at most `MOST_CHANGED`."""
    changed_found: int
    """Number of findings that changed."""


def compare_runs(before: Results, now: Results) -> RunComparison:
    """Compare a run with an earlier one. Findings are matched by their ids, where both runs have them."""
    statuses = [
        {requirement.requirement: requirement.status for requirement in results.requirements}
        for results in (before, now)
    ]
    names = sorted(statuses[0].keys() | statuses[1].keys())
    pairs = ((name, statuses[0].get(name), statuses[1].get(name)) for name in names)
    count = 0
    listed: list[Finding] = []
    for finding in _find_changes(before, now):
        count += 1
        if count <= MOST_CHANGED:
            listed.append(finding)
    return RunComparison(
        moved=tuple(
            StatusChange(requirement=name, before=earlier, now=other)
            for name, earlier, other in pairs
            if earlier is not other
        ),
        changed=tuple(listed),
        changed_found=count,
    )


def _find_changes(before: Results, now: Results) -> Iterator[Finding]:
    changed = bytearray(len(now.findings))
    for ids in split_ids(len(before.findings)):
        digests = {finding.id: _digest(finding) for finding in before.findings if finding.id and finding.id in ids}
        for index, finding in enumerate(now.findings):
            changed[index] |= finding.id in digests and digests[finding.id] != _digest(finding)
    return compress(now.findings, changed)


def _digest(finding: Finding) -> bytes:
    return blake2b(encode([getattr(finding, name) for name in _COMPARED_FIELDS]), digest_size=16).digest()


_STATES = (FindingState.NEW, FindingState.KNOWN)

MOST_GONE = 10_000
"""Largest number of findings that are listed as gone."""


class DerivedFindings(Sequence[Finding]):
    """Findings that are made from others one by one. Iterate it: an index walks from the start."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return tuple(self)[index] if isinstance(index, slice) else next(islice(self, range(len(self))[index], None))


class FindingsWithState(DerivedFindings):
    """Findings of a run, each with its state."""

    __slots__ = ("_findings", "_states")

    def __init__(self, findings: Sequence[Finding], states: bytearray) -> None:
        """Keep findings and their states.

        Args:
            findings: the findings of the run.
            states: index into `_STATES` for each finding.
        """
        self._findings = findings
        self._states = states

    def __len__(self) -> int:
        return len(self._states)

    def __iter__(self) -> Iterator[Finding]:
        for finding, state in zip(self._findings, self._states, strict=True):
            yield replace(finding, state=_STATES[state])


class FirstFindings(DerivedFindings):
    """The first findings of a sequence."""

    __slots__ = ("_count", "_findings")

    def __init__(self, findings: Sequence[Finding], count: int) -> None:
        """Keep findings, and how many of them there are at most."""
        self._findings = findings
        self._count = min(count, len(findings))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        return islice(self._findings, self._count)


def select_failures(results: Results) -> Results:
    """Return results with violations alone: no other findings, no sessions, claims or causes of what is unconfirmed.

    The verdict, the requirements and what was quarantined stay.
    """
    failures = sum(1 for _ in takewhile(lambda finding: finding.status is Status.FAIL, results.findings))
    return replace(results, findings=FirstFindings(results.findings, failures), open=(), claims=(), sessions=())


IDS_IN_MEMORY = 250_000
"""Number of identifiers that are in memory at once."""


class _IdPart(Struct, frozen=True):
    """Part of all identifiers."""

    number: int
    """Number of the part, from 0."""
    of: int
    """Number of parts."""

    def __contains__(self, identifier: str) -> bool:
        return hash(identifier) % self.of == self.number


def split_ids(count: int) -> Iterator[_IdPart]:
    """Yield parts of all identifiers, so that each holds a bounded number of those of `count` findings."""
    parts = -(-count // IDS_IN_MEMORY) or 1
    return (_IdPart(number, parts) for number in range(parts))


def compare_with_baseline(results: Results, earlier: Results, *, file: str, sha256: str) -> Results:
    """Return results with the state of every finding, and with the findings that are gone.

    A finding whose waiver has ended counts as new, because nobody had to answer for it before.

    Args:
        results: results of this run.
        earlier: results of the earlier run.
        file: file that the earlier results were read from.
        sha256: SHA-256 of that file (hex).
    """
    have_ids = all(finding.id for finding in earlier.findings)
    states = bytearray(len(results.findings))
    gone = bytearray(len(earlier.findings))
    for ids in split_ids(len(states) + len(gone)):
        known: dict[str, bool] = {}
        for finding, key in zip(earlier.findings, _keys(earlier, have_ids=have_ids), strict=True):
            if key in ids:
                known[key] = finding.waived is not None or known.get(key, False)
        matched: set[str] = set()
        for index, (finding, key) in enumerate(zip(results.findings, _keys(results, have_ids=have_ids), strict=True)):
            if key in ids:
                matched.add(key)
                is_known = key in known and not (known[key] and finding.waived is None)
                states[index] = _STATES.index(FindingState.KNOWN if is_known else FindingState.NEW)
        for index, key in enumerate(_keys(earlier, have_ids=have_ids)):
            gone[index] |= key in ids and key not in matched
    listed = islice(compress(earlier.findings, gone), MOST_GONE)
    return replace(
        results,
        findings=FindingsWithState(results.findings, states),
        baseline=Baseline(
            file=file,
            sha256=sha256,
            generated=earlier.provenance.generated,
            gone=tuple(replace(finding, state=None) for finding in listed),
            gone_found=sum(gone),
            set_aside=_newly_set_aside(results, earlier),
        ),
    )


def _newly_set_aside(results: Results, earlier: Results) -> int:
    """Count the records that were newly quarantined or contradicted.

    Quarantined records are compared by file and reason. If not all of them are listed, the totals are compared instead.
    """
    now, then = (Counter((record.file, record.reason) for record in run.quarantined) for run in (results, earlier))
    beyond, before = (sum(file.quarantined for file in run.provenance.inputs) for run in (results, earlier))
    contradicted, known = (sum(file.contradicted for file in run.provenance.inputs) for run in (results, earlier))
    return max((now - then).total(), beyond - before) + max(contradicted - known, 0)


def _keys(results: Results, *, have_ids: bool) -> Iterator[str]:
    if have_ids:
        return (finding.id for finding in results.findings)
    ids = FindingIds(comparable_with_version_1=True)
    return (ids.assign_id(finding).id for finding in results.findings)


MAX_DAYS = 10_000
"""Limit of the days that are distinguished."""
OTHER_DAYS = "…"
"""Name under which all further days are summed."""


class GamingClock(Struct, frozen=True, kw_only=True):
    """Clock of a casino."""

    timezone: str | None
    """Time zone by its IANA name; None for the clock that the log states."""
    day_starts: str | None
    """Time of day at which a gaming day starts, such as `06:00`; None for midnight."""

    def is_known(self) -> bool:
        """Return whether this system knows the time zone and can read the start of the day."""
        try:
            _ = None if self.timezone is None else ZoneInfo(self.timezone)
            datetime.strptime(self.day_starts or "00:00", "%H:%M")
        except (ValueError, KeyError, OSError):
            return False
        return True

    def localize(self, where: EvidencePlace) -> EvidencePlace:
        """Return a place with its local time and gaming day; unchanged if its time of day is unknown."""
        if where.time is None or len(where.time) <= len("2026-03-02"):
            return where
        try:
            time = datetime.fromisoformat(where.time)
            local = time if self.timezone is None or time.tzinfo is None else time.astimezone(ZoneInfo(self.timezone))
            starts = datetime.strptime(self.day_starts or "00:00", "%H:%M")
            day = (local.replace(tzinfo=None) - timedelta(hours=starts.hour, minutes=starts.minute)).date()
        except (ValueError, OverflowError, KeyError, OSError):
            return where
        return replace(where, local=local.isoformat(), day=day.isoformat())


class _LocalFindings(DerivedFindings):
    """Findings with local times and gaming days."""

    __slots__ = ("_clock", "_findings")

    def __init__(self, findings: Sequence[Finding], clock: GamingClock) -> None:
        self._findings = findings
        self._clock = clock

    def __len__(self) -> int:
        return len(self._findings)

    def __iter__(self) -> Iterator[Finding]:
        for finding in self._findings:
            yield replace(finding, where=self._clock.localize(finding.where))


def apply_gaming_clock(results: Results, clock: GamingClock) -> Results:
    """Return results with local times and gaming days, and money summed by gaming day."""
    findings = _LocalFindings(results.findings, clock)
    return replace(
        results,
        findings=findings,
        money=None if results.money is None else _sum_by_day(results.money, findings),
        open=tuple(
            replace(item, first=None if item.first is None else clock.localize(item.first)) for item in results.open
        ),
        explanations=tuple(
            replace(explanation, where=clock.localize(explanation.where)) for explanation in results.explanations
        ),
        provenance=replace(results.provenance, timezone=clock.timezone, day_starts=clock.day_starts),
    )


def _sum_by_day(money: Money, findings: Sequence[Finding]) -> Money:
    """Return sums with the groups by day made anew from the findings."""
    totals: dict[tuple[str | None, str | None], tuple[int, int, int]] = {}
    for finding in findings:
        if finding.is_on_money:
            key = finding.currency, finding.where.played_on
            if key not in totals and len(totals) >= MAX_DAYS:
                key = finding.currency, OTHER_DAYS
            count, owed, overpaid = totals.get(key, (0, 0, 0))
            totals[key] = count + 1, owed + (finding.owed or 0), overpaid + (finding.overpaid or 0)
    others = tuple(replace(part, sums=_replace_days(part, totals, {part.currency})) for part in money.others)
    named = {money.currency} if money.others else {money.currency, None}
    return replace(money, sums=_replace_days(money, totals, named), others=others)


def _replace_days(
    money: CurrencyMoney,
    totals: dict[tuple[str | None, str | None], tuple[int, int, int]],
    named: set[str | None],
) -> tuple[MoneySum, ...]:
    days = [
        MoneySum(by="day", name=day, casino=None, findings=count, owed=owed, overpaid=overpaid)
        for (currency, day), (count, owed, overpaid) in totals.items()
        if currency in named
    ]
    days.sort(key=lambda total: (-total.owed - total.overpaid, total.name or ""))
    place = next((at for at, total in enumerate(money.sums) if total.by == "day"), len(money.sums))
    rest = [total for total in money.sums if total.by != "day"]
    return (*rest[:place], *days, *rest[place:])
