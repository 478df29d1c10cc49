"""Games of this folder played forward: simulated rounds pass, and a fault is found where it was planted."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from tests.facade.results import Status
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import Simulation, audit_log, is_plantable, list_planted, load_simulation, simulate_log
from tests.variants.hands import GAMES, rulebook

SIMULATED = sorted(path.parent.name for path in GAMES.glob("*/simulation.yaml"))
FAULTS = [
    (name, requirement.requirement)
    for name in SIMULATED
    for requirement in load_regulation(name, GAMES).requirements
    if is_plantable(requirement)
]
BESIDES = {
    "five-cards": {"whole-hand-shown"},
    "only-players-act": {"no-act-after-the-end"},
    "words-in-turn": {"drawn-in-turn"},
    "as-many-as-put-away": {"no-more-than-may-be"},
    "once": {"words-in-turn"},
    "betting-complete-before-the-draw": {"only-players-draw"},
    "blinds-posted": {"sizes"},
    "three-draws-before-the-showdown": {"everybody-in-the-first-draw"},
}
"""Other requirements that the fault of a requirement breaks."""


@cache
def game(name: str) -> tuple[CompiledGame, Simulation]:
    """Compile a game and load its simulation."""
    regulation = load_regulation(name, GAMES)
    return compile_game(regulation), load_simulation(regulation, GAMES)


@cache
def write_log(name: str, **run: Any) -> bytes:
    """Return the log of a run of a game."""
    return simulate_log(*game(name), seed=11, **run)


@pytest.mark.parametrize("name", SIMULATED)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(name: str) -> None:
    found = audit_log(rulebook(), write_log(name, rounds=120), game(name)[1].submission)
    assert not found.findings
    ours = [requirement for requirement in found.requirements if requirement.document == name]
    statuses = {status for result in ours for status, count in result.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(result.totals.get(Status.PASS, 0) for result in ours)


@pytest.mark.parametrize("name", SIMULATED)
def test_no_varied_round_is_accused(name: str) -> None:
    found = audit_log(rulebook(), write_log(name, rounds=60, vary=100), game(name)[1].submission)
    assert [finding for finding in found.findings if finding.status is Status.FAIL] == []


@cache
def broken(name: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Run a game with its faults in turn, one in every other round.

    Returns the rounds of each fault, and the failures of each round, by names without their document.
    """
    faults = tuple(fault for game, fault in FAULTS if game == name)
    log = write_log(name, rounds=6 * len(faults), faults=faults, every=2)
    planted: dict[str, set[str]] = defaultdict(set)
    for record in map(json.loads, log.splitlines()):
        for fault in list_planted(record):
            planted[fault.removeprefix(f"{name}/")].add(record["round"])
    failed: dict[str, set[str]] = defaultdict(set)
    for finding in audit_log(rulebook(), log, game(name)[1].submission).findings:
        if finding.status is Status.FAIL:
            failed[finding.where.round or ""].add(finding.requirement.removeprefix(f"{name}/"))
    return planted, failed


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_is_found_where_it_was_planted(name: str, fault: str) -> None:
    planted, failed = broken(name)
    assert len(planted[fault]) >= 3
    for round_ in planted[fault]:
        assert fault in failed[round_] and failed[round_] <= {fault} | BESIDES.get(fault, set())


@pytest.mark.parametrize("name", sorted({name for name, _ in FAULTS}))
def test_nothing_fails_where_nothing_was_planted(name: str) -> None:
    planted, failed = broken(name)
    assert {*failed} == set[str]().union(*planted.values())
