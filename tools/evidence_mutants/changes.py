"""Single changes of one event of a round: every way in which a record can go wrong by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct

from fairdeal.validator.cards.card_codes import format_cards
from fairdeal.validator.evidence.log_events import EVENT_TYPES, KIND_CODES, KINDS

Record = dict[str, Any]


def _values(type_: Any) -> tuple[Any, ...]:
    """Return the values of a closed list, or of a boolean field."""
    options = get_args(type_)
    if get_origin(type_) is Literal:
        return options
    if type_ is bool:
        return (True, False)
    return next((values for option in options if (values := _values(option))), ())


_LABELLED_BY = ("place", "what", "wager", "decision", "pot")
"""Keys that distinguish events of a kind, if they have them."""
_AMOUNT = 100
"""Minor units by which an amount is changed."""
_STEPS: Mapping[str, Sequence[int]] = {"amount": (_AMOUNT, -_AMOUNT), "number": (1, -1), "chips": (1,), "pot": (1, -1)}
"""Fields that are numbers, and the steps by which they are changed."""
CLOSED: Mapping[str, Mapping[str, Sequence[Any]]] = {
    kind: {
        field.encode_name: values
        for field in msgspec.structs.fields(EVENT_TYPES[KIND_CODES[kind]])
        if field.encode_name != "place" and (values := _values(field.type))
    }
    for kind in KINDS
}
"""Fields of few possible values, recorded or not, and these values, by kind of event."""


class Mutant(Struct, frozen=True, kw_only=True):
    """A round with one change. `change` is its kind and `event` the label of the event it was made to; `crossed` says
    of an event that was moved what it now comes later or earlier than, and whether that is of the same seat."""

    change: str
    event: str
    record: Record
    crossed: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes it belongs to; it may pass where all of them are free."""
        return self.crossed or (f"{self.change}: {self.event}",)


def label_event(event: Mapping[str, Any]) -> str:
    """Describe an event by its kind and subject, whoever's it is."""
    about = [str(event[key]) for key in _LABELLED_BY if key in event]
    return " ".join([event["event"], *about, *(["tip"] if event.get("tip") else [])])


def list_mutants(record: Record, foreign: Sequence[str]) -> Iterator[Mutant]:
    """Yield every mutant of a round. `foreign` are kinds of event that its game has no step for."""
    events: Sequence[Record] = record["events"]
    spare = _find_unused_card(record)
    for at, event in enumerate(events):
        yield _make_mutant(record, "dropped", at, [])
        yield _make_mutant(record, "doubled", at, [event, event])
        for name, others in _alter_fields(event, record, spare):
            for other in others:
                yield _make_mutant(record, name, at, [other])
        yield from _move_event(record, at)
    for kind in foreign:
        for at in (0, len(events) // 2, len(events)):
            altered = {**record, "events": [*events[:at], _make_foreign_event(kind, record, spare), *events[at:]]}
            yield Mutant(change="foreign", event=kind, record=altered)


def _make_mutant(record: Record, change: str, at: int, into: Sequence[Record]) -> Mutant:
    events = record["events"]
    changed = {**record, "events": [*events[:at], *into, *events[at + 1 :]]}
    return Mutant(change=change, event=label_event(events[at]), record=changed)


def _alter_fields(event: Record, record: Record, spare: str) -> Iterator[tuple[str, list[Record]]]:
    """Yield an event with one field changed, or recorded where it was missing and has a closed list."""
    for key, changes in _other_values(event, record):
        told = event.get(key) or None  # a tip that is not recorded is no tip
        yield f"{key} otherwise", [{**event, key: change} for change in changes if (change or None) != told]
    cards = event.get("cards", "")
    if cards and "?" not in cards:
        yield "another card", [{**event, "cards": spare + cards[2:]}]
        if len(cards) > 2:
            yield "a card fewer", [{**event, "cards": cards[2:]}]
        yield "a card more", [{**event, "cards": cards + spare}]


def _other_values(event: Record, record: Record) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the fields of an event that may differ, with their other values."""
    yield from CLOSED[event["event"]].items()
    others = {
        "seat": [seat["seat"] for seat in record["seats"] if seat["seat"] != event.get("seat")][:1],
        "wager": sorted({line["wager"] for seat in record["seats"] for line in seat.get("wagers", ())}),
        "decision": sorted({other["decision"] for other in record["events"] if "decision" in other}),
        **{key: [max(event.get(key, 0) + by, 0) for by in steps] for key, steps in _STEPS.items()},
    }
    yield from ((key, others[key]) for key in others if key in event)


def _move_event(record: Record, at: int) -> Iterator[Mutant]:
    """Yield the event at every other place: earlier and later. Places between two equal events are one place."""
    events = record["events"]
    event, rest = events[at], [*events[:at], *events[at + 1 :]]
    label, neighbours = label_event(event), [_label_neighbour(event, neighbour) for neighbour in rest]
    for place in range(len(events)):
        crossed = slice(at, place) if place > at else slice(place, at)
        if all(neighbour == event for neighbour in rest[crossed]):
            continue
        side = "later than" if place > at else "earlier than"
        yield Mutant(
            change="moved",
            event=label,
            record={**record, "events": [*rest[:place], event, *rest[place:]]},
            crossed=tuple(f"{label} {side} {neighbour}" for neighbour in dict.fromkeys(neighbours[crossed])),
        )


def _make_foreign_event(kind: str, record: Record, spare: str) -> Record:
    """Build an event of a kind with all mandatory fields, of the first seat and its first wager."""
    seat = record["seats"][0]
    telling = {
        **{
            "seat": seat["seat"],
            "wager": (seat.get("wagers") or [{"wager": "other"}])[0]["wager"],
            "decision": "other",
        },
        **{"amount": _AMOUNT, "number": 1, "pot": 0, "what": "other", "value": "1", "to": 32, "place": "player"},
        **{"cards": spare, "high": spare, "low": spare},
    }
    wanted = [field.encode_name for field in msgspec.structs.fields(EVENT_TYPES[KIND_CODES[kind]]) if field.required]
    if "place" in wanted:
        wanted.append("seat")
    return {"event": kind, **{key: telling[key] for key in wanted}}


def _label_neighbour(event: Record, other: Record) -> str:
    """Return the label of another event, and the owner of that event."""
    if "seat" not in event or "seat" not in other:
        return label_event(other)
    return f"{label_event(other)} ({'same' if event['seat'] == other['seat'] else 'another'} seat)"


def _find_unused_card(record: Record) -> str:
    """Return a card that is nowhere in a round."""
    text = str({key: value for key, value in record.items() if key not in ("round", "casino", "table")})
    return next(name for code in range(52) if (name := format_cards([code])) not in text)
