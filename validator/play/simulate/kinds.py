"""The kinds of event a simulated round is told in."""

from __future__ import annotations

AT_STAKE = ("wager", "collect", "pay", "return")
"""Events about one stake."""
AT_PLACE = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, else of the round."""
EXCHANGES = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or others dealt in their stead."""
AT_SEAT = ("leave", "arrive")
"""Events about a seat and nothing else."""
ANYWHERE = ("announce", "device")
"""Events of the round as a whole, or of every seat where the step is one of each seat."""
OF_THE_ROUND = (*ANYWHERE, "shuffle", "cut", "deck", "count", "fault", "remedy")
"""Events of the round as a whole, if need be."""
PLAYED = frozenset((*AT_STAKE, *AT_PLACE, *EXCHANGES, *AT_SEAT, *OF_THE_ROUND, "claim", "deal", "decide", "tuck"))
"""The kinds that may stand in the course of a round. Exposed cards come with irregularities alone."""
INSERTED = PLAYED - {"deal", "draw"}
"""The kinds that a fault may add by themselves."""
STATING = frozenset({"count"})
"""The kinds that always state a number."""
