"""Lots of cards: what is dealt until somebody acts or a card is burnt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope


class Lots(Struct, frozen=True, kw_only=True):
    """What lots say of events that deal cards, in log order.

    `surplus` bool[m]: the seat has as many cards of the lot as any other gets in it. Where nobody can act any more and
    nothing is burnt, several stages are one lot, in which all seats are dealt the more. `again` int64[m]: at the first
    event of a lot, a seat that is dealt cards in it and was in the lot before, ABSENT where there is none; ABSENT at
    the others.
    """

    surplus: Flags
    again: Ints


class Rests(Struct, frozen=True, kw_only=True):
    """Lots that may be the rest of the stage that is being dealt, though a card was burnt before them: nobody has acted
    since the cards before the burn, and of cards at no seat somebody acts later, so that not all are dealt out at once.

    `at` int64[m]: at the first event of such a lot, its place in the list of them; ABSENT elsewhere. `first` and `many`
    int64[r]: where each begins among the entries of all of them, and how many it has. An entry is a receiver of the
    lot, with its place and how many cards it gets in it, int64[g] each.
    """

    at: Ints
    first: Ints
    many: Ints
    receiver: Ints
    place: Ints
    total: Ints

    def fit(self, here: Ints, now: Ints, had: Callable[[Ints, Ints], Ints], full: Ints) -> Flags:
        """bool[n]: whether such a lot begins with each of some events that gives nobody more than a stage (`now`,
        int64[n]) has for the place (`full`, int64[stages, places]); `had` tells how many cards of a stage a receiver
        has."""
        result = np.zeros(len(here), bool)
        some = np.flatnonzero(self.at[here] != ABSENT)
        if not len(some):
            return result
        lot = self.at[here[some]]
        many = self.many[lot]
        starts = np.cumsum(many) - many
        entry = np.arange(many.sum()) + np.repeat(self.first[lot] - starts, many)
        stage = np.repeat(now[some], many)
        within = had(self.receiver[entry], stage) + self.total[entry] <= full[stage, self.place[entry]]
        result[some] = np.logical_and.reduceat(within, starts)
        return result


class Boards(Struct, frozen=True, kw_only=True):
    """What lots say of events that deal cards to no seat, in log order.

    `apart` bool[m]: somebody has acted since the card before at the place. `later` int64[m]: how many lots of the place
    follow the event's own; ABSENT at events that deal to seats.
    """

    apart: Flags
    later: Ints


def no_lots(many: int) -> Lots:
    """Of so many events that nothing hangs on lots."""
    return Lots(surplus=np.zeros(many, bool), again=np.full(many, ABSENT, np.int64))


def lots_of(scope: Scope, cards: Ints, parted: Flags, size: Ints, acts: Ints) -> Lots:
    """The lots of some events that deal cards, in log order: `parted` bool[m] says of each whether a card was burnt
    right before it, `size` int64[m] how many cards it deals. `acts` int64[n] are what ends a lot."""
    events = scope.batch.events
    result = no_lots(len(cards))
    seated = np.flatnonzero(events.seat[cards] != ABSENT)
    if not len(seated):
        return result
    seat, size = events.seat[cards[seated]].astype(np.int64), size[seated]
    numbers = _numbers(scope, cards, parted, acts)[seated]
    first, lot = np.unique(numbers, return_index=True, return_inverse=True)[1:]
    key = lot * scope.length("seat") + seat
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    often = np.diff(begins, append=len(order))
    running = np.cumsum(size[order]) - size[order]
    before = running - np.repeat(running[begins], often)
    served, of, total = seat[order[begins]], lot[order[begins]], np.add.reduceat(size[order], begins)
    result.surplus[seated[order]] = before >= np.repeat(_most_of_others(of, total), often)
    earlier = np.flatnonzero(np.isin(key[order[begins]] - scope.length("seat"), key[order[begins]]))
    result.again[seated[first[of[earlier]]]] = served[earlier]
    return result


def boards_of(scope: Scope, cards: Ints, parted: Flags, receiver: Ints, acts: Ints) -> Boards:
    """The same of lots of cards that are dealt to no seat; `parted` and `acts` as of `lots_of`, `receiver` int64[m]
    whom each event deals to."""
    events = scope.batch.events
    result = Boards(apart=np.zeros(len(cards), bool), later=np.full(len(cards), ABSENT, np.int64))
    ours = np.flatnonzero(events.seat[cards] == ABSENT)
    if not len(ours):
        return result
    ours = ours[np.argsort(receiver[ours], kind="stable")]
    same = np.diff(receiver[ours], prepend=-1) == 0
    result.apart[ours] = same & (np.diff(np.searchsorted(acts, cards[ours]), prepend=0) != 0)
    begins = ~same | result.apart[ours] | (np.diff(parted.cumsum()[ours], prepend=0) != 0)
    order = begins.cumsum()  # ascending over the lots of place after place
    last = np.append(np.flatnonzero(~same)[1:], len(ours)) - 1
    result.later[ours] = np.repeat(order[last], np.diff(last, prepend=-1)) - order
    return result


def rests_of(scope: Scope, cards: Ints, parted: Flags, receiver: Ints, size: Ints, acts: Ints) -> Rests:
    """Those of the lots of some events that deal cards, in log order, which may be the rest of a stage: `parted`,
    `size` and `acts` as of `lots_of`, `receiver` int64[m] whom each event deals to."""
    events = scope.batch.events
    owner = events.round[cards]
    after = np.flatnonzero(parted[1:] & (owner[1:] == owner[:-1])) + 1
    made = np.searchsorted(acts, cards[after])
    later = np.searchsorted(acts, events.offsets[owner[after] + 1]) > made
    quiet = made == np.searchsorted(acts, cards[after - 1])
    first = after[quiet & ((events.seat[cards[after]] != ABSENT) | later)]
    at = np.full(len(cards), ABSENT, np.int64)
    if not len(first):
        none = np.zeros(0, np.int64)
        return Rests(at=at, first=none, many=none, receiver=none, place=none, total=none)
    at[first] = np.arange(len(first))
    lot = _numbers(scope, cards, parted, acts)
    ours = np.flatnonzero(np.isin(lot, lot[first]))
    # Ascending by lot, as the first events of the lots are.
    entry, begins, of = np.unique(np.stack([lot[ours], receiver[ours]]), axis=1, return_index=True, return_inverse=True)
    of = of.reshape(-1)
    starts = np.searchsorted(entry[0], lot[first])
    return Rests(
        at=at,
        first=starts,
        many=np.searchsorted(entry[0], lot[first], side="right") - starts,
        receiver=entry[1],
        place=events.place[cards[ours[begins]]].astype(np.int64),
        total=np.bincount(of, size[ours], entry.shape[1]).astype(np.int64),
    )


def _most_of_others(of: Ints, total: Ints) -> Ints:
    """int64[g]: the second largest of the totals of each lot, `of` int64[g] in ascending order; its own of one that has
    no other."""
    ranked = np.lexsort((total, of))
    last = np.searchsorted(of, of, side="right") - 1
    alone = (last == 0) | (of[last - 1] != of)
    return total[ranked][np.where(alone, last, last - 1)]


def _numbers(scope: Scope, cards: Ints, parted: Flags, acts: Ints) -> Ints:
    """int64[m]: the lot of each event, ascending in log order; with each of `acts`, int64[n] events, another begins."""
    made, owner = np.searchsorted(acts, cards), scope.batch.events.round[cards]
    new = np.diff(made, prepend=0).astype(bool) | np.diff(owner, prepend=0).astype(bool)
    return (new | parted).cumsum()
