"""Builder of hand-log records, their projections, and writers of logs and submissions."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.facade.records import copy_record

Record = dict[str, Any]
Event = dict[str, Any]
Submission = dict[str, Any]
Session = tuple[list[Record], list[Submission]]

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
PLACED_KINDS = ("deal", "draw", "expose", "turn-down", "reveal", "collect-cards", "discard", "misdeal")


def split_cards(text: str) -> list[str]:
    """Split `AsKd` into its cards."""
    return [text[index : index + 2] for index in range(0, len(text), 2)]


def join_cards(cards: Iterable[str]) -> str:
    return "".join(cards)


def shuffle_deck(rng: random.Random) -> list[str]:
    deck = list(DECK)
    rng.shuffle(deck)
    return deck


def interleave(rng: random.Random, *sequences: Sequence[Any]) -> list[Any]:
    """Merge sequences at random; each keeps its own order."""
    queues = [list(sequence) for sequence in sequences if sequence]
    merged = []
    while queues:
        queue = rng.choices(queues, weights=[len(queue) for queue in queues])[0]
        merged.append(queue.pop(0))
        queues = [queue for queue in queues if queue]
    return merged


def split_amount(rng: random.Random, amount: int, parts: int) -> list[int]:
    """Split an amount into positive parts at random; small amounts give fewer parts."""
    parts = min(parts, amount)
    cuts = sorted(rng.sample(range(1, amount), parts - 1)) if parts > 1 else []
    return [after - before for before, after in zip([0, *cuts], [*cuts, amount], strict=True)]


def make_event(kind: str, **keys: Any) -> Event:
    """Return an event with the keys that have a value; `in_` is the key `in`."""
    return {"event": kind} | {name.rstrip("_"): value for name, value in keys.items() if value is not None}


@dataclass
class Stake:
    """Sums of one wager of a seat, followed event by event."""

    amount: int = 0
    paid: int = 0
    collected: int = 0
    kept: int = 0
    """Part of the stake that the house has and has not put back."""
    lying: int = 0

    def follow(self, event: Event) -> None:
        amount = event["amount"]
        match event["event"]:
            case "wager":
                self.amount += amount
                self.lying += amount
            case "withdraw":
                self.amount -= amount
                self.lying -= amount
            case "pay":
                self.paid += amount
            case "collect":
                self.collected += amount
                self.kept += amount
                self.lying -= amount
            case "return":
                put_back = max(amount - self.lying, 0)
                self.kept -= put_back
                self.lying = put_back or self.lying - amount


@dataclass
class Round:
    """Builder of one record: events in order, and a summary derived from them.

    `bonuses` names payments without a stake. `set_aside` holds cards that never arrived at their place.
    """

    id: str
    game: str
    table: str
    time: datetime
    casino: str | None = None
    number: int | None = None
    deck: str | None = None
    bonuses: Collection[str] = ()
    exchanges: Collection[str] = ()
    """Places whose cards may be discarded and drawn: `player`, `dealer`, `community`."""
    bets: str | None = None
    """Line on which chips of decisions are summed, in games among players."""
    keys: Record = field(default_factory=dict)
    """Further keys of the record, such as `button`, `meters` or `context`."""
    seats: dict[int, Record] = field(default_factory=dict)
    """Further keys of each seat, such as `player`, `stack` or `playing`."""
    events: list[Event] = field(default_factory=list)
    set_aside: list[tuple[str, int | None, str]] = field(default_factory=list)

    def seat(self, number: int, **keys: Any) -> None:
        """List a seat, with keys of its own."""
        self.seats.setdefault(number, {}).update(keys)

    def add(self, kind: str, **keys: Any) -> Event:
        """Append an event and list its seat."""
        event = make_event(kind, **keys)
        self.events.append(event)
        return event

    def list_dealt(self, place: str, seat: int | None = None, events: Sequence[Event] | None = None) -> list[str]:
        """Return the cards dealt to a place, without those that a remedy `set-aside` in the events names."""
        followed = self.events if events is None else events
        cards = self._cards("deal", place, seat, followed)
        remedied = {
            card
            for event in followed
            if event["event"] == "remedy" and event["what"] == "set-aside"
            for card in split_cards(event.get("cards", ""))
        }
        for where, owner, card in self.set_aside:
            if (where, owner) == (place, seat) and card in cards and card in remedied:
                cards.remove(card)
        return cards

    @staticmethod
    def _cards(kind: str, place: str, seat: int | None, events: Iterable[Event]) -> list[str]:
        return [
            card
            for event in events
            if event["event"] == kind and event.get("place") == place and event.get("seat") == seat
            for card in split_cards(event.get("cards", ""))
        ]

    def stakes(self, events: Sequence[Event] | None = None) -> dict[tuple[int, str, bool], Stake]:
        """Return the sums of each (seat, wager, tip), bonuses among them."""
        stakes: dict[tuple[int, str, bool], Stake] = {}
        for event in self.events if events is None else events:
            if event["event"] in {"wager", "withdraw", "pay", "collect", "return"}:
                key = (event["seat"], event["wager"], bool(event.get("tip")))
                stakes.setdefault(key, Stake()).follow(event)
            elif event["event"] == "decide" and self.bets and event.get("amount"):
                stakes.setdefault((event["seat"], self.bets, False), Stake()).amount += event["amount"]
        return stakes

    def record(self, *, stop: int | None = None, outcomes: str = "gross", cards: bool = True) -> Record:
        """Return the record, or the one that stops after the first `stop` events.

        Outcomes are `gross` (all that was collected), `net` (less what came back) or `none` (left out).
        """
        events = self.events if stop is None else self.events[:stop]
        if stop is not None:
            outcomes = "none"
        record: Record = {"round": self.id}
        record |= {"casino": self.casino} if self.casino is not None else {}
        record |= {"table": self.table, "time": format_time(self.time), "game": self.game}
        record |= {"number": self.number} if self.number is not None else {}
        record |= {"deck": self.deck} if self.deck is not None else {}
        record |= copy_record(self.keys)
        stakes = self.stakes(events)
        numbers = {event["seat"] for event in events if "seat" in event} | {seat for seat, _, _ in stakes}
        record["seats"] = [
            self._seat(number, events, stakes, outcomes=outcomes, cards=cards, is_over=stop is None)
            for number in sorted(numbers | (set(self.seats) if stop is None else set()))
        ]
        if cards:
            for place in ("dealer", "community"):
                record |= self._place(place, None, events, place, f"{place}-", is_over=stop is None)
        record["events"] = copy_record(list(events))
        if stop is not None:
            record["complete"] = False
            record.pop("meters", None)
        return record

    def _place(
        self, place: str, seat: int | None, events: Sequence[Event], key: str, prefix: str, *, is_over: bool
    ) -> Record:
        dealt = self.list_dealt(place, seat, events)
        if not dealt:
            return {}
        found: Record = {key: join_cards(dealt)}
        if place not in self.exchanges:
            return found
        discarded = self._cards("discard", place, seat, events)
        if is_over or discarded:
            found[f"{prefix}discarded"] = join_cards(discarded)
        if is_over and place != "community":
            found[f"{prefix}drawn"] = join_cards(self._cards("draw", place, seat, events))
        return found

    def _seat(
        self,
        number: int,
        events: Sequence[Event],
        stakes: Mapping[tuple[int, str, bool], Stake],
        *,
        outcomes: str,
        cards: bool,
        is_over: bool,
    ) -> Record:
        seat: Record = {"seat": number} | copy_record(self.seats.get(number, {}))
        if not is_over:
            seat.pop("stack-after", None)
        if cards:
            seat |= self._place("player", number, events, "cards", "", is_over=is_over)
        decisions = [event["decision"] for event in events if event["event"] == "decide" and event["seat"] == number]
        if decisions and "decision" not in seat and not self.bets:
            seat["decision"] = decisions[-1]
        won = [event["amount"] for event in events if event["event"] == "award" and event["seat"] == number]
        if self.bets and outcomes != "none":
            seat["won"] = sum(won)
        wagers, bonuses = [], []
        claimed = {event["wager"] for event in events if event["event"] == "claim" and event["seat"] == number}
        for (owner, wager, tip), stake in stakes.items():
            if owner != number:
                continue
            marks = {"tip": True} if tip else {}
            if wager in self.bonuses:
                bonuses.append({"bonus": wager, "paid": stake.paid} | marks)
                continue
            if stake.amount == 0 and not stake.paid and not stake.collected:
                continue
            line = {"wager": wager, "amount": stake.amount} | marks
            if outcomes != "none" and not self.bets:
                line |= {"paid": stake.paid, "taken": stake.collected if outcomes == "gross" else stake.kept}
            if wager in claimed and not tip:
                line["claimed"] = True
            wagers.append(line)
        seat["wagers"] = wagers
        if bonuses and outcomes != "none":
            seat["bonuses"] = bonuses
        return seat


def collect_by_mistake(
    rng: random.Random, events: list[Event], count_lying: Callable[[Event, Sequence[Event]], int]
) -> int:
    """Collect a stake that is paid or returned later, and return at which event the record stops before that.

    Args:
        rng: source of random numbers.
        events: the events of a round, which receive the collection.
        count_lying: returns how much of the stake of an event lies on the table after some events.
    """
    settled = [index for index, event in enumerate(events) if event["event"] in {"pay", "collect", "return"}]
    kept = [index for index in settled if events[index]["event"] != "collect"]
    if not kept:
        return rng.randint(0, len(events))
    index = rng.choice(kept)
    event, at = events[index], rng.choice([index, rng.randint(settled[0], index)])
    keys = {key: event[key] for key in ("seat", "wager", "selection", "tip") if event.get(key)}
    lying = count_lying(event, events[:at])
    if not lying or any(keys.items() <= other.items() for other in events[at:index]):
        return rng.randint(0, len(events))
    amount = rng.choice([lying, lying, max(lying // 2, 1)])
    events.insert(at, make_event("collect", **keys, amount=amount))
    return rng.randint(at + 1, index + 1)


def format_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def drop_events(record: Record, kinds: Collection[str]) -> Record:
    """Return a record of a log that does not record some kinds, such as `shuffle` or `deal/burn`."""
    copy = copy_record(record)
    kept = []
    for event in copy.get("events", ()):
        kind = event["event"]
        if kind not in kinds and f"{kind}/{event.get('place')}" not in kinds:
            kept.append(event)
    copy["events"] = kept
    copy["unrecorded"] = sorted({*copy.get("unrecorded", ()), *kinds})
    return copy


def drop_all_events(record: Record) -> Record:
    """Return the record as a summary alone."""
    copy = copy_record(record)
    copy.pop("events", None)
    copy.pop("unrecorded", None)
    return copy


def drop_keys(record: Record, keys: Collection[str]) -> Record:
    """Return the record without optional keys; `seat/KEY`, `wager/KEY` and `event/KEY` name keys further inside."""
    copy = copy_record(record)
    for key in keys:
        holder, _, name = key.rpartition("/")
        for target in _holders(copy, holder):
            target.pop(name, None)
    return copy


def _holders(record: Record, holder: str) -> list[Record]:
    seats = record["seats"]
    match holder:
        case "":
            return [record]
        case "seat":
            return list(seats)
        case "wager":
            return [wager for seat in seats for wager in seat["wagers"]]
        case "event":
            return list(record.get("events", ()))
    raise ValueError(holder)


def hide_cards(record: Record, is_hidden: Callable[[str], bool]) -> Record:
    """Return the record with `??` for each card that nobody saw, wherever the record names it."""
    copy = copy_record(record)

    def hide(holder: Record, key: str) -> None:
        if isinstance(holder.get(key), str):
            holder[key] = join_cards("??" if is_hidden(card) else card for card in split_cards(holder[key]))

    for key in ("dealer", "dealer-discarded", "dealer-drawn", "community", "community-discarded"):
        hide(copy, key)
    for seat in copy["seats"]:
        for key in ("cards", "discarded", "drawn"):
            hide(seat, key)
    for event in copy.get("events", ()):
        hide(event, "cards")
    return copy


Recorder = Callable[[random.Random, Sequence[Round]], list[Record]]
"""Function that makes records of rounds."""


@dataclass
class Clock:
    """Clock of a table: rounds follow each other by some minutes."""

    now: datetime

    def advance(self, rng: random.Random, low: float = 1.0, high: float = 4.0) -> datetime:
        self.now += timedelta(seconds=round(60 * rng.uniform(low, high)))
        return self.now


def write_log(path: Path, records: Iterable[Record]) -> Path:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_amount(minor: int) -> int | str:
    """Return an amount as a submission states it, in units of the currency."""
    units, rest = divmod(minor, 100)
    return f"{units}.{rest:02d}" if rest else units


def write_submissions(folder: Path, submissions: Sequence[Submission], stem: str = "submission") -> list[Path]:
    """Write each submission into a file of its own."""
    paths = []
    for index, submission in enumerate(submissions):
        path = folder / (f"{stem}.yaml" if len(submissions) == 1 else f"{stem}.{index + 1}.yaml")
        path.write_text(json.dumps(submission, indent=1), encoding="utf-8")  # which is YAML, and quick to write
        paths.append(path)
    return paths
