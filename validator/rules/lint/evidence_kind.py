"""What a check is judged on."""

from __future__ import annotations

from validator.results.statuses import Evidence
from validator.rules.model.requirement import Check

_EVIDENCE = {
    "submitted": Evidence.SUBMISSION,
    "pay-tables": Evidence.SUBMISSION,
    "publications": Evidence.SUBMISSION,
    "signs": Evidence.SUBMISSION,
    "alike": Evidence.SUBMISSION,
    "unchanged": Evidence.SUBMISSION,
    "attested": Evidence.ATTESTATION,
    "every": Evidence.SESSION,
    "succession": Evidence.SESSION,
}


def evidence_of(check: Check) -> Evidence:
    """The evidence of a check; a round where nothing else is said."""
    if check.operator == "needed":
        return Evidence.ROUND if check.operand.per == "round" else Evidence.SESSION
    return _EVIDENCE.get(check.operator, Evidence.ROUND)
