"""Events in another order, or some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import fields, replace

from validator.arrays import Ints
from validator.evidence.columns.batch import Coded, Events


def sequenced(events: Events, sequence: Ints, rounds: int) -> Events:
    """The events at these indices, which must be in the order of their rounds. Their cards stay where they are."""
    changed: dict[str, Any] = {}
    for part in fields(events):
        column = getattr(events, part.name)
        if isinstance(column, Coded):
            changed[part.name] = Coded(codes=column.codes[sequence], names=column.names)
        elif part.name not in ("offsets", "hands"):
            changed[part.name] = column[sequence]
    offsets = np.searchsorted(changed["round"], np.arange(rounds + 1)).astype(np.int64)
    return replace(events, offsets=offsets, **changed)
