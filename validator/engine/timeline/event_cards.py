"""How many cards events tell of."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.evidence.handlog.event_fields import RULES

_CARRIES = RULES["cards"].has


def cards_told(scope: Scope, chosen: Ints) -> tuple[Ints, Flags]:
    """int64[m]: of how many cards each of some events tells, by the cards themselves or by where they lay; bool[m]:
    whether it does. A kind that carries none tells of 0."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    shown = rows != ABSENT
    spots = np.array([len(text) for text in (*events.positions.names, "")], np.int64)[events.positions.codes[chosen]]
    count = events.hands.count[rows] if len(events.hands.count) else np.zeros(len(rows), np.int16)
    size = np.where(shown, count, spots).astype(np.int64)
    return size, shown | (spots > 0) | ~_CARRIES[events.kind[chosen]]
