"""The result model."""

from __future__ import annotations

from validator.results.findings import EvidencePlace, Finding, Waiver, WaiverClaim, WaiverClaimed
from validator.results.layouts import AreaUnit, Layout, LayoutArea, LayoutMark, LayoutSign, TableShape
from validator.results.results import (
    AppliedReading,
    Baseline,
    Explanation,
    ExplanationPart,
    InputFile,
    InputKind,
    Provenance,
    Quarantined,
    RequirementResult,
    Results,
    UnresolvedItem,
    decide_verdict,
)
from validator.results.statuses import WORST_FIRST, Cause, Evidence, FindingState, Severity, Status, Verdict
from validator.results.subject import (
    AppliedDocument,
    ClauseText,
    LicenseeDetails,
    Money,
    MoneySum,
    SessionGap,
    Subject,
    TableCoverage,
    TableSession,
)

__all__ = [
    "WORST_FIRST",
    "AppliedDocument",
    "AppliedReading",
    "AreaUnit",
    "Baseline",
    "Cause",
    "ClauseText",
    "Evidence",
    "EvidencePlace",
    "Explanation",
    "ExplanationPart",
    "Finding",
    "FindingState",
    "InputFile",
    "InputKind",
    "Layout",
    "LayoutArea",
    "LayoutMark",
    "LayoutSign",
    "LicenseeDetails",
    "Money",
    "MoneySum",
    "Provenance",
    "Quarantined",
    "RequirementResult",
    "Results",
    "SessionGap",
    "Severity",
    "Status",
    "Subject",
    "TableCoverage",
    "TableSession",
    "TableShape",
    "UnresolvedItem",
    "Verdict",
    "Waiver",
    "WaiverClaim",
    "WaiverClaimed",
    "decide_verdict",
]
