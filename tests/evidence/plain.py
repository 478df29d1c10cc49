"""Batches and records as plain Python data of one form, so that they can be compared.

This is the slow reader: it knows the format by heart and shares no code with the columns it checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from fairdeal.validator.evidence.columns.recorded_events import KIND_BITS
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.round_record import decode_context
from tests.facade.cards import format_cards
from tests.facade.evidence import KINDS, Batch, CodedColumn, Hands

Plain = dict[str, Any]
_EPOCH = datetime(1970, 1, 1)
_LYING = ("dealer", "dealer-discarded", "dealer-drawn", "community", "community-discarded")
_READ = ("opening", "shown", "closing")
_CHIPS = ("stack", "stack-after", "won")
_AT = ("player", "dealer", "community", "burn")
DIVIDED = {
    "deal": (*_AT, "order"),
    **dict.fromkeys(("draw", "expose", "turn-down", "reveal", "collect-cards"), _AT),
    "discard": ("player", "dealer", "community", "deck"),
    "misdeal": ("player", "dealer", "table"),
    "set": ("player", "dealer"),
}
"""The kinds that always name a place, and the places they may name; for cards dealt also the order."""


def plain_record(record: Plain) -> Plain:
    """Return a record with everything it leaves out, and nothing that a batch does not keep."""
    moment = datetime.fromisoformat(record["time"]).replace(tzinfo=None)
    events = record.get("events")
    return {
        "round": record["round"],
        "casino": record.get("casino"),
        "table": record["table"],
        "game": record["game"],
        "day": (moment.date() - _EPOCH.date()).days,
        "time": (moment - _EPOCH) // timedelta(microseconds=1),
        "number": record.get("number"),
        "deck": record.get("deck"),
        "button": record.get("button"),
        "small-bet": record.get("small-bet"),
        "big-bet": record.get("big-bet"),
        "after": record.get("after"),
        "complete": record.get("complete") is not False,
        "seats": [_plain_seat(seat, record) for seat in record["seats"]],
        **{place: record.get(place) for place in _LYING},
        "meters": [
            {"meter": meter["meter"], **{at: meter.get(at) for at in _READ}} for meter in _get_list(record, "meters")
        ],
        "events": None if events is None else [_plain_event(event) for event in events],
        "unrecorded": sorted({part for name in _get_list(record, "unrecorded") for part in _parts(name)}),
        "currency": record.get("currency"),
        "context": {key: str(value) for key, value in (record.get("context") or {}).items()},
    }


def _parts(name: str) -> list[str]:
    return [f"{name}/{place}" for place in DIVIDED[name]] if name in DIVIDED else [name]


def _get_list(record: Plain, key: str) -> list[Any]:
    return record.get(key) or []


def _find_taken(wager: Plain, seat: Plain, record: Plain) -> int | None:
    """Return what was taken of a stake, None where it may have been put back without a record of what was collected."""
    taken: int | None = wager.get("taken")
    stake = (seat["seat"], wager["wager"], bool(wager.get("tip")))
    returned = sum(
        event["amount"]
        for event in _get_list(record, "events")
        if event["event"] == "return" and (event["seat"], event["wager"], bool(event.get("tip"))) == stake
    )
    is_open = "collect" in _get_list(record, "unrecorded") and returned > max(wager["amount"] - (taken or 0), 0)
    return None if is_open and taken else taken


def _plain_seat(seat: Plain, record: Plain) -> Plain:
    wagers = [
        (
            wager["wager"],
            bool(wager.get("tip")),
            False,
            wager["amount"],
            wager.get("paid"),
            _find_taken(wager, seat, record),
            wager.get("claimed"),
        )
        for wager in seat["wagers"]
    ]
    bonuses = [
        (bonus["bonus"], bool(bonus.get("tip")), True, 0, bonus.get("paid"), None, None)
        for bonus in _get_list(seat, "bonuses")
    ]
    return {
        "seat": seat["seat"],
        "player": seat.get("player"),
        "cards": seat.get("cards"),
        "discarded": seat.get("discarded"),
        "drawn": seat.get("drawn"),
        "decision": seat.get("decision"),
        **{key: seat.get(key) for key in _CHIPS},
        "playing": seat.get("playing") is not False,
        "stakes": wagers + bonuses,
    }


def _plain_event(event: Plain) -> Plain:
    names = ("seat", "place", "cards", "face", "by", "in", "wager", "amount", "decision", "what", "deck", "positions",
             "pot", "chips")  # fmt: skip
    found = {name: event[name] for name in names if event.get(name) is not None}
    if event.get("number") is not None:
        found["amount"] = event["number"]
    return {"event": event["event"], "tip": bool(event.get("tip")), **found}


def plain_batch(batch: Batch) -> list[Plain]:
    """Return the rounds of a batch in the form of `plain_record`."""
    stakes: list[list[int]] = [[] for _ in batch.seats.round]
    for stake, seat in enumerate(batch.stakes.seat.tolist()):
        stakes[seat].append(stake)
    return [_round(batch, index, stakes) for index in range(len(batch))]


def plain_batches(batches: Iterable[Batch]) -> dict[int, Plain]:
    """Return the rounds of several batches by their lines, in the order of the lines."""
    found = {
        line: record for batch in batches for line, record in zip(batch.line.tolist(), plain_batch(batch), strict=True)
    }
    return dict(sorted(found.items()))


def _round(batch: Batch, index: int, of_stakes: list[list[int]]) -> Plain:
    seats, events = batch.seats, batch.events
    of_seats = range(seats.offsets[index], seats.offsets[index + 1])
    of_events = range(events.offsets[index], events.offsets[index + 1])
    assert set(seats.round[of_seats.start : of_seats.stop].tolist()) <= {index}
    assert set(events.round[of_events.start : of_events.stop].tolist()) <= {index}
    assert batch.recorded[index] or not of_events
    return {
        "round": batch.round[index],
        "casino": batch.casino.text(index),
        "table": batch.table.text(index),
        "game": batch.game,
        "day": int(batch.day[index]),
        "time": int(batch.time[index]),
        "number": _amount(batch.number[index]),
        "deck": _text(batch.deck, index),
        "button": _amount(batch.button[index]),
        "small-bet": _amount(batch.small_bet[index]),
        "big-bet": _amount(batch.big_bet[index]),
        "after": _text(batch.after, index),
        "complete": bool(batch.complete[index]),
        "seats": [_seat(batch, seat, of_stakes[seat]) for seat in of_seats],
        "dealer": _cards(batch.dealer, index),
        "dealer-discarded": _cards(batch.dealer_discarded, index),
        "dealer-drawn": _cards(batch.dealer_drawn, index),
        "community": _cards(batch.community, index),
        "community-discarded": _cards(batch.community_discarded, index),
        "meters": _meters(batch, index),
        "events": [_event(batch, event, of_seats) for event in of_events] if batch.recorded[index] else None,
        "unrecorded": sorted(
            part for kind in KINDS for part in _parts(kind) if int(batch.unrecorded[index]) & KIND_BITS[part]
        ),
        "currency": batch.currency.text(index),
        "context": decode_context(batch.context.text(index)),
    }


def _meters(batch: Batch, index: int) -> list[Plain]:
    meters = batch.meters
    listed = range(meters.offsets[index], meters.offsets[index + 1])
    assert set(meters.round[listed.start : listed.stop].tolist()) <= {index}
    return [
        {
            "meter": _text(meters.meter, meter),
            "opening": _amount(meters.opening[meter]),
            "shown": _amount(meters.shown[meter]),
            "closing": _amount(meters.closing[meter]),
        }
        for meter in listed
    ]


def _seat(batch: Batch, seat: int, of_stakes: list[int]) -> Plain:
    stakes = batch.stakes
    return {
        "seat": int(batch.seats.number[seat]),
        "player": batch.seats.player.text(seat),
        "cards": _cards(batch.seats.hands, seat),
        "discarded": _cards(batch.seats.discarded, seat),
        "drawn": _cards(batch.seats.drawn, seat),
        "decision": batch.seats.decision.text(seat),
        "stack": _amount(batch.seats.stack[seat]),
        "stack-after": _amount(batch.seats.stack_after[seat]),
        "won": _amount(batch.seats.won[seat]),
        "playing": bool(batch.seats.playing[seat]),
        "stakes": [
            (
                stakes.wager.text(stake),
                bool(stakes.tip[stake]),
                bool(stakes.bonus[stake]),
                int(stakes.amount[stake]),
                _amount(stakes.paid[stake]),
                _amount(stakes.taken[stake]),
                {-1: None, 0: False, 1: True}[int(stakes.claimed[stake])],
            )
            for stake in of_stakes
        ],
    }


def _event(batch: Batch, event: int, of_seats: range) -> Plain:
    events = batch.events
    seat, row = int(events.seat[event]), int(events.cards_row[event])
    assert seat == -1 or seat in of_seats
    found = {
        "seat": None if seat < 0 else int(batch.seats.number[seat]),
        "place": _choice(PLACES, events.place[event]),
        "cards": None if row < 0 else _cards(events.hands, row),
        "face": _choice(FACES, events.face[event]),
        "by": _choice(ACTORS, events.by[event]),
        "in": _choice(MEANS, events.means[event]),
        "wager": _text(events.wager, event),
        "amount": _amount(events.amount[event]),
        "decision": _text(events.decision, event),
        "what": _text(events.what, event),
        "deck": _text(events.deck, event),
        "positions": _text(events.positions, event),
        "pot": _amount(events.pot[event]),
        "chips": _amount(events.chips[event]),
    }
    kept = {name: value for name, value in found.items() if value is not None}
    return {"event": KINDS[events.kind[event]], "tip": bool(events.tip[event]), **kept}


def _amount(value: Any) -> int | None:
    assert value >= -1
    return None if value == -1 else int(value)


def _choice(choices: tuple[str, ...], code: int) -> str | None:
    assert code >= -1
    return None if code == -1 else choices[code]


def _text(column: CodedColumn, index: int) -> str | None:
    assert column.codes[index] >= -1
    return column.text(index)


def _cards(hands: Hands, row: int) -> str | None:
    count = int(hands.count[row])
    assert (hands.cards[row, max(count, 0) :] == 254).all()
    return None if count < 0 else format_cards(hands.cards[row, :count])
