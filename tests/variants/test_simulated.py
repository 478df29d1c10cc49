"""Games of this folder played forward: what is simulated is in order, and a fault is found where it was planted."""

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
    (name, one.requirement)
    for name in SIMULATED
    for one in load_regulation(name, GAMES).requirements
    if is_plantable(one)
]
BESIDES = {
    "five-cards": {"whole-hand-shown"},
    "only-players-act": {"no-act-after-the-end"},
    "words-in-turn": {"drawn-in-turn"},
    "as-many-as-put-away": {"no-more-than-may-be"},
    "once": {"words-in-turn"},
    "betting-complete-before-the-draw": {"only-players-draw"},
}
"""What is broken besides by the fault of a requirement."""


@cache
def game(name: str) -> tuple[CompiledGame, Simulation]:
    """A game, and how it is simulated."""
    regulation = load_regulation(name, GAMES)
    return compile_game(regulation), load_simulation(regulation, GAMES)


@cache
def simulated(name: str, **run: Any) -> bytes:
    """The log of a run of a game."""
    return simulate_log(*game(name), seed=11, **run)


@pytest.mark.parametrize("name", SIMULATED)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(name: str) -> None:
    found = audit_log(rulebook(), simulated(name, rounds=600), game(name)[1].submission)
    assert not found.findings
    ours = [one for one in found.requirements if one.document == name]
    statuses = {status for one in ours for status, count in one.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(one.totals.get(Status.PASS, 0) for one in ours)


@cache
def broken(name: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Of a run in which the faults of a game come in turn, one in every other round: the rounds that each was planted
    in, and what fails in each round that fails; by the names of faults and of requirements alone."""
    faults = tuple(fault for game, fault in FAULTS if game == name)
    log = simulated(name, rounds=16 * len(faults), faults=faults, every=2)
    planted: dict[str, set[str]] = defaultdict(set)
    for record in map(json.loads, log.splitlines()):
        for fault in list_planted(record):
            planted[fault.removeprefix(f"{name}/")].add(record["round"])
    failed: dict[str, set[str]] = defaultdict(set)
    for one in audit_log(rulebook(), log, game(name)[1].submission).findings:
        if one.status is Status.FAIL:
            failed[one.where.round or ""].add(one.requirement.removeprefix(f"{name}/"))
    return planted, failed


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_is_found_where_it_was_planted(name: str, fault: str) -> None:
    planted, failed = broken(name)
    assert len(planted[fault]) >= 6
    for round_ in planted[fault]:
        assert fault in failed[round_] and failed[round_] <= {fault} | BESIDES.get(fault, set())


@pytest.mark.parametrize("name", sorted({name for name, _ in FAULTS}))
def test_nothing_fails_where_nothing_was_planted(name: str) -> None:
    planted, failed = broken(name)
    assert {*failed} == set[str]().union(*planted.values())
