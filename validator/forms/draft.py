"""What a form is drawn up from, and what it is asked while it is."""

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
    """What a form is drawn up from: a regulation, what it asks on the day, the values it leaves no choice of, the keys
    that its example states besides, and the data that is filled in: a whole example, or what is known of a new form."""

    regulation: Regulation
    day: date
    asked: Asked
    lawful: tuple[Lawful, ...]
    usual: frozenset[Keys]
    data: Mapping[str, Any]
    example: bool

    def wanted(self, place: Keys) -> bool:
        """Whether a place belongs on the form."""
        if self.example:
            return at(self.data, place) is not None
        return place in self.asked.places or place in self.usual or at(self.data, place) is not None

    def in_force(self, requirement: Requirement) -> bool:
        """Whether a requirement is in force on the day."""
        return self.regulation.in_force(requirement, self.day)

    def only(self, place: Keys, item: tuple[str, str] | None = None) -> Lawful | None:
        """The only lawful value of a place, if there is just one."""
        return next((one for one in self.lawful if one.place == place and one.item == item), None)


def at(data: object, place: Keys) -> Any:
    """What stands at a place of plain data, None where nothing does; for places in lists, at the first item."""
    for key in place:
        if key == EACH:
            data = data[0] if isinstance(data, list) and data else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


def in_words(requirement: Requirement, says: str | None = None) -> str:
    """What a requirement asks, in its own message or in other words, behind its clauses."""
    labels = requirement.clauses
    return f"Clause{'s' if len(labels) > 1 else ''} {', '.join(labels)}: {says or requirement.message}"
