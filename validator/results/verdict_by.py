"""Verdict for a part of the findings: new ones, or those that are severe enough."""

from __future__ import annotations

from validator.results.findings import Finding
from validator.results.results import Results, count_doubtful_records
from validator.results.statuses import Severity, State, Status, Verdict

_JUDGED = frozenset({Status.PASS, Status.FAIL})
_SEVERITIES = tuple(Severity)


def verdict_of_counting(results: Results, *, new: bool, at_least: Severity) -> Verdict:
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
