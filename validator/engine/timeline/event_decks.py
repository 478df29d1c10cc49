"""Which deck each event happened to: the one in play, or another that is kept at the table."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope


def happened_to(scope: Scope, deck: str, chosen: Ints) -> Tri:
    """uint8[m]: whether each of some events happened to the deck in play, or to another one."""
    events, played = scope.batch.events, scope.batch.deck
    by_name = {name: code for code, name in enumerate(played.names)}
    codes = np.array([*(by_name.get(name, len(by_name)) for name in events.deck.names), ABSENT], np.int64)
    named, in_play = codes[events.deck.codes.take(chosen)], played.codes.take(events.round.take(chosen))
    silent = named == ABSENT
    fits = silent | (named == in_play)
    return kleene.where_known(fits if deck == "in-play" else ~fits, silent | (in_play != ABSENT))
