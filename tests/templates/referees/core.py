"""Core of the referees: a round at a table, its stakes and record, and violations that many games share."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.facade.records import copy_record
from tests.lawful.record import (
    DECK,
    Clock,
    Event,
    Record,
    Session,
    Stake,
    Submission,
    drop_all_events,
    drop_events,
    format_time,
    hide_cards,
    interleave,
    join_cards,
    make_event,
    split_amount,
    split_cards,
    write_amount,
)

Key = tuple[int, str, tuple[str, ...]]
"""Seat, wager, and the numbers that the wager is on."""

CALL = "no-more-bets"
MONEY = ("wager", "withdraw", "collect", "pay", "return")
SETTLING = ("collect", "pay", "return")
RARE = 0.04


@dataclass
class Result:
    """Outcome of a stake, in minor units."""

    paid: int = 0
    taken: int = 0
    commission: int = 0
    """Part of the payment that the house keeps; the log states the payment without it."""


def win(stake: int, odds: Fraction | int) -> Result:
    """Return a win at odds to 1; a fraction of a minor unit is not paid."""
    return Result(paid=int(stake * odds))


def lose(stake: int) -> Result:
    return Result(taken=stake)


@dataclass
class Round:
    """Round in progress: what happened, in order, and what the referee knows about it."""

    game: str
    casino: str
    number: int
    time: datetime
    rng: random.Random
    house: dict[str, Any]
    is_plain: bool = False
    """True if everything happens in the most common way, as violations need."""
    events: list[Event] = field(default_factory=list)
    players: dict[int, str | None] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    carried: dict[Key, int] = field(default_factory=dict)
    """Stakes that lie on the table from the round before."""
    bonuses: tuple[str, ...] = ()
    """Payments without a stake of their own."""

    @property
    def id(self) -> str:
        return f"{self.casino}-{self.number}"

    def chance(self, share: float = RARE) -> bool:
        return not self.is_plain and self.rng.random() < share

    def add(self, kind: str, **keys: Any) -> Event:
        event = make_event(kind, **keys)
        self.events.append(event)
        return event

    def sit(self, most: int, least: int = 1) -> list[int]:
        """Seat some players, and return their seats from the dealer's left."""
        seats = sorted(self.rng.sample(range(1, most + 1), self.rng.randint(least, most)))
        named = not self.chance(0.2)
        self.players = {seat: f"P{seat}" if named else None for seat in seats}
        for seat in seats:
            if self.chance(0.03):
                self.add("arrive", seat=seat)
                self.add("chips-in", seat=seat, amount=50_000)
        return seats

    def choose_amount(self, wager: str) -> int:
        """Return an amount within the limits, in steps of 10.00 or of the minimum."""
        low, high = self.house["limits"][wager]
        steps = [low, high, *(low * times for times in (2, 3, 4, 5, 10) if low * times <= high)]
        return low if self.is_plain and self.rng.random() < 0.5 else self.rng.choice(steps)

    def place(
        self, seat: int, wager: str, amount: int, on: Sequence[str] = (), *, is_final: bool = False
    ) -> list[Event]:
        """Return the events of a stake: whole, in parts, or taken back and placed anew."""
        keys = {"seat": seat, "wager": wager, "selection": " ".join(on) or None}
        if not is_final and self.chance():
            first = self.rng.choice([amount, 2 * amount])
            return [
                make_event(kind, amount=sum_, **keys)
                for kind, sum_ in (("wager", first), ("withdraw", first), ("wager", amount))
            ]
        parts = split_amount(self.rng, amount, 2) if self.chance() else [amount]
        return [make_event("wager", amount=part, **keys) for part in parts]

    def place_all(self, blocks: Iterable[list[Event]]) -> None:
        """Add the events of stakes, seat by seat or, as at a busy table, one among the other."""
        kept = [list(block) for block in blocks]
        if self.chance(0.5):
            self.events += interleave(self.rng, *kept)
        else:
            self.events += [event for block in kept for event in block]

    def stakes(self, events: Sequence[Event] | None = None) -> dict[Key, Stake]:
        """Return the sums of every stake, after some events or all."""
        stakes = {key: Stake(amount=amount, lying=amount) for key, amount in self.carried.items()}
        for event in self.events if events is None else events:
            if event["event"] in MONEY:
                stakes.setdefault(key_of(event), Stake()).follow(event)
        return stakes

    def all(self, kind: str, **keys: Any) -> list[Event]:
        """Return the events of a kind that have these values."""
        return [event for event in self.events if event["event"] == kind and keys.items() <= event.items()]

    def place_of(self, event: Event) -> int:
        return next(index for index, other in enumerate(self.events) if other is event)

    def remove(self, *events: Event) -> None:
        for event in events:
            del self.events[self.place_of(event)]

    def move(self, event: Event, index: int) -> None:
        """Move an event to an index of the list without it."""
        self.remove(event)
        self.events.insert(index, event)

    def cards(self, place: str, seat: int | None = None, events: Sequence[Event] | None = None) -> list[str]:
        """Return the cards that were dealt to a place, in order."""
        return [
            card
            for event in (self.events if events is None else events)
            if event["event"] == "deal" and event["place"] == place and event.get("seat") == seat
            for card in split_cards(event["cards"])
        ]

    def deal(self, place: str, cards: Sequence[str], seat: int | None = None, face: str = "down") -> None:
        """Deal cards in one motion."""
        shown = None if self.chance(0.02) else face
        self.add("deal", place=place, seat=seat, cards=join_cards(cards), face=shown, by="dealer")

    def settle(self, results: Mapping[Key, Result]) -> None:
        """Add the events that settle stakes: losing ones first."""
        lost, won = [], []
        stakes = self.stakes()
        for key, result in results.items():
            seat, wager, on = key
            keys = {"seat": seat, "wager": wager, "selection": " ".join(on) or None}
            lying = stakes[key].lying if key in stakes else 0
            if result.taken and self.chance(0.02):
                lost += [make_event("collect", amount=part, **keys) for part in split_amount(self.rng, result.taken, 2)]
            elif result.taken:
                lost.append(make_event("collect", amount=result.taken, **keys))
            elif lying and self.chance(0.02):  # taken by mistake, and put back at once
                lost += [make_event(kind, amount=lying, **keys) for kind in ("collect", "return")]
            rest = lying - result.taken
            if result.paid:
                won.append(make_event("pay", amount=result.paid - result.commission, **keys))
            if rest and not key_stays(self, key) and (not result.paid or self.chance()) and not self.chance(0.2):
                won.append(make_event("return", amount=rest, **keys))
        self.events += [*lost, *won]

    def record(self, *, stop: int | None = None, way: str = "gross") -> Record:
        """Return the record, or the one that stops after some events.

        Outcomes are `gross` (all that was collected), `net` (less what was put back) or `none` (left out).
        """
        events = self.events if stop is None else self.events[:stop]
        record: Record = {"round": self.id, "casino": self.casino, "table": "T1", "time": format_time(self.time)}
        record |= {"game": self.game, "number": self.number}
        stakes = self.stakes(events)
        seats = {key[0] for key in stakes} | {event["seat"] for event in events if "seat" in event}
        record["seats"] = [
            self._seat(seat, stakes, events, "none" if stop is not None else way)
            for seat in sorted(seats | (set(self.players) if stop is None else set()))
        ]
        for place in ("dealer", "community"):
            dealt = self.cards(place, None, events)
            record |= {place: join_cards(dealt)} if dealt else {}
        values = {event["what"]: event["value"] for event in events if event["event"] == "outcome"}
        record |= {"outcomes": values} if values else {}
        record["events"] = copy_record(list(events))
        return record if stop is None else record | {"complete": False}

    def _seat(self, seat: int, stakes: Mapping[Key, Stake], events: Sequence[Event], way: str) -> Record:
        found: Record = {"seat": seat}
        found |= {"player": self.players[seat]} if self.players.get(seat) else {}
        origin = self.facts.get("split-of", {}).get(seat)
        found |= {"split-of": origin} if origin else {}
        dealt = self.cards("player", seat, events)
        found |= {"cards": join_cards(dealt)} if dealt else {}
        decided = [event["decision"] for event in events if event["event"] == "decide" and event["seat"] == seat]
        found |= {"decision": decided[-1]} if decided else {}
        found["wagers"] = []
        for key, stake in stakes.items():
            owner, wager, on = key
            if owner != seat or not (stake.amount or stake.paid or stake.collected):
                continue
            if wager in self.bonuses:
                if way != "none":
                    found.setdefault("bonuses", []).append({"bonus": wager, "paid": stake.paid})
                continue
            line: Record = {"wager": wager} | ({"selection": " ".join(on)} if on else {}) | {"amount": stake.amount}
            line |= {"brought": self.carried[key]} if key in self.carried else {}
            if way != "none":
                line |= {"paid": stake.paid, "taken": stake.collected if way == "gross" else stake.kept}
            found["wagers"].append(line)
        return found


def key_of(event: Event) -> Key:
    return event["seat"], event["wager"], tuple(event.get("selection", "").split())


def key_stays(round_: Round, key: Key) -> bool:
    """Return whether an undecided stake stays on the table for the next round."""
    return key in round_.facts.get("stays", ())


def list_unseen(round_: Round) -> set[str]:
    """Return the cards that nobody turned up: those of players who folded, if no other place has such a card."""
    out = round_.facts.get("folded", ())
    seen = {
        card for event in round_.all("deal") if event.get("seat") not in out for card in split_cards(event["cards"])
    }
    return {card for seat in out for card in round_.cards("player", seat)} - seen


class Referee(ABC):
    """Game as its text describes it: houses, rounds, settlement, violations."""

    game: str
    """Id of the document, and the name of its folder."""
    session = 1
    """Rounds that a violation may need at one table."""
    options: Mapping[str, Sequence[Any]] = {}
    """Choices of the licensee, each with its values."""
    limits: Mapping[str, tuple[int, int]] = {}
    """Posted limits of each wager, in minor units."""
    bonuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards")
    """Kinds of event that a log may leave out."""
    violations: list[Violation]

    def new_house(self, rng: random.Random) -> dict[str, Any]:
        """Return the choices of a licensee."""
        house = {name: rng.choice(list(values)) for name, values in self.options.items()}
        return house | {"limits": dict(self.limits)}

    def submit(self, house: Mapping[str, Any], casino: str) -> Submission:
        """Return the submission of a licensee."""
        submission: Submission = {"submission": casino, "licensee": {"name": casino}, "document": self.game}
        submission["effective"] = "2026-01-01"
        if self.options:
            submission["options"] = {name: house[name] for name in self.options}
        submission["wagers"] = [
            {"wager": wager, "minimum": write_amount(low), "maximum": write_amount(high)}
            for wager, (low, high) in house["limits"].items()
        ]
        return submission

    @abstractmethod
    def play(self, round_: Round, table: dict[str, Any]) -> None:
        """Play a lawful round; `table` keeps what lasts from round to round, such as a shoe."""

    def open_session(self, seed: int, casino: str, rounds: int, *, is_plain: bool = False) -> Iterable[Round]:
        """Yield rounds of one table in the order of play."""
        rng = random.Random(f"{self.game}-{seed}")
        house, clock = self.new_house(rng), Clock(datetime(2026, 5, 1, 18, tzinfo=UTC))
        table: dict[str, Any] = {}
        for number in range(1, rounds + 1):
            round_ = Round(self.game, casino, number, clock.advance(rng), rng, house, is_plain, bonuses=self.bonuses)
            self.play(round_, table)
            yield round_

    def write(self, seed: int, rounds: int, length: int = 12) -> Session:
        """Return lawful records of several tables, as logs of all kinds keep them, and submissions."""
        records, submissions = [], []
        for index in range(0, rounds, length):
            casino = f"C{seed}-{index}"
            played = list(self.open_session(seed * 100_003 + index, casino, min(length, rounds - index)))
            submissions.append(self.submit(played[0].house, casino))
            records += self.project(random.Random(f"{seed}-{index}"), played)
        return records, submissions

    def project(self, rng: random.Random, rounds: Sequence[Round]) -> list[Record]:
        """Return the records of a session in one of the ways in which logs keep rounds."""
        way = rng.choice(["gross", "gross", "net", "none", "summary", "kinds", "stop", "hidden", "notes"])
        outcomes = {"net": "net", "none": "none", "summary": "net"}.get(way, "gross")
        if way in {"summary", "kinds"}:  # without all events nobody sees why a late stake went back
            for round_ in rounds:
                round_.remove(*round_.facts.get("late", ()))
        records = [round_.record(way=outcomes) for round_ in rounds]
        if way == "hidden":
            pairs = zip(records, rounds, strict=True)
            return [hide_cards(record, list_unseen(round_).__contains__) for record, round_ in pairs]
        if way == "notes":
            return [record | {"context": {"dealer": "D7", "shift": "night", "pit": 4}} for record in records]
        if way == "summary":
            return [drop_all_events(record) for record in records]
        if way == "kinds":
            kinds = rng.sample(self.kinds, rng.randint(1, len(self.kinds)))
            return [drop_events(record, kinds) for record in records]
        if way == "stop":
            records[-1] = rounds[-1].record(stop=rng.randrange(len(rounds[-1].events) + 1))
        return records


@dataclass(frozen=True)
class Case:
    """Session whose last round is unlawful, the same session as it should be, and the submission."""

    records: list[Record]
    controls: list[Record]
    submission: Submission


@dataclass(frozen=True)
class Violation:
    """Change of a lawful round that breaks one clause; it returns whether the round gave occasion for it."""

    name: str
    clause: str
    apply: Callable[[list[Round]], bool]
    """Function of the rounds of a session so far; the last one is to be unlawful."""

    def build(self, referee: Referee, seed: int = 1, tries: int = 4_000) -> Case:
        """Return a session whose last round is unlawful.

        Raises:
            LookupError: no round gave occasion for the violation.
        """
        for attempt in range(tries):
            played: list[Round] = []
            for round_ in referee.open_session(seed * 7919 + attempt, self.name, referee.session, is_plain=True):
                played.append(round_)
                controls = [earlier.record() for earlier in played]
                if self.apply(played):
                    return Case([each.record() for each in played], controls, referee.submit(round_.house, self.name))
        raise LookupError(f"{referee.game}: no round gave occasion for {self.name}")


class Violations(list[Violation]):
    """List to which a decorator adds functions with the clause that they break."""

    def breaks(self, clause: str) -> Callable[[Callable[[Round], bool]], Callable[[Round], bool]]:
        """Return a decorator of functions that change a round, and return whether it gave occasion for that."""

        def add(function: Callable[[Round], bool]) -> Callable[[Round], bool]:
            self.put(function.__name__, clause, function)
            return function

        return add

    def breaks_session(self, clause: str) -> Callable[[Callable[[list[Round]], bool]], Callable[[list[Round]], bool]]:
        """Return a decorator of functions that change several rounds of a session."""

        def add(function: Callable[[list[Round]], bool]) -> Callable[[list[Round]], bool]:
            self.append(Violation(name_of(function.__name__), clause, function))
            return function

        return add

    def put(self, name: str, clause: str, change: Callable[[Round], bool]) -> None:
        """Add a change of one round under a name."""
        self.append(Violation(name_of(name), clause, lambda rounds: change(rounds[-1])))

    def add_payments(self, clauses: Mapping[str, str]) -> None:
        """Add wrong outcomes of each wager: too little, too much, not taken, taken from a winner."""
        changes = {
            "underpaid": underpay,
            "overpaid": overpay,
            "unpaid": omit_payment,
            "lost-but-kept": omit_collection,
            "lost-but-paid": pay_loser,
            "won-but-taken": collect_winner,
        }
        for wager, clause in clauses.items():
            for name, change in changes.items():
                self.put(f"{wager}-{name}", clause, bind(change, wager))


def name_of(text: str) -> str:
    return text.replace("_", "-")


def bind(change: Callable[[Round, str], bool], wager: str) -> Callable[[Round], bool]:
    return lambda round_: change(round_, wager)


def pick(round_: Round, kind: str, **keys: Any) -> Event | None:
    """Return an event of a kind at random, if there is any."""
    events = round_.all(kind, **keys)
    return round_.rng.choice(events) if events else None


def underpay(round_: Round, wager: str) -> bool:
    event = pick(round_, "pay", wager=wager)
    if event is None or event["amount"] < 2:
        return False
    event["amount"] -= min(100, event["amount"] // 2)
    return True


def overpay(round_: Round, wager: str) -> bool:
    event = pick(round_, "pay", wager=wager)
    if event is None:
        return False
    event["amount"] += 100
    return True


def omit_payment(round_: Round, wager: str) -> bool:
    event = pick(round_, "pay", wager=wager)
    if event is None:
        return False
    round_.remove(event)
    return True


def omit_collection(round_: Round, wager: str) -> bool:
    event = pick(round_, "collect", wager=wager)
    if event is None:
        return False
    event["event"] = "return"
    return True


def pay_loser(round_: Round, wager: str) -> bool:
    event = pick(round_, "collect", wager=wager)
    if event is None:
        return False
    event["event"] = "pay"
    return True


def collect_winner(round_: Round, wager: str) -> bool:
    event = pick(round_, "pay", wager=wager)
    if event is None:
        return False
    event |= {"event": "collect", "amount": round_.stakes()[key_of(event)].amount}
    later = [other for other in round_.all("return") if key_of(other) == key_of(event)]
    round_.remove(*later)
    return True


def take_push(round_: Round, wager: str) -> bool:
    """Collect a stake that should go back."""
    stakes = round_.stakes()
    for event in round_.all("return", wager=wager):
        stake = stakes[key_of(event)]
        if not stake.paid and not stake.collected:
            event["event"] = "collect"
            return True
    return False


def scale(round_: Round, seat: int, factor: Fraction, wagers: Iterable[str] | None = None) -> None:
    """Multiply all amounts of a seat, so that the settlement stays as it should be."""
    names = None if wagers is None else set(wagers)
    for event in round_.events:
        if event["event"] in MONEY and event["seat"] == seat and (names is None or event["wager"] in names):
            event["amount"] = int(event["amount"] * factor)


def exceed_maximum(round_: Round, wager: str) -> bool:
    """Multiply the stakes of a seat until the wager exceeds its maximum."""
    event = pick(round_, "wager", wager=wager)
    if event is None:
        return False
    factor = Fraction(round_.house["limits"][wager][1] // event["amount"] + 1)
    scale(round_, event["seat"], factor, list_linked(round_, wager))
    return True


def undercut_minimum(round_: Round, wager: str) -> bool:
    """Divide the stakes of a seat until the wager is below its minimum."""
    event = pick(round_, "wager", wager=wager)
    if event is None:
        return False
    factor = Fraction(round_.house["limits"][wager][0], 2 * event["amount"])
    scale(round_, event["seat"], factor, list_linked(round_, wager))
    return True


def list_linked(round_: Round, wager: str) -> list[str] | None:
    """Return the wagers whose amounts depend on each other, with the one named; None for all."""
    groups: Sequence[Sequence[str]] = round_.facts.get("linked", ())
    return next((list(group) for group in groups if wager in group), [wager])


def omit_call(round_: Round) -> bool:
    calls = round_.all("announce", what=CALL)
    round_.remove(*calls)
    return bool(calls)


def call_late(round_: Round) -> bool:
    """Announce "no more bets" only after the first card or outcome."""
    calls = round_.all("announce", what=CALL)
    kinds = ("deal", "outcome")
    after = [
        index for index, event in enumerate(round_.events) if event["event"] in kinds and event.get("place") != "burn"
    ]
    if not calls or not after:
        return False
    round_.move(calls[-1], after[0])
    return True


def may_add(round_: Round, key: Key, stakes: Mapping[Key, int]) -> bool:
    """Return whether 10.00 more on a stake are within the limit."""
    return stakes.get(key, 0) + 1_000 <= round_.house["limits"][key[1]][1]


def increase_late(round_: Round) -> bool:
    """Double a stake that wins once the result is known, and pay the whole."""
    calls = round_.all("announce", what=CALL)
    if not calls:
        return False
    call, stakes = round_.place_of(calls[-1]), round_.stakes()
    for paid in round_.all("pay"):
        key = key_of(paid)
        stake, before = stakes[key], [event for event in round_.events[:call] if event["event"] == "wager"]
        moved = [event for event in round_.events if event["event"] in SETTLING and key_of(event) == key]
        most = round_.house["limits"].get(key[1], (0, 0))[1]
        if key not in map(key_of, before) or moved != [paid] or 2 * stake.amount > most:
            continue
        keys = {"seat": key[0], "wager": key[1], "selection": " ".join(key[2]) or None}
        round_.events.insert(round_.place_of(paid), make_event("wager", amount=stake.amount, **keys))
        paid["amount"] *= 2
        return True
    return False


def bet_late(round_: Round) -> bool:
    """Place an opening wager after "no more bets", and settle it as if it were in time."""
    calls = round_.all("announce", what=CALL)
    if not calls:
        return False
    index = round_.place_of(calls[-1])
    opening = [event for event in round_.events[:index] if event["event"] == "wager"]
    if not opening:
        return False
    round_.move(round_.rng.choice(opening), index)
    return True


def omit(kind: str, **keys: Any) -> Callable[[Round], bool]:
    """Return a violation that drops all events of a kind."""

    def apply(round_: Round) -> bool:
        events = round_.all(kind, **keys)
        round_.remove(*events)
        return bool(events)

    return apply


def swap_deals(round_: Round) -> bool:
    """Deal two neighbouring cards to each other's place, so that the turn is wrong."""
    deals = [event for event in round_.all("deal") if event["place"] != "burn"]
    for first, second in pairwise(deals):
        if (first["place"], first.get("seat")) != (second["place"], second.get("seat")):
            here, there = round_.place_of(first), round_.place_of(second)
            round_.events[here], round_.events[there] = second, first
            return True
    return False


def repeat_card(round_: Round) -> bool:
    """Deal a card that another place of the same deck has already."""
    deals = [event for event in round_.all("deal") if event["place"] != "burn"]
    if len(deals) < 2:
        return False
    card = split_cards(deals[0]["cards"])[0]
    old = split_cards(deals[-1]["cards"])[0]
    rename_card(round_, old, card, start=round_.place_of(deals[0]) + 1)
    return True


def rename_card(round_: Round, old: str, new: str, start: int = 0) -> None:
    for event in round_.events[start:]:
        if "cards" in event:
            event["cards"] = join_cards(new if card == old else card for card in split_cards(event["cards"]))


def shuffle_decks(rng: random.Random, decks: int = 1) -> list[str]:
    """Return shuffled decks; cards are dealt from the front."""
    cards = list(DECK) * decks
    rng.shuffle(cards)
    return cards
