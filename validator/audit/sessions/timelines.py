"""Tracks along which session requirements are evaluated: the rounds of a table, or those of one of its decks."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.audit.sessions.play_order import ANY_NUMBER, Order


class Track(Struct, frozen=True, kw_only=True):
    """Items of one or more tracks. Each item is a round as one table or deck sees it. All arrays are parallel."""

    at: Ints
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
        return len(self.at)


def of_tables(order: Order) -> Track:
    """Build the tracks of tables: every round in the order of play, one track for each session."""
    rounds = len(order)
    at = np.arange(rounds, dtype=np.int64)
    return Track(
        at=at,
        first=order.first,
        opening=order.opening,
        gap=order.gap,
        opened=np.where(order.opening, at, ABSENT),
        in_play=np.ones(rounds, bool),
        deck=np.full(rounds, ABSENT, np.int32),
    )


def of_decks(
    order: Order,
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
    stretch = order.stretch()
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
    order: Order,
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
        at=at,
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
