"""Fields of each kind of event and their permitted values, derived from the structs of the kinds."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple, get_args

import msgspec
import numpy as np

from validator.arrays import Flags
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KINDS, TYPES

FIELDS: tuple[str, ...] = tuple(dict.fromkeys(name for kind in TYPES for name in kind.__struct_fields__))
"""Fields of all kinds, by the names of their columns."""
CHOICES: dict[str, tuple[str, ...]] = {"place": PLACES, "face": FACES, "by": ACTORS, "means": MEANS}
"""Closed lists of values, by field."""
TEXTS: tuple[str, ...] = ("wager", "decision", "what", "deck", "positions")
"""Fields that hold text."""
KEYS: dict[str, str] = {"means": "in"}
"""Keys (and Parquet columns) of the fields whose key differs from the name of the column."""


class FieldRule(NamedTuple):
    """Kinds of event that have a field."""

    has: Flags
    """True for the kinds that have the field, bool[kinds]."""
    required: Flags
    """True for the kinds that must have the field, bool[kinds]."""
    runs: tuple[tuple[int, int, bool], ...]
    """Runs of neighbouring kinds that have the field: first code, end code (exclusive), and whether it is required."""


_STRUCT_FIELDS = [msgspec.structs.fields(kind) for kind in TYPES]


def _make_rule(field: str) -> FieldRule:
    needed: list[bool | None] = [{part.name: part.required for part in parts}.get(field) for parts in _STRUCT_FIELDS]
    runs = []
    for required, group in groupby(range(len(TYPES)), key=needed.__getitem__):
        kinds = list(group)
        if required is not None:
            runs.append((kinds[0], kinds[-1] + 1, required))
    return FieldRule(
        np.array([required is not None for required in needed]),
        np.array([required is True for required in needed]),
        tuple(runs),
    )


RULES: dict[str, FieldRule] = {field: _make_rule(field) for field in FIELDS}


def _named_choices(hint: object, choices: tuple[str, ...]) -> set[str]:
    """Return the members of a closed list that a (possibly optional) annotation names."""
    inner = get_args(hint)
    return {part for part in inner if part in choices}.union(*(_named_choices(part, choices) for part in inner))


def _permit_choices(field: str) -> Flags:
    choices = CHOICES[field]
    table = np.zeros((len(KINDS), len(choices) + 1), np.bool_)
    for code, parts in enumerate(_STRUCT_FIELDS):
        named = _named_choices({part.name: part.type for part in parts}.get(field), choices)
        table[code, :-1] = [choice in named for choice in choices]
    table[:, -1] = ~RULES[field].required
    return table


PERMITTED: dict[str, Flags] = {field: _permit_choices(field) for field in CHOICES}
"""For each closed list, the codes that each kind may have, bool[kinds, choices + 1]; the last column is ABSENT."""

NUMBERED: Flags = np.array(["number" in (part.encode_name for part in parts) for parts in _STRUCT_FIELDS])
"""True for the kinds whose column `amount` holds a count (key `number`) and not money, bool[kinds]."""
