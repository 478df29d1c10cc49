"""Random records of rounds that are valid and do not contradict themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from tests.evidence.generate import DECK
from validator.evidence.events import KINDS

Record = dict[str, Any]
GAMES = ("some-game", "other-game")

names = st.one_of(
    st.sampled_from(["main", "side", "raise", "a:b", 'q"uote', "back\\slash", "naïve ♠", "tab\tin"]),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=4),
)
ids = st.one_of(
    st.sampled_from(["T1", "T2", "T1:000001"]), st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
)
amounts = st.one_of(st.integers(0, 3), st.integers(0, 10**12))
hands = st.lists(st.sampled_from([*DECK, "??"]), max_size=12).map("".join)
some_cards = st.lists(st.sampled_from([*DECK, "??"]), min_size=1, max_size=4).map("".join)
times = st.builds(
    lambda moment, offset: f"{moment.isoformat()}{offset}",
    st.datetimes(),
    st.sampled_from(["Z", "+00:00", "-07:00", "+05:30"]),
)
devices = st.sampled_from(["dealer", "machine"])
actors = st.sampled_from(["dealer", "player", "machine"])
flags = st.booleans()


def _optional(draw: st.DrawFn, record: Record, key: str, values: st.SearchStrategy[Any]) -> None:
    """The key with a value, with null, or not at all."""
    how = draw(st.sampled_from(["value", "value", "null", "absent"]))
    if how == "value":
        record[key] = draw(values)
    elif how == "null":
        record[key] = None


def _split(draw: st.DrawFn, amount: int) -> list[int]:
    """Parts that add up to an amount; none where it is 0."""
    if amount == 0:
        return draw(st.sampled_from([[], [0]]))
    if amount > 10**12:  # more than one event can hold
        return [10**12, amount - 10**12]
    cut = draw(st.integers(0, amount))
    return [amount] if cut in (0, amount) else [cut, amount - cut]


@st.composite
def stakes(draw: st.DrawFn, key: str) -> list[Record]:
    """Wagers or bonuses of a seat, each name and tip once."""
    found = []
    for name, tip in draw(st.lists(st.tuples(names, flags), max_size=3, unique=True)):
        record: Record = {key: name}
        if key == "wager":
            record["amount"] = draw(amounts)
            _optional(draw, record, "taken", amounts)
        _optional(draw, record, "paid", amounts)
        if tip:
            record["tip"] = True
        else:
            _optional(draw, record, "tip", st.just(False))
        found.append(record)
    return found


@st.composite
def seats(draw: st.DrawFn, number: int) -> Record:
    """A seat."""
    record: Record = {"seat": number, "wagers": draw(stakes("wager"))}
    _optional(draw, record, "player", ids)
    _optional(draw, record, "cards", hands)
    _optional(draw, record, "decision", names)
    _optional(draw, record, "bonuses", stakes("bonus"))
    return record


def _at(draw: st.DrawFn, places: Iterable[str], numbers: list[int]) -> Record:
    place = draw(st.sampled_from([place for place in places if numbers or place != "player"]))
    return {"place": place, "seat": draw(st.sampled_from(numbers))} if place == "player" else {"place": place}


def _held(whole: Record, event: Record) -> st.SearchStrategy[str]:
    """Cards that may come to light at the place of an event."""
    seat = {seat["seat"]: seat for seat in whole["seats"]}.get(event.get("seat"), {})
    cards = seat.get("cards") if seat else whole.get(event["place"])
    if cards is None or "??" in cards:
        return hands
    pairs = [cards[at : at + 2] for at in range(0, len(cards), 2)]
    return st.lists(st.sampled_from([*pairs, "??"]), max_size=12).map("".join)


PLACES = ("player", "dealer", "community", "burn")


@st.composite
def loose_events(draw: st.DrawFn, record: Record) -> Record:
    """An event that the summary says nothing about, or that does not go beyond what it says."""
    whole = record
    numbers = [seat["seat"] for seat in whole["seats"]]
    kinds = ["shuffle", "cut", "announce", "expose", "turn-down", "reveal", "collect-cards", "misdeal", "fault"]
    kind = draw(st.sampled_from([*kinds, "remedy", "count", *(["return", "tuck"] if numbers else [])]))
    record = {"event": kind}
    if kind in ("expose", "turn-down", "reveal", "collect-cards"):
        record |= _at(draw, PLACES, numbers)
    if kind == "misdeal":
        record |= _at(draw, ("player", "dealer", "table"), numbers)
    if kind in ("expose", "reveal"):
        record["cards"] = draw(_held(whole, record))
    if kind == "turn-down":
        _optional(draw, record, "cards", _held(whole, record))
    if kind == "collect-cards":
        _optional(draw, record, "cards", hands)
    if kind in ("cut", "expose"):
        _optional(draw, record, "by", actors)
    if kind == "shuffle":
        _optional(draw, record, "by", devices)
    if kind in ("announce", "fault", "remedy", "count"):
        record["what"] = draw(names)
    if kind == "count":
        record["number"] = draw(amounts)
    if kind in ("return", "tuck"):
        record |= {"seat": draw(st.sampled_from(numbers)), "wager": draw(names)}
    if kind == "return":
        record["amount"] = 0
        _optional(draw, record, "tip", flags)
    return record


def _deals(draw: st.DrawFn, place: Record, cards: str | None) -> list[Record]:
    pairs = [cards[at : at + 2] for at in range(0, len(cards), 2)] if cards else []
    each = draw(st.integers(1, 12))
    found = []
    for start in range(0, len(pairs), each):
        record = {"event": "deal", **place, "cards": "".join(pairs[start : start + each])}
        _optional(draw, record, "face", st.sampled_from(["down", "up"]))
        _optional(draw, record, "by", devices)
        found.append(record)
    return found


def _of_amount(draw: st.DrawFn, kind: str, seat: int, name: str, tip: bool, amount: int) -> list[Record]:
    return [
        {"event": kind, "seat": seat, "wager": name, "amount": part, **({"tip": True} if tip else {})}
        for part in _split(draw, amount)
    ]


@st.composite
def told_events(draw: st.DrawFn, record: Record) -> list[Record]:
    """Events that say what the summary says, and others, in an order that keeps each hand's deals in turn."""
    streams = [
        _deals(draw, {"place": "dealer"}, record.get("dealer")),
        _deals(draw, {"place": "community"}, record.get("community")),
        _deals(draw, {"place": "burn"}, draw(some_cards)),
    ]
    for seat in record["seats"]:
        number = seat["seat"]
        streams.append(_deals(draw, {"place": "player", "seat": number}, seat.get("cards")))
        if seat.get("decision") is not None:
            last = {"event": "decide", "seat": number, "decision": seat["decision"]}
            streams.append([{**last, "decision": draw(names)}, last])
        totals: dict[tuple[str, bool], list[int | None]] = {}
        for wager in seat["wagers"]:
            key = (wager["wager"], bool(wager.get("tip")))
            streams.append(_of_amount(draw, "wager", number, *key, wager["amount"]))
            left = max(wager["amount"] - (wager.get("taken") or 0), 0)
            streams.append(_of_amount(draw, "return", number, *key, draw(st.sampled_from([0, left // 2, left]))))
            totals[key] = [wager.get("paid"), wager.get("taken")]
        for bonus in seat.get("bonuses") or ():
            key = (bonus["bonus"], bool(bonus.get("tip")))
            before = totals.setdefault(key, [0, 0])
            paid = bonus.get("paid")
            before[0] = None if paid is None or before[0] is None else before[0] + paid
        for key, (paid, taken) in totals.items():
            streams.append(_of_amount(draw, "pay", number, *key, paid or 0))
            streams.append(_of_amount(draw, "collect", number, *key, taken or 0))
    streams.extend([event] for event in draw(st.lists(loose_events(record), max_size=4)))
    order = draw(st.permutations([index for index, stream in enumerate(streams) for _ in stream]))
    waiting = [iter(stream) for stream in streams]
    return [next(waiting[index]) for index in order]


@st.composite
def records(draw: st.DrawFn, games: tuple[str, ...] = GAMES) -> Record:
    """A round."""
    record: Record = {"round": draw(ids), "table": draw(ids), "time": draw(times), "game": draw(st.sampled_from(games))}
    numbers = draw(st.lists(st.integers(1, 99), max_size=4, unique=True))
    record["seats"] = [draw(seats(number)) for number in numbers]
    _optional(draw, record, "casino", ids)
    _optional(draw, record, "dealer", hands)
    _optional(draw, record, "community", hands)
    _optional(draw, record, "events", told_events(record))
    _optional(draw, record, "unrecorded", st.lists(st.sampled_from(KINDS), max_size=4))
    _optional(draw, record, "annotations", st.builds(lambda found: {"planted": found}, st.lists(ids, max_size=2)))
    return record


def line(record: Record) -> bytes:
    """A record as a line of JSON without its end."""
    return json.dumps(record, ensure_ascii=False).encode()
