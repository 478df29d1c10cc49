"""Fields of each kind of event, read from the models of the log: which kinds have a field, and its permitted values."""

from __future__ import annotations

from functools import cache
from typing import get_args

import msgspec

from fairdeal.validator.evidence.handlog.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.handlog.log_events import EVENT_TYPES, KIND_CODES

FIELD_CHOICES: dict[str, tuple[str, ...]] = {"place": PLACES, "face": FACES, "by": ACTORS, "means": MEANS}
"""Closed lists of values, by field."""
_STRUCT_FIELDS = [msgspec.structs.fields(kind) for kind in EVENT_TYPES]


@cache
def list_requirements(field: str) -> tuple[bool | None, ...]:
    """Return, for each kind, whether it requires a field; None for a kind without the field."""
    return tuple({part.name: part.required for part in parts}.get(field) for parts in _STRUCT_FIELDS)


@cache
def list_choices(field: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each kind, the members of the closed list of a field that an event of the kind may have."""
    types = [{part.name: part.type for part in parts}.get(field) for parts in _STRUCT_FIELDS]
    named = [_find_named_choices(type_, FIELD_CHOICES[field]) for type_ in types]
    return tuple(tuple(choice for choice in FIELD_CHOICES[field] if choice in names) for names in named)


def _find_named_choices(hint: object, choices: tuple[str, ...]) -> set[str]:
    """Return the members of a closed list that a (possibly optional) annotation names."""
    inner = get_args(hint)
    return {part for part in inner if part in choices}.union(*(_find_named_choices(part, choices) for part in inner))


def list_number_kinds() -> tuple[bool, ...]:
    """Return, for each kind, whether its column `amount` holds a count (key `number`) and not money."""
    return tuple("number" in (part.encode_name for part in parts) for parts in _STRUCT_FIELDS)


def has_field(kind: str, field: str) -> bool:
    """Return whether events of a kind have a field."""
    return list_requirements(field)[KIND_CODES[kind]] is not None


def requires_field(kind: str, field: str) -> bool:
    """Return whether events of a kind must have a field."""
    return list_requirements(field)[KIND_CODES[kind]] is True


def permits_choice(kind: str, field: str, choice: str) -> bool:
    """Return whether events of a kind may have a value of a closed list."""
    return choice in list_choices(field)[KIND_CODES[kind]]
