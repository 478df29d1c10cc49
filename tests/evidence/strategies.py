"""Random records of rounds that are valid and do not contradict themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from fairdeal.validator.evidence.columns.recorded_events import KIND_NAMES
from tests.evidence.generate import DECK

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
actors = st.sampled_from(["dealer", "player", "machine", "floorperson", "supervisor"])
faces = st.sampled_from(["down", "up"])
positions = st.sets(st.sampled_from("123456789"), min_size=1).map(sorted).map("".join)
flags = st.booleans()
pots = st.integers(0, 99)


def _optional(draw: st.DrawFn, record: Record, key: str, values: st.SearchStrategy[Any]) -> None:
    """Draw the key with a value, with null, or not at all."""
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
            _optional(draw, record, "claimed", flags)
        _optional(draw, record, "paid", amounts)
        if tip:
            record["tip"] = True
        else:
            _optional(draw, record, "tip", st.just(False))
        found.append(record)
    return found


def _pairs(cards: str | None) -> list[str]:
    return [cards[at : at + 2] for at in range(0, len(cards), 2)] if cards else []


def _part_of(cards: str | None, drawn: str | None) -> st.SearchStrategy[str]:
    """Cards that can have been discarded of these."""
    if cards is None:
        return some_cards
    had = [*_pairs(cards), *_pairs(drawn)]
    return (
        st.lists(st.integers(0, len(had) - 1), max_size=12, unique=True).map(
            lambda chosen: "".join("??" if place % 3 == 1 else had[place] for place in chosen)
        )
        if had
        else st.just("")
    )


@st.composite
def seats(draw: st.DrawFn, number: int) -> Record:
    """Draw a seat."""
    record: Record = {"seat": number, "wagers": draw(stakes("wager"))}
    _optional(draw, record, "player", ids)
    _optional(draw, record, "cards", hands)
    if draw(flags):
        _optional(draw, record, "drawn", some_cards)
        _optional(draw, record, "discarded", _part_of(record.get("cards"), record.get("drawn")))
    _optional(draw, record, "decision", names)
    _optional(draw, record, "bonuses", stakes("bonus"))
    if draw(flags):
        for key in ("stack", "stack-after", "won"):
            _optional(draw, record, key, amounts)
        _optional(draw, record, "playing", flags)
    return record


def _draw_place(draw: st.DrawFn, places: Iterable[str], numbers: list[int]) -> Record:
    place = draw(st.sampled_from([place for place in places if numbers or place != "player"]))
    return {"place": place, "seat": draw(st.sampled_from(numbers))} if place == "player" else {"place": place}


def _lying(whole: Record, event: Record) -> st.SearchStrategy[str]:
    """Cards that may lie together at the place of an event, each once; any where none are known to lie."""
    seat = {seat["seat"]: seat for seat in whole["seats"]}.get(event.get("seat"), {})
    cards = seat.get("cards") if seat else whole.get(event["place"])
    drawn = seat.get("drawn") if seat else whole.get(f"{event['place']}-drawn")
    return hands if cards is None else _part_of(cards, drawn)


PLACES = ("player", "dealer", "community", "burn")
EVERYWHERE = (*PLACES, "table", "deck")


@st.composite
def irregular_events(draw: st.DrawFn, numbers: list[int]) -> Record:
    """Draw an event about something irregular, with what and whom it concerns."""
    record: Record = {"event": draw(st.sampled_from(["fault", "remedy"])), "what": draw(names)}
    if draw(flags):
        record |= _draw_place(draw, EVERYWHERE, numbers)
    elif draw(flags):
        record |= {"place": None, "seat": None}
    elif numbers:
        _optional(draw, record, "seat", st.sampled_from(numbers))
    _optional(draw, record, "cards", hands)
    if record["event"] == "fault":
        _optional(draw, record, "deck", names)
    return record


@st.composite
def chip_events(draw: st.DrawFn, numbers: list[int]) -> Record:
    """Draw an event about chips that the summary does not mention."""
    kind = draw(st.sampled_from(["rake", "drop", *(["declare", "tender", "chips-in", "chips-out"] if numbers else [])]))
    record: Record = {"event": kind}
    if kind not in ("rake", "drop"):
        record["seat"] = draw(st.sampled_from(numbers))
    if kind == "declare":
        record["decision"] = draw(names)
        _optional(draw, record, "amount", amounts)
    else:
        record["amount"] = draw(amounts)
    if kind == "tender":
        _optional(draw, record, "chips", st.integers(1, 10_000))
        _optional(draw, record, "what", names)
    if kind == "rake":
        _optional(draw, record, "pot", pots)
    return record


@st.composite
def loose_events(draw: st.DrawFn, record: Record) -> Record:
    """Draw an event that the summary does not mention, or that does not go beyond it."""
    whole = record
    numbers = [seat["seat"] for seat in whole["seats"]]
    kinds = ["shuffle", "cut", "announce", "expose", "turn-down", "reveal", "collect-cards", "misdeal"]
    kinds += ["count", "deck", "device", "discard", "draw"]
    kind = draw(st.sampled_from([*kinds, *(["return", "tuck", "arrive", "leave"] if numbers else [])]))
    record = {"event": kind}
    if kind in ("expose", "turn-down", "reveal", "collect-cards"):
        record |= _draw_place(draw, PLACES, numbers)
    if kind == "misdeal":
        record |= _draw_place(draw, ("player", "dealer", "table"), numbers)
    if kind in ("expose", "reveal"):
        record["cards"] = draw(_lying(whole, record))
    if kind == "turn-down":
        _optional(draw, record, "cards", _lying(whole, record))
    if kind == "collect-cards":
        _optional(draw, record, "cards", _lying(whole, record))
        _optional(draw, record, "what", names)
    if kind == "discard":
        record["place"] = "deck"
        _optional(draw, record, "cards", hands)
        _optional(draw, record, "positions", positions)
    if kind == "draw":
        record |= {"place": "burn", "cards": draw(hands)}
    if kind in ("cut", "expose", "announce", "count", "deck", "device"):
        _optional(draw, record, "by", actors)
    if kind in ("shuffle", "draw"):
        _optional(draw, record, "by", devices)
    if kind in ("shuffle", "cut", "deck", "count"):
        _optional(draw, record, "deck", names)
    if kind in ("deck", "discard", "draw"):
        _optional(draw, record, "face", faces)
    if kind == "cut":
        _optional(draw, record, "number", amounts)
    if kind in ("announce", "count", "deck", "device"):
        record["what"] = draw(names)
    if kind in ("announce", "device") and numbers:
        _optional(draw, record, "seat", st.sampled_from(numbers))
    if kind == "announce":
        _optional(draw, record, "amount", amounts)
    if kind in ("arrive", "leave"):
        record["seat"] = draw(st.sampled_from(numbers))
    if kind == "count":
        record["number"] = draw(amounts)
    if kind in ("return", "tuck"):
        record |= {"seat": draw(st.sampled_from(numbers)), "wager": draw(names)}
    if kind == "return":
        record["amount"] = 0
        _optional(draw, record, "tip", flags)
    return record


def _deals(draw: st.DrawFn, place: Record, cards: str | None, kind: str = "deal") -> list[Record]:
    pairs = _pairs(cards)
    each = draw(st.integers(1, 12))
    found = []
    for start in range(0, len(pairs), each):
        record = {"event": kind, **place, "cards": "".join(pairs[start : start + each])}
        _optional(draw, record, "face", faces)
        if kind != "discard":
            _optional(draw, record, "by", devices)
        else:
            _optional(draw, record, "positions", positions)
        found.append(record)
    return found


def _discards(draw: st.DrawFn, place: Record, cards: str | None) -> list[Record]:
    return _deals(draw, place, "".join(draw(st.permutations(_pairs(cards)))), "discard")


def _of_amount(draw: st.DrawFn, kind: str, seat: int, name: str, tip: bool, amount: int) -> list[Record]:
    return [
        {"event": kind, "seat": seat, "wager": name, "amount": part, **({"tip": True} if tip else {})}
        for part in _split(draw, amount)
    ]


def _decisions(draw: st.DrawFn, seat: Record, put_in: int, with_chips: bool) -> list[Record]:
    """Decisions of a seat, with the chips that go in with them, the last of them the one of the summary."""
    found: list[Record] = []
    while put_in:
        part = min(draw(st.integers(1, put_in)), 10**12) if put_in < 10**6 else min(put_in, 10**12)
        found.append({"event": "decide", "seat": seat["seat"], "decision": draw(names), "amount": part})
        put_in -= part
    if seat.get("decision") is not None:
        found.append({"event": "decide", "seat": seat["seat"], "decision": seat["decision"]})
        if with_chips:
            _optional(draw, found[-1], "amount", st.just(0))
    return found


@st.composite
def told_events(draw: st.DrawFn, record: Record) -> list[Record]:
    """Events that say what the summary says, and others, in an order that keeps each hand's deals in turn."""
    streams = [
        _deals(draw, {"place": "dealer"}, record.get("dealer")),
        _deals(draw, {"place": "community"}, record.get("community")),
        _deals(draw, {"place": "burn"}, draw(some_cards)),
        _deals(draw, {"place": "dealer"}, record.get("dealer-drawn"), "draw"),
        _discards(draw, {"place": "dealer"}, record.get("dealer-discarded")),
        _discards(draw, {"place": "community"}, record.get("community-discarded")),
    ]
    with_chips = draw(flags)
    for seat in record["seats"]:
        number = seat["seat"]
        here = {"place": "player", "seat": number}
        streams.append(_deals(draw, here, seat.get("cards")))
        streams.append(_deals(draw, here, seat.get("drawn"), "draw"))
        streams.append(_discards(draw, here, seat.get("discarded")))
        put_in = 0
        totals: dict[tuple[str, bool], list[int | None]] = {}
        staked: dict[tuple[str, bool], int] = {}
        for wager in seat["wagers"]:
            key = (wager["wager"], bool(wager.get("tip")))
            if with_chips and not key[1] and draw(flags):
                put_in += wager["amount"]
            else:
                placed = _of_amount(draw, "wager", number, *key, wager["amount"])
                for stake in placed:
                    _optional(draw, stake, "in", st.sampled_from(["chips", "plaques", "coupon", "cash", "words"]))
                streams.append(placed)
            if wager.get("claimed") and not wager.get("tip"):
                streams.append([{"event": "claim", "seat": number, "wager": wager["wager"]}])
            left = max(wager["amount"] - (wager.get("taken") or 0), 0)
            streams.append(_of_amount(draw, "return", number, *key, draw(st.sampled_from([0, left // 2, left]))))
            totals[key], staked[key] = [wager.get("paid"), wager.get("taken")], wager["amount"]
        for bonus in seat.get("bonuses") or ():
            key = (bonus["bonus"], bool(bonus.get("tip")))
            before = totals.setdefault(key, [0, 0])
            paid = bonus.get("paid")
            before[0] = None if paid is None or before[0] is None else before[0] + paid
        for key, (paid, taken) in totals.items():
            streams.append(_of_amount(draw, "pay", number, *key, paid or 0))
            collected = _of_amount(draw, "collect", number, *key, taken or 0)
            if len(collected) > 1 and (taken or 0) > staked[key]:  # only at once
                collected = [{**collected[0], "amount": taken}]
            streams.append(collected)
        streams.append(_decisions(draw, seat, put_in, with_chips))
        streams.append(
            [
                {"event": "award", "seat": number, "pot": draw(pots), "amount": part}
                for part in _split(draw, seat.get("won") or 0)
            ]
        )
    streams.extend([event] for event in draw(st.lists(loose_events(record), max_size=4)))
    numbers = [seat["seat"] for seat in record["seats"]]
    streams.extend([event] for event in draw(st.lists(chip_events(numbers) | irregular_events(numbers), max_size=3)))
    order = draw(st.permutations([index for index, stream in enumerate(streams) for _ in stream]))
    waiting = [iter(stream) for stream in streams]
    return _possible([next(waiting[index]) for index in order])


_RANK = {"deal": 0, "draw": 1, "expose": 2, "turn-down": 2, "reveal": 2, "tuck": 2, "discard": 3, "collect-cards": 4}
"""In which order things are done with the cards of a place."""


def _possible(events: list[Record]) -> list[Record]:
    """Return the events in a possible order. Stakes are placed before anything else is done with them. Cards of a place
    are handled in a possible order; discards are collected without a record."""
    placed = {_about(event): event for event in reversed(events) if event["event"] == "wager"}
    of_place: dict[tuple[object, ...], list[Record]] = {}
    for event in events:
        if event["event"] in _RANK:
            of_place.setdefault(_about(event), []).append(event)
    for about, done in of_place.items():
        done.sort(key=lambda one: _RANK[one["event"]])
        kinds = [event["event"] for event in done]
        for event in done:
            if event["event"] == "collect-cards" and "discard" in kinds:
                event["cards"] = None
        more = [event for event in done if event["event"] in ("tuck", "collect-cards")]
        there = about[1] == "burn" or {"deal", "draw"} & {*kinds}
        dropped = more[1:] if there else more
        of_place[about] = [
            event if not any(event is other for other in dropped) else {"event": "cut"} for event in done
        ]
    ordered: list[Record] = []
    for event in events:
        about = _about(event)
        before = [placed.pop(about)] if about in placed else []
        now = of_place[about].pop(0) if event["event"] in _RANK else event
        for happening in (*before, now):
            if not any(happening is other for other in ordered):
                ordered.append(happening)
    return ordered


def _about(event: Record) -> tuple[object, ...]:
    """Return the stake or the cards that an event is about; decisions and the like are about neither."""
    if "wager" in event and event["event"] not in ("tuck", "claim"):
        return ("stake", event.get("seat"), event["wager"], bool(event.get("tip")))
    return ("cards", event.get("place", "player" if event["event"] == "tuck" else event["event"]), event.get("seat"))


@st.composite
def meters(draw: st.DrawFn) -> list[Record]:
    """Readings of meters, each meter once."""
    found = []
    for name in draw(st.lists(names, max_size=3, unique=True)):
        record: Record = {"meter": name}
        for at in ("opening", "shown", "closing"):
            _optional(draw, record, at, amounts)
        found.append(record)
    return found


def _list_dealt(record: Record) -> list[str | None]:
    """List the cards of each seat, if recorded."""
    return [seat.get("cards") for seat in record["seats"]]


@st.composite
def records(draw: st.DrawFn, games: tuple[str, ...] = GAMES) -> Record:
    """Draw a round."""
    record: Record = {"round": draw(ids), "table": draw(ids), "time": draw(times), "game": draw(st.sampled_from(games))}
    numbers = draw(st.lists(st.integers(1, 99), max_size=4, unique=True))
    record["seats"] = [draw(seats(number)) for number in numbers]
    _optional(draw, record, "casino", ids)
    _optional(draw, record, "dealer", hands)
    _optional(draw, record, "community", hands)
    if draw(flags):
        _optional(draw, record, "button", st.integers(1, 99))
        _optional(draw, record, "small-bet", amounts)
        _optional(draw, record, "big-bet", amounts)
        _optional(draw, record, "after", ids)
        _optional(draw, record, "complete", flags)
    if draw(flags):
        _optional(draw, record, "number", st.integers(1, 10**9))
        _optional(draw, record, "deck", names)
        _optional(draw, record, "meters", meters())
        _optional(draw, record, "dealer-drawn", some_cards)
        _optional(draw, record, "dealer-discarded", _part_of(record.get("dealer"), record.get("dealer-drawn")))
        _optional(draw, record, "community-discarded", _part_of(record.get("community"), None))
    _optional(draw, record, "events", told_events(record))
    _optional(draw, record, "unrecorded", st.lists(st.sampled_from(KIND_NAMES), max_size=4))
    if record.get("events") and None in [record.get("dealer"), record.get("community"), *_list_dealt(record)]:
        record["unrecorded"] = [*(record.get("unrecorded") or ()), "deal"]
    _optional(draw, record, "annotations", st.builds(lambda found: {"planted": found}, st.lists(ids, max_size=2)))
    return record


def line(record: Record) -> bytes:
    """Draw a record as a line of JSON without its end."""
    return json.dumps(record, ensure_ascii=False).encode()
