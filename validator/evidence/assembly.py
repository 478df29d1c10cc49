"""Assembly of a draft into batches: find seats, quarantine bad rounds, separate games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints8, are_all, is_one_of, list_owners, make_offsets
from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.evidence.columns.log_draft import BadRounds, ListColumns, LogDraft, number_lines
from fairdeal.validator.evidence.columns.recorded_events import KIND_BITS, find_boxes, find_numbered_seats, is_recorded
from fairdeal.validator.evidence.columns.round_batch import (
    MOMENT,
    Batch,
    CodedColumn,
    Events,
    Meters,
    Outcomes,
    Relation,
    Seats,
    copy_columns,
    list_hands,
    select_rounds,
    sort_selections,
)
from fairdeal.validator.evidence.contradictions import (
    find_contradictions,
    find_foreign_jokers,
    find_unknown_acts,
    find_wrong_brought_stakes,
    find_wrong_outcomes,
)
from fairdeal.validator.evidence.event_kinds import (
    AT_PLAYER,
    HIGHEST_SEAT,
    PLACES,
    PUT_ASIDE,
    KnownGame,
    NameSort,
)
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.evidence.round_record import MOST_STAKES
from fairdeal.validator.evidence.stake_amounts import deduct_reversed_collections
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import find_similar, quote

_DEAL, _DRAW, _FAULT, _REMEDY = (KIND_CODES[kind] for kind in ("deal", "draw", "fault", "remedy"))
_HANDS = tuple(PLACES.index(place) for place in ("player", "dealer", "community"))
"""Places of hands."""
_IN_BETWEEN = frozenset(
    KIND_CODES[name] for name in ("fault", "announce", "device", "count", "arrive", "leave", "chips-in", "chips-out")
)
"""Kinds of event that may come between a packet and its remedy: faults, and events that move no card and no stake."""
_SHOWING = frozenset((KIND_CODES["expose"], KIND_CODES["turn-down"]))
"""Kinds of event in which a card of the packet itself may come to light before it is discarded."""


def reclassify_discarded_packets(batch: Batch) -> Batch:
    """Return the batch with each packet that was discarded at once as part of an irregularity, and not as dealt.

    The remedy names the cards of the packet, and its place if any. Only faults and events that move no card and no
    stake come between. If cards of the packet came to light, that is part of the irregularity too. If the log does not
    record remedies, the fault names the cards and the summary omits them, or no hand of the round has them. If the
    summary lists no cards of the place, nothing shows whether such a packet, or one of unknown cards, was discarded.
    The deal there then counts as not recorded.
    """
    events = batch.events
    remedies = (events.kind == _REMEDY) & (events.what.codes == events.what.code(PUT_ASIDE)) & (events.cards_row >= 0)
    faults = (events.kind == _FAULT) & is_one_of(events.place, _HANDS) & (events.cards_row >= 0)
    faults &= ~is_recorded(batch, "remedy").take(events.round)
    unclear = np.flatnonzero(remedies & is_one_of(events.place, _HANDS)).tolist()
    unclear = [remedy for remedy in unclear if UNKNOWN in _list_cards(batch, remedy)]
    if faults.any() or unclear:
        batch = _leave_doubtful_deals_open(batch, [*np.flatnonzero(faults).tolist(), *unclear])
        faults[[fault for fault in np.flatnonzero(faults).tolist() if not _is_left_out(batch, fault)]] = False
    discarding = np.flatnonzero(remedies | faults).tolist()
    packets = {packet: event for event in discarding if (packet := _find_packet(batch, event)) >= 0}
    lost = [event for event in _find_missing_deals(batch) if event not in packets]
    if not packets and not lost:
        return batch
    kind, what, face, by = (column.copy() for column in (events.kind, events.what.codes, events.face, events.by))
    for packet, discard in packets.items():
        fault = _find_fault_or_remedy(batch, packet)
        parts = [packet, *(event for event in range(packet + 1, discard) if int(events.kind[event]) in _SHOWING)]
        kind[parts], what[parts] = kind[fault], what[fault]
        face[parts] = by[parts] = ABSENT
    kind[lost] = _FAULT
    what[lost] = face[lost] = by[lost] = ABSENT
    return replace(batch, events=replace(events, kind=kind, what=replace(events.what, codes=what), face=face, by=by))


def _find_missing_deals(batch: Batch) -> list[int]:
    """Return the deals of known cards that no hand of the round has, where the log does not record remedies."""
    events, has_remedies = batch.events, is_recorded(batch, "remedy")
    if are_all(has_remedies):
        return []
    dealt = (events.kind == _DEAL) & is_one_of(events.place, _HANDS) & (events.cards_row >= 0)
    deals = np.flatnonzero(dealt & ~has_remedies.take(events.round))
    if not len(deals):
        return []
    is_held = np.zeros((len(batch), UNKNOWN + 1), np.bool_)
    is_held[:, UNKNOWN] = True
    for hand, owner in list_hands(batch):
        listed = np.arange(hand.cards.shape[1]) < hand.count[:, None]
        is_held[np.broadcast_to(owner[:, None], listed.shape)[listed], hand.cards[listed]] = True
    cards, count = events.hands.cards[events.cards_row[deals]], events.hands.count[events.cards_row[deals]]
    named = np.arange(cards.shape[1]) < count[:, None]
    missing = (count > 0) & ~(named & is_held[events.round[deals][:, None], cards]).any(1)
    return [event for event in deals[missing].tolist() if _is_left_out(batch, event)]


def _leave_doubtful_deals_open(batch: Batch, discarding: Sequence[int]) -> Batch:
    """Return the batch without the deal at places of some events as recorded, if nothing shows what became of it."""
    unrecorded = batch.unrecorded.copy()
    for event in discarding:
        if _list_summarized_cards(batch, event) is None and _find_packet(batch, event) >= 0:
            place = PLACES[batch.events.place[event]]
            unrecorded[batch.events.round[event]] |= np.uint64(KIND_BITS[f"deal/{place}"])
    return replace(batch, unrecorded=unrecorded)


def _is_left_out(batch: Batch, fault: int) -> bool:
    """Return whether the summary lists the cards at a fault's place, but none of the fault's own cards."""
    listed = _list_summarized_cards(batch, fault)
    return listed is not None and {*listed, UNKNOWN}.isdisjoint(_list_cards(batch, fault))


def _list_summarized_cards(batch: Batch, event: int) -> list[int] | None:
    """Return the cards that the summary lists at an event's place; None if it lists none, or not the seat."""
    place, events = PLACES[batch.events.place[event]], batch.events
    hands = {"player": batch.seats.hands, "dealer": batch.dealer, "community": batch.community}[place]
    owner = int(events.seat[event] if place == "player" else events.round[event])
    if owner == ABSENT:
        return None
    listed: list[int] = hands.cards[owner, : max(int(hands.count[owner]), 0)].tolist()
    return listed if hands.count[owner] >= 0 else None


def _find_packet(batch: Batch, remedy: int) -> int:
    """Return the event that dealt or drew the cards which a remedy discards at once; ABSENT if there is none.

    Unknown cards, and cards of a fault whose remedy is not recorded, count only if dealt: the summary has them or not.
    """
    events = batch.events
    first, packet = events.offsets[events.round[remedy]], remedy - 1
    while packet >= first and int(events.kind[packet]) in _IN_BETWEEN | _SHOWING:
        packet -= 1
    if packet < first or events.kind[packet] not in (_DEAL, _DRAW) or events.place[packet] not in _HANDS:
        return ABSENT
    shown = [event for event in range(packet + 1, remedy) if int(events.kind[event]) in _SHOWING]
    if not all(_shows_packet(batch, event, packet) for event in shown):
        return ABSENT
    cards, dealt = (sorted(_list_cards(batch, at)) for at in (remedy, packet))
    placed = events.place[remedy] != ABSENT
    same_place = events.place[remedy] == events.place[packet] and events.seat[remedy] == events.seat[packet]
    if cards != dealt or not (same_place if placed else UNKNOWN not in cards):
        return ABSENT
    if events.kind[packet] == _DRAW:
        return ABSENT if UNKNOWN in cards or events.kind[remedy] == _FAULT else packet
    return ABSENT if UNKNOWN in cards and _are_all_summarized(batch, packet) else packet


def _shows_packet(batch: Batch, event: int, packet: int) -> bool:
    """Return whether an event concerns no cards but those of a packet, where it was dealt."""
    events = batch.events
    is_there = events.place[event] == events.place[packet] and events.seat[event] == events.seat[packet]
    named = _list_cards(batch, event) if events.cards_row[event] >= 0 else []
    return bool(is_there) and {*named} <= {*_list_cards(batch, packet)}


def _are_all_summarized(batch: Batch, packet: int) -> bool:
    """Return whether the summary lists as many cards at a packet's place as were dealt there."""
    events, listed = batch.events, _list_summarized_cards(batch, packet)
    own = slice(*events.offsets[events.round[packet] :][:2])
    is_dealt = (events.kind[own] == _DEAL) & (events.place[own] == events.place[packet])
    is_dealt &= events.seat[own] == events.seat[packet]
    return listed is not None and len(listed) >= events.hands.count[events.cards_row[own][is_dealt]].sum()


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


_MICROSECONDS_A_DAY = 86_400_000_000
_SLOTS = HIGHEST_SEAT + 1


class DecodedBlock(Struct, frozen=True, kw_only=True):
    """Decoded block of a log. Every record is in a batch or quarantined."""

    batches: tuple[Batch, ...]
    """Batches of one game each."""
    quarantined: tuple[Quarantined, ...]
    """Quarantined records, in the order of logs and lines."""
    read: int
    """Number of records read."""
    logs: tuple[int, ...] = ()
    """Number of records read from each log, if the block holds several."""


def assemble_batches(
    draft: LogDraft, wrong: BadRounds, known_games: Collection[str]
) -> tuple[tuple[Batch, ...], list[Quarantined]]:
    """Assemble the batches of a draft, one per game in order of first appearance, and the quarantined rounds.

    Quarantined are rounds that
    - are already bad, or belong to a game outside `known_games`;
    - list a seat, stake or meter twice, or have events about a seat that is not listed;
    - have events that contradict the summary;
    - have acts that their game does not provide for, if `known_games` maps each game to a `KnownGame`.
    """
    batch = reclassify_discarded_packets(_resolve_seats(draft, wrong))
    _check_stakes(batch, wrong)
    _check_splits(batch, wrong)
    _check_meters(batch.meters, wrong)
    games = draft.game
    known = np.array([*(name in known_games for name in games.names), False], np.bool_)
    for index in np.flatnonzero(~known[games.codes]).tolist():
        wrong.note(index, _describe_unknown_game(games.text(index) or "", frozenset(known_games)))
    sound = _mark_good(wrong, len(batch))
    at = np.flatnonzero(sound)
    whole = select_rounds(batch, sound)
    for index, reason in find_contradictions(whole, partial(_list_names, known_games, games)):
        wrong.note(int(at[index]), reason)
    if isinstance(known_games, Mapping):
        of_rounds = replace(games, codes=games.codes[sound])
        for find in (find_unknown_acts, find_foreign_jokers, find_wrong_outcomes, find_wrong_brought_stakes):
            for index, reason in find(whole, of_rounds, known_games):
                wrong.note(int(at[index]), reason)
    quarantined = [
        Quarantined(file=draft.file, line=int(draft.line[index]), column=None, reason=reason)
        for index, reason in wrong.reasons.items()
    ]
    return tuple(_split_games(batch, _mark_good(wrong, len(batch)), games)), quarantined


@lru_cache
def _describe_unknown_game(name: str, known_games: frozenset[str]) -> str:
    near = find_similar(name, known_games)
    return f"no rules are known for the game {quote(name)}{f'; did you mean {quote(near)}?' if near else ''}"


def _list_names(known_games: Collection[str], games: CodedColumn, sort: NameSort) -> frozenset[str]:
    """Return the names of one sort in the games that are played."""
    if not isinstance(known_games, Mapping):
        return frozenset()
    known: list[KnownGame] = [known_games[name] for name in games.used_names() if name in known_games]
    return frozenset(name for game in known for name in getattr(game, sort))


def _mark_good(wrong: BadRounds, rounds: int) -> Flags:
    good = np.ones(rounds, np.bool_)
    good[list(wrong.reasons)] = False
    return good


def _split_games(batch: Batch, good: Flags, games: CodedColumn) -> Iterator[Batch]:
    for code in dict.fromkeys(games.codes[good].tolist()):
        yield deduct_reversed_collections(
            replace(select_rounds(batch, good & (games.codes == code)), game=games.names[code])
        )


def _resolve_seats(draft: LogDraft, wrong: BadRounds) -> Batch:
    """Return the draft as a batch without a game, with the seats of events resolved by number."""
    rounds, numbers = len(draft.round), draft.events.seat
    seats = _tie_to_rounds(Seats, draft.seats)
    slot = seats.round * _SLOTS + seats.number
    index = np.arange(len(slot), dtype=np.int32)
    seat_at = np.full(rounds * _SLOTS, ABSENT, np.int32)
    seat_at[slot] = index
    for twice in np.flatnonzero(seat_at[slot] != index).tolist():
        wrong.note(int(seats.round[twice]), f"seat {seats.number[twice]} is listed twice")
    # No seat has the number 0.
    event_seat = seat_at[list_owners(draft.events.counts) * _SLOTS + np.maximum(numbers, 0)]
    events = _tie_to_rounds(Events, draft.events, seat=event_seat, value=sort_selections(draft.events.value))
    _check_event_seats(events, numbers, wrong)
    return copy_columns(
        Batch,
        draft,
        file=CodedColumn(codes=np.zeros(rounds, np.int32), names=(draft.file,)),
        game="",
        day=(draft.time // _MICROSECONDS_A_DAY).astype(np.int32),
        dated=np.full(rounds, MOMENT, np.uint8),
        outcomes=_tie_to_rounds(Outcomes, draft.outcomes),
        meters=_tie_to_rounds(Meters, draft.meters),
        seats=seats,
        stakes=replace(draft.stakes, selection=sort_selections(draft.stakes.selection)),
        events=events,
    )


def _tie_to_rounds(of: type[Relation], columns: ListColumns, **given: object) -> Relation:
    """Return columns of a draft as a relation whose rows know their rounds."""
    return copy_columns(of, columns, offsets=make_offsets(columns.counts), round=list_owners(columns.counts), **given)


def _check_event_seats(events: Events, numbers: Ints8, wrong: BadRounds) -> None:
    """Note the rounds with events about a seat that is not listed, or that name a seat at another place.

    Args:
        events: the events.
        numbers: the number of the seat in the log; below 1 if an event names none, int8[events].
        wrong: bad rounds so far.
    """
    named, at_player = numbers > 0, events.place == AT_PLAYER

    def note(event: int, fault: str) -> None:
        index = int(events.round[event])
        wrong.note(index, f"event {event - events.offsets[index] + 1}{fault}")

    for event in np.flatnonzero(named & (events.seat < 0)).tolist():
        note(event, f" names seat {numbers[event]}, which is not listed")
    for event in np.flatnonzero((events.place >= 0) & (at_player != named)).tolist():
        fault = "names a seat, but its place is not" if named[event] else "has the place"
        rest = "" if named[event] else " but names no seat"
        note(event, f" ({KINDS[events.kind[event]]}) {fault} `player`{rest}")


def _check_splits(batch: Batch, wrong: BadRounds) -> None:
    seats, stated, events = batch.seats, np.flatnonzero(batch.seats.split_of != ABSENT), batch.events
    splits = np.flatnonzero((events.kind == KIND_CODES["split"]) & (events.seat != ABSENT))
    if len(splits):
        to = find_numbered_seats(batch, events.round[splits].astype(np.int64), events.chips[splits].astype(np.int64))
        origin = np.where(to == ABSENT, ABSENT, seats.split_of[to])
        for event in splits[origin != seats.number[events.seat[splits]]].tolist():
            names = f"seat {events.chips[event]}", f"seat {seats.number[events.seat[event]]}"
            reason = f"{names[0]} is not listed as split of {names[1]}, but an event splits the hand"
            wrong.note(int(events.round[event]), reason)
    if not len(stated):
        return
    numbers = seats.split_of[stated].astype(np.int64)
    origin = find_numbered_seats(batch, seats.round[stated].astype(np.int64), numbers)
    boxes = find_boxes(batch)
    for at, seat in enumerate(stated.tolist()):
        name = f"seat {seats.number[seat]}"
        if origin[at] == ABSENT:
            wrong.note(int(seats.round[seat]), f"{name} is split of seat {numbers[at]}, which is not listed")
        elif boxes.origin[boxes.root[seat]] != ABSENT:
            wrong.note(int(seats.round[seat]), f"{name} is split of itself, directly or through other seats")


def _check_stakes(batch: Batch, wrong: BadRounds) -> None:
    seats, stakes = batch.seats, batch.stakes
    for seat in np.flatnonzero(np.bincount(stakes.seat, minlength=1) > MOST_STAKES).tolist():
        reason = f"seat {seats.number[seat]} has more than {MOST_STAKES} wagers and bonuses"
        wrong.note(int(seats.round[seat]), reason)
    lines, _, names = number_lines(batch)
    keys = 4 * (stakes.seat * np.int64(len(names) + 1) + lines + 1) + 2 * stakes.bonus + stakes.tip
    for stake in _find_repeated(keys):
        seat = int(stakes.seat[stake])
        reason = f"seat {seats.number[seat]} lists {quote(names[lines[stake]])} twice"
        wrong.note(int(seats.round[seat]), reason)


def _check_meters(meters: Meters, wrong: BadRounds) -> None:
    keys = meters.round * np.int64(len(meters.meter.names) + 1) + meters.meter.codes + 1
    for twice in _find_repeated(keys):
        wrong.note(int(meters.round[twice]), f"the meter {quote(meters.meter.text(twice) or '')} is listed twice")


def _find_repeated(keys: Ints) -> list[int]:
    """Return the rows whose key an earlier row has."""
    order = np.argsort(keys, kind="stable")
    repeated: list[int] = order[1:][keys[order[1:]] == keys[order[:-1]]].tolist()
    return repeated
