"""Rounds whose events and summary tell of different cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from validator.arrays import Bits64, Cards, Flags, Ints, Ints32
from validator.cards.cards import CARDS, UNKNOWN, format_cards
from validator.evidence.columns.batch import Batch, Hands
from validator.evidence.columns.card_text import places
from validator.evidence.columns.empty import no_hands
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND, KINDS

Reasons = Iterator[tuple[int, str]]

_SHOWING = np.isin(KINDS, ("reveal", "expose", "turn-down", "collect-cards"))
"""bool[kinds]: the kinds of event in which cards of a place are seen, be it as they are taken up."""
_EXCHANGING = np.isin(KINDS, ("discard", "draw"))

_FACE_UNKNOWN = np.uint64(1 << 63)
_BIT_OF_CARD = np.zeros(256, np.uint64)
_BIT_OF_CARD[:CARDS] = np.uint64(1) << np.arange(CARDS, dtype=np.uint64)
_BIT_OF_CARD[UNKNOWN] = _FACE_UNKNOWN


def cards(batch: Batch, summary: Places) -> Reasons:
    """Cards dealt or drawn at a place that are not, in this order, those of the summary; discards that are not
    those of the summary; discards that the place did not have; and cards shown or collected at a place that does not
    have them, or collected more often than it has them. By kind of reason, not by round."""
    dealt = summary.lot(batch.seats.hands, batch.dealer, batch.community)
    yield from _differing(summary, dealt, _by_events(batch, summary, "deal"), _DEALT)
    drawn = None
    if _exchanges(batch):
        nothing = no_hands(len(batch))
        told_drawn = _by_events(batch, summary, "draw")
        listed = summary.lot(batch.seats.drawn, batch.dealer_drawn, nothing)
        yield from _differing(summary, listed, told_drawn, _DRAWN)
        drawn = _either(listed, told_drawn)
        told_discarded = _by_events(batch, summary, "discard")
        listed = summary.lot(batch.seats.discarded, batch.dealer_discarded, batch.community_discarded)
        yield from _other_discards(summary, listed, told_discarded)
        yield from _strange_discards(summary, _either(listed, told_discarded), dealt, drawn)
    yield from _shown(batch, summary, dealt, drawn)
    yield from _collected_again(batch, summary, dealt, drawn)


def _exchanges(batch: Batch) -> bool:
    """Whether any round may have discards or drawn cards."""
    lists = (
        batch.seats.discarded,
        batch.seats.drawn,
        batch.dealer_discarded,
        batch.dealer_drawn,
        batch.community_discarded,
    )
    return bool(_EXCHANGING[batch.events.kind].any()) or any((hands.count >= 0).any() for hands in lists)


class _Lot(NamedTuple):
    """Cards of one sort at all places: `owner` is int64[n], ascending, the place of each card in `cards`, which are
    uint8[n]. `known` is bool[places], where these are certainly all of them."""

    owner: Ints
    cards: Cards
    known: Flags

    def sizes(self) -> Ints:
        """int64[places]: how many cards each place has."""
        return np.bincount(self.owner, minlength=len(self.known))

    def at(self, chosen: Flags) -> Cards:
        """The cards of some places, bool[places]."""
        return self.cards[chosen[self.owner]]

    def text(self, place: int) -> str:
        """The cards of a place; empty where there are none."""
        first, end = np.searchsorted(self.owner, [place, place + 1])
        return format_cards(self.cards[first:end])


class _Wording(NamedTuple):
    """How sentences speak of one sort of cards: at a seat, with the dealer, in the middle, and of their events."""

    seat: str
    dealer: str
    community: str
    verb: str


_DEALT = _Wording("the cards of seat {} are", "the dealer's cards are", "the community cards are", "deal")
_DRAWN = _Wording("the cards drawn at seat {} are", "the cards the dealer drew are", "the cards drawn are", "draw")
_DISCARDED = _Wording(
    "the discards of seat {} are", "the dealer's discards are", "the discards of the community are", "discard"
)


class Places:
    """The places of a summary: those of all seats, then of dealers, then of communities.

    `round` is int64[places]; `of` int64[events], the place each event is about, -1 where it is none of these.
    """

    __slots__ = ("_numbers", "of", "round")

    def __init__(self, batch: Batch) -> None:
        seats, rounds = len(batch.seats.round), len(batch)
        self.round = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
        self._numbers = batch.seats.number
        place = batch.events.place
        self.of = batch.events.seat.astype(np.int64)
        for name, first in (("dealer", seats), ("community", seats + rounds)):
            at = np.flatnonzero(place == PLACES.index(name))
            self.of[at] = first + batch.events.round.take(at)

    def tells(self, batch: Batch, kind: str) -> Flags:
        """bool[places]: whether what happens there of a kind is recorded."""
        at = [tells(batch, kind, place=place) for place in ("player", "dealer", "community")]
        return np.concatenate([at[0][batch.seats.round], *at[1:]])

    def lot(self, seats: Hands, dealers: Hands, communities: Hands) -> _Lot:
        """The cards of one sort that a summary lists."""
        listed = (seats, dealers, communities)
        count = np.concatenate([hands.count for hands in listed])
        counts = np.maximum(count, 0).astype(np.int64)
        rows = np.concatenate([hands.cards for hands in listed]).reshape(-1)
        owner = np.arange(len(counts))
        return _Lot(np.repeat(owner, counts), rows[places(owner, counts)], count >= 0)

    def whose(self, place: int) -> str:
        """The cards of a place, by whose they are."""
        return self.words(place, _DEALT).rpartition(" ")[0]

    def words(self, place: int, wording: _Wording) -> str:
        """The cards of a place, as sentences begin with them."""
        seats = len(self._numbers)
        if place < seats:
            return wording.seat.format(self._numbers[place])
        return wording.dealer if place < (seats + len(self.round)) // 2 else wording.community


def _by_events(batch: Batch, summary: Places, kind: str) -> _Lot:
    """The cards that events of one kind name, in their order."""
    events = batch.events
    at = np.flatnonzero(events.kind == KIND[kind])
    place = summary.of.take(at)
    at, place = at[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    at, place = at[in_order], place[in_order]
    rows = events.cards_row[at].astype(np.int64)
    known = summary.tells(batch, kind)
    known[place[rows < 0]] = False
    place, rows = place[rows >= 0], rows[rows >= 0]
    counts = events.hands.count[rows].astype(np.int64)
    named = events.hands.cards.reshape(-1)[places(rows, counts)]
    return _Lot(np.repeat(place, counts), named, known)


def _either(listed: _Lot, by_events: _Lot) -> _Lot:
    """What the summary lists; where it lists nothing, what the events name."""
    left = ~listed.known[by_events.owner]
    owner = np.concatenate([listed.owner, by_events.owner[left]])
    order = np.argsort(owner, kind="stable")
    found = np.concatenate([listed.cards, by_events.cards[left]])
    return _Lot(owner[order], found[order], listed.known | by_events.known)


def _differing(summary: Places, listed: _Lot, by_events: _Lot, wording: _Wording) -> Reasons:
    """Places whose cards by the events are not, card by card, those of the summary."""
    both = listed.known & by_events.known
    alike = listed.sizes() == by_events.sizes()
    wrong = both & ~alike
    there = alike[listed.owner]
    ours, theirs = listed.cards[there], by_events.at(alike)
    differs = (ours != theirs) & (ours != UNKNOWN) & (theirs != UNKNOWN)
    wrong[listed.owner[there][differs]] = True
    return _refused(summary, wrong & both, listed, by_events, wording)


def _refused(summary: Places, wrong: Flags, listed: _Lot, by_events: _Lot, wording: _Wording) -> Reasons:
    for place in np.flatnonzero(wrong).tolist():
        ours, theirs = listed.text(place) or "none", by_events.text(place) or "none"
        reason = f"{summary.words(place, wording)} {ours}, but its events {wording.verb} {theirs}"
        yield int(summary.round[place]), reason


def _lacking(wanted: _Lot, having: _Lot) -> Ints:
    """int64[places]: how many cards of known face a place of `wanted` has that it does not have in `having`."""
    ours, theirs = _sets(wanted), _sets(having)
    # Where no face comes twice and all are there none lacks; only elsewhere cards must be counted.
    strange = (ours & ~theirs & ~_FACE_UNKNOWN != 0) | (np.bitwise_count(ours) != wanted.sizes())
    concerned = np.flatnonzero(strange)
    index = np.full(len(wanted.known), -1, np.int64)
    index[concerned] = np.arange(len(concerned))
    width = CARDS + 1

    def counted(lot: _Lot) -> Ints:
        there = index[lot.owner] >= 0
        keys = index[lot.owner[there]] * width + np.minimum(lot.cards[there], CARDS)
        return np.bincount(keys, minlength=len(concerned) * width).reshape(-1, width)[:, :CARDS]

    found = np.zeros(len(index), np.int64)
    found[concerned] = np.maximum(counted(wanted) - counted(having), 0).sum(axis=1)
    return found


def _unknown(lot: _Lot) -> Ints:
    """int64[places]: how many cards have a face that is not known."""
    return np.bincount(lot.owner[lot.cards == UNKNOWN], minlength=len(lot.known))


def _other_discards(summary: Places, listed: _Lot, by_events: _Lot) -> Reasons:
    """Places whose discards by the events are not those of the summary, in whatever order."""
    wrong = (listed.sizes() != by_events.sizes()) | (_lacking(by_events, listed) > _unknown(listed))
    return _refused(summary, wrong & listed.known & by_events.known, listed, by_events, _DISCARDED)


def _strange_discards(summary: Places, discarded: _Lot, dealt: _Lot, drawn: _Lot) -> Reasons:
    """Places that discard what they were not dealt and did not draw."""
    had = _together(dealt, drawn)
    wrong = (discarded.sizes() > had.sizes()) | (_lacking(discarded, had) > _unknown(had))
    for place in np.flatnonzero(wrong & had.known).tolist():
        reason = f"{summary.words(place, _DISCARDED)} {discarded.text(place)}"
        yield int(summary.round[place]), f"{reason}, but {summary.words(place, _DEALT)} {_had(place, dealt, drawn)}"


def _together(dealt: _Lot, drawn: _Lot) -> _Lot:
    owner = np.concatenate([dealt.owner, drawn.owner])
    order = np.argsort(owner, kind="stable")
    return _Lot(owner[order], np.concatenate([dealt.cards, drawn.cards])[order], dealt.known & drawn.known)


def _had(place: int, dealt: _Lot, drawn: _Lot | None) -> str:
    more = drawn.text(place) if drawn else ""
    return (dealt.text(place) or "none") + f" and {more}" * bool(more)


def _sets(lot: _Lot) -> Bits64:
    """uint64[places]: the cards of each place as a set, a bit for every card and one for a face that is not known."""
    found = np.zeros(len(lot.known), np.uint64)
    sizes = lot.sizes()
    some = np.flatnonzero(sizes)
    if len(some):
        found[some] = np.bitwise_or.reduceat(_BIT_OF_CARD[lot.cards], (np.cumsum(sizes) - sizes)[some])
    return found


def _shown(batch: Batch, summary: Places, dealt: _Lot, drawn: _Lot | None) -> Reasons:
    """Cards that came to light, or were taken up, at a place that neither was dealt them nor drew them."""
    events = batch.events
    shown = np.flatnonzero(_SHOWING[events.kind] & (events.cards_row >= 0))
    place = summary.of.take(shown)
    known = dealt.known & (summary.tells(batch, "draw") if drawn is None else drawn.known)
    compared = np.flatnonzero((place >= 0) & known[place])
    shown, place = shown[compared], place[compared]
    held = by_the_end = _sets(dealt)[place]
    if drawn is not None:
        by_the_end = held | _sets(drawn)[place]
        held = held | _drawn_before(batch, summary, drawn, shown, place)
    rows = events.cards_row[shown]
    seen = _faces(batch, rows)
    strange = (seen & ~held & ~_FACE_UNKNOWN != 0) & (held & _FACE_UNKNOWN == 0)
    for index in np.flatnonzero(strange).tolist():
        event, owner = int(shown[index]), int(place[index])
        found = format_cards(events.hands.cards[rows[index], : events.hands.count[rows[index]]])
        had = _had(owner, dealt, drawn)
        done = "collected" if events.kind[event] == KIND["collect-cards"] else "shown"
        early = "" if seen[index] & ~by_the_end[index] & ~_FACE_UNKNOWN else " before all of it is drawn"
        yield int(events.round[event]), f"{summary.words(owner, _DEALT)} {had}, but {found} is {done} there{early}"


def _faces(batch: Batch, rows: Ints32) -> Bits64:
    """uint64[n]: the cards of some rows of the events' hands, as sets."""
    hands, found = batch.events.hands, np.zeros(len(rows), np.uint64)
    for card in range(int(hands.count[rows].max(initial=0))):
        found |= _BIT_OF_CARD[hands.cards[rows, card]]
    return found


def _drawn_before(batch: Batch, summary: Places, drawn: _Lot, shown: Ints, place: Ints) -> Bits64:
    """uint64[n]: what the place of each of some events had drawn when they came, where events tell when, else all that
    it drew. `shown` and `place` are int64[n]."""
    found, events = _sets(drawn)[place], batch.events
    draws = np.flatnonzero((events.kind == KIND["draw"]) & (summary.of >= 0))
    last = np.full(len(summary.round), -1, np.int64)
    last[summary.of[draws]] = draws
    early = np.flatnonzero((shown < last[place]) & summary.tells(batch, "draw")[place])
    if not len(early):
        return found
    found[early] = 0
    draws = draws[np.argsort(summary.of[draws], kind="stable")]
    keys, many = summary.of[draws] * len(events.kind) + draws, len(events.kind)
    start, now = (np.searchsorted(keys, place[early] * many + at) for at in (0, shown[early]))
    some = start < now
    if some.any():
        faces = np.append(_faces(batch, events.cards_row[draws]), np.uint64(0))
        found[early[some]] = np.bitwise_or.reduceat(faces, np.stack([start[some], now[some]], axis=1).ravel())[::2]
    return found


def _collected_again(batch: Batch, summary: Places, dealt: _Lot, drawn: _Lot | None) -> Reasons:
    """Places from which more cards of a face were taken up than lay there: no event lays down again what was."""
    had = dealt if drawn is None else _together(dealt, drawn)
    known = had.known & (summary.tells(batch, "draw") if drawn is None else True)
    collected = _by_events(batch, summary, "collect-cards")
    for place in np.flatnonzero(known & (_lacking(collected, had) > _unknown(had))).tolist():
        reason = f"{summary.words(place, _DEALT)} {_had(place, dealt, drawn)}, but {collected.text(place)}"
        yield int(summary.round[place]), f"{reason} are collected there"
