"""View of a submission for conditions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.view import EARLIER, NOTHING
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import NameList
from validator.text.trees.tree import DataPath


class SubmissionView(Struct, frozen=True, kw_only=True):
    """Statements of a submission (`evidence.stated`), as seen from the list items that conditions have entered."""

    data: Mapping[str, Any]
    """Submitted data, in the structure of a file."""
    regulation: Regulation
    """Regulation that the submission is checked against."""
    day: date
    """Day of the law; lists of names count on the days on which they are in force."""
    items: tuple[DataPath, ...] = ()
    """Paths of the entered list items, outermost first."""

    def enter_item(self, path: DataPath) -> SubmissionView:
        """Return the view from an item of a list."""
        return replace(self, items=(*self.items, path))

    def resolve_path(self, text: str) -> DataPath:
        """Return the path that a dotted text names: from the root, or from the item that its leading dots select."""
        keys = text.lstrip(".")
        dots = len(text) - len(keys)
        start = self.items[-dots] if 0 < dots <= len(self.items) else ()
        return (*start, *(keys.split(".") if keys else ()))

    def find_value(self, path: DataPath) -> Any:
        """Return the value at a path; None if there is none."""
        result: Any = self.data
        for part in path:
            if isinstance(result, Mapping):
                result = result.get(part)
            elif isinstance(result, list) and isinstance(part, int):
                result = result[part]
            else:
                return None
        return result

    def list_entries(self, path: DataPath) -> list[SubmissionView] | None:
        """Return the views from the items of a list; None if there is no list at the path.

        Without an earlier submission, its lists are empty.
        """
        if path[:1] == (EARLIER,) and EARLIER not in self.data:
            return []
        result = self.find_value(path)
        if result is NOTHING:
            return []
        if not isinstance(result, list):
            return None
        return [self.enter_item((*path, index)) for index in range(len(result))]


def is_list_in_force(listed: NameList, day: date) -> bool:
    """Return whether a list is in force on a day; the first and the last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)
