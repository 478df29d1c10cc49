"""Acts with cards and chips that some games permit, and their audit in other games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal.validator.evidence.contradictions import GAME_SPECIFIC_KINDS
from fairdeal.validator.rules.regulation import collect_known_acts
from tests.facade.rules import Rulebook, load_regulation

DEMO = Path("rules_data/co-rule10-3card-shine/demo/hand-log.jsonl")


@pytest.mark.parametrize(
    ("document", "unknown"),
    [
        ("co-rule10-3card-shine", {"discard", "draw", "award", "rake"}),
        ("co-rule10-flushes-gone-wild", {"draw", "award", "rake"}),
        ("caribbean-draw", {"tuck", "award", "rake"}),
        ("s38", {"tuck", "award", "rake"}),
        ("poker-room", {"tuck", "discard", "draw", "pay", "collect", "withdraw"}),
    ],
)
def test_what_the_games_do_not_know(document: str, unknown: set[str]) -> None:
    game = load_regulation(document).game
    assert (
        game is not None
        and {*GAME_SPECIFIC_KINDS} - {name.partition("/")[0] for name in collect_known_acts(game)} == unknown
    )


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ("co-rule10-flushes-gone-wild", {"community", "deck"}),
        ("caribbean-draw", {"player", "dealer"}),
        ("s38", {"player", "deck"}),
    ],
)
def test_where_the_games_know_discards(document: str, places: set[str]) -> None:
    game = load_regulation(document).game
    assert game is not None
    assert {name for name in collect_known_acts(game) if name.startswith("discard")} == {
        f"discard/{place}" for place in places
    }


@pytest.mark.parametrize(("document", "places"), [("caribbean-draw", {"player", "dealer"}), ("s38", {"burn"})])
def test_a_step_of_all_draws_makes_none_known_elsewhere(document: str, places: set[str]) -> None:
    game = load_regulation(document).game
    assert game is not None
    assert {name for name in collect_known_acts(game) if name.startswith("draw")} == {
        f"draw/{place}" for place in places
    }


def test_every_game_is_there_and_only_games() -> None:
    rulebook = Rulebook()
    known = rulebook.known_games
    assert {*known} == rulebook.games and len(known) == len(rulebook.games)
    assert "co-rule8-burnout" not in known and known["s38"].cards == 52
    with pytest.raises(KeyError):
        known["co-rule8-burnout"]


def first_round() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(line for line in DEMO.read_text().splitlines() if '"events"' in line))
    return found


def test_a_card_drawn_where_none_is_exchanged_is_no_round_of_the_game(tmp_path: Path) -> None:
    told = first_round()
    told["events"].append({"event": "draw", "place": "player", "seat": told["seats"][0]["seat"], "cards": "??"})
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(told) + "\n")
    (only,) = fairdeal.audit(fairdeal.load_rulebook(), str(log)).quarantined
    assert "is a `draw`, which the rules of the game do not provide for" in only.reason
