"""What a machine runs along: the rounds of a table, or those that have to do with one deck of it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.audit.sessions.play_order import ANY_NUMBER, Order


class Track(Struct, frozen=True, kw_only=True):
    """Items one after the other, track after track; each is a round as far as one table or deck is concerned.

    `at` is int64[items], the place of each round in the order of play; `first` bool, whether a track begins with it;
    `opening`, `gap` as in `Order`, between the item before and this one; `opened` int64, the place of the first
    round after that opening, ABSENT where there was none. `in_play` bool: whether the round is played with the deck
    (with a table always). `deck` int32 is the deck's code, ABSENT where it has no name or is not known.
    """

    at: Ints
    first: Flags
    opening: Flags
    gap: Ints
    opened: Ints
    in_play: Flags
    deck: Ints32

    def __len__(self) -> int:
        return len(self.at)


def of_tables(order: Order) -> Track:
    """Every round, in the order of play: a track a session."""
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
    dark: Flags,
    ends: Flags | None = None,
    any_deck: Flags | None = None,
) -> Track:
    """For every deck the rounds that are played with it, and those in which something else happens to it.

    `deck` is int32[rounds] in the order of play, the code of the deck in play, ABSENT where a round does not say
    it; `named_at` and `named` list the rounds (in the order of play) that name a deck otherwise, and which. `dark` is
    bool[rounds]: whether something may have happened to any deck, and is not recorded; `ends` the same of records that
    break off, for what may have followed them; `any_deck` whether something did of which it is not told to which.

    A table of which no round names a deck between two openings has one. Elsewhere a round that does not name its deck
    may be played with any of them: it has a track of its own, and to the decks it is a round of which nothing is known.
    """
    rounds = len(order)
    stretch = order.stretch()
    names = np.zeros(int(stretch[-1]) + 1 if rounds else 0, bool)
    names[stretch[deck != ABSENT]] = True
    names[stretch[named_at]] = True
    doubtful = (deck == ABSENT) & names[stretch]
    if any_deck is not None and any_deck.any():
        more_at, more = _every_deck(stretch, deck, named_at, named, np.flatnonzero(any_deck))
        named_at, named = np.concatenate([named_at, more_at]), np.concatenate([named, more])

    items_at = np.concatenate([np.arange(rounds), named_at])
    items_deck = np.concatenate([deck, named])
    items_played = np.concatenate([np.ones(rounds, bool), np.zeros(len(named_at), bool)])
    elsewhere = items_played | (items_deck != deck[items_at])
    items_at, items_deck, items_played = items_at[elsewhere], items_deck[elsewhere], items_played[elsewhere]
    alone = items_played & doubtful[items_at]
    # Rounds with a track of their own follow all other tracks of their stretch.
    own = np.where(alone, np.int64(1) << 40, items_deck.astype(np.int64))
    by_track = np.lexsort((~items_played, items_at, own, stretch[items_at]))
    at, own, played = items_at[by_track], own[by_track], items_played[by_track]
    alone, codes = alone[by_track], items_deck[by_track]
    if len(at):
        repeated = np.zeros(len(at), bool)
        repeated[1:] = (at[1:] == at[:-1]) & (own[1:] == own[:-1])
        keep = ~repeated
        at, own, played, alone, codes = at[keep], own[keep], played[keep], alone[keep], codes[keep]

    first = np.ones(len(at), bool)
    first[1:] = (stretch[at[1:]] != stretch[at[:-1]]) | (own[1:] != own[:-1]) | alone[1:]
    dark = dark | doubtful
    ends = np.zeros(rounds, bool) if ends is None else ends
    return _between(order, at=at, first=first, alone=alone, in_play=played, deck=codes, dark=dark, ends=ends)


def _every_deck(stretch: Ints, deck: Ints32, named_at: Ints, named: Ints32, at: Ints) -> tuple[Ints, Ints32]:
    """Return rounds, each with every deck that has a name in its stretch."""
    codes = max(int(deck.max(initial=ABSENT)), int(named.max(initial=ABSENT))) + 1
    there = np.zeros((int(stretch[-1]) + 1, codes), bool)
    told = deck != ABSENT
    there[stretch[told], deck[told]] = True
    there[stretch[named_at], named] = True
    rows, decks = np.nonzero(there[stretch[at]])
    return at[rows], decks.astype(np.int32)


def _between(
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
    """The track of items, openings and gaps of the rounds between them summed up."""
    places = np.arange(len(order), dtype=np.int64)
    began = np.maximum.accumulate(np.where(order.first, places, 0)) if len(order) else places
    opened = np.maximum.accumulate(np.where(order.opening, places, ABSENT)) if len(order) else places
    opened = np.where(opened >= began, opened, ABSENT)
    missing = _summed(np.maximum(order.gap, 0))
    unknown = _summed((order.gap == ANY_NUMBER) & ~order.first)
    unseen, behind = _summed(dark), _summed(ends)

    # `start` is where what lies between begins: behind the item before, or at an opening since.
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


def _summed(values: Ints | Flags) -> Ints:
    """int64[n + 1]: the sum of all values before each place."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
