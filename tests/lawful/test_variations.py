"""Lawful variations of simulated rounds of every game: no requirement fails and no record is quarantined."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from fairdeal.api import audit, load_rulebook
from tests.facade.results import Status
from tests.facade.rounds import compile_game
from tests.facade.rules import list_games
from tests.facade.simulation import Record, load_simulation, simulate_records
from tests.lawful.variations import VARIATIONS, Variation, vary

RULEBOOK = load_rulebook()
GAMES = sorted(list_games())
ROUNDS = 4 * len(VARIATIONS)
NEVER_SIMULATED = {"record_the_device_at_another_time"}
"""Variations of tables that no shipped simulation has: with two decks in turn."""


@cache
def lawful_rounds(game: str) -> Sequence[Record]:
    """Return simulated rounds of a game, from the first of its tables on."""
    regulation = RULEBOOK.regulation(game)
    return simulate_records(compile_game(regulation), load_simulation(regulation), rounds=ROUNDS, seed=34)


def find_accusations(game: str, records: Sequence[Record]) -> dict[str, list[str]]:
    """Return the requirements that fail, and the reasons to quarantine a record, by round."""
    submission = load_simulation(RULEBOOK.regulation(game)).submission
    with TemporaryDirectory() as name:
        log, house = Path(name, "log.jsonl"), Path(name, "house.yaml")
        log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        house.write_text(submission.model_dump_json(by_alias=True, exclude_unset=True), "utf-8")
        results = audit(RULEBOOK, log, submissions=[house])
    found: dict[str, list[str]] = {}
    for finding in results.findings:
        if finding.status in (Status.FAIL, Status.ERROR):
            found.setdefault(str(finding.where.round), []).append(f"{finding.requirement}: {finding.observed}")
    for item in results.quarantined:
        found.setdefault(records[item.line - 1]["round"], []).append(item.reason)
    return found


def describe(found: dict[str, list[str]], applied: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what was found by the variations of its round, once for each."""
    return {" and ".join(applied.get(name, [])): reasons for name, reasons in found.items()}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("together", [1, 2, 4])
def test_no_mechanic_that_the_text_leaves_free_is_accused(game: str, together: int) -> None:
    random, applied, varied = Random(f"{game} {together}"), dict[str, list[str]](), list[Record]()
    for number, record in enumerate(lawful_rounds(game)):
        others = random.sample(VARIATIONS, together - 1)
        chosen: Sequence[Variation] = (VARIATIONS[number % len(VARIATIONS)], *others)
        applied[record["round"]] = [variation.__name__ for variation in chosen]
        varied.append(vary(record, random, chosen))
    assert varied != lawful_rounds(game)
    assert describe(find_accusations(game, varied), applied) == {}


def test_every_variation_applies_to_some_game_and_changes_no_argument() -> None:
    applied = set[str]()
    for game in GAMES:
        for record in lawful_rounds(game):
            before = json.dumps(record)
            applied |= {
                variation.__name__ for variation in VARIATIONS if variation(record, Random(1)) not in (None, record)
            }
            assert json.dumps(record) == before
    assert applied == {variation.__name__ for variation in VARIATIONS} - NEVER_SIMULATED
