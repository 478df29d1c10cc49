"""Order of play of every session with the gaps in it, and the history of players at each seat.

A session consists of all rounds of one casino and table, by time and then by number. Only numbers, and rounds that name
their previous round, can prove that no round is missing. Otherwise, checks over a session must consider every round
that may be missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints16, Ints32, Truths, make_offsets
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.player_facts import collect_chip_movement, find_last_seat_changes
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.log_draft import hash_column
from fairdeal.validator.evidence.columns.round_batch import take_rows

ANY_NUMBER = -1
"""Gap of any number of rounds, including none; before the first round of a session without a number: all earlier
rounds."""

NO_GAP, JUMP, BEGINNING, UNNUMBERED, REPEATED_NUMBER, BACKWARDS, ELSEWHERE = range(7)
"""Reasons why rounds are, or may be, missing before a round."""


class PlayOrder(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play, session after session. All arrays are parallel."""

    rows: Ints
    """Index of each round in the input."""
    first: Flags
    """True for the first round of a session."""
    opening: Flags
    """True if the table opened since the previous round; missing rounds are then missing after the opening."""
    gap: Ints
    """Number of rounds missing before it, or ANY_NUMBER."""
    why: Codes
    """Reason of the gap."""

    def __len__(self) -> int:
        return len(self.rows)

    def number_sessions(self) -> Ints:
        """Return the number of each round's session, from 0.

        Returns:
            int64[rounds].
        """
        return np.cumsum(self.first) - 1

    def cut(self, start: int, end: int) -> PlayOrder:
        """Return the part of the order from one place up to another."""
        names = ("rows", "first", "opening", "gap", "why")
        return PlayOrder(**{name: getattr(self, name)[start:end] for name in names})

    def with_gaps_of(self, whole: PlayOrder) -> PlayOrder:
        """Return the order of the same rounds with the gaps and openings of a larger order."""
        return replace(self, opening=whole.opening, gap=whole.gap, why=whole.why)

    def number_stretches(self) -> Ints:
        """Return the number of the part between two openings of the table that each round belongs to, from 0.

        Returns:
            int64[rounds].
        """
        return np.cumsum(self.first | self.opening) - 1

    def without_unnumbered_gaps(self, *, opened: Flags) -> PlayOrder:
        """Return the order as if no round were missing between rounds without numbers.

        Args:
            opened: bool[rounds]; if set for the first round of a session, that round is an opening.
        """
        unnumbered = self.why == UNNUMBERED
        begins = self.first & unnumbered
        return replace(
            self,
            opening=self.opening | (begins & opened),
            gap=np.where(unnumbered & (~begins | opened), 0, self.gap),
        )


def build_play_order(
    *,
    casino: Ints32,
    table: Ints32,
    time: Ints,
    number: Ints32,
    ties: tuple[Ints, ...],
    name: Identities | None = None,
    after: Identities | None = None,
) -> PlayOrder:
    """Build the order of play of rounds given in any order.

    Args:
        casino: codes of the casinos.
        table: codes of the tables.
        time: any clock that all rounds share.
        number: number of each round; ABSENT if not recorded.
        ties: keys that order rounds of one time and number, most important first; with them, the result does not depend
            on the order of the input.
        name: hash of the id of each round.
        after: hash of the id of the previous round that each round names; 0 if none.
    """
    keys: list[NDArray[np.integer]] = [*reversed(ties), number, time, table, casino]
    rows = np.lexsort(keys)
    casino, table, time, number = casino[rows], table[rows], time[rows], number[rows].astype(np.int64)
    first = np.ones(len(rows), bool)
    first[1:] = (casino[1:] != casino[:-1]) | (table[1:] != table[:-1])
    previous_number = np.where(first, ABSENT, np.roll(number, 1))
    same_time = ~first & (time == np.roll(time, 1))
    step = number - previous_number

    why = np.full(len(rows), NO_GAP, np.uint8)
    gap = np.zeros(len(rows), np.int64)
    opening = (number == 1) & ~((previous_number == 1) & same_time)
    beginning = first & (number > 1)
    unnumbered = ~opening & ~beginning & ((number == ABSENT) | (previous_number == ABSENT))
    rest = ~opening & ~beginning & ~unnumbered
    for chosen, reason in (
        (beginning, BEGINNING),
        (unnumbered, UNNUMBERED),
        (rest & (step > 1), JUMP),
        (rest & (step == 0), REPEATED_NUMBER),
        (rest & (step < 0), BACKWARDS),
    ):
        why[chosen] = reason
    if np.isin(why, (UNNUMBERED, REPEATED_NUMBER, BACKWARDS)).any():
        why[_has_ambiguous_number(np.cumsum(first | opening), number) & rest & (why == NO_GAP)] = REPEATED_NUMBER
    if name is not None and after is not None:
        names_previous = (after[rows] != 0) & ~opening
        is_consecutive = names_previous & ~first & (after[rows] == np.roll(name[rows], 1))
        why[is_consecutive & np.isin(why, (UNNUMBERED, REPEATED_NUMBER))] = NO_GAP
        why[names_previous & ~is_consecutive & np.isin(why, (NO_GAP, UNNUMBERED))] = ELSEWHERE
    gap[why == JUMP] = step[why == JUMP] - 1
    gap[why == BEGINNING] = number[why == BEGINNING] - 1
    gap[np.isin(why, (UNNUMBERED, REPEATED_NUMBER, BACKWARDS, ELSEWHERE))] = ANY_NUMBER
    return PlayOrder(rows=rows, first=first, opening=opening | beginning, gap=gap, why=why)


def _has_ambiguous_number(stretch: Ints, number: Ints32) -> Flags:
    """Return whether the number of each round, or the number before it, occurs several times between openings.

    The order of these rounds is not known.
    """
    numbered = number != ABSENT
    key = stretch * (int(number.max(initial=0)) + 2) + number
    keys, counts = np.unique(key[numbered], return_counts=True)
    several = keys[counts > 1]
    return numbered & (np.isin(key, several) | np.isin(key - 1, several))


UNRECORDED, STAYED, CAME, CAME_AGAIN, LEFT, REPLACED = range(6)
"""Recorded changes of the player at a seat.

UNRECORDED: the log records no arrivals and departures. STAYED: nobody came or left. CAME: a player came before the
round. CAME_AGAIN: a player came after another had left. LEFT: the player left at the end. REPLACED: another player
came after that.
"""


class SeatRows(Struct, frozen=True, kw_only=True):
    """Seats of some rounds. All arrays are parallel."""

    round: NDArray[np.int32]
    """Index of the round of each seat."""
    number: NDArray[np.int16]
    """Number of the seat."""
    player: NDArray[np.uint64]
    """Hash of the player's name; 0 if the log names none."""
    playing: NDArray[np.bool_]
    """True if the seat takes part."""
    moves: NDArray[np.uint8]
    """Recorded change of the player."""
    bought: Flags
    """True if chips were added at the seat before the round."""

    @property
    def is_sound(self) -> bool:
        """True if all columns have the same length."""
        columns = (self.round, self.number, self.player, self.playing, self.moves, self.bought)
        return len({len(column) for column in columns}) == 1


def build_seat_rows(scope: EvaluationContext) -> SeatRows:
    """Build the seat rows of a batch."""
    seats = scope.batch.seats
    return SeatRows(
        round=seats.round,
        number=seats.number,
        player=hash_column(seats.player),
        playing=seats.playing,
        moves=_find_moves(scope),
        bought=collect_chip_movement(scope, "added").before_play > 0,
    )


def _find_moves(scope: EvaluationContext) -> Codes:
    events, owner = scope.batch.events, scope.batch.seats.round
    left, came = find_last_seat_changes(scope)
    moves = np.where(are_kinds_recorded(scope, ("leave", "arrive"))[owner], np.uint8(STAYED), np.uint8(UNRECORDED))
    moves[came > left] = CAME
    moves[(came > left) & (left != ABSENT)] = CAME_AGAIN
    for kind, code in (("leave", LEFT), ("arrive", REPLACED)):
        ever = events_of_kinds(scope, (kind,))
        ever = ever[events.seat[ever] != ABSENT]
        later = events.seat[ever[ever > came[events.seat[ever]]]]
        moves[later if code == LEFT else later[moves[later] == LEFT]] = code
    return moves


def select_seats(seats: SeatRows, places: Ints, rounds: int) -> tuple[SeatRows, Ints]:
    """Select the seats of some rounds.

    Args:
        places: indices of the rounds, ascending.
        rounds: number of all rounds.

    Returns:
        The seats; int64[seats], their indices.
    """
    new = np.full(rounds, ABSENT, np.int32)
    new[places] = np.arange(len(places), dtype=np.int32)
    indices = np.flatnonzero(new[seats.round] != ABSENT)
    return take_rows(seats, indices, round=new[seats.round[indices]]), indices


class SeatHistory(Struct, frozen=True, kw_only=True):
    """Seats of all rounds in the order of play. All arrays are parallel."""

    rows: Ints
    """Index of each seat among those of all parts."""
    place: Ints
    """Place of its round."""
    number: Ints16
    """Number of the seat."""
    playing: Flags
    """True if the seat takes part."""
    previous: Ints
    """Seat at which the player sat last, since the table opened and without a gap; ABSENT if none or not known."""
    new: Truths
    """Truth that the player sat down since the previous round."""
    regular: Truths
    """Truth that the player took part in the previous round."""


def build_seat_history(parts: Sequence[SeatRows], rounds: Sequence[int], order: PlayOrder, stops: Flags) -> SeatHistory:
    """Order the seats of parts, and find the previous seats of players.

    Args:
        rounds: number of rounds of each part.
        order: order of play of all rounds.
        stops: whether the record of each round, in the order of play, is incomplete.
    """
    starts = np.cumsum([0, *rounds[:-1]])
    given = np.concatenate([part.round + start for part, start in zip(parts, starts, strict=True)])
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    place = place[given]
    rows = np.argsort(place, kind="stable")
    listed = _OrderedSeats(
        place=place[rows],
        number=np.concatenate([part.number for part in parts])[rows].astype(np.int64),
        player=np.concatenate([part.player for part in parts])[rows],
        playing=np.concatenate([part.playing for part in parts])[rows],
        moves=np.concatenate([part.moves for part in parts])[rows],
        bought=np.concatenate([part.bought for part in parts])[rows],
    )
    runs = _find_complete_runs(order, stops)
    before, new = _find_previous_by_name(listed, runs)
    chair = _find_same_chair(listed, runs)
    unnamed = listed.player == 0
    before[unnamed] = chair[unnamed]
    new[unnamed & (chair != ABSENT)] = NO
    new[runs.opens[listed.place]] = YES
    return SeatHistory(
        rows=rows,
        place=listed.place,
        number=listed.number.astype(np.int16),
        playing=listed.playing,
        previous=before,
        new=new,
        regular=_find_regular_players(listed, runs, before),
    )


class _OrderedSeats(Struct, frozen=True, kw_only=True):
    """Seats of all rounds in the order of play, as `SeatRows`."""

    place: Ints
    """Place of the round of each seat."""
    number: Ints
    player: Identities
    playing: Flags
    moves: Codes
    bought: Flags

    def per_round(self, chosen: Flags, rounds: int) -> Ints:
        """Return the number of rounds before each round that have a chosen seat.

        Returns:
            int64[rounds + 1].
        """
        return make_offsets(np.bincount(self.place[chosen], minlength=rounds) > 0)


class _CompleteRuns(Struct, frozen=True, kw_only=True):
    """Runs of consecutive rounds without a gap and with complete records, except for the last."""

    of: Ints
    """Run of each round."""
    first: Ints
    """First round of its run."""
    opens: Flags
    """True if the table opened with the round."""
    opened: Flags
    """True if the table opened with the first round of its run."""


def _find_complete_runs(order: PlayOrder, stops: Flags) -> _CompleteRuns:
    # After an incomplete record, arrivals, departures and chips are as unknown as after a missing round.
    is_start = (order.gap != 0) | order.first | order.opening | np.roll(stops, 1)
    opens = order.opening & (order.gap == 0)
    first = np.maximum.accumulate(np.where(is_start, np.arange(len(order)), 0))
    return _CompleteRuns(of=np.cumsum(is_start), first=first, opens=opens, opened=opens[first])


def _find_previous_by_name(listed: _OrderedSeats, runs: _CompleteRuns) -> tuple[Ints, Truths]:
    """Return the previous seats of named players, and whether they are new; UNKNOWN for all others."""
    place, moves, rounds = listed.place, listed.moves, len(runs.of)
    named = listed.player != 0
    last = np.where(named, _find_last_seat_of_name(listed, runs), ABSENT)
    has_previous = last >= 0
    at = np.where(has_previous, place[last], runs.first[place] - 1)
    # Rounds in between with a player without a name, or without a record of arrivals and departures.
    nameless = listed.per_round(~named | (moves == REPLACED), rounds)
    hidden = nameless[place] > nameless[at + 1]
    unrecorded = listed.per_round(moves == UNRECORDED, rounds)
    sat_out = (moves == STAYED) | (moves == LEFT)
    has_left = (moves[last] == LEFT) | (moves[last] == REPLACED)
    sat_out &= (unrecorded[place + 1] == unrecorded[at + 1]) & ~has_left
    came = (moves == CAME) | (moves == CAME_AGAIN)
    same_seat = listed.number == listed.number[last]
    next_to = at == place - 1
    new = np.full(len(place), UNKNOWN, np.uint8)
    # Chips bought at another seat may be those of the old one, or come on top of them.
    may_sit_down_anew = ~same_seat & listed.bought & (came | (moves == UNRECORDED))
    new[has_previous & next_to & ~may_sit_down_anew] = NO
    new[has_previous & next_to & ((same_seat & (moves == CAME_AGAIN)) | (has_left & came))] = YES
    away = has_previous & ~next_to & ~hidden
    new[away & sat_out] = NO
    new[away & came & (same_seat | has_left)] = YES
    never = named & (last == ABSENT) & ~hidden
    new[never & (runs.opened[place] | (came & (place > runs.first[place])))] = YES
    return np.where(new == NO, last, ABSENT), new


_SEVERAL_SEATS = -2
"""Placeholder for the seat of a player who sat at several."""


def _find_last_seat_of_name(listed: _OrderedSeats, runs: _CompleteRuns) -> Ints:
    """Return the seat with the same name in the last earlier round that has any, in the same run.

    Returns:
        int64[seats]; ABSENT if there is none, `_SEVERAL_SEATS` if there are several.
    """
    place = listed.place
    order = np.lexsort((place, listed.player))
    key = np.stack([listed.player[order], place[order].astype(np.uint64)])
    starts = np.ones(len(order), bool)
    starts[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    group, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
    size = np.diff(np.append(first, len(order)))
    seat = np.where(size == 1, order[first], _SEVERAL_SEATS)
    same = np.zeros(len(first), bool)
    same[1:] = (listed.player[order[first[1:]]] == listed.player[order[first[:-1]]]) & (
        runs.of[place[order[first[1:]]]] == runs.of[place[order[first[:-1]]]]
    )
    result = np.full(len(place), ABSENT, np.int64)
    result[order] = np.where(same, np.roll(seat, 1), ABSENT)[group]
    return result


def _find_same_chair(listed: _OrderedSeats, runs: _CompleteRuns) -> Ints:
    """Return for each seat without a name the seat with the same number in the previous round, if its player stayed.

    Returns:
        int64[seats].
    """
    place = listed.place
    width = int(listed.number.max(initial=0)) + 1
    here = place * width + listed.number
    order = np.argsort(here, kind="stable")
    at = np.minimum(np.searchsorted(here[order], here - width), max(len(order) - 1, 0))
    previous = order[at] if len(order) else at
    is_same_player = (here[previous] == here - width) & (runs.first[place] < place)
    is_same_player &= (listed.player == 0) & (listed.player[previous] == 0) & np.isin(listed.moves, (STAYED, LEFT))
    return np.where(is_same_player, previous, ABSENT)


def _find_regular_players(listed: _OrderedSeats, runs: _CompleteRuns, before: Ints) -> Truths:
    """Return whether players took part in the previous round.

    Returns:
        uint8[seats].
    """
    place, named = listed.place, listed.player != 0
    nameless = np.bincount(place[~named], minlength=len(runs.of)) > 0
    is_open = np.where(named, nameless[place - 1], listed.moves != STAYED) | (runs.first[place] == place)
    next_to = (before != ABSENT) & (place[before] == place - 1)
    known = np.where(next_to & listed.playing[before], np.uint8(YES), np.uint8(NO))
    return np.where(is_open & ~next_to, np.uint8(UNKNOWN), known)
