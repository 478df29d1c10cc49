"""Effect of waivers and of unproven checks on the outcome of a run."""

from __future__ import annotations

from tests.facade.results import Evidence, RequirementResult, Severity, Status, Verdict, Waiver, decide_verdict

WAIVER = Waiver(regulator="The commission", by="A. Director", granted="2026-01-02", file="waivers.yaml")


def _result(status: Status, *, totals: dict[Status, int], waived: bool = False) -> RequirementResult:
    return RequirementResult(
        requirement="document/one",
        title="One",
        document="document",
        clauses=("document/(1)",),
        evidence=Evidence.ROUND,
        severity=Severity.MINOR,
        status=status,
        reason="as told",
        totals=totals,
        waived=WAIVER if waived else None,
    )


def test_a_waived_failure_beside_missing_evidence_is_inconclusive() -> None:
    passed = _result(Status.PASS, totals={Status.PASS: 2})
    waived = _result(Status.FAIL, totals={Status.FAIL: 1, Status.NOT_EVIDENCED: 1}, waived=True)
    assert decide_verdict([passed, waived], quarantined=0) is Verdict.INCONCLUSIVE


def test_a_waived_failure_beside_passes_is_compliant() -> None:
    waived = _result(Status.FAIL, totals={Status.FAIL: 1, Status.PASS: 1}, waived=True)
    assert decide_verdict([waived], quarantined=0) is Verdict.COMPLIANT


def test_a_failure_that_is_not_waived_is_a_violation() -> None:
    failed = _result(Status.FAIL, totals={Status.FAIL: 1, Status.PASS: 1})
    assert decide_verdict([failed], quarantined=0) is Verdict.VIOLATIONS
