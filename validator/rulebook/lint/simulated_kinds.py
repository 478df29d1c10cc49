"""The kinds of event a simulated round is told in."""

from __future__ import annotations

AT_STAKE = ("wager", "collect", "pay", "return")
"""Events about one stake."""
AT_PLACE = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, else of the round."""
EXCHANGES = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or others dealt in their stead."""
CHIPS = ("chips-in", "chips-out")
"""Chips that come to the table or leave it."""
AT_SEAT = ("leave", "arrive", *CHIPS)
"""Events about a seat and nothing else."""
ANYWHERE = ("announce", "device", "fault", "remedy")
"""Events of the round as a whole, or of every seat where the step is one of each seat."""
AT_POTS = ("rake", "award", "drop")
"""Events about pots."""
OF_THE_ROUND = (*ANYWHERE, "shuffle", "cut", "deck", "count")
"""Events of the round as a whole, if need be."""
PLAYED = frozenset(
    (*AT_STAKE, *AT_PLACE, *EXCHANGES, *AT_SEAT, *AT_POTS, *OF_THE_ROUND, "claim", "deal", "decide", "tuck")
)
"""The kinds that may stand in the course of a round. Exposed cards come with irregularities alone."""
INSERTED = PLAYED - {"deal", "draw"}
"""The kinds that a fault may add by themselves."""
STATING = frozenset({"count"})
"""The kinds that always state a number."""
