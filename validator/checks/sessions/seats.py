"""Seats as sessions see them: who sat where, round by round, and where the same player sat in the round before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.events import KIND
from validator.evidence.identity import Identities, numbers_of_column
from validator.play.scope import Scope
from validator.play.steps import kinds_recorded
from validator.play.tri import NO, UNKNOWN, YES, Tri

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class SeatRows(Struct, frozen=True, kw_only=True):
    """The seats of some rounds: `round` int32, the round of each by its place among them; `number` int16 as in `Seats`;
    `player` uint64, a number that stands for the player, 0 where the log names none; `playing` bool. `stayed` is uint8,
    whether whoever sat there in the round before still does."""

    round: NDArray[np.int32]
    number: NDArray[np.int16]
    player: Identities
    playing: Flags
    stayed: Tri


def seats_of(scope: Scope) -> SeatRows:
    """The seats of a batch."""
    seats, events = scope.batch.seats, scope.batch.events
    moved = np.isin(events.kind, (KIND["leave"], KIND["arrive"])) & (events.seat != ABSENT)
    stayed = np.where(kinds_recorded(scope, ("leave", "arrive"))[seats.round], np.uint8(YES), np.uint8(UNKNOWN))
    stayed[events.seat[moved]] = NO
    return SeatRows(
        round=seats.round,
        number=seats.number,
        player=numbers_of_column(seats.player),
        playing=seats.playing,
        stayed=stayed,
    )


class Seated(Struct, frozen=True, kw_only=True):
    """The seats of all rounds in the order of play. `rows` is int64[seats], the place of each among those of all
    parts; `place` int64, the place of its round; the rest as in `SeatRows`. `before` is int64, the seat at which the
    player sat in the round before, ABSENT where at none or where that is not known; `new` uint8, whether the
    player was not in the round before."""

    rows: Ints
    place: Ints
    number: NDArray[np.int16]
    playing: Flags
    before: Ints
    new: Tri


def seated(parts: Sequence[SeatRows], rounds: Sequence[int], order: Ints) -> Seated:
    """The seats of parts put together. `rounds` is how many each has, `order` the place among all rounds of each round
    in the order of play."""
    starts = np.cumsum([0, *rounds[:-1]])
    given = np.concatenate([one.round + start for one, start in zip(parts, starts, strict=True)])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    place = place[given]
    rows = np.argsort(place, kind="stable")
    place = place[rows]
    number = np.concatenate([one.number for one in parts])[rows]
    stayed = np.concatenate([one.stayed for one in parts])[rows]
    player = np.concatenate([one.player for one in parts])[rows]
    before, new = _before(place, number.astype(np.int64), player, stayed, len(order))
    return Seated(
        rows=rows,
        place=place,
        number=number,
        playing=np.concatenate([one.playing for one in parts])[rows],
        before=before,
        new=new,
    )


def _before(place: Ints, number: Ints, player: Identities, stayed: Tri, rounds: int) -> tuple[Ints, Tri]:
    """Where players sat in the round listed before. A player is known by name. Of a seat whose player is not named
    only the log can tell, by who left and came, that the same one sat there before."""
    named = player != 0
    names = np.unique(player, return_inverse=True)[1]
    unnamed_there = np.ones(rounds + 1, bool)
    unnamed_there[:-1] = np.bincount(place[~named], minlength=rounds) > 0
    by_name = _same(place, np.where(named, names, -1 - np.arange(len(player))))
    by_seat = _same(place, number)
    same_chair = (by_seat != ABSENT) & ~named & (stayed == YES)
    same_chair[same_chair] &= ~named[by_seat[same_chair]]
    before = np.where(named, by_name, np.where(same_chair, by_seat, ABSENT))
    new = np.full(len(place), UNKNOWN, np.uint8)
    new[before != ABSENT] = NO
    new[named & (before == ABSENT) & ~unnamed_there[place - 1]] = YES
    return before, new


def _same(place: Ints, key: Ints) -> Ints:
    """int64[seats]: the one seat with the same key in the round before; ABSENT where there is none, or several."""
    low = int(key.min(initial=0))
    width = int(key.max(initial=0)) - low + 1
    here, wanted = place * width + key - low, (place - 1) * width + key - low
    order = np.argsort(here, kind="stable")
    first, last = (np.searchsorted(here[order], wanted, side=side) for side in ("left", "right"))
    one = (last - first == 1) & (place > 0)
    return np.where(one, order[np.minimum(first, len(order) - 1)] if len(order) else ABSENT, ABSENT)
