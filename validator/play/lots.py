"""Lots of cards: what is dealt to seats until somebody acts or a card is burnt."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.last_acts import betting_acts
from validator.play.scope import Scope

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Lots(Struct, frozen=True, kw_only=True):
    """What lots say of events that deal cards, in log order.

    `surplus` bool[m]: the seat has as many cards of the lot as any other gets in it. Where nobody can act any more and
    nothing is burnt, several stages are one lot, in which all seats are dealt the more. `again` int64[m]: at the first
    event of a lot, a seat that is dealt cards in it and was in the lot before, ABSENT where there is none; ABSENT at
    the others.
    """

    surplus: Flags
    again: Ints


def no_lots(many: int) -> Lots:
    """Of so many events that nothing hangs on lots."""
    return Lots(surplus=np.zeros(many, bool), again=np.full(many, ABSENT, np.int64))


def lots_of(scope: Scope, cards: Ints, parted: Flags, size: Ints) -> Lots:
    """The lots of some events that deal cards, in log order: `parted` bool[m] says of each whether a card was burnt
    right before it, `size` int64[m] how many cards it deals."""
    events = scope.batch.events
    found = no_lots(len(cards))
    seated = np.flatnonzero(events.seat[cards] != ABSENT)
    if not len(seated):
        return found
    seat, size = events.seat[cards[seated]].astype(np.int64), size[seated]
    first, lot = np.unique(_numbers(scope, cards, parted)[seated], return_index=True, return_inverse=True)[1:]
    key = lot * scope.length("seat") + seat
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    often = np.diff(begins, append=len(order))
    running = np.cumsum(size[order]) - size[order]
    before = running - np.repeat(running[begins], often)
    served, of, total = seat[order[begins]], lot[order[begins]], np.add.reduceat(size[order], begins)
    found.surplus[seated[order]] = before >= np.repeat(_most_of_others(of, total), often)
    earlier = np.flatnonzero(np.isin(key[order[begins]] - scope.length("seat"), key[order[begins]]))
    found.again[seated[first[of[earlier]]]] = served[earlier]
    return found


def _most_of_others(of: Ints, total: Ints) -> Ints:
    """int64[g]: the second largest of the totals of each lot, `of` int64[g] in ascending order; its own of one that has
    no other."""
    ranked = np.lexsort((total, of))
    last = np.searchsorted(of, of, side="right") - 1
    alone = (last == 0) | (of[last - 1] != of)
    return total[ranked][np.where(alone, last, last - 1)]


def _numbers(scope: Scope, cards: Ints, parted: Flags) -> Ints:
    """int64[m]: the lot of each event, ascending in log order."""
    acts = np.searchsorted(betting_acts(scope), cards)
    new = np.diff(acts, prepend=0).astype(bool) | np.diff(scope.batch.events.round[cards], prepend=0).astype(bool)
    return (new | parted).cumsum()
