"""Submissions: reading, what they say, judging them, which is in force, waivers."""

from __future__ import annotations

from validator.audit.applicability.submissions_in_force import Assigned, Court
from validator.audit.applicability.waivers import NOTHING_PERMITTED, Grant, grant_of
from validator.audit.run.submission_check import check_submissions, submission_from
from validator.audit.submissions.requirements import Filed, SubmissionVerdict, judge_submission, where_in
from validator.engine.core.house_rules import Configuration, configuration_of
from validator.evidence.submission.model import FixedLimit, Notice, Sign, Submission, SubmittedPayTable, SubmittedWager
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
    "configuration_of",
    "grant_of",
    "judge_submission",
    "submission_from",
    "where_in",
]
