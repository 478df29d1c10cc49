"""Events that a log records: fields of each kind, kinds that are not recorded, cards dealt, hands that were split.

A kind without events may not have happened, or may not be recorded. A mask of 64 bits holds one bit for each kind, or
for each place of a kind that always names a place.

A split moves the second card of a hand to a seat of its own, and each of the two hands receives further cards. So the
cards dealt to a seat, in order, and the order of its splits give the cards of all hands of a box.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, are_all, find_true, has_any, is_one_of
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD, UNKNOWN
from fairdeal.validator.evidence import log_events
from fairdeal.validator.evidence.columns.round_batch import Batch, Events, Hands
from fairdeal.validator.evidence.event_kinds import PLACES, WIDEST_HAND
from fairdeal.validator.evidence.log_events import EVENT_TYPES, KIND_CODES, KINDS

EVENT_FIELDS: tuple[str, ...] = tuple(dict.fromkeys(name for kind in EVENT_TYPES for name in kind.__struct_fields__))
"""Fields of all kinds, by the names of their columns."""
TEXT_FIELDS: tuple[str, ...] = ("wager", "decision", "what", "deck", "positions", "value")
"""Fields that hold text."""
FIELD_KEYS: dict[str, str] = {"means": "in"}
"""Keys (and Parquet columns) of the fields whose key differs from the name of the column."""


class FieldRule(NamedTuple):
    """Kinds of event that have a field."""

    has: Flags
    """True for the kinds that have the field, bool[kinds]."""
    required: Flags
    """True for the kinds that must have the field, bool[kinds]."""
    runs: tuple[tuple[int, int, bool], ...]
    """Runs of neighbouring kinds that have the field: first code, end code (exclusive), and whether it is required."""


def _make_rule(field: str) -> FieldRule:
    needed = log_events.list_requirements(field)
    runs = []
    for required, group in groupby(range(len(EVENT_TYPES)), key=needed.__getitem__):
        kinds = list(group)
        if required is not None:
            runs.append((kinds[0], kinds[-1] + 1, required))
    return FieldRule(
        np.array([required is not None for required in needed]),
        np.array([required is True for required in needed]),
        tuple(runs),
    )


FIELD_RULES: dict[str, FieldRule] = {field: _make_rule(field) for field in EVENT_FIELDS}


def _permit_choices(field: str) -> Flags:
    choices = log_events.FIELD_CHOICES[field]
    table = np.zeros((len(KINDS), len(choices) + 1), np.bool_)
    for code, permitted in enumerate(log_events.list_choices(field)):
        table[code, :-1] = [choice in permitted for choice in choices]
    table[:, -1] = ~FIELD_RULES[field].required
    return table


PERMITTED_CHOICES: dict[str, Flags] = {field: _permit_choices(field) for field in log_events.FIELD_CHOICES}
"""For each closed list, the codes that each kind may have, bool[kinds, choices + 1]; the last column is ABSENT."""

STATES_NUMBER: Flags = np.array(log_events.list_number_kinds())
"""True for the kinds whose column `amount` holds a count (key `number`) and not money, bool[kinds]."""


DEAL_ORDER = "deal/order"
"""Part for the packets and the order in which cards were dealt; a log may list the cards without it."""


def _list_parts(kind: str) -> list[str]:
    """List the names of the parts of a kind."""
    if not FIELD_RULES["place"].required[KIND_CODES[kind]]:
        return [kind]
    places = [
        f"{kind}/{place}"
        for place, may in zip(PLACES, PERMITTED_CHOICES["place"][KIND_CODES[kind]], strict=False)
        if may
    ]
    return [*places, DEAL_ORDER] if kind == "deal" else places


_PARTS_OF_KIND: dict[str, list[str]] = {kind: _list_parts(kind) for kind in KINDS}
_BIT: dict[str, int] = {
    name: 1 << bit for bit, name in enumerate(part for parts in _PARTS_OF_KIND.values() for part in parts)
}
KIND_BITS: dict[str, int] = _BIT | {kind: sum(_BIT[part] for part in parts) for kind, parts in _PARTS_OF_KIND.items()}
"""Bits of every kind, and of every part of a kind, in a mask."""
KIND_NAMES: tuple[str, ...] = tuple(KIND_BITS)
"""Names that a log may declare as not recorded."""

KINDS_OF_PLAY = ("wager", "decide", "deal", "reveal", "discard", "draw")
"""Kinds of event that make up the play of a hand."""
KINDS_OF_POTS = ("award", "rake", "return")
"""Kinds of event that give out the chips of the pots."""


def make_mask(names: Iterable[str]) -> int:
    """Return the mask of some kinds and parts of kinds."""
    mask = 0
    for name in names:
        mask |= KIND_BITS[name]
    return mask


@lru_cache(maxsize=1024)
def decode_mask(mask: int) -> tuple[str, ...]:
    """Return the shortest list of names for a mask, in the order of the kinds."""
    names: list[str] = []
    for kind, parts in _PARTS_OF_KIND.items():
        names += (
            [kind] if mask & KIND_BITS[kind] == KIND_BITS[kind] else [part for part in parts if mask & KIND_BITS[part]]
        )
    return tuple(names)


def make_mask_at(kinds: Iterable[str], place: str | None = None) -> int:
    """Return the mask of some kinds. With a `place`, kinds that always name a place count at that place only."""
    return make_mask(
        part for kind in kinds for part in _PARTS_OF_KIND[kind] if place is None or part in (kind, f"{kind}/{place}")
    )


def is_mask_recorded(batch: Batch, mask: int) -> Flags:
    """Return whether each round was recorded event by event, including every part of a mask.

    Returns: bool[rounds].
    """
    if not has_any(batch.unrecorded):  # most logs record everything
        return batch.recorded.copy()
    return batch.recorded & ((batch.unrecorded & np.uint64(mask)) == 0)


def is_recorded(batch: Batch, *kinds: str, place: str | None = None) -> Flags:
    """Return whether each round was recorded event by event, including some kinds (with `place`: at that place).

    Returns: bool[rounds].
    """
    return is_mask_recorded(batch, make_mask_at(kinds, place))


_OTHER_KINDS = make_mask(kind for kind in KINDS if kind not in (*KINDS_OF_PLAY, *KINDS_OF_POTS)) & ~KIND_BITS["misdeal"]
"""Mask of the kinds that histories of play do not have, but for a misdeal."""


def records_only_play(batch: Batch) -> Flags:
    """Return whether each round records acts of play and the absence of a misdeal, as hand histories do.

    It may also record what happens to the chips in the pots, and nothing else.

    Returns: bool[rounds].
    """
    return (batch.unrecorded & np.uint64(_OTHER_KINDS | KIND_BITS["misdeal"])) == np.uint64(_OTHER_KINDS)


def collect_dealt_cards(batch: Batch, place: str, *, at_once: bool = False) -> Hands:
    """Collect the cards dealt to a place: as in the summary, else as in its events.

    If dealing there is recorded and no card was dealt, the place has none. A record that stops early leaves its cards
    unrecorded, and so do more cards than a hand can hold.

    Args:
        batch: the rounds.
        place: `player`, `dealer` or `community`.
        at_once: the place gets all cards before the first decision, so a record that stops after one lists them all.

    Returns: one row per seat for `player`, otherwise one row per round.
    """
    listed = {"player": batch.seats.hands, "dealer": batch.dealer, "community": batch.community}[place]
    recorded = is_recorded(batch, "deal", place=place) & (has_finished_dealing(batch) if at_once else batch.complete)
    silent = (listed.count == ABSENT) & (recorded[batch.seats.round] if place == "player" else recorded)
    if not has_any(silent):
        return listed
    events = batch.events
    chosen = find_true((events.kind == KIND_CODES["deal"]) & (events.place == PLACES.index(place)))
    owner = (events.seat if place == "player" else events.round)[chosen].astype(np.int64)
    chosen, owner = chosen[silent[owner]], owner[silent[owner]]
    size = events.hands.count[events.cards_row[chosen]].astype(np.int64) if len(chosen) else chosen
    known = np.bincount(owner, size, len(silent)) <= WIDEST_HAND
    return prefer_listed_hands(listed, join_event_cards(events, chosen, owner, size, known), silent)


def has_finished_dealing(batch: Batch) -> Flags:
    """Return whether the first deal is over in each round: the record is complete, or a decision follows its last card.

    Returns: bool[rounds].
    """
    if are_all(batch.complete):
        return batch.complete
    events = batch.events
    decisive = find_true(is_one_of(events.kind, (KIND_CODES["deal"], KIND_CODES["decide"])))
    decided = np.zeros(len(batch), bool)
    decided[events.round[decisive]] = events.kind[decisive] == KIND_CODES["decide"]  # the last event counts
    return batch.complete | decided


def prefer_listed_hands(listed: Hands, by_events: Hands, silent: Flags) -> Hands:
    """Return the hands of a summary, with the hands of events where the summary is `silent`, bool[n]. The latter are at
    least as wide."""
    beyond = by_events.cards.shape[1] - listed.cards.shape[1]
    cards = np.pad(listed.cards, ((0, 0), (0, beyond)), constant_values=NO_CARD)
    count = np.where(silent, by_events.count, listed.count)
    return Hands(cards=np.where(silent[:, None], by_events.cards, cards), count=count)


def join_event_cards(events: Events, chosen: Ints, owner: Ints, size: Ints, known: Flags) -> Hands:
    """Join the cards of some events, one row for each owner.

    Args:
        events: all events of the batch.
        chosen: indices of the events in log order, int64[m].
        owner: the owner of the cards of each event, int64[m].
        size: the number of cards of each event, int64[m]. Cards that an event does not name are UNKNOWN.
        known: the owners whose cards are known, bool[owners]; the others get no cards.
    """
    counts = np.bincount(owner, size, len(known)).astype(np.int64)
    listed = events.cards_row[chosen]
    width = max(WIDEST_HAND, int(counts[known].max(initial=0)))
    cards = np.full((len(known), width), UNKNOWN, np.uint8)
    before = sum_before_each(owner, size, len(known))
    for column in range(int(size.max(initial=0))):
        with_card = find_true((listed != ABSENT) & (column < size) & known[owner])
        cards[owner[with_card], before[with_card] + column] = events.hands.cards[listed[with_card], column]
    cards[np.arange(width) >= np.where(known, counts, 0)[:, None]] = NO_CARD
    return Hands(cards=cards, count=np.where(known, counts, ABSENT).astype(np.int16))


def sum_before_each(owner: Ints, size: Ints, owners: int) -> Ints:
    """Sum the sizes of the earlier items of the same owner, for each item in log order.

    Returns: int64[n].
    """
    order = np.argsort(owner, kind="stable")
    running = np.cumsum(size[order]) - size[order]
    ordered_owner = owner[order]
    first = np.full(owners, np.iinfo(np.int64).max)
    np.minimum.at(first, ordered_owner, running)
    sums = np.zeros(len(owner), np.int64)
    sums[order] = running - first[ordered_owner]
    return sums


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
    if not len(batch.seats.round):
        return np.full(len(rounds), ABSENT, np.int64)
    keys = batch.seats.round.astype(np.int64) * _NUMBERS + batch.seats.number
    order = np.argsort(keys, kind="stable")
    wanted = rounds.astype(np.int64) * _NUMBERS + numbers
    found = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    return np.where((numbers != ABSENT) & (keys[found] == wanted), found, ABSENT)


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
