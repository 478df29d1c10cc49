"""The data from which a form is built."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct

from validator.forms.asked_places import EACH_ITEM, PlaceKeys, RequiredPlaces
from validator.forms.sole_values import SoleValue
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement


class FormDraft(Struct, frozen=True, kw_only=True):
    """The data from which a form is built."""

    regulation: Regulation
    """The regulation."""
    day: date
    """Day on which the submission takes effect."""
    required_places: RequiredPlaces
    """Places and values that rules refer to on that day."""
    sole_values: tuple[SoleValue, ...]
    """Values that the rules fix."""
    example_places: frozenset[PlaceKeys]
    """Places that the example of the document states."""
    data: Mapping[str, Any]
    """Data to fill in: a whole example, or what is known of a new form."""
    is_example: bool
    """True if the form is filled with an example."""

    def is_on_form(self, place: PlaceKeys) -> bool:
        """Return whether a place belongs on the form."""
        if self.is_example:
            return get_value(self.data, place) is not None
        return (
            place in self.required_places.places
            or place in self.example_places
            or get_value(self.data, place) is not None
        )

    def is_in_force(self, requirement: Requirement) -> bool:
        """Return whether a requirement is in force on the day."""
        return self.regulation.is_in_force(requirement, self.day)

    def find_sole_value(self, place: PlaceKeys, item: tuple[str, str] | None = None) -> SoleValue | None:
        """Return the only lawful value of a place; None if there are several."""
        return next((value for value in self.sole_values if value.place == place and value.list_item == item), None)


def get_value(data: object, place: PlaceKeys) -> Any:
    """Return the value at a place of plain data, None if there is none. In lists, only the first item counts."""
    for key in place:
        if key == EACH_ITEM:
            data = data[0] if isinstance(data, list) and data else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


def format_requirement(requirement: Requirement, says: str | None = None) -> str:
    """Return the clauses of a requirement with its message, or with another text."""
    labels = requirement.clauses
    return f"Clause{'s' if len(labels) > 1 else ''} {', '.join(labels)}: {says or requirement.message}"
