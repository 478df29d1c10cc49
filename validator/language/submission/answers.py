"""Answers of conditions on a submission: yes, no or unknown, with the places in the file that decide it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from validator.language.submission.wording import NOT_STATED
from validator.text.trees.tree import DataPath
from validator.text.truth import NO, UNKNOWN, YES


class MissingItem(Struct, frozen=True, kw_only=True):
    """An item that a list lacks."""

    list_path: DataPath
    """Path of the list."""
    values: tuple[tuple[str, str], ...]
    """Keys and values that identify the item."""


class AnswerReason(Struct, frozen=True, kw_only=True):
    """A place in a submission because of which a condition is no or unknown."""

    path: DataPath
    """The place."""
    expected: str
    """The expected value, in words."""
    observed: str
    """The value in the submission, in words."""
    missing_item: MissingItem | None = None
    """The missing item, if the place is a list that lacks one."""


class Answer(Struct, frozen=True, kw_only=True):
    """The answer of a condition on a submission."""

    value: int
    """NO, UNKNOWN or YES."""
    reasons: tuple[AnswerReason, ...] = ()
    """The reasons for NO or UNKNOWN; empty for YES."""
    is_vacuous: bool = False
    """True if the condition examined no stated value, for example because its list is empty. YES then proves nothing
    about the submission."""


def answer_yes() -> Answer:
    """Return the answer for a value that satisfies the condition."""
    return Answer(value=YES)


def answer_no(path: DataPath, expected: str, observed: str, lacks: MissingItem | None = None) -> Answer:
    """Return the answer for a place with a wrong value."""
    return Answer(
        value=NO, reasons=(AnswerReason(path=path, expected=expected, observed=observed, missing_item=lacks),)
    )


def answer_unknown(path: DataPath, expected: str, observed: str = NOT_STATED) -> Answer:
    """Return the answer for a place whose value is missing or leaves the condition unknown."""
    return Answer(value=UNKNOWN, reasons=(AnswerReason(path=path, expected=expected, observed=observed),))


def combine_answers(parts: Sequence[Answer]) -> Answer:
    """Combine answers of conditions that must all hold; without any, the answer is a YES that proves nothing."""
    value = min((part.value for part in parts), default=YES)
    deciding = [part for part in parts if part.value == value]
    return Answer(
        value=value,
        reasons=tuple(reason for part in deciding if value != YES for reason in part.reasons),
        is_vacuous=all(part.is_vacuous for part in deciding),
    )


def find_last_key(path: DataPath) -> str:
    """Return the last key of a path; for an item of a list, the key of the list."""
    return next((part for part in reversed(path) if isinstance(part, str)), "submission")
