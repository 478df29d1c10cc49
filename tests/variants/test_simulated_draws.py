"""Draw games played forward: simulated rounds are orderly, and equal the results computed from the cards by hand."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.phh.replay import pokerkit
from tests.variants.test_simulated import write_log

DRAWS = {"five-card-draw": (1, 3), "triple-draw": (3, 5)}
"""Number of draws, and the most cards in each."""


def cards_in(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


@pytest.mark.parametrize("name", DRAWS)
def test_players_hold_what_they_kept_and_drew_and_the_best_of_them_wins(name: str) -> None:
    ranked = pokerkit.StandardHighHand if name == "five-card-draw" else pokerkit.StandardLowHand
    draws, most = DRAWS[name]
    seen = Counter[str]()
    for record in map(json.loads, write_log(name, rounds=300).splitlines()):
        held = {seat["seat"]: cards_in(seat["cards"]) for seat in record["seats"]}
        words = Counter[int]()
        shown: dict[int, str] = {}
        awarded = {event["seat"] for event in record["events"] if event["event"] == "award"}
        for event in record["events"]:
            seat = event.get("seat", 0)
            seen[event["event"]] += 1
            words[seat] += event.get("decision") in ("discard", "stand-pat")
            match event["event"]:
                case "discard":
                    gone = cards_in(event["cards"])
                    assert set(gone) <= set(held[seat]) and 0 < len(gone) <= most
                    held[seat] = [card for card in held[seat] if card not in gone]
                case "draw":
                    held[seat] += cards_in(event["cards"])
                    assert len(held[seat]) == 5
                case "reveal":
                    shown[seat] = event["cards"]
                    assert sorted(cards_in(event["cards"])) == sorted(held[seat])
        assert max(words.values()) <= draws
        assert all(words[seat] == draws for seat in shown)
        if len(shown) > 1:
            best = max(ranked(cards) for cards in shown.values())
            assert any(ranked(shown[seat]) == best for seat in awarded if seat in shown)
    assert min(seen[kind] for kind in ("discard", "draw", "reveal")) > 400
