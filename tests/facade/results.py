"""The result model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from unittest.mock import patch

from fairdeal.validator.results.findings import (
    WORST_FIRST,
    Cause,
    Evidence,
    EvidencePlace,
    Finding,
    FindingState,
    Severity,
    Status,
    Verdict,
    Waiver,
    WaiverClaim,
    WaiverClaimed,
)
from fairdeal.validator.results.results import (
    AppliedDocument,
    AppliedReading,
    AreaUnit,
    Baseline,
    ClauseText,
    CurrencyMoney,
    Explanation,
    ExplanationPart,
    InputFile,
    InputKind,
    Layout,
    LayoutArea,
    LayoutMark,
    LayoutSign,
    LicenseeDetails,
    Money,
    MoneySum,
    Provenance,
    Quarantined,
    RequirementResult,
    Results,
    SessionGap,
    Subject,
    TableCoverage,
    TableSession,
    TableShape,
    UnresolvedItem,
    decide_verdict,
)

__all__ = [
    "WORST_FIRST",
    "AppliedDocument",
    "AppliedReading",
    "AreaUnit",
    "Baseline",
    "Cause",
    "ClauseText",
    "CurrencyMoney",
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
    "list_careless_texts",
    "skip_explanations",
]

_CARELESS = re.compile(
    r"\bNone\b|\bnan\b|  |^\W*$|^\s|\s$|“”|\(\)|: ?[;,.:]|[;,] ?[;,.]|(^|; )(the|a|an) ?(;|$)|\b0 of 0\b"
    r"|\b1 (cards|findings|rounds|rules|seats|tables|times)\b|not recorded, not known"
)
"""Texts that nobody would write: a value of a program, an empty subject, a plural of one."""
_UNDECIDED = re.compile(r": not (known|shown)\b")
"""Text on evidence that is open, which is no ground for a failure."""


def list_careless_texts(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the texts of findings that nobody would write."""
    for finding in findings:
        texts = {name: getattr(finding, name) for name in ("message", "broken", "expected", "observed", "remedy")}
        for name, text in texts.items():
            is_undecided = finding.status is Status.FAIL and _UNDECIDED.search(text or "")
            if text is not None and (_CARELESS.search(text) or is_undecided):
                yield f"{finding.requirement}, {name}: {text}"


def skip_explanations() -> AbstractContextManager[object]:
    """Let audits in this process explain no first failures, which takes as long as to find them."""
    return patch("fairdeal.validator.audit.run.log_parts.explain_first_failures", return_value=[])
