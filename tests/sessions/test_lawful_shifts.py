"""Lawful shifts at tables of one deck, written by hand from the texts of three games, without findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run

Event = dict[str, Any]
Record = dict[str, Any]
Round = Callable[..., Record]

SHUFFLE: Event = {"event": "shuffle", "by": "dealer"}
CUT: Event = {"event": "cut", "by": "player"}


def deal(place: str, cards: str, seat: int | None = None) -> Event:
    named = {} if seat is None else {"seat": seat}
    return {"event": "deal", "place": place, **named, "cards": cards, "face": "down", "by": "dealer"}


def stake(wager: str, amount: int, paid: int, taken: int) -> dict[str, Any]:
    return {"wager": wager, "amount": amount, "paid": paid, "taken": taken}


def place_bet(seat: int, wager: str, amount: int) -> Event:
    return {"event": "wager", "seat": seat, "wager": wager, "amount": amount}


def pay(seat: int, wager: str, amount: int) -> Event:
    return {"event": "pay", "seat": seat, "wager": wager, "amount": amount}


SHINE: Record = {
    "game": "co-rule10-3card-shine",
    "seats": [
        {
            "seat": 1,
            "player": "P1",
            "cards": "Kh9d4s",
            "decision": "play",
            "wagers": [stake("ante", 1000, 1000, 0), stake("play", 1000, 1000, 0)],
            "bonuses": [],
        }
    ],
    "dealer": "Qs8c3d",
    "events": [
        place_bet(1, "ante", 1000),
        deal("player", "Kh", 1),
        deal("dealer", "Qs"),
        deal("player", "9d", 1),
        deal("dealer", "8c"),
        deal("player", "4s", 1),
        deal("dealer", "3d"),
        {"event": "decide", "seat": 1, "decision": "play"},
        place_bet(1, "play", 1000),
        {"event": "reveal", "place": "dealer", "cards": "Qs8c3d"},
        pay(1, "play", 1000),
        pay(1, "ante", 1000),
    ],
}
FLUSHES: Record = {
    "game": "co-rule10-flushes-gone-wild",
    "seats": [
        {
            "seat": 4,
            "player": "P4",
            "cards": "QcJc5c3cQh",
            "decision": "play",
            "wagers": [stake("ante", 1000, 1000, 0), stake("blind", 1000, 5000, 0), stake("play", 2000, 2000, 0)],
            "bonuses": [],
        }
    ],
    "dealer": "AsAhAcKsKd",
    "community": "6d4d9c8d3s",
    "community-discarded": "6d4d3s",
    "events": [
        place_bet(4, "ante", 1000),
        place_bet(4, "blind", 1000),
        deal("community", "6d4d9c8d3s"),
        deal("player", "QcJc5c3cQh", 4),
        deal("dealer", "AsAhAcKsKd"),
        {"event": "discard", "place": "deck"},
        {"event": "discard", "place": "community", "cards": "6d4d3s", "face": "down", "positions": "125"},
        {"event": "decide", "seat": 4, "decision": "play"},
        place_bet(4, "play", 2000),
        {"event": "reveal", "place": "dealer", "cards": "AsAhAcKsKd"},
        {"event": "reveal", "place": "community", "cards": "9c8d"},
        pay(4, "ante", 1000),
        pay(4, "play", 2000),
        pay(4, "blind", 5000),
        {"event": "collect-cards", "place": "player", "seat": 4, "cards": "QcJc5c3cQh"},
    ],
}
CARIBBEAN: Record = {
    "game": "caribbean-draw",
    "seats": [
        {
            "seat": 1,
            "player": "P1",
            "cards": "AhAd7c8s9d",
            "discarded": "7c8s",
            "drawn": "4d6c",
            "decision": "call",
            "wagers": [stake("ante", 100, 100, 0), stake("bet", 200, 200, 0)],
            "bonuses": [],
        }
    ],
    "dealer": "KsKdQc9h3s",
    "dealer-discarded": "9h3s",
    "dealer-drawn": "2c5h",
    "events": [
        place_bet(1, "ante", 100),
        {"event": "device", "by": "dealer", "what": "lock-coin-in"},
        *(
            deal(*packet)
            for player, dealer in zip(("Ah", "Ad", "7c", "8s", "9d"), ("Ks", "Kd", "Qc", "9h", "3s"), strict=True)
            for packet in (("player", player, 1), ("dealer", dealer))
        ),
        {"event": "decide", "seat": 1, "decision": "call"},
        place_bet(1, "bet", 200),
        {"event": "discard", "place": "player", "seat": 1, "cards": "7c8s", "face": "down"},
        {"event": "count", "what": "discards", "by": "dealer", "number": 2},
        {"event": "collect-cards", "place": "player", "seat": 1, "what": "discards"},
        {"event": "draw", "place": "player", "seat": 1, "cards": "4d6c", "face": "down", "by": "dealer"},
        {"event": "reveal", "place": "dealer", "cards": "KsKdQc9h3s"},
        {"event": "discard", "place": "dealer", "cards": "9h3s", "face": "down"},
        {"event": "draw", "place": "dealer", "cards": "2c5h", "face": "down", "by": "dealer"},
        pay(1, "ante", 100),
        pay(1, "bet", 200),
        {"event": "collect-cards", "place": "player", "seat": 1, "what": "hand"},
    ],
}
TABLES = ("T1", "T2")
CLEARED: Event = {"event": "device", "by": "dealer", "what": "clear-lockout"}
"""End of a hand of Caribbean Draw, recorded at its end or before the next hand."""


def play(
    base: Record,
    number: int | None,
    front: Sequence[Event] = (SHUFFLE, CUT),
    *,
    end: Sequence[Event] = (),
    minute: int | None = None,
    cleared: bool = True,
    **more: Any,
) -> Record:
    """Build a round of a game, with events before and after it."""
    minute = minute if minute is not None else number or 0
    last = [CLEARED] if base is CARIBBEAN and cleared else []
    return {
        **base,
        "round": f"R{minute}",
        "casino": "Simulated House",
        "table": TABLES[0],
        "time": f"2026-03-{2 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00Z",
        **({} if number is None else {"number": number}),
        "events": [*front, *base["events"], *last, *end],
        **more,
    }


def exchange(what: str, deck: str) -> Event:
    return {"event": "deck", "what": what, "deck": deck}


def shifts(base: Record) -> Mapping[str, list[Record]]:
    """Build shifts of a game."""
    of: Round = partial(play, base)
    later = (SHUFFLE, CUT)
    return {
        "a shift": [of(n) for n in range(1, 6)],
        "shuffled and cut when a round is over": [of(1, end=later), *(of(n, (), end=later) for n in range(2, 5))],
        "shuffled when a round is over and cut in front of the next": [
            of(1, end=[SHUFFLE]),
            *(of(n, [CUT], end=[SHUFFLE]) for n in range(2, 5)),
        ],
        "a log that begins in mid-shift": [of(n, (), end=later) for n in range(57, 60)],
        "a log without numbers that begins in mid-shift": [of(None, (), end=later, minute=n) for n in range(3)],
        "a log without numbers that begins with a cut": [of(None, [CUT], end=[SHUFFLE], minute=n) for n in range(3)],
        "records that are missing": [of(n) for n in (1, 2, 5, 6, 9)],
        "records that are missing, one of which ended with the shuffle": [of(1), of(3, ()), of(4)],
        "a deck exchanged in front of a round": [
            of(1, deck="red"),
            of(2, [exchange("removed", "red"), exchange("opened", "blue"), *later], deck="blue"),
            of(3, deck="blue"),
            of(4, deck="blue"),
        ],
        "a deck exchanged at the end of a record": [
            of(1, deck="red", end=[exchange("removed", "red"), exchange("opened", "blue")]),
            of(2, deck="blue"),
            of(3, deck="blue"),
        ],
        "a deck exchanged as cards were damaged": [
            of(
                1,
                deck="red",
                end=[
                    {"event": "fault", "what": "damaged-card", "place": "deck"},
                    {"event": "remedy", "what": "deck-replaced", "place": "deck"},
                ],
            ),
            of(2, deck="blue"),
        ],
        "a deck exchanged in a log that does not record it": [
            of(n, deck=("red", "blue")[n > 2], unrecorded=["deck"]) for n in range(1, 5)
        ],
        "a deck exchanged in a round that is missing": [of(1, deck="red"), of(3, deck="blue"), of(4, deck="blue")],
        "a deck exchanged behind a record that stops": [of(1, deck="red", complete=False), of(2, deck="blue")],
        "summaries alone": [
            {key: value for key, value in of(n, deck=("red", "blue")[n % 2]).items() if key != "events"}
            for n in range(1, 4)
        ],
        "rounds that do not name their deck": [of(1, deck="red"), of(2), of(3, deck="red"), of(4, deck="red")],
        "opened again on the next day with another deck": [
            of(1, deck="red"),
            of(2, deck="red"),
            of(1, deck="blue", minute=1440),
            of(2, deck="blue", minute=1441),
        ],
        "decks named on the second day alone": [
            of(1),
            of(2),
            of(1, deck="blue", minute=1440),
            of(2, deck="blue", minute=1441),
        ],
        "two tables, one of which names its deck": [
            *(of(None, deck="red", minute=n) for n in range(3)),
            *(of(None, minute=n) | {"table": TABLES[1]} for n in range(3)),
        ],
        "rounds of two tables under one name": [
            record
            for n in range(1, 5)
            for record in (of(n, deck="red", minute=2 * n), of(n, deck="blue", minute=2 * n + 1))
        ],
        "numbers that go back": [
            of(4, deck="red", minute=1),
            of(5, deck="red", minute=2),
            of(3, deck="blue", minute=3),
        ],
    }


def slots() -> Mapping[str, list[Record]]:
    """Build shifts of Caribbean Draw with locked and cleared slots."""
    of: Round = partial(play, CARIBBEAN)
    token = [place_bet(1, "progressive", 100), {"event": "collect", "seat": 1, "wager": "progressive", "amount": 100}]
    stakes = [*CARIBBEAN["seats"][0]["wagers"], stake("progressive", 100, 0, 100)]
    with_token = {
        "seats": [{**CARIBBEAN["seats"][0], "wagers": stakes}],
        "meters": [{"meter": "progressive", "opening": 1_000_000, "shown": 1_000_100, "closing": 1_000_100}],
    }
    front = [SHUFFLE, CUT]
    return {
        "cleared in front of the next record": [
            of(1, [*front, *token], cleared=False, **with_token),
            *(of(n, [CLEARED, *front, *token], cleared=False, **with_token) for n in (2, 3)),
        ],
        "cleared at the end, in a log that begins in mid-shift": [
            of(n, [*front, *token], **with_token) for n in (31, 32)
        ],
        "cleared in a record that is missing": [
            of(1, [*front, *token], cleared=False, **with_token),
            of(3, [*front, *token], cleared=False, **with_token),
        ],
        "a clearing that the log does not record": [
            of(n, [*front, *token], cleared=False, unrecorded=["device"], **with_token) for n in (1, 2)
        ],
        "cleared behind a record that stops": [
            of(1, [*front, *token], cleared=False, complete=False, **with_token),
            of(2, [*front, *token], **with_token),
        ],
        "opened on the next day, the last hand of the day before not cleared": [
            of(1, [*front, *token], cleared=False, **with_token),
            of(1, [*front, *token], minute=1440, **with_token),
        ],
    }


GAMES = {"shine": SHINE, "flushes": FLUSHES, "caribbean": CARIBBEAN}


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the submission of each game, with cards dealt one at a time in 3 Card Shine."""
    folder = tmp_path_factory.mktemp("houses")
    found = {name: folder / f"{name}.yaml" for name in GAMES}
    for name, house in found.items():
        written = ["-o", str(folder / f"{name}.jsonl"), "--write-submission", str(house)]
        assert run("simulate", GAMES[name]["game"], "--rounds", "1", "--seed", "1", *written).code == 0
        text = house.read_text().replace("dealing: three-card-packets", "dealing: one-at-a-time")
        house.write_text(text.replace("- F1\n- F2\n", "".join(f"- {table}\n" for table in TABLES)))
    return found


SHIFTS = {(game, name): shift for game, base in GAMES.items() for name, shift in shifts(base).items()}
SHIFTS |= {("caribbean", name): shift for name, shift in slots().items()}


@pytest.mark.parametrize(("game", "shift"), SHIFTS)
def test_a_lawful_shift_is_not_accused(game: str, shift: str, houses: dict[str, Path], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in SHIFTS[game, shift]))
    found = run("audit", str(log), "-s", str(houses[game]), "-o", "json")
    assert found.code in (0, 1, 4), found.err
    results = found.results
    assert not results["quarantined"]
    failures = [finding for finding in results["findings"] if finding["status"] == "fail"]
    assert not [(failure["requirement"], failure["where"]["round"], failure["observed"]) for failure in failures]
