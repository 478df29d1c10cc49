"""Columns of events, taken from event records without a Python loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Ints, Ints32
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.draft import EventColumns
from validator.evidence.columns.empty import no_names
from validator.evidence.jsonl.records.extract import EventPool, Names


class EventNames(NamedTuple):
    """Names in the columns of text of events; stakes and seats share them."""

    wager: Names
    decision: Names
    what: Names
    deck: Names
    positions: Names

    def columns(self, events: EventColumns) -> tuple[Coded, ...]:
        """Return the columns of text of some events."""
        return tuple(getattr(events, name) for name in self._fields)

    def of(self, events: EventColumns, chosen: Ints) -> dict[str, Coded]:
        """Return the columns of text of some of these events, with all names known by now."""
        return {
            name: names.column(getattr(events, name).codes[chosen]) if names.any() else no_names(len(chosen))
            for name, names in self._asdict().items()
        }


def event_columns(pool: EventPool, names: EventNames, *, counts: Ints, cards_row: Ints32, hands: Hands) -> EventColumns:
    """Build the columns of the events of a pool; those about cards and rounds are given."""
    return EventColumns(
        counts=counts,
        kind=pool.kind,
        seat=pool.seats(),
        place=pool.choices("place"),
        face=pool.choices("face"),
        by=pool.choices("by"),
        means=pool.choices("means"),
        wager=pool.named("wager", names.wager),
        tip=pool.flags("tip"),
        amount=pool.amounts("amount"),
        decision=pool.named("decision", names.decision),
        what=pool.named("what", names.what),
        deck=pool.named("deck", names.deck),
        positions=pool.named("positions", names.positions),
        pot=pool.amounts("pot").astype(np.int8),
        chips=pool.amounts("chips").astype(np.int16),
        cards_row=cards_row,
        hands=hands,
    )
