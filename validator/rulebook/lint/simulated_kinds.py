"""Kinds of event in simulated rounds."""

from __future__ import annotations

AT_STAKE = ("wager", "collect", "pay", "return")
"""Events about one stake."""
AT_PLACE = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, otherwise of the round."""
EXCHANGES = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or other cards replace them."""
CHIPS = ("chips-in", "chips-out")
"""Events of chips that arrive at the table or leave it."""
AT_SEAT = ("leave", "arrive", *CHIPS)
"""Events about a seat only."""
ANYWHERE = ("announce", "device", "fault", "remedy")
"""Events of the whole round, or of every seat in a step of each seat."""
AT_POTS = ("rake", "award", "drop")
"""Events about pots."""
OF_THE_ROUND = (*ANYWHERE, "shuffle", "cut", "deck", "count")
"""Events that may concern the whole round."""
PLAYED = frozenset(
    (*AT_STAKE, *AT_PLACE, *EXCHANGES, *AT_SEAT, *AT_POTS, *OF_THE_ROUND, "claim", "deal", "decide", "tuck")
)
"""Kinds that may occur in regular play. Exposed cards occur only with irregularities."""
INSERTED = PLAYED - {"deal", "draw"}
"""Kinds that a fault may add on their own."""
STATING = frozenset({"count"})
"""Kinds that always state a number."""
