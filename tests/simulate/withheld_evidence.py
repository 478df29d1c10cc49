"""Records of lawful rounds with less evidence: they stop earlier, or omit kinds, faces or summaries."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from tests.facade.evidence import KIND_NAMES
from tests.facade.records import copy_record
from tests.facade.simulation import Record

AFTER_ALL = ("paid", "taken", "claimed")
"""Keys of a stake that summarize the complete round."""
OF_CARDS = ("cards", "discarded", "drawn")
OF_THE_HOUSE = ("dealer", "dealer-discarded", "dealer-drawn", "community", "community-discarded")
HIDDEN = ("reveal", "expose", "turn-down", "fault", "remedy")
"""Kinds of event that show cards which would otherwise not be known."""


UNRELATED: Sequence[Record] = ({"event": "announce", "what": "good-luck"}, {"event": "device", "what": "lights-tested"})
"""Events that no rule of any shipped game refers to."""


def stop(
    record: Record, end: int, *, unrelated: bool = False, with_cards: bool = False, with_outcomes: bool = False
) -> Record:
    """Return the record as it is when it stops before its event `end`, with a summary of what is known so far.

    `unrelated` adds events that have nothing to do with the round. `with_cards` lists the cards that were dealt so
    far; otherwise the summary leaves them to the events. `with_outcomes` lists what was paid, taken and won so far.
    """
    found = copy_record(record)
    events = found["events"] = found["events"][:end] + [*UNRELATED] * unrelated
    found["complete"] = False
    for key in OF_THE_HOUSE:
        found.pop(key, None)
    for meter in found.get("meters", ()):
        for key in ("shown", "closing"):
            meter.pop(key, None)
    for seat in found["seats"]:
        own = [event for event in events if event.get("seat") == seat["seat"]]
        seat["wagers"] = _list_placed(own)
        won = sum(event["amount"] for event in own if event["event"] == "award")
        for key in (*OF_CARDS, "bonuses", "decision", "won", "stack-after"):
            seat.pop(key, None)
        if with_cards and all(event["event"] != "fault" for event in events):
            seat["cards"] = "".join(event["cards"] for event in own if event["event"] == "deal")
        if with_outcomes and any(event["event"] == "award" for event in record["events"]):
            seat["won"] = won
        elif with_outcomes:
            for stake in seat["wagers"]:
                stake["paid"], stake["taken"] = (_sum_moved(own, stake, kind) for kind in ("pay", "collect"))
            seat["bonuses"] = _bonuses(own, seat["wagers"])
    return found


def _sum_moved(events: Iterable[Record], stake: Record, kind: str) -> int:
    """Return the amount that events of a kind pay on a stake, or take from it."""
    return sum(event["amount"] for event in events if event["event"] == kind and _key(event) == _key(stake))


def _key(entry: Record) -> tuple[str, bool]:
    return entry["wager"], entry.get("tip", False)


def _bonuses(events: Iterable[Record], wagers: Iterable[Record]) -> list[Record]:
    """Return the amounts that events pay at a seat on anything other than its own wagers."""
    placed, paid = {_key(stake) for stake in wagers}, dict[tuple[str, bool], int]()
    for event in events:
        if event["event"] == "pay" and _key(event) not in placed:
            paid[_key(event)] = paid.get(_key(event), 0) + event["amount"]
    return [{"bonus": line, "paid": amount} | ({"tip": True} if tip else {}) for (line, tip), amount in paid.items()]


def _list_placed(events: Iterable[Record]) -> list[Record]:
    """Return the wagers of a seat that events have placed."""
    amounts: dict[tuple[str, bool], int] = {}
    for event in events:
        match event["event"]:
            case "wager":
                key, amount = (event["wager"], event.get("tip", False)), event["amount"]
            case "withdraw":
                key, amount = (event["wager"], event.get("tip", False)), -event["amount"]
            case "decide" if event.get("amount"):
                key, amount = ("bets", False), event["amount"]
            case _:
                continue
        amounts[key] = amounts.get(key, 0) + amount
    return [
        {"wager": wager, "amount": amount} | ({"tip": True} if tip else {})
        for (wager, tip), amount in amounts.items()
        if amount
    ]


def withhold(record: Record, names: Sequence[str], share: float = 1.0, chance: random.Random | None = None) -> Record:
    """Return the record of a log that does not record some kinds of event, or parts of kinds.

    A `share` below 1 leaves some of these events in the log, chosen by `chance`.
    """
    found = copy_record(record)
    found["events"] = [
        event
        for event in found["events"]
        if not _is_of(event, names) or (chance is not None and chance.random() >= share)
    ]
    found["unrecorded"] = sorted({*found.get("unrecorded", ()), *names})
    return found


def _is_of(event: Record, names: Sequence[str]) -> bool:
    return event["event"] in names or f"{event['event']}/{event.get('place')}" in names


def hide_cards(record: Record, chance: random.Random) -> Record:
    """Return the record with the faces of a card or two, or of many, unknown wherever it lists them."""
    found = copy_record(record)
    faces = sorted({face for text in _texts(found) for face in _faces(text)} - {"??"})
    hidden = set(chance.sample(faces, min(len(faces), chance.choice([1, 2, len(faces) // 2, len(faces)]))))
    for holder in [*found["events"], *found["seats"], found]:
        for key in (*OF_CARDS, *OF_THE_HOUSE):
            if isinstance(holder.get(key), str):
                holder[key] = "".join("??" if face in hidden else face for face in _faces(holder[key]))
    return found


def _texts(record: Record) -> Iterable[str]:
    for holder in [*record["events"], *record["seats"], record]:
        for key in (*OF_CARDS, *OF_THE_HOUSE):
            if isinstance(holder.get(key), str):
                yield holder[key]


def _faces(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def omit_cards(record: Record, chance: random.Random) -> Record:
    """Return the record without the cards of its summary, or some lists of them."""
    found = copy_record(record)
    for holder in [*found["seats"], found]:
        for key in (*OF_CARDS, *OF_THE_HOUSE):
            if key in holder and chance.random() < 0.7:
                del holder[key]
    return found


def omit_outcomes(record: Record, chance: random.Random) -> Record:
    """Return the record without some of the outcomes, decisions and readings of meters of its summary."""
    found = copy_record(record)
    for seat in found["seats"]:
        for stake in seat["wagers"]:
            for key in AFTER_ALL:
                if chance.random() < 0.7:
                    stake.pop(key, None)
        if all("paid" not in stake for stake in seat["wagers"]) and chance.random() < 0.7:
            seat.pop("bonuses", None)
        for key in ("decision", "won", "stack-after", "stack"):
            if chance.random() < 0.5:
                seat.pop(key, None)
    for meter in found.get("meters", ()):
        for key in ("opening", "shown", "closing"):
            if chance.random() < 0.3:
                meter.pop(key, None)
    return found


def omit_details(record: Record, chance: random.Random) -> Record:
    """Return the record without some keys of events that may be left out."""
    found = copy_record(record)
    for event in found["events"]:
        optional = ["face", "in", "positions"]
        optional += ["by"] * (event["event"] != "announce")  # an announcement by nobody is one of the dealer
        optional += ["number"] * (event["event"] == "cut")
        for key in optional:
            if key in event and chance.random() < 0.5:
                del event[key]
    return found


def omit_events(record: Record, chance: random.Random) -> Record:
    """Return the summary of the round alone."""
    found = copy_record(record)
    del found["events"]
    return found


LESS: Mapping[str, Callable[[Record, random.Random], Record]] = {
    function.__name__: function for function in (hide_cards, omit_cards, omit_outcomes, omit_details, omit_events)
}
"""Ways to leave out evidence other than kinds of event."""


def kinds_of(records: Iterable[Record]) -> list[str]:
    """Return the kinds of event, and parts of kinds, that some rounds have, in alphabetical order."""
    found: set[str] = set()
    for record in records:
        for event in record["events"]:
            found |= {event["event"], f"{event['event']}/{event.get('place')}"}
    return sorted({*(found & {*KIND_NAMES}), "deal/order"})
