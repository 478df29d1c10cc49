"""The result model."""

from __future__ import annotations

from validator.results.findings import Claim, Finding, Waiver, WaiverClaim, Where
from validator.results.layouts import Layout, LayoutArea, LayoutMark, LayoutSign, Per, TableShape
from validator.results.results import (
    Baseline,
    Chapter,
    Explanation,
    InputFile,
    InputKind,
    Open,
    Provenance,
    Quarantined,
    ReadingRelied,
    RequirementResult,
    Results,
    verdict_of,
)
from validator.results.statuses import WORST_FIRST, Cause, Evidence, Severity, State, Status, Verdict
from validator.results.subject import (
    ClauseText,
    Law,
    LicenseeNamed,
    Money,
    Session,
    SessionGap,
    Subject,
    Sum,
    TableRead,
)

__all__ = [
    "WORST_FIRST",
    "Baseline",
    "Cause",
    "Chapter",
    "Claim",
    "ClauseText",
    "Evidence",
    "Explanation",
    "Finding",
    "InputFile",
    "InputKind",
    "Law",
    "Layout",
    "LayoutArea",
    "LayoutMark",
    "LayoutSign",
    "LicenseeNamed",
    "Money",
    "Open",
    "Per",
    "Provenance",
    "Quarantined",
    "ReadingRelied",
    "RequirementResult",
    "Results",
    "Session",
    "SessionGap",
    "Severity",
    "State",
    "Status",
    "Subject",
    "Sum",
    "TableRead",
    "TableShape",
    "Verdict",
    "Waiver",
    "WaiverClaim",
    "Where",
    "verdict_of",
]
