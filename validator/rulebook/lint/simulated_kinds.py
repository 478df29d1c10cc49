"""Kinds of event in simulated rounds."""

from __future__ import annotations

STAKE_EVENTS = ("wager", "collect", "pay", "return")
"""Events about one stake."""
PLACE_EVENTS = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, otherwise of the round."""
EXCHANGE_EVENTS = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or other cards replace them."""
CHIP_EVENTS = ("chips-in", "chips-out")
"""Events of chips that arrive at the table or leave it."""
SEAT_EVENTS = ("leave", "arrive", *CHIP_EVENTS)
"""Events about a seat only."""
ROUND_OR_SEAT_EVENTS = ("announce", "device", "fault", "remedy")
"""Events of the whole round, or of every seat in a step of each seat."""
POT_EVENTS = ("rake", "award", "drop")
"""Events about pots."""
ROUND_EVENTS = (*ROUND_OR_SEAT_EVENTS, "shuffle", "cut", "deck", "count")
"""Events that may concern the whole round."""
SIMULATED_EVENTS = frozenset(
    (
        *STAKE_EVENTS,
        *PLACE_EVENTS,
        *EXCHANGE_EVENTS,
        *SEAT_EVENTS,
        *POT_EVENTS,
        *ROUND_EVENTS,
        "claim",
        "deal",
        "decide",
        "tuck",
    )
)
"""Kinds that may occur in regular play. Exposed cards occur only with irregularities."""
INSERTABLE_EVENTS = SIMULATED_EVENTS - {"deal", "draw"}
"""Kinds that a fault may add on their own."""
NUMBERED_EVENTS = frozenset({"count"})
"""Kinds that always state a number."""
