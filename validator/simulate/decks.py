"""Events done with decks, and the rounds in which those decks are dealt."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints
from validator.engine.core.context import Scope


def dealt_next(scope: Scope, events: Ints) -> Ints:
    """int64[m]: the round for which something is done: that of the event itself where it is about the deck in play or
    names none; else the next one of the table in which the deck is in play, ABSENT where none comes before the table
    opens anew or the batch ends."""
    batch = scope.batch
    owner, deck = batch.events.round[events].astype(np.int64), batch.events.deck.codes[events]
    found = np.where((deck == ABSENT) | (deck == batch.deck.codes[owner]), owner, ABSENT)
    for code in np.unique(deck[found == ABSENT]).tolist():
        of_deck = (found == ABSENT) & (deck == code)
        found[of_deck] = _next_with(scope, code)[owner[of_deck]]
    return found


def _next_with(scope: Scope, deck: int) -> Ints:
    """int64[rounds]: the next round of the same table and opening in which a deck is in play, ABSENT without one."""
    batch = scope.batch
    order = np.argsort(batch.table.codes, kind="stable")
    none = len(order)
    here = np.where(batch.deck.codes[order] == deck, np.arange(none), none)
    following = np.append(np.minimum.accumulate(here[::-1])[::-1][1:], none)
    known = np.flatnonzero(following < none)
    at, then = order[known], order[following[known]]
    same = (batch.table.codes[at] == batch.table.codes[then]) & (batch.number[at] < batch.number[then])
    found = np.full(none, ABSENT, np.int64)
    found[at[same]] = then[same]
    return found
