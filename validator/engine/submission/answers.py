"""Answers to conditions on a submission: yes, no or unknown, and which places of the file make it so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.view import EARLIER, NOTHING
from validator.language.submission.wording import NOT_STATED
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import NameList
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES

__all__ = ["NOT_STATED", "Answer", "Reason", "Sought", "View", "counts_on", "every", "last_key", "no", "open_", "yes"]


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


class View(Struct, frozen=True, kw_only=True):
    """What a submission states (`evidence.stated`), seen from the items of lists that conditions have stepped into.

    `day` is that of the law it is held against: lists of names count on the days they are in force.
    """

    data: Mapping[str, Any]
    regulation: Regulation
    day: date
    items: tuple[Path, ...] = ()

    def within(self, path: Path) -> View:
        """The view from an item of a list."""
        return replace(self, items=(*self.items, path))

    def path(self, text: str) -> Path:
        """The place a dotted path names: from the root, or from the item that as many dots lead to."""
        keys = text.lstrip(".")
        dots = len(text) - len(keys)
        start = self.items[-dots] if 0 < dots <= len(self.items) else ()
        return (*start, *(keys.split(".") if keys else ()))

    def value(self, path: Path) -> Any:
        """What stands at a place, None where nothing does."""
        found: Any = self.data
        for part in path:
            if isinstance(found, Mapping):
                found = found.get(part)
            elif isinstance(found, list) and isinstance(part, int):
                found = found[part]
            else:
                return None
        return found

    def entries(self, path: Path) -> list[View] | None:
        """The views from the items of a list; None where no list stands. Where there is no earlier submission,
        its lists are empty."""
        if path[:1] == (EARLIER,) and EARLIER not in self.data:
            return []
        found = self.value(path)
        if found is NOTHING:
            return []
        if not isinstance(found, list):
            return None
        return [self.within((*path, index)) for index in range(len(found))]


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


def counts_on(listed: NameList, day: date) -> bool:
    """Whether a list is in force on a day; first and last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)


def last_key(path: Path) -> str:
    """The key a place stands under, or the list it is an item of."""
    return next((part for part in reversed(path) if isinstance(part, str)), "submission")
