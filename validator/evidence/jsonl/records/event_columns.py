"""Events to columns: fields taken out of event records at C speed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Ints, Ints32
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.draft import EventColumns
from validator.evidence.columns.empty import no_names
from validator.evidence.jsonl.records.extract import EventPool, Names


class EventNames(NamedTuple):
    """The texts that columns of events are coded with, shared with the columns of stakes and seats."""

    wager: Names
    decision: Names
    what: Names
    deck: Names
    positions: Names

    def columns(self, events: EventColumns) -> tuple[Coded, ...]:
        """The columns of text of some events."""
        return tuple(getattr(events, name) for name in self._fields)

    def of(self, events: EventColumns, chosen: Ints) -> dict[str, Coded]:
        """The columns of text of some of these events, with all names coded since."""
        return {
            name: names.column(getattr(events, name).codes[chosen]) if names.any() else no_names(len(chosen))
            for name, names in self._asdict().items()
        }


def event_columns(pool: EventPool, names: EventNames, *, counts: Ints, cards_row: Ints32, hands: Hands) -> EventColumns:
    """The columns of the events of a pool; what concerns their cards and their rounds is given."""
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
