"""Answers to conditions on a submission: yes, no or unknown, and which places of the file make it so."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from validator.language.submission.wording import NOT_STATED
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES


class Sought(Struct, frozen=True, kw_only=True):
    """An item that a list lacks: where the list stands, and the values by which the item would be known."""

    in_: Path
    values: tuple[tuple[str, str], ...]


class Reason(Struct, frozen=True, kw_only=True):
    """A place that makes a condition no or unknown: what was expected there and what stands there.

    `lacks` is the item of a list that is not there, where that is what is wrong.
    """

    path: Path
    expected: str
    observed: str
    lacks: Sought | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """NO, UNKNOWN or YES, with the reasons for the first two.

    `idle`: nothing that is stated was asked, such as no item of a list, so that a YES says nothing of the submission.
    """

    value: int
    reasons: tuple[Reason, ...] = ()
    idle: bool = False


def yes() -> Answer:
    """The answer where what is stated is as it must be."""
    return Answer(value=YES)


def no(path: Path, expected: str, observed: str, lacks: Sought | None = None) -> Answer:
    """The answer where something else stands at a place."""
    return Answer(value=NO, reasons=(Reason(path=path, expected=expected, observed=observed, lacks=lacks),))


def open_(path: Path, expected: str, observed: str = NOT_STATED) -> Answer:
    """The answer where what stands at a place, or does not, leaves it unknown."""
    return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=observed),))


def every(parts: Sequence[Answer]) -> Answer:
    """Whether all of several answers are yes; without any nothing was asked."""
    value = min((part.value for part in parts), default=YES)
    deciding = [part for part in parts if part.value == value]
    return Answer(
        value=value,
        reasons=tuple(one for part in deciding if value != YES for one in part.reasons),
        idle=all(part.idle for part in deciding),
    )


def last_key(path: Path) -> str:
    """The key a place stands under, or the list it is an item of."""
    return next((part for part in reversed(path) if isinstance(part, str)), "submission")
