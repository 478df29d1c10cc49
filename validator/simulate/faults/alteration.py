"""Events that say something else than they should."""

from __future__ import annotations

from validator.rules.model.faults import Alter
from validator.simulate.table.records import Event


def alter(event: Event, change: Alter) -> bool:
    """Alter an event; returns whether it differs from before."""
    fields = {
        "face": change.face,
        "by": change.by,
        "means": change.in_,
        "place": change.place,
        "amount": change.number,
        "pot": change.pot,
        "what": change.what,
        "positions": change.spots,
    }
    differs = False
    for name, value in fields.items():
        if value is not None:
            differs |= getattr(event, name) != value
            setattr(event, name, value)
    if change.deck is not None:
        differs |= event.deck is not None
        event.deck = None
    cards = event.cards or []
    if change.cards == "reversed":  # which makes a difference where ranks do
        differs |= [card >> 2 for card in cards] != [card >> 2 for card in reversed(cards)]
        event.cards = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        differs = True
        event.cards = cards[:-1]
    return differs
