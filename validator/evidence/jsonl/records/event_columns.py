"""Columns of events, taken from event records without a Python loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Ints, Ints32
from validator.evidence.columns.batch import CodedColumn, Hands
from validator.evidence.columns.draft import EventColumns
from validator.evidence.columns.empty import no_names
from validator.evidence.jsonl.records.extract import EventPool, NameCodes


class EventNames(NamedTuple):
    """Names in the columns of text of events; stakes and seats share them."""

    wager: NameCodes
    decision: NameCodes
    what: NameCodes
    deck: NameCodes
    positions: NameCodes

    def text_columns(self, events: EventColumns) -> tuple[CodedColumn, ...]:
        """Return the columns of text of some events."""
        return tuple(getattr(events, name) for name in self._fields)

    def take_text_columns(self, events: EventColumns, chosen: Ints) -> dict[str, CodedColumn]:
        """Return the columns of text of some of these events, with all names known by now."""
        return {
            name: names.column(getattr(events, name).codes[chosen]) if names.has_names() else no_names(len(chosen))
            for name, names in self._asdict().items()
        }


def build_event_columns(
    pool: EventPool, names: EventNames, *, counts: Ints, cards_row: Ints32, hands: Hands
) -> EventColumns:
    """Build the columns of the events of a pool; those about cards and rounds are given."""
    return EventColumns(
        counts=counts,
        kind=pool.kind,
        seat=pool.take_seats(),
        place=pool.take_choices("place"),
        face=pool.take_choices("face"),
        by=pool.take_choices("by"),
        means=pool.take_choices("means"),
        wager=pool.take_names("wager", names.wager),
        tip=pool.take_flags("tip"),
        amount=pool.take_amounts("amount"),
        decision=pool.take_names("decision", names.decision),
        what=pool.take_names("what", names.what),
        deck=pool.take_names("deck", names.deck),
        positions=pool.take_names("positions", names.positions),
        pot=pool.take_amounts("pot").astype(np.int8),
        chips=pool.take_amounts("chips").astype(np.int16),
        cards_row=cards_row,
        hands=hands,
    )
