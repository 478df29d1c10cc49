"""Cards dealt to a seat beyond what the others of the same lot are dealt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.last_acts import betting_acts
from validator.play.scope import Scope

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def surplus(scope: Scope, cards: Ints, parted: Flags, size: Ints) -> Flags:
    """bool[m]: which of the events that deal cards, in log order, deal to a seat that has as many cards of its lot as
    the seat with the fewest. A lot is what is dealt until somebody acts or a card is burnt; where nobody can act any
    more and nothing is burnt, several stages are one lot, in which all seats are dealt the more. `parted` bool[m]
    says of each event whether a card was burnt right before it, `size` int64[m] how many cards it deals."""
    events = scope.batch.events
    found = np.zeros(len(cards), bool)
    seated = np.flatnonzero(events.seat[cards] != ABSENT)
    if not len(seated):
        return found
    lot = _lots(scope, cards, parted)[seated]
    key = lot * scope.length("seat") + events.seat[cards[seated]]
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    running = np.cumsum(size[seated][order]) - size[seated][order]
    before = running - np.repeat(running[begins], np.diff(begins, append=len(order)))
    fewest = np.full(int(lot[-1]) + 1, np.iinfo(np.int64).max)
    np.minimum.at(fewest, lot[order[begins]], np.add.reduceat(size[seated][order], begins))
    found[seated[order]] = before >= fewest[lot[order]]
    return found


def _lots(scope: Scope, cards: Ints, parted: Flags) -> Ints:
    """int64[m]: the lot of each event, counted from 0 in log order."""
    acts = np.searchsorted(betting_acts(scope), cards)
    new = np.diff(acts, prepend=0).astype(bool) | np.diff(scope.batch.events.round[cards], prepend=0).astype(bool)
    return (new | parted).cumsum()
