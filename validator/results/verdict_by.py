"""The verdict by some of the findings: those that are new, or severe enough."""

from __future__ import annotations

from validator.results.findings import Finding
from validator.results.results import Results, count_doubtful_records
from validator.results.statuses import Severity, State, Status, Verdict

_JUDGED = frozenset({Status.PASS, Status.FAIL})
_SEVERITIES = tuple(Severity)


def verdict_of_counting(results: Results, *, new: bool, at_least: Severity) -> Verdict:
    """The outcome of a run as if it had only the findings that are `new` since the baseline, where that is asked, and
    `at_least` so severe. Where records were set aside or contradicted (that were not before), or nothing was judged, it
    is inconclusive as ever."""
    proven = True
    for finding in results.findings:
        if (new and finding.state is not State.NEW) or not _severe(finding, at_least):
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
