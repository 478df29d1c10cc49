"""Rounds for tests and measurements: consistent, of a made-up game, deterministic by seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]
GAME = "some-game"
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def rounds(count: int, seed: int = 0, seats: int = 6, game: str = GAME) -> Iterator[Record]:
    """Records of full rounds: about 54 events and 4.8 KB a line with six seats."""
    rng = random.Random(seed)
    for number in range(1, count + 1):
        yield _round(number, rng, seats, game)


def generate_exchanges(count: int, seed: int = 0, seats: int = 3, game: str = GAME) -> Iterator[Record]:
    """Rounds with everything that most logs do without: cards exchanged, wins claimed, meters, decks, numbers."""
    rng = random.Random(seed)
    for number, record in enumerate(rounds(count, seed, seats, game), 1):
        yield _add_exchange(number, record, rng)


def _add_exchange(number: int, record: Record, rng: random.Random) -> Record:
    used = record["dealer"] + "".join(seat["cards"] for seat in record["seats"])
    rest = [card for card in DECK if card not in used]
    rng.shuffle(rest)
    told: list[Record] = []
    for seat in record["seats"]:
        size = rng.randint(0, 2)
        seat["discarded"] = "".join(seat["cards"][at : at + 2] for at in sorted(rng.sample((0, 2, 4), size)))
        seat["drawn"] = "".join(rest.pop() for _ in range(size))
        here = {"place": "player", "seat": seat["seat"]}
        if size:
            told.append({"event": "discard", **here, "cards": seat["discarded"], "face": "down"})
            told.append({"event": "draw", **here, "cards": seat["drawn"], "by": "dealer"})
        seat["wagers"][0]["claimed"] = rng.random() < 0.5
        if seat["wagers"][0]["claimed"]:
            told.append({"event": "claim", "seat": seat["seat"], "wager": seat["wagers"][0]["wager"]})
    record["community"] = "".join(rest.pop() for _ in range(5))
    record["community-discarded"] = record["community"][:6]
    record["dealer-discarded"], record["dealer-drawn"] = record["dealer"][:2], rest.pop()
    deck = ("red", "blue")[number % 2]
    before = [
        {"event": "deck", "what": "inspected", "deck": deck, "by": "floorperson", "face": "up"},
        {"event": "device", "what": "lock-coin-in", "by": "machine", "seat": record["seats"][0]["seat"]},
        {"event": "cut", "by": "player", "deck": deck, "number": 20},
    ]
    middle = [
        {"event": "deal", "place": "community", "cards": record["community"], "face": "down"},
        {"event": "discard", "place": "community", "cards": "??????", "positions": "125"},
        {"event": "discard", "place": "dealer", "cards": record["dealer-discarded"]},
        {"event": "draw", "place": "dealer", "cards": record["dealer-drawn"], "face": "up"},
        {"event": "discard", "place": "deck"},
    ]
    shown_at = next(at for at, event in enumerate(record["events"]) if event["event"] == "reveal") + 1
    record["events"] = [*before, *record["events"][:shown_at], *middle, *told, *record["events"][shown_at:]]
    shown = 1000 * number
    meters = [{"meter": "shared", "opening": shown - 1, "shown": shown, "closing": shown}, {"meter": "own"}]
    context = {"dealer": f"D{number % 3}", "video": f"12:{number % 60:02}", **({"shift": 2} if number % 2 else {})}
    noted = {"currency": "EUR", "context": context}
    return {**record, "number": number, "deck": deck, "meters": meters, **noted}


def generate_among_players(count: int, seed: int = 0, seats: int = 6, game: str = GAME) -> Iterator[Record]:
    """Generate rounds with chips, pots, a button and other records of play among players."""
    rng = random.Random(seed)
    for number in range(1, count + 1):
        yield _among_players(number, rng, seats, game)


def _among_players(number: int, rng: random.Random, seats: int, game: str) -> Record:
    deck = rng.sample(DECK, 2 * seats + 8)
    told: list[Record] = [{"event": "chips-in", "seat": 1, "amount": 500}] if number % 3 == 0 else []
    told.append({"event": "wager", "seat": 1, "wager": "small", "amount": 100})
    told += [{"event": "deal", "place": "burn", "cards": "??"}] * 2
    if number % 4 == 0:
        told.append({"event": "fault", "what": "missed", "place": "player", "seat": seats, "cards": deck[0]})
        told.append({"event": "fault", "what": "left", "seat": 1, "deck": "red"})
        told.append({"event": "remedy", "what": "mended", "place": "deck"})
    put_in = dict.fromkeys(range(1, seats + 1), 0)
    for street in range(2):
        for seat, before in list(put_in.items()):
            amount = 100 * rng.randint(1, 9)
            put_in[seat] = total = before + amount
            if rng.random() < 0.3:
                told.append({"event": "declare", "seat": seat, "decision": "raise", "amount": total})
            if rng.random() < 0.3:
                told.append({"event": "tender", "seat": seat, "amount": amount, "chips": rng.randint(1, 20)})
            told.append({"event": "decide", "seat": seat, "decision": "call", "amount": amount})
        board = "".join(deck[-5:-2] if street == 0 else deck[-2:-1])
        told.append({"event": "deal", "place": "community", "cards": board, "face": "up"})
    pot = 100 + sum(put_in.values())
    won = {1: pot - 50 - 30, seats: 30}
    told.append({"event": "rake", "amount": 50, "pot": 0})
    told.append({"event": "award", "seat": seats, "pot": 1, "amount": 30})
    told.append({"event": "award", "seat": 1, "pot": 0, "amount": won[1]})
    told.append({"event": "drop", "amount": 50})
    minute, second = divmod(45 * number, 60)
    listed: list[Record] = []
    for seat, amount in put_in.items():
        wagers = [{"wager": "small", "amount": 100}] if seat == 1 else []
        wagers.append({"wager": "bets", "amount": amount})
        after = 20_000 - amount - 100 * (seat == 1) + won.get(seat, 0)
        chips = {"stack": 20_000, "stack-after": after, "won": won.get(seat, 0)}
        cards = deck[2 * seat] + deck[2 * seat + 1]
        listed.append({"seat": seat, "player": f"P{seat}", "cards": cards, **chips, "wagers": wagers})
    listed.append({"seat": seats + 1, "playing": False, "wagers": []})
    return {
        "round": f"H{number}",
        "table": f"T{number % 5}",
        "time": f"2026-03-{1 + minute // 1440 % 28:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:{second:02d}Z",
        "game": game,
        "button": 1 + number % seats,
        **({"after": f"H{number - 5}"} if number > 5 else {}),
        **({"complete": False} if number % 7 == 0 else {}),
        "seats": listed,
        "community": "".join(deck[-5:-1]),
        "events": told,
        "unrecorded": ["shuffle", "cut", "deal/player", "collect-cards/player", "misdeal/table", "discard"],
    }


def lines(count: int, seed: int = 0, seats: int = 6, game: str = GAME) -> list[bytes]:
    """Return the same rounds as lines of JSON, without the line ends."""
    return [json.dumps(record, separators=(",", ":")).encode() for record in rounds(count, seed, seats, game)]


def _round(number: int, rng: random.Random, seats: int, game: str) -> Record:
    deck = rng.sample(DECK, 3 * (seats + 1))
    hands = {seat: "".join(deck[3 * seat : 3 * seat + 3]) for seat in range(1, seats + 1)}
    dealer = "".join(deck[:3])
    placing: list[Record] = []
    dealing: list[Record] = []
    deciding: list[Record] = []
    settling: list[Record] = []
    listed: list[Record] = []
    for seat, cards in hands.items():
        unit = 500 * rng.randint(1, 20)
        plays = rng.random() < 0.7
        stakes = [("main", unit)]
        if rng.random() < 0.4:
            stakes.append(("side", 100 * rng.randint(1, 10)))
        for wager, amount in stakes:
            placing.append({"event": "wager", "seat": seat, "wager": wager, "amount": amount})
        dealing.append(
            {"event": "deal", "place": "player", "seat": seat, "cards": cards, "face": "down", "by": "machine"}
        )
        deciding.append({"event": "decide", "seat": seat, "decision": "play" if plays else "fold"})
        if plays:
            stakes.append(("raise", unit))
            deciding.append({"event": "wager", "seat": seat, "wager": "raise", "amount": unit, "tip": False})
        settling.append({"event": "reveal", "place": "player", "seat": seat, "cards": cards})
        wagers = []
        for wager, amount in stakes:
            won = plays and rng.random() < 0.5
            times = rng.choice((1, 1, 1, 4, 5)) if wager == "side" else 1
            paid, taken = (times * amount, 0) if won else (0, amount)
            wagers.append({"wager": wager, "amount": amount, "tip": False, "paid": paid, "taken": taken})
            settling.append(
                {"event": "pay" if won else "collect", "seat": seat, "wager": wager, "amount": paid or taken}
            )
        settling.append({"event": "collect-cards", "place": "player", "seat": seat})
        listed.append(
            {
                "seat": seat,
                "player": f"P{rng.randint(1, 400)}",
                "cards": cards,
                "decision": "play" if plays else "fold",
                "wagers": wagers,
                "bonuses": [],
            }
        )
    table = 1 + number % 12
    minute, second = divmod(45 * number, 60)
    return {
        "round": f"T{table}-{number:06d}",
        "casino": "Casino One",
        "table": f"T{table}",
        "time": f"2026-03-{1 + minute // 1440 % 28:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:{second:02d}Z",
        "game": game,
        "seats": listed,
        "dealer": dealer,
        "events": [
            {"event": "shuffle", "by": "machine"},
            *placing,
            {"event": "announce", "what": "no more wagers"},
            *dealing,
            {"event": "deal", "place": "dealer", "cards": dealer, "face": "down", "by": "machine"},
            *deciding,
            {"event": "reveal", "place": "dealer", "cards": dealer},
            *settling,
            {"event": "collect-cards", "place": "dealer", "cards": dealer},
        ],
        "unrecorded": ["tuck"],
    }
