"""`fairdeal explain` for the rarer contents of a record."""

from __future__ import annotations

import json
from pathlib import Path

from tests.facade.commands import run

ROUND = {
    "round": "R1",
    "table": "T1",
    "time": "2026-03-01T20:00:00Z",
    "game": "caribbean-draw",
    "number": 4,
    "deck": "red",
    "meters": [{"meter": "shared", "opening": 100, "closing": 250}, {"meter": "own"}],
    "dealer": "Qs8c3d",
    "dealer-discarded": "??",
    "seats": [
        {"seat": 1, "cards": "AsAdTh", "discarded": "Th", "drawn": "7c", "wagers": [{"wager": "ante", "amount": 1000}]},
        {"seat": 2, "cards": "KsKdTc", "wagers": []},
    ],
    "unrecorded": ["deal"],
    "events": [
        {"event": "deck", "what": "inspected", "deck": "red", "by": "floorperson", "face": "up"},
        {"event": "cut", "by": "player", "number": 20},
        {"event": "wager", "seat": 1, "wager": "ante", "amount": 1000, "in": "plaques"},
        {"event": "discard", "place": "dealer", "cards": "??", "positions": "2"},
        {"event": "discard", "place": "player", "seat": 1, "cards": "Th"},
        {"event": "draw", "place": "player", "seat": 1, "cards": "7c", "by": "dealer"},
        {"event": "announce", "what": "hand pay", "by": "supervisor", "seat": 2, "amount": 500},
    ],
}


AMONG_PLAYERS = {
    "round": "R2",
    "table": "T1",
    "time": "2026-03-01T20:00:00Z",
    "game": "poker-room",
    "after": "R1",
    "button": 7,
    "complete": False,
    "seats": [
        {"seat": 1, "stack": 10000, "stack-after": 9500, "won": 450, "wagers": [{"wager": "ante", "amount": 950}]},
        {"seat": 2, "playing": False, "wagers": []},
    ],
    "unrecorded": ["award"],
    "events": [
        {"event": "chips-in", "seat": 1, "amount": 1000},
        {"event": "declare", "seat": 1, "decision": "play", "amount": 950},
        {"event": "tender", "seat": 1, "amount": 950, "chips": 1, "what": "pushed"},
        {"event": "tender", "seat": 1, "amount": 0, "chips": 12},
        {"event": "decide", "seat": 1, "decision": "play", "amount": 950},
        {"event": "fault", "what": "off-the-table", "place": "community", "cards": "As"},
        {"event": "remedy", "what": "set-aside", "seat": 2},
        {"event": "rake", "amount": 50},
        {"event": "award", "seat": 1, "pot": 0, "amount": 400},
        {"event": "award", "seat": 1, "pot": 2, "amount": 50},
        {"event": "drop", "amount": 50},
        {"event": "chips-out", "seat": 1, "amount": 9500},
    ],
}


def chapters(text: str) -> dict[str, list[str]]:
    """Return the lines of each chapter by its heading."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("  "):
            found[list(found)[-1]].append(line.strip())
        else:
            found[line] = []
    return found


def test_everything_recorded_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(ROUND), "utf-8")
    finished = run("explain", log, "--round", "R1")
    assert finished.code == 0
    told = chapters(finished.text)
    assert told["Round"][2:6] == [
        "round 4 since the table opened",
        "played with the deck red",
        "meter shared: opening 1.00, closing 2.50",
        "meter own: not read",
    ]
    assert told["Cards"][-2:] == ["seat 1 discards T♥ and draws 7♣", "the dealer discards ??"]
    assert told["Events"] == [
        "1. deck, inspected, deck red, face up, by the floorperson",
        "2. cut, 20, by the player",
        "3. wager, seat 1, Ante, 10.00, in plaques",
        "4. discard, the dealer, positions 2, ??",
        "5. discard, seat 1, T♥",
        "6. draw, seat 1, 7♣, by the dealer",
        "7. announce, seat 2, 5.00, hand pay, by the supervisor",
    ]


def test_chips_and_pots_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(AMONG_PLAYERS), "utf-8")
    finished = run("explain", log, "--round", "R2")
    assert finished.code == 0
    told = chapters(finished.text)
    assert told["Round"][2:7] == [
        "played just after round R1",
        "the button at seat 7",
        "seat 1, chips: before 100.00, won 4.50, after 95.00",
        "seat 2 takes no part",
        "the record stops before the round is over",
    ]
    assert told["Before the betting"] == [
        "1. chips-in, seat 1, 10.00",
        "2. declare, seat 1, 9.50, play",
        "3. tender, seat 1, 9.50, 1 chip, pushed",
        "4. tender, seat 1, 0.00, 12 chips",
    ]
    assert "5. seat 1: play" in told["Betting before the flop"]
    assert told["How the round ended"] == [
        "6. fault, the community, off-the-table, A♠",
        "7. remedy, seat 2, set-aside",
        "8. rake, 0.50",
        "9. award, seat 1, 4.00, main pot",
        "10. award, seat 1, 0.50, side pot 2",
        "11. drop, 0.50",
        "12. chips-out, seat 1, 95.00",
    ]
