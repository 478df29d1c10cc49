"""The data from which a form is built."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from validator.forms.asked_places import EACH, Asked, Keys
from validator.forms.sole_values import Lawful
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement


class Draft(Struct, frozen=True, kw_only=True):
    """The data from which a form is built."""

    regulation: Regulation
    """The regulation."""
    day: date
    """Day on which the submission takes effect."""
    asked: Asked
    """Places and values that rules refer to on that day."""
    lawful: tuple[Lawful, ...]
    """Values that the rules fix."""
    usual: frozenset[Keys]
    """Places that the example of the document states."""
    data: Mapping[str, Any]
    """Data to fill in: a whole example, or what is known of a new form."""
    example: bool
    """True if the form is filled with an example."""

    def wanted(self, place: Keys) -> bool:
        """Return whether a place belongs on the form."""
        if self.example:
            return at(self.data, place) is not None
        return place in self.asked.places or place in self.usual or at(self.data, place) is not None

    def in_force(self, requirement: Requirement) -> bool:
        """Return whether a requirement is in force on the day."""
        return self.regulation.in_force(requirement, self.day)

    def only(self, place: Keys, item: tuple[str, str] | None = None) -> Lawful | None:
        """Return the only lawful value of a place; None if there are several."""
        return next((value for value in self.lawful if value.place == place and value.item == item), None)


def at(data: object, place: Keys) -> Any:
    """Return the value at a place of plain data, None if there is none. In lists, only the first item counts."""
    for key in place:
        if key == EACH:
            data = data[0] if isinstance(data, list) and data else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


def in_words(requirement: Requirement, says: str | None = None) -> str:
    """Return the clauses of a requirement with its message, or with another text."""
    labels = requirement.clauses
    return f"Clause{'s' if len(labels) > 1 else ''} {', '.join(labels)}: {says or requirement.message}"
