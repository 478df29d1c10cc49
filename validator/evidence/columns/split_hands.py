"""Hands that were split: the box that each belongs to, and the cards that each holds.

A split moves the second card of a hand to a seat of its own, and each of the two hands receives further cards. So the
cards dealt to a seat, in order, and the order of its splits give the cards of all hands of a box.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_true, has_any
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN
from fairdeal.validator.evidence.columns.batch import Batch, Hands
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES

_MOST_DEPTH = 32
"""Most splits between a hand and the first hand of its box: the most seats of a round."""
_NUMBERS = 1 << 7
"""More than the highest number of a seat."""


class Boxes(Struct, frozen=True, kw_only=True):
    """Boxes of all seats; a hand without a split is a box of its own."""

    origin: Ints
    """Seat from which each hand was split, int64[seats]; ABSENT if from none."""
    root: Ints
    """First hand of the box, int64[seats]."""
    depth: Ints
    """Number of splits between the first hand of the box and this one, int64[seats]."""
    rank: Ints
    """Number of earlier splits of the same origin, int64[seats]; 0 for a hand that was not split off."""
    splits: Ints
    """Number of cards that were split off each hand, int64[seats]."""

    @property
    def is_split(self) -> Flags:
        """True for both hands of a split, bool[seats]."""
        return (self.origin != ABSENT) | (self.splits > 0)


def find_numbered_seats(batch: Batch, rounds: Ints, numbers: Ints) -> Ints:
    """Return the seats with some numbers in some rounds; ABSENT where there is none.

    Returns: int64[n].
    """
    keys = batch.seats.round.astype(np.int64) * _NUMBERS + batch.seats.number
    order = np.argsort(keys, kind="stable")
    wanted = rounds.astype(np.int64) * _NUMBERS + numbers
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = order[place] if len(keys) else np.zeros(len(wanted), np.int64)
    return np.where((numbers != ABSENT) & (keys[found] == wanted), found, ABSENT) if len(keys) else found + ABSENT


def find_boxes(batch: Batch) -> Boxes:
    """Return the boxes of all seats of a batch."""
    seats, count = batch.seats, len(batch.seats.round)
    origin = find_numbered_seats(batch, seats.round.astype(np.int64), seats.split_of.astype(np.int64))
    root, depth = np.arange(count), np.zeros(count, np.int64)
    for _ in range(_MOST_DEPTH):
        further = origin[root] != ABSENT
        if not has_any(further):
            break
        depth += further
        root = np.where(further, origin[root], root)
    split_off = find_true(origin != ABSENT)
    splits = np.bincount(origin[split_off], minlength=count).astype(np.int64)
    # Without events, the hands of a box have ascending numbers in the order of the splits.
    time = np.full(count, np.iinfo(np.int64).max)
    events = find_true(batch.events.kind == KIND_CODES["split"])
    if len(events):
        to = find_numbered_seats(
            batch, batch.events.round[events].astype(np.int64), batch.events.chips[events].astype(np.int64)
        )
        time[to[to != ABSENT]] = events[to != ABSENT]
    order = split_off[np.lexsort((seats.number[split_off], time[split_off], origin[split_off]))]
    rank = np.zeros(count, np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(origin[order], origin[order])
    return Boxes(origin=origin, root=root, depth=depth, rank=rank, splits=splits)


def apply_splits(boxes: Boxes, dealt: Hands) -> Hands:
    """Return the cards that each hand holds after all splits.

    Args:
        boxes: the boxes.
        dealt: the cards dealt to each seat, in order.
    """
    if not has_any(boxes.splits):
        return dealt
    rows, width = dealt.cards.shape
    cards = np.full((rows, width + 1), NO_CARD, np.uint8)
    cards[:, :width] = dealt.cards
    count = dealt.count.astype(np.int64)
    for depth in range(1, int(boxes.depth.max()) + 1):
        here = find_true((boxes.depth == depth) & (boxes.origin != ABSENT))
        origin, place = boxes.origin[here], boxes.rank[here] + 1
        moved = cards[origin, np.minimum(place, width)]
        moved = np.where((place < count[origin]) & (moved < KNOWN_CARDS), moved, np.uint8(UNKNOWN))
        cards[here, 1:] = cards[here, :-1].copy()
        cards[here, 0] = moved
        count[here] = np.where(count[here] == ABSENT, ABSENT, count[here] + 1)
    column = np.arange(width + 1)
    source = np.where(column == 0, 0, column + boxes.splits[:, None])
    kept = np.take_along_axis(cards, np.minimum(source, width), axis=1)
    count = np.where(count == ABSENT, ABSENT, np.maximum(count - boxes.splits, 0))
    kept[column >= count[:, None]] = NO_CARD
    widest = max(width, int(count.max(initial=0)))
    return Hands(cards=kept[:, :widest], count=count.astype(np.int16))
