"""Every plantable requirement of every document: an audit of the log finds what the run records for its rounds.

One run for each document plants all faults in turn, so that each has a few rounds; other consequences are tested with
each game. The poker room and Section 38 need several houses, readings and long runs. There every fault is checked by
an audit of a log of its own (`test_poker_room`, `test_holdem`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fairdeal.api import load_rulebook
from fairdeal.validator.rulebook.rule_catalogue import list_requirements
from fairdeal.validator.rulebook.rulebook import open_with_profile
from tests.facade.results import Status
from tests.facade.rounds import compile_game
from tests.facade.rules import Rulebook, find_needed_readings, list_games
from tests.facade.simulation import (
    Record,
    Simulation,
    audit_log,
    change_fields,
    list_planted,
    load_simulation,
    plan_faults,
    simulate_log,
)

RULEBOOK = load_rulebook()
GAMES = sorted(list_games())
BY_THEMSELVES = {"poker-room", "s38"}
"""Games with a test of their own of every fault in a written log."""
FOUND_LATER = {"caribbean-draw/lockout-cleared-for-the-next-hand"}
"""Requirements on a table between rounds, found when the next round is dealt."""
EACH = 1
"""Rounds for each fault; a round without a fault precedes each."""

PLANTABLE = {
    game: [
        requirement["requirement"]
        for requirement in list_requirements(RULEBOOK.regulation(game))
        if requirement["plantable"]
    ]
    for game in GAMES
}
READ_OTHERWISE = {
    full: needed
    for game in GAMES
    for full in PLANTABLE[game]
    if (
        needed := find_needed_readings(
            RULEBOOK.regulation(game), RULEBOOK.regulation(game).find_requirement(full.split("/")[1])
        )
    )
}
"""Requirements that apply only under other readings, with the options they need."""


def _house(game: str) -> Any:
    return load_simulation(RULEBOOK.regulation(game)).submission


def _omit_wager(game: str, wager: str) -> dict[str, Any]:
    return {"wagers": [offered for offered in _house(game).wagers if offered.wager != wager]}


OTHER_HOUSES: dict[str, dict[str, Any]] = {
    "caribbean-draw/wager-is-offered": _omit_wager("caribbean-draw", "progressive"),
    "co-rule10-3card-shine/single-cards-by-the-dealer": {"dealing": "one-at-a-time"},
    "co-rule10-3card-shine/wager-is-offered": _omit_wager("co-rule10-3card-shine", "super-6"),
    "co-rule10-flushes-gone-wild/progressive-is-offered": _omit_wager("co-rule10-flushes-gone-wild", "progressive"),
}
"""Requirements that no round of the shipped house can break, and a submission under which one can."""
OTHER_READINGS: dict[str, dict[str, str]] = {
    "caribbean-draw/jackpot-hand-plays-on": {"cards-of-a-jackpot-winner": "hand-is-over"},
}
"""Requirements that cannot be broken as the text is read, and the options under which they can."""


def read(folder: Path, game: str, options: Mapping[str, str]) -> Rulebook:
    """Return the rulebook under these readings."""
    choices = [{"document": game, "reading": name, "is": option} for name, option in options.items()]
    path = folder / "profile.json"
    path.write_text(json.dumps({"profile": "other", "title": "Another reading", "choices": choices}), "utf-8")
    return open_with_profile(RULEBOOK, str(path))


def next_at_the_table(record: Record, records: Iterable[Record]) -> set[str]:
    """Return the round that follows a round at its table, if any."""
    place = record["table"], record.get("number", 0) + 1
    return {record["round"] for record in records if (record["table"], record.get("number")) == place}


def audit_faults(rulebook: Rulebook, simulation: Simulation, faults: Iterable[str], *, each: int = EACH) -> set[str]:
    """Plant faults in turn in every other round, and audit the log.

    Each fault must be found in the rounds that record it, and nothing in other rounds. Returns faults planted
    nowhere.
    """
    names = list(faults)
    regulation = rulebook.regulation(simulation.submission.document)
    log = simulate_log(
        compile_game(regulation), simulation, rounds=2 * each * len(names), seed=7, faults=names, every=2
    )
    found = audit_log(rulebook, log, simulation.submission, explained=True)
    planted: dict[str, set[str]] = defaultdict(set)
    records = [json.loads(line) for line in log.splitlines()]
    following = {record["round"]: next_at_the_table(record, records) for record in records}
    for record in records:
        for name in list_planted(record):
            planted[name] |= following[record["round"]] if name in FOUND_LATER else {record["round"]}
    failed: dict[str, set[str]] = defaultdict(set)
    for finding in found.findings:
        if finding.status is Status.FAIL and finding.where.round is not None:
            failed[finding.requirement].add(finding.where.round)
    assert {name: rounds - failed[name] for name, rounds in planted.items() if rounds - failed[name]} == {}
    broken = set[str]().union(*planted.values())
    assert {name: rounds - broken for name, rounds in failed.items() if rounds - broken} == {}
    return {*names} - {*planted}


@pytest.mark.parametrize("game", [game for game in GAMES if game not in BY_THEMSELVES])
def test_what_is_planted_is_found_and_nothing_else(game: str) -> None:
    asked = [name for name in PLANTABLE[game] if name not in READ_OTHERWISE]
    simulation = load_simulation(RULEBOOK.regulation(game))
    nowhere = audit_faults(RULEBOOK, simulation, asked)
    assert nowhere == {name for name in {*OTHER_HOUSES, *OTHER_READINGS} if name.startswith(f"{game}/")}


@pytest.mark.parametrize("name", OTHER_HOUSES)
def test_what_another_house_needs_is_planted_there(name: str) -> None:
    simulation = load_simulation(RULEBOOK.regulation(name.split("/", maxsplit=1)[0]))
    house = change_fields(simulation.submission, **OTHER_HOUSES[name])
    other = simulation.model_copy(update={"submission": house})
    assert audit_faults(RULEBOOK, other, [name], each=4) == set()


@pytest.mark.parametrize("name", READ_OTHERWISE)
def test_what_is_asked_for_under_another_reading_alone_is_not_planted(name: str) -> None:
    game, requirement = name.split("/")
    with pytest.raises(ValueError, match=f"`{requirement}` cannot be broken in a simulation: it applies only if `"):
        plan_faults(compile_game(RULEBOOK.regulation(game)), [name])


@pytest.mark.parametrize(
    "name",
    [
        requirement
        for requirement in (*READ_OTHERWISE, *OTHER_READINGS)
        if requirement.split("/")[0] not in BY_THEMSELVES
    ],
)
def test_what_another_reading_asks_for_is_planted_under_it(name: str, tmp_path: Path) -> None:
    game = name.split("/", maxsplit=1)[0]
    rulebook = read(tmp_path, game, READ_OTHERWISE.get(name, OTHER_READINGS.get(name, {})))
    simulation = load_simulation(rulebook.regulation(game))
    assert audit_faults(rulebook, simulation, [name], each=4) == set()
