"""The kinds of event a simulated round is told in."""

from __future__ import annotations

AT_STAKE = ("wager", "collect", "pay", "return")
"""Events about one stake."""
AT_PLACE = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, else of the round."""
OF_THE_ROUND = ("shuffle", "cut", "announce", "fault", "remedy")
"""Events of the round as a whole."""
PLAYED = frozenset((*AT_STAKE, *AT_PLACE, *OF_THE_ROUND, "deal", "decide", "tuck"))
"""The kinds that may stand in the course of a round. Exposed cards come with irregularities alone."""
INSERTED = PLAYED - {"deal"}
"""The kinds that a fault may add by themselves."""
