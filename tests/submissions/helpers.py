"""Submission and regulation small enough to be read with each test."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any

from msgspec.structs import replace

from fairdeal.validator.engine.core.house_terms import SubmissionView
from fairdeal.validator.evidence.submission_reader import collect_stated_values
from fairdeal.validator.language.submission_conditions import Answer
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from tests.facade.rules import Document, Regulation, Requirement, SubmissionCondition, load_regulation
from tests.facade.submissions import FiledSubmission, file_submission
from tests.facade.text import decode_source, load_yaml, validate

HEAD = """submission: spring
licensee: {name: House}
document: rules
effective: 2026-03-01
"""
DOCUMENT = """document: rules
title: Rules
regulator: Commission
source: {file: rules.txt, citation: Rules}
clauses:
- {clause: "(1)", lines: [1, 1], gist: A clause.}
- {clause: "(2)", lines: [2, 2], gist: A clause.}
lists:
  varieties: {title: Varieties, clauses: ["(1)"], from: 2020-01-01, until: 2026-06-30, items: [Two Card Stud, Draw]}
"""


def file_text(text: str) -> FiledSubmission:
    """File a minimal submission and a text with more."""
    return file_submission(decode_source("house.yaml", (HEAD + text).encode()))[0]


@cache
def regulation() -> Regulation:
    """Build a document with two clauses, a list and the readings of a shipped one."""
    shipped = load_regulation("co-rule8-burnout")
    document = validate(load_yaml(decode_source("document.yaml", DOCUMENT.encode())), Document)
    return replace(shipped, document=document, requirements=())


def condition(text: str) -> SubmissionCondition:
    """Parse a condition."""
    return validate(load_yaml(decode_source("condition", text.encode())), SubmissionCondition)


def requirement(text: str, **changes: Any) -> Requirement:
    """Build a requirement whose check is a text."""
    about = {"requirement": "asked", "title": "Asked", "clauses": '["(1)"]'}
    about |= {"severity": "major", "message": "It must be so.", **changes}
    whole = f"{{{', '.join(f'{key}: {value}' for key, value in about.items())}, {text.strip()[1:]}"
    return validate(load_yaml(decode_source("requirement", whole.encode())), Requirement)


def answer(question: str, text: str, *, earlier: str | None = None, day: str = "2026-03-01") -> Answer:
    """Return the answer to a condition for the submission in a text."""
    before = None if earlier is None else file_text(earlier).submission
    data = collect_stated_values(file_text(text).submission, earlier=before)
    view = SubmissionView(data=data, regulation=regulation(), day=date.fromisoformat(day))
    return SUBMISSION_OPERATORS.answer(condition(question), view)


def get_reasons(found: Answer) -> tuple[int, list[tuple[str, str, str]]]:
    """Return an answer with its reasons as plain values."""
    return found.value, [
        ("/".join(map(str, reason.path)), reason.expected, reason.observed) for reason in found.reasons
    ]
