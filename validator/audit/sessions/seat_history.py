"""Seats as sessions see them: who sat where, round by round, and where the same player sat before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints16, Ints32, Tri
from validator.audit.sessions.play_order import Order
from validator.engine.betting.chip_movements import last_moves
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.evidence.columns.surrogate_ids import numbers_of_column

UNTOLD, STAYED, CAME, CAME_AGAIN, LEFT, REPLACED = range(6)
"""What a record tells of who sits at a seat: nothing, as it tells of nobody who comes or goes; that nobody came or
went; that somebody came before the round, to a seat that nobody had left, or that somebody had; that somebody left in
the end, and that somebody else came after that."""


class SeatRows(Struct, frozen=True, kw_only=True):
    """The seats of some rounds: `round` int32, the round of each by its place among them; `number` int16 as in `Seats`;
    `player` uint64, a number that stands for the player, 0 where the log names none; `playing` bool; `moves` uint8,
    what the record tells of who sits there."""

    round: Ints32
    number: Ints16
    player: Identities
    playing: Flags
    moves: Codes

    @property
    def is_sound(self) -> bool:
        """Whether all columns fit each other."""
        return len({len(one) for one in (self.round, self.number, self.player, self.playing, self.moves)}) == 1


def seats_of(scope: Scope) -> SeatRows:
    """The seats of a batch."""
    seats = scope.batch.seats
    return SeatRows(
        round=seats.round,
        number=seats.number,
        player=numbers_of_column(seats.player),
        playing=seats.playing,
        moves=_moves(scope),
    )


def _moves(scope: Scope) -> Codes:
    events, owner = scope.batch.events, scope.batch.seats.round
    left, came = last_moves(scope)
    moves = np.where(kinds_recorded(scope, ("leave", "arrive"))[owner], np.uint8(STAYED), np.uint8(UNTOLD))
    moves[came > left] = CAME
    moves[(came > left) & (left != ABSENT)] = CAME_AGAIN
    for kind, code in (("leave", LEFT), ("arrive", REPLACED)):
        ever = events_of_kinds(scope, (kind,))
        ever = ever[events.seat[ever] != ABSENT]
        later = events.seat[ever[ever > came[events.seat[ever]]]]
        moves[later if code == LEFT else later[moves[later] == LEFT]] = code
    return moves


def seats_at(seats: SeatRows, places: Ints, rounds: int) -> tuple[SeatRows, Ints]:
    """The seats of some of the rounds, given in ascending order, of so many; and int64[seats], which ones they are."""
    new = np.full(rounds, ABSENT, np.int32)
    new[places] = np.arange(len(places), dtype=np.int32)
    which = np.flatnonzero(new[seats.round] != ABSENT)
    chosen = SeatRows(
        round=new[seats.round[which]],
        number=seats.number[which],
        player=seats.player[which],
        playing=seats.playing[which],
        moves=seats.moves[which],
    )
    return chosen, which


class Seated(Struct, frozen=True, kw_only=True):
    """The seats of all rounds in the order of play. `rows` is int64[seats], the place of each among those of all
    parts; `place` int64, the place of its round; the rest as in `SeatRows`. `before` is int64, the seat at which the
    player sat last, since the table opened and with no round missing or stopping since; ABSENT where at none or where
    that is not known. `new` is uint8, whether the player has sat down since the round before; `regular` uint8, whether
    the player took part in the round before."""

    rows: Ints
    place: Ints
    number: Ints16
    playing: Flags
    before: Ints
    new: Tri
    regular: Tri


def seated(parts: Sequence[SeatRows], rounds: Sequence[int], order: Order, stops: Flags) -> Seated:
    """Put the seats of parts together.

    `rounds` is how many each part has, `order` the order of play of all; `stops` is whether the record of each round,
    in that order, stops before it is over.
    """
    starts = np.cumsum([0, *rounds[:-1]])
    given = np.concatenate([one.round + start for one, start in zip(parts, starts, strict=True)])
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    place = place[given]
    rows = np.argsort(place, kind="stable")
    listed = _Listed(
        place=place[rows],
        number=np.concatenate([one.number for one in parts])[rows].astype(np.int64),
        player=np.concatenate([one.player for one in parts])[rows],
        playing=np.concatenate([one.playing for one in parts])[rows],
        moves=np.concatenate([one.moves for one in parts])[rows],
    )
    stretch = _stretches(order, stops)
    before, new = _by_name(listed, stretch)
    chair = _same_chair(listed, stretch)
    unnamed = listed.player == 0
    before[unnamed] = chair[unnamed]
    new[unnamed & (chair != ABSENT)] = NO
    new[stretch.opens[listed.place]] = YES
    return Seated(
        rows=rows,
        place=listed.place,
        number=listed.number.astype(np.int16),
        playing=listed.playing,
        before=before,
        new=new,
        regular=_regular(listed, stretch, before),
    )


class _Listed(Struct, frozen=True, kw_only=True):
    """The seats of all rounds in the order of play, as `SeatRows`; `place` is int64, the place of its round."""

    place: Ints
    number: Ints
    player: Identities
    playing: Flags
    moves: Codes

    def per_round(self, chosen: Flags, rounds: int) -> Ints:
        """int64[rounds + 1]: in how many rounds before each there is any such seat."""
        any_ = np.bincount(self.place[chosen], minlength=rounds) > 0
        return np.concatenate([[0], np.cumsum(any_)])


class _Stretches(Struct, frozen=True, kw_only=True):
    """Rounds on end of which none is missing, and none but the last has a record that stops. `of` is int64[rounds], the
    stretch of each; `first` int64[rounds], the first round of its stretch; `opens` bool[rounds], whether the table
    opened with the round; `opened` bool[rounds], whether it did with the first round of its stretch."""

    of: Ints
    first: Ints
    opens: Flags
    opened: Flags


def _stretches(order: Order, stops: Flags) -> _Stretches:
    # Who came or left after a record stopped, and with which chips, is as little known as of a round that is missing.
    begins = (order.gap != 0) | order.first | order.opening | np.roll(stops, 1)
    opens = order.opening & (order.gap == 0)
    first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    return _Stretches(of=np.cumsum(begins), first=first, opens=opens, opened=opens[first])


def _by_name(listed: _Listed, stretch: _Stretches) -> tuple[Ints, Tri]:
    """Where players who are named sat last, and whether they are new; of all others nothing is known."""
    place, moves, rounds = listed.place, listed.moves, len(stretch.of)
    named = listed.player != 0
    last = np.where(named, _last_of_name(listed, stretch), ABSENT)
    there = last >= 0
    at = np.where(there, place[last], stretch.first[place] - 1)
    # Rounds between the two in which somebody sat whom the record does not name, or told nothing of who comes and goes.
    nameless = listed.per_round(~named | (moves == REPLACED), rounds)
    hidden = nameless[place] > nameless[at + 1]
    untold = listed.per_round(moves == UNTOLD, rounds)
    sat_out = (moves == STAYED) | (moves == LEFT)
    gone = (moves[last] == LEFT) | (moves[last] == REPLACED)
    sat_out &= (untold[place + 1] == untold[at + 1]) & ~gone
    came = (moves == CAME) | (moves == CAME_AGAIN)
    same_seat = listed.number == listed.number[last]
    next_to = at == place - 1
    new = np.full(len(place), UNKNOWN, np.uint8)
    new[there & next_to] = NO
    new[there & next_to & ((same_seat & (moves == CAME_AGAIN)) | (gone & came))] = YES
    away = there & ~next_to & ~hidden
    new[away & sat_out] = NO
    new[away & came & (same_seat | gone)] = YES
    never = named & (last == ABSENT) & ~hidden
    new[never & (stretch.opened[place] | (came & (place > stretch.first[place])))] = YES
    return np.where(new == NO, last, ABSENT), new


_SEVERAL = -2
"""Stands for the seat of a player who sat at several."""


def _last_of_name(listed: _Listed, stretch: _Stretches) -> Ints:
    """int64[seats]: the seat with the same name in the last round before that has any, in the same stretch; ABSENT
    where there is none, `_SEVERAL` where there are several."""
    place = listed.place
    order = np.lexsort((place, listed.player))
    key = np.stack([listed.player[order], place[order].astype(np.uint64)])
    starts = np.ones(len(order), bool)
    starts[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    group, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
    size = np.diff(np.append(first, len(order)))
    seat = np.where(size == 1, order[first], _SEVERAL)
    same = np.zeros(len(first), bool)
    same[1:] = (listed.player[order[first[1:]]] == listed.player[order[first[:-1]]]) & (
        stretch.of[place[order[first[1:]]]] == stretch.of[place[order[first[:-1]]]]
    )
    found = np.full(len(place), ABSENT, np.int64)
    found[order] = np.where(same, np.roll(seat, 1), ABSENT)[group]
    return found


def _same_chair(listed: _Listed, stretch: _Stretches) -> Ints:
    """int64[seats]: of a seat whose player is not named, the one with the same number in the round before, where the
    record tells that whoever sat there still does."""
    place = listed.place
    width = int(listed.number.max(initial=0)) + 1
    here = place * width + listed.number
    order = np.argsort(here, kind="stable")
    at = np.minimum(np.searchsorted(here[order], here - width), max(len(order) - 1, 0))
    found = order[at] if len(order) else at
    fits = (here[found] == here - width) & (stretch.first[place] < place)
    fits &= (listed.player == 0) & (listed.player[found] == 0) & np.isin(listed.moves, (STAYED, LEFT))
    return np.where(fits, found, ABSENT)


def _regular(listed: _Listed, stretch: _Stretches, before: Ints) -> Tri:
    """uint8[seats]: whether players took part in the round before."""
    place, named = listed.place, listed.player != 0
    nameless = np.bincount(place[~named], minlength=len(stretch.of)) > 0
    open_ = np.where(named, nameless[place - 1], listed.moves != STAYED) | (stretch.first[place] == place)
    next_to = (before != ABSENT) & (place[before] == place - 1)
    known = np.where(next_to & listed.playing[before], np.uint8(YES), np.uint8(NO))
    return np.where(open_ & ~next_to, np.uint8(UNKNOWN), known)
