"""Order of play of every session with the gaps in it, and tracks of single tables or decks.

A session consists of all rounds of one casino and table, by time and then by number. Only numbers, and rounds that name
their previous round, can prove that no round is missing. Otherwise, checks over a session must consider every round
that may be missing.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints32

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


class Track(Struct, frozen=True, kw_only=True):
    """Items of one or more tracks. Each item is a round as one table or deck sees it. All arrays are parallel."""

    places: Ints
    """Place of the round in the order of play."""
    first: Flags
    """True for the first item of a track."""
    opening: Flags
    """True if the table opened between the previous item and this one, as in `Order`."""
    gap: Ints
    """Number of rounds missing between the previous item and this one, as in `Order`."""
    opened: Ints
    """Place of the first round after that opening; ABSENT without an opening."""
    in_play: Flags
    """True if the round uses the deck, and for tables."""
    deck: Ints32
    """Code of the deck; ABSENT if it has no name or is not known."""

    def __len__(self) -> int:
        return len(self.places)


def build_table_tracks(order: PlayOrder) -> Track:
    """Build the tracks of tables: every round in the order of play, one track for each session."""
    rounds = len(order)
    at = np.arange(rounds, dtype=np.int64)
    return Track(
        places=at,
        first=order.first,
        opening=order.opening,
        gap=order.gap,
        opened=np.where(order.opening, at, ABSENT),
        in_play=np.ones(rounds, bool),
        deck=np.full(rounds, ABSENT, np.int32),
    )


def build_deck_tracks(
    order: PlayOrder,
    *,
    deck: Ints32,
    named_at: Ints,
    named: Ints32,
    unrecorded: Flags,
    ends: Flags | None = None,
    any_deck: Flags | None = None,
) -> Track:
    """Build the tracks of decks: the rounds that use each deck, and those in which something else happens to it.

    If no round between two openings names a deck, the table has one deck. Otherwise, a round that names no deck may use
    any of them: it has a track of its own, and in the tracks of the decks it counts as an unknown round.

    Args:
        deck: int32[rounds] in the order of play, code of the deck in play; ABSENT if a round names none.
        named_at: rounds, in the order of play, whose events name another deck.
        named: codes of these decks.
        unrecorded: bool[rounds], whether unrecorded events may have happened to any deck.
        ends: bool[rounds], whether the record is incomplete, so that events may have followed.
        any_deck: bool[rounds], whether an event happened to a deck that is not known.
    """
    rounds = len(order)
    stretch = order.number_stretches()
    names = np.zeros(int(stretch[-1]) + 1 if rounds else 0, bool)
    names[stretch[deck != ABSENT]] = True
    names[stretch[named_at]] = True
    doubtful = (deck == ABSENT) & names[stretch]
    if any_deck is not None and any_deck.any():
        added_at, added = _expand_to_all_decks(stretch, deck, named_at, named, np.flatnonzero(any_deck))
        named_at, named = np.concatenate([named_at, added_at]), np.concatenate([named, added])

    items_at = np.concatenate([np.arange(rounds), named_at])
    items_deck = np.concatenate([deck, named])
    items_played = np.concatenate([np.ones(rounds, bool), np.zeros(len(named_at), bool)])
    elsewhere = items_played | (items_deck != deck[items_at])
    items_at, items_deck, items_played = items_at[elsewhere], items_deck[elsewhere], items_played[elsewhere]
    is_alone = items_played & doubtful[items_at]
    # Rounds with a track of their own follow all other tracks between two openings.
    own = np.where(is_alone, np.int64(1) << 40, items_deck.astype(np.int64))
    by_track = np.lexsort((~items_played, items_at, own, stretch[items_at]))
    at, own, is_played = items_at[by_track], own[by_track], items_played[by_track]
    is_alone, codes = is_alone[by_track], items_deck[by_track]
    if len(at):
        repeated = np.zeros(len(at), bool)
        repeated[1:] = (at[1:] == at[:-1]) & (own[1:] == own[:-1])
        keep = ~repeated
        at, own, is_played, is_alone, codes = at[keep], own[keep], is_played[keep], is_alone[keep], codes[keep]

    first = np.ones(len(at), bool)
    first[1:] = (stretch[at[1:]] != stretch[at[:-1]]) | (own[1:] != own[:-1]) | is_alone[1:]
    is_unrecorded = unrecorded | doubtful
    ends = np.zeros(rounds, bool) if ends is None else ends
    return _build_track(
        order, at=at, first=first, alone=is_alone, in_play=is_played, deck=codes, dark=is_unrecorded, ends=ends
    )


def _expand_to_all_decks(stretch: Ints, deck: Ints32, named_at: Ints, named: Ints32, at: Ints) -> tuple[Ints, Ints32]:
    """Pair rounds with every deck that is named between the same openings."""
    codes = max(int(deck.max(initial=ABSENT)), int(named.max(initial=ABSENT))) + 1
    is_present = np.zeros((int(stretch[-1]) + 1, codes), bool)
    is_named = deck != ABSENT
    is_present[stretch[is_named], deck[is_named]] = True
    is_present[stretch[named_at], named] = True
    rows, decks = np.nonzero(is_present[stretch[at]])
    return at[rows], decks.astype(np.int32)


def _build_track(
    order: PlayOrder,
    *,
    at: Ints,
    first: Flags,
    alone: Flags,
    in_play: Flags,
    deck: Ints32,
    dark: Flags,
    ends: Flags,
) -> Track:
    """Build the track of items; openings and gaps of the rounds in between are summed."""
    places = np.arange(len(order), dtype=np.int64)
    began = np.maximum.accumulate(np.where(order.first, places, 0)) if len(order) else places
    opened = np.maximum.accumulate(np.where(order.opening, places, ABSENT)) if len(order) else places
    opened = np.where(opened >= began, opened, ABSENT)
    missing = _prefix_sums(np.maximum(order.gap, 0))
    unknown = _prefix_sums((order.gap == ANY_NUMBER) & ~order.first)
    unseen, behind = _prefix_sums(dark), _prefix_sums(ends)

    # `start` is the first round after the previous item, or the last opening since.
    before = np.where(first, ABSENT, np.roll(at, 1))
    opening = (opened[at] != ABSENT) & (opened[at] > before) if len(at) else np.zeros(0, bool)
    opening &= ~alone
    start = np.where(opening, opened[at], before + 1)
    unseen_from = np.where(opening, opened[at], before)
    nothing_known = first & ~opening
    start, unseen_from = np.where(nothing_known, at, start), np.where(nothing_known, at, unseen_from)
    known = missing[at + 1] - missing[start]
    any_ = (unknown[at + 1] - unknown[start] > 0) | (unseen[at + 1] - unseen[unseen_from] > 0)
    any_ |= behind[at] - behind[unseen_from] > 0
    return Track(
        places=at,
        first=first,
        opening=opening,
        gap=np.where(nothing_known | any_, np.int64(ANY_NUMBER), known),
        opened=np.where(opening, opened[at], ABSENT),
        in_play=in_play,
        deck=deck,
    )


def _prefix_sums(values: Ints | Flags) -> Ints:
    """Return the sum of all values before each place.

    Returns:
        int64[n + 1].
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
