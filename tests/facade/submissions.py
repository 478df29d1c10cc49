"""Submissions: reading, what they say, judging them, which is in force, waivers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fairdeal.validator.audit.granted_waivers import NO_WAIVERS, WaiverGrant, build_waiver_grant
from fairdeal.validator.audit.run.submission_check import check_submissions, file_submission
from fairdeal.validator.audit.submissions.submission_requirements import (
    FiledSubmission,
    SubmissionVerdict,
    evaluate_submission,
    locate,
)
from fairdeal.validator.audit.submissions_in_force import AuditContext, BatchSlice
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration, build_configuration
from fairdeal.validator.evidence.submission_model import (
    FixedLimit,
    Notice,
    Sign,
    Submission,
    SubmittedPayTable,
    SubmittedWager,
    WaiversFile,
    WaiverTerms,
)
from tests.facade.text import decode_source

__all__ = [
    "NO_WAIVERS",
    "AuditContext",
    "BatchSlice",
    "FiledSubmission",
    "FixedLimit",
    "LicenseeConfiguration",
    "Notice",
    "Sign",
    "Submission",
    "SubmissionVerdict",
    "SubmittedPayTable",
    "SubmittedWager",
    "WaiverGrant",
    "WaiverTerms",
    "WaiversFile",
    "build_configuration",
    "build_configuration_for",
    "build_waiver_grant",
    "check_submissions",
    "evaluate_submission",
    "file_submission",
    "locate",
    "read_configuration",
]


def build_configuration_for(document: str, stated: Mapping[str, Any]) -> LicenseeConfiguration:
    """Build the configuration of a licensee that states these things for a document, and all that is mandatory."""
    base = {"submission": "s", "licensee": {"name": "House"}, "document": document, "effective": "2024-01-01"}
    return build_configuration(Submission.model_validate_json(json.dumps({**base, **stated})))


def read_configuration(text: str) -> LicenseeConfiguration:
    """Read the configuration of the licensee whose submission is a text in YAML."""
    filed, *_ = file_submission(decode_source("house.yaml", text.encode()))
    return build_configuration(filed.submission)
