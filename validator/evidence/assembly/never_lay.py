"""Dealt cards that never became part of a hand: they fell or were exposed, and were discarded at once."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT
from validator.cards.cards import UNKNOWN
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import PLACES, PUT_ASIDE
from validator.evidence.handlog.events import KIND

_DEAL, _FAULT, _REMEDY = KIND["deal"], KIND["fault"], KIND["remedy"]
_HANDS = tuple(PLACES.index(place) for place in ("player", "dealer", "community"))
"""Places of hands."""
_IN_BETWEEN = frozenset(
    KIND[name] for name in ("fault", "announce", "device", "count", "arrive", "leave", "chips-in", "chips-out")
)
"""Kinds of event that may come between a packet and its remedy: faults, and events that move no card and no stake."""


def without_packets_put_aside(batch: Batch) -> Batch:
    """Return the batch with each packet that was discarded at once as part of an irregularity, and not as dealt.

    The remedy names the cards of the packet, and its place if any. Only faults and events that move no card and no
    stake come between. If the log does not record remedies, the fault names the cards and the summary omits them.
    """
    events = batch.events
    remedies = (events.kind == _REMEDY) & (events.what.codes == events.what.code(PUT_ASIDE)) & (events.cards_row >= 0)
    faults = (events.kind == _FAULT) & np.isin(events.place, _HANDS) & (events.cards_row >= 0)
    if faults.any():
        faults &= ~tells(batch, "remedy").take(events.round)
        faults[[fault for fault in np.flatnonzero(faults).tolist() if not _is_left_out(batch, fault)]] = False
    discarding = np.flatnonzero(remedies | faults).tolist()
    packets = [packet for packet in (_find_packet(batch, event) for event in discarding) if packet >= 0]
    if not packets:
        return batch
    kind, what, face, by = (column.copy() for column in (events.kind, events.what.codes, events.face, events.by))
    for packet in packets:
        fault = _find_fault_or_remedy(batch, packet)
        kind[packet], what[packet] = kind[fault], what[fault]
        face[packet] = by[packet] = ABSENT
    return replace(batch, events=replace(events, kind=kind, what=replace(events.what, codes=what), face=face, by=by))


def _is_left_out(batch: Batch, fault: int) -> bool:
    """Return whether the summary lists the cards at a fault's place, but none of the fault's own cards."""
    place, events = PLACES[batch.events.place[fault]], batch.events
    hands = {"player": batch.seats.hands, "dealer": batch.dealer, "community": batch.community}[place]
    owner = int(events.seat[fault] if place == "player" else events.round[fault])
    listed = hands.cards[owner, : max(int(hands.count[owner]), 0)].tolist()
    return hands.count[owner] >= 0 and {*listed, UNKNOWN}.isdisjoint(_list_cards(batch, fault))


def _find_packet(batch: Batch, remedy: int) -> int:
    """Return the event that dealt the cards which a remedy discards at once; ABSENT if there is none."""
    events = batch.events
    first, packet = events.offsets[events.round[remedy]], remedy - 1
    while packet >= first and int(events.kind[packet]) in _IN_BETWEEN:
        packet -= 1
    if packet < first or events.kind[packet] != _DEAL or events.place[packet] not in _HANDS:
        return ABSENT
    cards, dealt = (sorted(_list_cards(batch, at)) for at in (remedy, packet))
    placed = events.place[remedy] != ABSENT
    same_place = events.place[remedy] == events.place[packet] and events.seat[remedy] == events.seat[packet]
    return packet if cards == dealt and (same_place if placed else UNKNOWN not in cards) else ABSENT


def _find_fault_or_remedy(batch: Batch, packet: int) -> int:
    """Return the first event after a packet that concerns its cards: a fault, or the remedy itself."""
    kind = batch.events.kind
    event = packet + 1
    while kind[event] not in (_FAULT, _REMEDY):
        event += 1
    return event


def _list_cards(batch: Batch, event: int) -> list[int]:
    hands, row = batch.events.hands, batch.events.cards_row[event]
    cards: list[int] = hands.cards[row, : hands.count[row]].tolist()
    return cards
