"""What `fairdeal explain` tells of the rarer things a record may hold."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.helpers import GAME, run

ROUND = {
    "round": "R1",
    "table": "T1",
    "time": "2026-03-01T20:00:00Z",
    "game": GAME,
    "number": 4,
    "deck": "red",
    "meters": [{"meter": "shared", "opening": 100, "closing": 250}, {"meter": "own"}],
    "dealer": "Qs8c3d",
    "dealer-discarded": "",
    "community-discarded": "??",
    "seats": [
        {"seat": 1, "cards": "AsAdTh", "discarded": "Th", "drawn": "7c", "wagers": [{"wager": "ante", "amount": 1000}]},
        {"seat": 2, "cards": "KsKdTc", "wagers": []},
    ],
    "unrecorded": ["deal"],
    "events": [
        {"event": "deck", "what": "inspected", "deck": "red", "by": "floorperson", "face": "up"},
        {"event": "cut", "by": "player", "number": 20},
        {"event": "wager", "seat": 1, "wager": "ante", "amount": 1000, "in": "plaques"},
        {"event": "discard", "place": "community", "cards": "??", "positions": "125"},
        {"event": "discard", "place": "player", "seat": 1, "cards": "Th"},
        {"event": "draw", "place": "player", "seat": 1, "cards": "7c", "by": "dealer"},
        {"event": "discard", "place": "deck"},
        {"event": "announce", "what": "hand pay", "by": "supervisor", "seat": 2, "amount": 500},
    ],
}


def chapters(text: str) -> dict[str, list[str]]:
    """The lines of each chapter by its heading."""
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
    assert told["The round"][2:6] == [
        "round 4 since the table opened",
        "played with the deck red",
        "meter shared: opening 1.00, closing 2.50",
        "meter own: not read",
    ]
    assert told["The cards"][-3:] == [
        "seat 1 discards Th and draws 7c",
        "the dealer discards nothing",
        "the community discards ??",
    ]
    assert told["What happened"] == [
        "1. deck, inspected, deck red, face up, by the floorperson",
        "2. cut, 20, by the player",
        "3. wager, seat 1, Ante, 10.00, in plaques",
        "4. discard, the community, positions 1, 2, 5, ??",
        "5. discard, seat 1, Th",
        "6. draw, seat 1, 7c, by the dealer",
        "7. discard, the deck",
        "8. announce, seat 2, 5.00, hand pay, by the supervisor",
    ]
