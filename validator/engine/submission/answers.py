"""A submission as conditions look at it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.view import EARLIER, NOTHING
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import NameList
from validator.text.trees.tree import Path


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
        result: Any = self.data
        for part in path:
            if isinstance(result, Mapping):
                result = result.get(part)
            elif isinstance(result, list) and isinstance(part, int):
                result = result[part]
            else:
                return None
        return result

    def entries(self, path: Path) -> list[View] | None:
        """The views from the items of a list; None where no list stands. Where there is no earlier submission,
        its lists are empty."""
        if path[:1] == (EARLIER,) and EARLIER not in self.data:
            return []
        result = self.value(path)
        if result is NOTHING:
            return []
        if not isinstance(result, list):
            return None
        return [self.within((*path, index)) for index in range(len(result))]


def counts_on(listed: NameList, day: date) -> bool:
    """Whether a list is in force on a day; first and last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)
