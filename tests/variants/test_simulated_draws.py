"""Draw games played forward: what is simulated is in order, and held against what the cards come to by hand."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.phh.replay import pokerkit
from tests.simulate.helpers import log_of, planted_in
from tests.variants.hands import GAMES, rulebook
from validator import api
from validator.play.prepared import prepare
from validator.play.simulate.planting import plantable
from validator.rulebook.load import load_regulation
from validator.rulebook.simulation import load_simulation
from validator.verdicts import Results, Status

Data = dict[str, Any]
DRAWS = {"five-card-draw": (1, 3), "triple-draw": (3, 5)}
"""How many draws there are, and of how many cards at the most."""


BESIDES = {
    "five-cards": {"whole-hand-shown"},
    "only-players-act": {"no-act-after-the-end"},
    "words-in-turn": {"drawn-in-turn"},
    "as-many-as-put-away": {"no-more-than-may-be"},
    "once": {"words-in-turn"},
}
"""What is broken besides by the fault of a requirement."""


@cache
def simulated(name: str, rounds: int, *faults: str) -> tuple[bytes, str]:
    """A log, and the submission under which it was played."""
    regulation = load_regulation(name, GAMES)
    simulation = load_simulation(regulation, GAMES)
    log = log_of(prepare(regulation), simulation, rounds=rounds, seed=11, faults=faults)
    return log, simulation.submission.model_dump_json(by_alias=True, exclude_unset=True)


def audited(folder: Path, log: bytes, submission: str) -> Results:
    (folder / "log.jsonl").write_bytes(log)
    (folder / "house.yaml").write_text(submission)
    return api.audit(rulebook(), folder / "log.jsonl", submissions=[folder / "house.yaml"])


@pytest.mark.parametrize("name", DRAWS)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(name: str, tmp_path: Path) -> None:
    found = audited(tmp_path, *simulated(name, 1000))
    assert not found.quarantined and not found.findings
    ours = [one for one in found.requirements if one.document == name]
    statuses = {status for one in ours for status, count in one.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(one.totals.get(Status.PASS, 0) for one in ours)


PLANTABLE = [
    (name, one.requirement) for name in DRAWS for one in load_regulation(name, GAMES).requirements if plantable(one)
]


@pytest.mark.parametrize(("name", "requirement"), PLANTABLE)
def test_a_fault_is_found_where_it_was_planted(name: str, requirement: str, tmp_path: Path) -> None:
    log, submission = simulated(name, 200, requirement)
    found = audited(tmp_path, log, submission)
    planted = {record["round"] for record in map(json.loads, log.splitlines()) if planted_in(record)}
    assert len(planted) == 20 and not found.quarantined
    failing = {one.requirement.partition("/")[2]: one.totals.get(Status.FAIL, 0) for one in found.requirements}
    failing = {one: count for one, count in failing.items() if count}
    assert failing[requirement] == len(planted)
    assert failing.keys() - {requirement} <= BESIDES.get(requirement, set())
    assert {one.where.round for one in found.findings if one.status is Status.FAIL} <= planted


def cards_in(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


@pytest.mark.parametrize("name", DRAWS)
def test_players_hold_what_they_kept_and_drew_and_the_best_of_them_wins(name: str) -> None:
    ranked = pokerkit.StandardHighHand if name == "five-card-draw" else pokerkit.StandardLowHand
    draws, most = DRAWS[name]
    seen = Counter[str]()
    for record in map(json.loads, simulated(name, 1000)[0].splitlines()):
        held = {seat["seat"]: cards_in(seat["cards"]) for seat in record["seats"]}
        words = Counter[int]()
        shown: dict[int, str] = {}
        awarded = {one["seat"] for one in record["events"] if one["event"] == "award"}
        for one in record["events"]:
            seat = one.get("seat", 0)
            seen[one["event"]] += 1
            words[seat] += one.get("decision") in ("discard", "stand-pat")
            match one["event"]:
                case "discard":
                    gone = cards_in(one["cards"])
                    assert set(gone) <= set(held[seat]) and 0 < len(gone) <= most
                    held[seat] = [card for card in held[seat] if card not in gone]
                case "draw":
                    held[seat] += cards_in(one["cards"])
                    assert len(held[seat]) == 5
                case "reveal":
                    shown[seat] = one["cards"]
                    assert sorted(cards_in(one["cards"])) == sorted(held[seat])
        assert max(words.values()) <= draws
        assert all(words[seat] == draws for seat in shown)
        if len(shown) > 1:
            best = max(ranked(cards) for cards in shown.values())
            assert any(ranked(shown[seat]) == best for seat in awarded if seat in shown)
    assert min(seen[kind] for kind in ("discard", "draw", "reveal")) > 1000
