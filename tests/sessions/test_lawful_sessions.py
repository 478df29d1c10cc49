"""Lawful sessions, written by hand from the texts: shifts, decks, devices and records of many kinds, without
findings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run

Event = dict[str, Any]
Record = dict[str, Any]

LOSES = {"cards": "2c7dJh", "discarded": "2c", "decision": "bet"}
"""A hand of Section 38 that loses with the community cards 9c, Ts and 4d, in either version."""
STEPS = ("opened", "inspected", "verified", "spread", "viewed", "turned-down", "washed", "stacked")
BY = {"inspected": "dealer", "verified": "floorperson", "viewed": "player"}


def device(what: str) -> Event:
    return {"event": "device", "what": what, "by": "supervisor"}


def fault(what: str, **more: Any) -> Event:
    return {"event": "fault", "what": what, **more}


def receive(*decks: str | None) -> list[Event]:
    """Receive decks at the table, each with every step."""
    return [_with_deck(deck, event) for deck in decks for event in map(_step, STEPS)]


def spread(deck: str | None = None) -> list[Event]:
    """Spread the cards of an idle table, and take them up again for the first player."""
    return [_with_deck(deck, _step(what)) for what in STEPS[3:]]


def remove(deck: str | None = None) -> Event:
    return _with_deck(deck, {"event": "deck", "what": "removed"})


def _step(what: str) -> Event:
    face = {"face": "up"} if what == "spread" else {}
    by = {"by": BY[what]} if what in BY else {}
    return {"event": "deck", "what": what, **face, **by}


def _with_deck(deck: str | None, event: Event) -> Event:
    return event if deck is None else {**event, "deck": deck}


def machine(deck: str | None = None) -> Event:
    return _with_deck(deck, {"event": "shuffle", "by": "machine"})


def hand(deck: str | None = None, *, cut: bool = True) -> list[Event]:
    cuts = [_with_deck(deck, {"event": "cut", "by": "dealer", "number": 20})] if cut else []
    return [_with_deck(deck, {"event": "shuffle", "by": "dealer"}), *cuts]


COUNT: Event = {"event": "count", "what": "stub", "number": 46, "by": "dealer"}


def holdem(
    number: int | None,
    front: Sequence[Event] = (),
    *,
    mid: Sequence[Event] = (),
    end: Sequence[Event] = (),
    deck: str | None = None,
    minute: int | None = None,
    count: bool = True,
    void: bool = False,
    shoe: str = "manual",
    **more: Any,
) -> Record:
    """Build a round of Section 38 with one player, who loses.

    `front` comes before its wager, `mid` during play, `end` after it. A `void` round is stopped, as the player
    received too many cards.
    """
    minute = minute if minute is not None else number or 0
    stacks = shoe == "automated"
    ante = {"event": "wager", "seat": 3, "wager": "ante", "amount": 1000, "in": "chips"}
    by = "machine" if stacks else "dealer"
    player, community = ["2c", "7d", "Jh"], ["9c", "Ts", "4d"]
    cards = [("player", 3, card) for card in player], [("community", None, card) for card in community]
    order = [pair for both in zip(*cards, strict=True) for pair in both]
    packets = [("player", 3, "".join(player)), ("community", None, "".join(community))] if stacks else order
    if void:
        packets = [("player", 3, "2c7dJh5s"), *packets[1:]] if stacks else [*order, ("player", 3, "5s")]
    deals = [
        {"event": "deal", "place": place, "cards": dealt, "face": "down", "by": by} | ({"seat": seat} if seat else {})
        for place, seat, dealt in packets
    ]
    in_shoe = [] if stacks else [{"event": "deck", "what": "in-shoe", "by": "dealer"}]
    opening = [*front, *in_shoe, ante, {"event": "announce", "what": "no-more-bets", "by": "dealer"}, *deals]
    seat: dict[str, Any] = {"seat": 3, "player": "P3", "bonuses": []}
    if void:
        events = [
            *opening,
            {"event": "misdeal", "place": "table"},
            {"event": "return", "seat": 3, "wager": "ante", "amount": 1000},
        ]
        seat |= {"cards": "2c7dJh5s", "wagers": [{"wager": "ante", "amount": 1000, "paid": 0, "taken": 0}]}
    else:
        events = [
            *opening,
            *([COUNT] if count else []),
            *mid,
            {"event": "decide", "seat": 3, "decision": "bet"},
            {"event": "wager", "seat": 3, "wager": "bet", "amount": 1000, "in": "chips"},
            {"event": "discard", "place": "player", "seat": 3, "cards": "2c", "face": "down"},
            {"event": "reveal", "place": "community", "cards": "9cTs4d"},
            {"event": "reveal", "place": "player", "seat": 3, "cards": "7dJh"},
            {"event": "collect", "seat": 3, "wager": "ante", "amount": 1000},
            {"event": "collect", "seat": 3, "wager": "bet", "amount": 1000},
            {"event": "collect-cards", "place": "player", "seat": 3, "cards": "2c7dJh"},
            {"event": "collect-cards", "place": "community", "cards": "9cTs4d"},
        ]
        stakes = [{"wager": wager, "amount": 1000, "paid": 0, "taken": 1000} for wager in ("ante", "bet")]
        seat |= {**LOSES, "wagers": stakes}
    record = {
        "round": f"R{minute}",
        "casino": "Simulated House",
        "table": "C1",
        "time": f"2026-03-{2 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00Z",
        "game": "s38",
        "seats": [seat],
        "community": "9cTs4d",
        "events": [*events, *end],
        **more,
    }
    return record | ({} if number is None else {"number": number}) | ({} if deck is None else {"deck": deck})


def other(deck: str) -> str:
    return "red" if deck == "blue" else "blue"


def in_turn(first: int, last: int, *, start: str = "blue", recorded: str = "at the start") -> Iterator[Record]:
    """Build rounds with two decks in turn.

    The device shuffles the deck that rests; its shuffle is recorded when it starts, when it ends, or alternately.
    """
    deck = start
    for number in range(first, last + 1):
        starts = recorded == "at the start" or (recorded == "either" and number % 3 != 0)
        late = recorded == "at the end" or (recorded == "either" and (number - 1) % 3 == 0)
        front = [machine(deck)] if late and number > first else []
        yield holdem(number, front, mid=[machine(other(deck))] if starts else [], deck=deck)
        deck = other(deck)


def by_hand() -> dict[str, list[Record]]:
    """Build sessions of Section 38 with one deck that the dealer shuffles."""
    opens = holdem(1, [*receive(None), *hand()])
    return {
        "a shift": [opens, *(holdem(n, hand()) for n in range(2, 8))],
        "the stub counted every fifth round": [
            holdem(1, [*receive(None), *hand()], count=False),
            *(holdem(n, hand(), count=n % 5 == 0) for n in range(2, 13)),
        ],
        "shuffled and cut when a round is over": [
            holdem(1, [*receive(None), *hand()], end=hand()),
            *(holdem(n, end=hand()) for n in range(2, 6)),
        ],
        "shuffled when a round is over and cut in front of the next": [
            holdem(1, [*receive(None), *hand()], end=hand(cut=False)),
            *(holdem(n, hand()[1:], end=hand(cut=False)) for n in range(2, 6)),
        ],
        "a log that begins in mid-shift": [holdem(n, end=hand()) for n in range(57, 62)],
        "a log without numbers that begins in mid-shift": [holdem(None, end=hand(), minute=n) for n in range(5)],
        "records that are missing": [opens, *(holdem(n, hand(), count=False) for n in (2, 3, 4, 6, 7, 8))],
        "a deck exchanged between two rounds": [
            holdem(1, [*receive("blue"), *hand()], deck="blue"),
            holdem(2, [remove("blue"), *receive("red"), *hand()], deck="red"),
            holdem(3, hand(), deck="red"),
        ],
        "a deck exchanged at the end of a record": [
            holdem(1, [*receive("blue"), *hand()], end=[remove("blue"), *receive("red")], deck="blue"),
            holdem(2, hand(), deck="red"),
            holdem(3, hand(), deck="red"),
        ],
        "decks changed after seven hours": [
            holdem(1, [*receive(None), *hand()]),
            *(holdem(n, hand(), minute=60 * n - 60) for n in range(2, 8)),
            holdem(8, [remove(), *receive(None), *hand()], minute=7 * 60),
            *(holdem(n, hand(), minute=60 * n - 60) for n in range(9, 15)),
        ],
        "a void round, reshuffled": [opens, holdem(2, hand(), void=True), holdem(3, hand()), holdem(4, hand())],
        "void rounds among the five": [
            holdem(1, [*receive(None), *hand()], count=False),
            *(holdem(n, hand(), void=n in (2, 4), count=False) for n in (2, 3, 4, 5)),
            holdem(6, hand(), count=False),
            holdem(7, hand()),
        ],
        "an idle table": [opens, holdem(2, [*spread(), *hand()]), holdem(3, hand())],
        "closed and opened again": [
            opens,
            holdem(2, hand(), count=False),
            holdem(1, [*receive(None), *hand()], minute=1440),
            holdem(2, hand(), minute=1441),
        ],
        "opened on the next day with a deck of another name": [
            holdem(1, [*receive("blue"), *hand()], deck="blue"),
            holdem(2, hand(), deck="blue"),
            holdem(1, [*receive("red"), *hand()], deck="red", minute=1440),
            holdem(2, hand(), deck="red", minute=1441),
        ],
        "decks named on one day alone": [
            holdem(1, [*receive("blue"), *hand()], deck="blue"),
            holdem(2, hand(), deck="blue"),
            holdem(1, [*receive(None), *hand()], minute=1440),
            holdem(2, hand(), minute=1441),
        ],
        "a record that stops, and the deck exchanged after it": [
            holdem(1, [*receive("blue"), *hand()], deck="blue", complete=False),
            holdem(2, hand(), deck="red"),
        ],
        "a round that does not name its deck": [
            holdem(1, [*receive("blue"), *hand()], deck="blue"),
            holdem(2, hand()),
            holdem(3, hand(), deck="blue"),
        ],
    }


def with_two_decks() -> dict[str, list[Record]]:
    """Build sessions of Section 38 with two decks and a device."""
    opens = [*receive("blue", "red"), machine("blue")]

    def opening(**more: Any) -> Record:
        return holdem(1, opens, mid=[machine("red")], deck="blue", **more)

    def strip_deck(record: Record) -> Record:
        return {key: value for key, value in record.items() if key != "deck"}

    return {
        "in turn, shuffles recorded at the start": [opening(), *in_turn(2, 9, start="red")],
        "in turn, shuffles recorded when the device is done": [
            holdem(1, opens, deck="blue"),
            holdem(2, [machine("red")], deck="red"),
            *in_turn(3, 3, recorded="at the end"),
        ][:2]
        + [holdem(n, [machine(("red", "blue")[n % 2])], deck=("red", "blue")[n % 2]) for n in range(3, 9)],
        "in turn, shuffles recorded either way": [opening(), *in_turn(2, 12, start="red", recorded="either")],
        "a shuffle recorded when the deck is taken out, and then that of the other at its start": [
            holdem(1, opens, deck="blue"),
            holdem(2, [machine("red"), machine("blue")], deck="red"),
            holdem(3, deck="blue", mid=[machine("red")]),
            holdem(4, deck="red"),
        ],
        "a log that begins in mid-shift": list(in_turn(30, 35, start="red")),
        "a log without numbers": [
            holdem(None, mid=[machine(other(deck))], deck=deck, minute=at)
            for at, deck in enumerate(("red", "blue", "red", "blue"))
        ],
        "a record that is missing": [opening(), *in_turn(2, 3, start="red"), *in_turn(5, 8, start="blue")],
        "rounds that do not name their deck": [
            strip_deck(record) if at in (0, 3, 4) else record
            for at, record in enumerate([opening(), *in_turn(2, 8, start="red")])
        ],
        "no round names its deck": [strip_deck(record) for record in [opening(), *in_turn(2, 8, start="red")]],
        "the same deck after a void round": [
            opening(),
            holdem(2, deck="red", mid=[machine("blue")], void=True, end=[machine("red")]),
            holdem(3, deck="red", mid=[machine("blue")]),
            *in_turn(4, 6, start="blue"),
        ],
        "the other deck after a void round": [
            opening(),
            holdem(2, deck="red", void=True, end=[machine("blue"), machine("red")]),
            *in_turn(3, 6, start="blue"),
        ],
        "the device jams with the deck that rests": [
            holdem(1, opens, mid=[machine("red"), fault("shuffler", deck="red"), machine("red")], deck="blue"),
            *in_turn(2, 5, start="red"),
        ],
        "the device jams, which deck it has is not recorded": [
            holdem(1, opens, mid=[machine("red"), fault("shuffler"), machine("red")], deck="blue"),
            *in_turn(2, 5, start="red"),
        ],
        "the device is taken away, and brought back": [
            opening(),
            *in_turn(2, 3, start="red"),
            *(
                holdem(n, [*([device("shuffler-removed")] if n == 4 else []), *hand("blue")], deck="blue")
                for n in (4, 5, 6)
            ),
            holdem(7, [device("shuffler-installed"), machine("red")], mid=[machine("blue")], deck="red"),
            *in_turn(8, 10, start="blue"),
        ],
        "one deck is taken away and the other dealt alone": [
            opening(),
            *in_turn(2, 3, start="red"),
            holdem(4, [remove("red"), machine("blue")], deck="blue"),
            holdem(5, [machine("blue")], deck="blue"),
            holdem(6, [machine("blue"), *receive("green")], mid=[machine("green")], deck="blue"),
            holdem(7, mid=[machine("blue")], deck="green"),
            holdem(8, mid=[machine("green")], deck="blue"),
        ],
        "one deck is exchanged": [
            opening(),
            holdem(2, mid=[machine("blue")], deck="red", end=[remove("blue"), *receive("green"), machine("green")]),
            holdem(3, mid=[machine("red")], deck="green"),
            holdem(4, mid=[machine("green")], deck="red"),
        ],
        "both decks are exchanged": [
            opening(),
            holdem(2, mid=[machine("blue")], deck="red"),
            holdem(
                3,
                [remove("blue"), remove("red"), *receive("green", "white"), machine("green")],
                mid=[machine("white")],
                deck="green",
            ),
            holdem(4, mid=[machine("green")], deck="white"),
            holdem(5, mid=[machine("white")], deck="green"),
        ],
        "an idle table": [
            opening(),
            holdem(
                2,
                [*spread("red"), *spread("blue"), machine("red")],
                mid=[machine("blue")],
                deck="red",
            ),
            *in_turn(3, 5, start="blue"),
        ],
        "a record that stops": [
            opening(),
            holdem(2, deck="red", complete=False),
            holdem(3, deck="red", mid=[machine("blue")]),
        ],
    }


def with_the_automated_shoe() -> dict[str, list[Record]]:
    """Build sessions of Section 38 dealt from an automated shoe."""

    def stacks(number: int, front: Sequence[Event] = (), **more: Any) -> Record:
        return holdem(number, [*front, machine()], shoe="automated", **more)

    def jam(number: int) -> Record:
        record = stacks(number)
        ante = next(at for at, event in enumerate(record["events"]) if event["event"] == "deal")
        record["events"] = [
            *record["events"][: ante + 1],
            fault("shoe"),
            {"event": "misdeal", "place": "table"},
            {"event": "return", "seat": 3, "wager": "ante", "amount": 1000},
        ]
        record["community"] = ""
        wagers = [{"wager": "ante", "amount": 1000, "paid": 0, "taken": 0}]
        record["seats"] = [{"seat": 3, "player": "P3", "cards": "2c7dJh", "wagers": wagers, "bonuses": []}]
        return record

    return {
        "a shift": [stacks(1, receive(None)), *(stacks(n) for n in range(2, 6))],
        "the shoe is taken away after a jam, and brought back": [
            stacks(1, receive(None)),
            jam(2),
            holdem(3, [device("shoe-removed"), machine()]),
            *(holdem(n, [machine()]) for n in range(4, 7)),
            stacks(7, [device("shoe-installed")]),
            stacks(8),
        ],
        "the shoe is taken away at the end of a record": [
            stacks(1, receive(None), end=[device("shoe-removed")]),
            holdem(2, [machine()]),
            holdem(3, [machine()]),
        ],
        "a log that begins in mid-shift after the shoe was taken away": [holdem(n, [machine()]) for n in (40, 41)],
        "the round in which the shoe was taken away is missing": [
            stacks(1, receive(None)),
            holdem(3, [machine()]),
            holdem(4, [machine()]),
        ],
    }


HOUSES = {
    "by hand": ({}, by_hand()),
    "two decks": (
        {
            "decks: 1": "decks: 2",
            "  - blue\n": "  - blue\n  - red\n",
            "shuffler: none": "shuffler: mechanical",
        },
        with_two_decks(),
    ),
    "automated shoe": (
        {
            "shuffler: none": "shuffler: mechanical",
            "shoe: manual": "shoe: automated",
            "dealing: manual-shoe": "dealing: automated-shoe",
        },
        with_the_automated_shoe(),
    ),
}


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("house")
    written = ["-o", str(folder / "log.jsonl"), "--write-submission", str(folder / "house.yaml")]
    assert run("simulate", "s38", "--rounds", "1", "--seed", "1", *written).code == 0
    return (folder / "house.yaml").read_text()


@pytest.mark.parametrize(("house", "session"), [(house, name) for house in HOUSES for name in HOUSES[house][1]])
def test_a_lawful_session_is_not_accused(house: str, session: str, submission: str, tmp_path: Path) -> None:
    changes, sessions = HOUSES[house]
    for old, new in changes.items():
        assert old in submission
        submission = submission.replace(old, new)
    log, filed = tmp_path / "log.jsonl", tmp_path / "house.yaml"
    log.write_text("".join(json.dumps(record) + "\n" for record in sessions[session]))
    filed.write_text(submission)
    found = run("audit", str(log), "-s", str(filed), "-o", "json")
    assert found.code in (0, 1, 4), found.err
    results = found.results
    assert not results["quarantined"]
    failures = [finding for finding in results["findings"] if finding["status"] == "fail"]
    assert not [(failure["requirement"], failure["where"]["round"], failure["observed"]) for failure in failures]
