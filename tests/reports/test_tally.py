"""Counting and grouping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.reports.finding_groups import count_findings, group_findings
from fairdeal.validator.reports.report_wording import summarize_run
from tests.facade.results import WORST_FIRST, Finding, Severity, Status
from tests.reports import sample


def test_totals_of_the_sample() -> None:
    totals = count_findings(sample.RESULTS)
    assert totals.requirements == {
        Status.FAIL: 4,
        Status.ERROR: 1,
        Status.NOT_EVIDENCED: 1,
        Status.NEEDS_ATTESTATION: 1,
        Status.PASS: 1,
        Status.NOT_APPLICABLE: 1,
        Status.NOT_IN_FORCE: 1,
    }
    assert totals.findings == {
        Status.FAIL: 7,
        Status.ERROR: 1,
        Status.NOT_EVIDENCED: 1,
        Status.NEEDS_ATTESTATION: 1,
        Status.PASS: 0,
        Status.NOT_APPLICABLE: 0,
        Status.NOT_IN_FORCE: 0,
    }
    assert tuple(totals.findings) == WORST_FIRST
    assert totals.severity == {Severity.CRITICAL: 5, Severity.MAJOR: 1, Severity.MINOR: 1}
    assert totals.waived == 1


def test_a_group_knows_what_its_findings_share() -> None:
    found = {group.requirement: group for group in group_findings(sample.FINDINGS, limit=20)}
    assert found["legend-in-each-area"].varying == frozenset()
    assert found["pay-table-floor"].varying == {"clauses", "expected", "observed"}
    assert found["settled-in-full"].varying == {"expected", "observed"}
    assert (found["cut-before-deal"].total, found["cut-before-deal"].items) == (1, 27)


def test_a_difference_beyond_those_shown_counts() -> None:
    alike = sample.FINDINGS[4]
    (group,) = group_findings([alike, alike, replace(alike, remedy=None)], limit=1)
    assert group.varying == {"remedy"}
    assert (len(group.shown), group.total, group.unshown) == (1, 3, 2)


@given(st.lists(st.sampled_from(sample.FINDINGS)), st.integers(1, 4))
def test_groups_lose_nothing(findings: list[Finding], limit: int) -> None:
    found = list(group_findings(findings, limit=limit))
    assert sum(group.total for group in found) == len(findings)
    assert sum(group.items for group in found) == sum(finding.count for finding in findings)
    assert [group.number for group in found] == list(range(1, len(found) + 1))
    start = 0
    for group in found:
        assert group.shown == tuple(findings[start : start + min(limit, group.total)])
        start += group.total


def test_summary_line() -> None:
    assert summarize_run(sample.RESULTS) == (
        "violations: 4 of 10 rules violated (2 critical, 1 major, 1 minor, 1 of them under a waiver), "
        "1 could not be checked, 1 could not be confirmed, 1 without attestation, 1 without violation, "
        "1 did not arise, "
        "1 not in force; 12,483 records read from 2 files, 12,481 checked, 2 quarantined"
    )
    assert summarize_run(sample.COMPLIANT) == (
        "compliant: none of 2 rules violated, 1 without violation, 1 did not arise; "
        "1 record read from 1 file, 1 checked, 0 quarantined"
    )
    assert summarize_run(sample.EMPTY) == (
        "inconclusive: no rule was checked; 0 records read from 0 files, 0 checked, 0 quarantined"
    )
