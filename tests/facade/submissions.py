"""Submissions: reading, what they say, judging them, which is in force, waivers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.facade.text import decoded
from validator.audit.applicability.submissions_in_force import Assigned, Court
from validator.audit.applicability.waivers import NOTHING_PERMITTED, Grant, grant_of
from validator.audit.run.submission_check import check_submissions, submission_from
from validator.audit.submissions.requirements import Filed, SubmissionVerdict, judge_submission, where_in
from validator.engine.core.house_rules import Configuration, configuration_of
from validator.evidence.submission.layout import Sign
from validator.evidence.submission.model import Notice, Submission
from validator.evidence.submission.money import FixedLimit, SubmittedPayTable, SubmittedWager
from validator.evidence.submission.waivers import WaiversFile, WaiverTerms

__all__ = [
    "NOTHING_PERMITTED",
    "Assigned",
    "Configuration",
    "Court",
    "Filed",
    "FixedLimit",
    "Grant",
    "Notice",
    "Sign",
    "Submission",
    "SubmissionVerdict",
    "SubmittedPayTable",
    "SubmittedWager",
    "WaiverTerms",
    "WaiversFile",
    "check_submissions",
    "configuration_for",
    "configuration_in",
    "configuration_of",
    "grant_of",
    "judge_submission",
    "submission_from",
    "where_in",
]


def configuration_for(document: str, stated: Mapping[str, Any]) -> Configuration:
    """The configuration of a house that submits for a document what is stated, beside what must stand in it."""
    base = {"submission": "s", "licensee": {"name": "House"}, "document": document, "effective": "2024-01-01"}
    return configuration_of(Submission.model_validate_json(json.dumps({**base, **stated})))


def configuration_in(text: str) -> Configuration:
    """The configuration of the house whose submission is a text in YAML."""
    filed, *_ = submission_from(decoded("house.yaml", text.encode()))
    return configuration_of(filed.submission)
