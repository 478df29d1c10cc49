"""Which kind of event has which field, and what it may say there: derived from the structs of the kinds."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple, get_args

import msgspec
import numpy as np

from validator.arrays import Flags
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KINDS, TYPES

FIELDS: tuple[str, ...] = tuple(dict.fromkeys(name for kind in TYPES for name in kind.__struct_fields__))
"""Every field of any kind, by the name of its column."""
CHOICES: dict[str, tuple[str, ...]] = {"place": PLACES, "face": FACES, "by": ACTORS, "means": MEANS}
"""The closed lists, by field."""
TEXTS: tuple[str, ...] = ("wager", "decision", "what", "deck", "positions")
"""The fields that hold text."""
KEYS: dict[str, str] = {"means": "in"}
"""The keys (and Parquet columns) of fields that are not named as their columns are."""


class FieldRule(NamedTuple):
    """Which kinds have a field: `has` and `required` are bool[kinds].

    `runs` are the stretches of neighbouring kinds, first and end code, that agree in having it and in
    requiring it.
    """

    has: Flags
    required: Flags
    runs: tuple[tuple[int, int, bool], ...]


_PARTS = [msgspec.structs.fields(kind) for kind in TYPES]


def _rule(field: str) -> FieldRule:
    needed: list[bool | None] = [{part.name: part.required for part in parts}.get(field) for parts in _PARTS]
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


RULES: dict[str, FieldRule] = {field: _rule(field) for field in FIELDS}


def _chosen(hint: object, choices: tuple[str, ...]) -> set[str]:
    """The members of a closed list that a (possibly optional) annotation names."""
    inner = get_args(hint)
    return {part for part in inner if part in choices}.union(*(_chosen(part, choices) for part in inner))


def _permitted(field: str) -> Flags:
    choices = CHOICES[field]
    table = np.zeros((len(KINDS), len(choices) + 1), np.bool_)
    for code, parts in enumerate(_PARTS):
        named = _chosen({part.name: part.type for part in parts}.get(field), choices)
        table[code, :-1] = [choice in named for choice in choices]
    table[:, -1] = ~RULES[field].required
    return table


PERMITTED: dict[str, Flags] = {field: _permitted(field) for field in CHOICES}
"""For each closed list, bool[kinds, choices + 1]: which codes a kind may have; the last column is ABSENT."""

NUMBERED: Flags = np.array(["number" in (part.encode_name for part in parts) for parts in _PARTS])
"""bool[kinds]: where what stands in the column `amount` is no money but a number of things, by the key `number`."""
