"""Lawful rounds of every game whose log withholds evidence: nothing fails, and nothing is quarantined.

`python -m tests.simulate.test_withheld_evidence GAME ROUNDS SEED` tries more of them.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fairdeal.api import audit, load_rulebook
from tests.facade.results import Status
from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation, rules_folder
from tests.facade.simulation import Record, change_fields, load_simulation, simulate_records
from tests.simulate.withheld_evidence import LESS, kinds_of, stop, withhold

GAMES = sorted(path.parent.name for path in rules_folder().glob("*/simulation.yaml"))
_KINDS_AT_ONCE = (1, 1, 2, 3, 6)


@cache
def play(game: str, rounds: int, seed: int) -> tuple[list[Record], str]:
    """Return rounds of a house, none of which breaks a rule, and its submission, which names no tables."""
    regulation = load_regulation(game)
    simulation = load_simulation(regulation)
    house = change_fields(simulation.submission, tables=[])
    records = simulate_records(compile_game(regulation), simulation, submission=house, rounds=rounds, seed=seed)
    return records, house.model_dump_json(by_alias=True, exclude_unset=True)


def failures(game: str, records: list[Record], house: str) -> Counter[str]:
    """Return the failures in rounds, each played at a table of its own, and the reasons for quarantine."""
    told = [record | {"round": f"R{number}", "table": f"T{number}"} for number, record in enumerate(records)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in told))
        (folder / "house.yaml").write_text(house, "utf-8")
        found = audit(load_rulebook(), folder / "log.jsonl", submissions=[folder / "house.yaml"])
    failed = [finding.requirement for finding in found.findings if finding.status in (Status.FAIL, Status.ERROR)]
    return Counter(failed + [entry.reason for entry in found.quarantined])


def stop_everywhere(records: list[Record], chance: random.Random, share: float = 1.0) -> Iterator[Record]:
    """Yield every beginning of rounds, or a share of them, with and without events that have nothing to do with it."""
    for record in records:
        for end in range(len(record["events"]) + 1):
            for unrelated in (False, True):
                if chance.random() < share:
                    with_cards, with_outcomes = chance.random() < 0.3, chance.random() < 0.3
                    yield stop(record, end, unrelated=unrelated, with_cards=with_cards, with_outcomes=with_outcomes)


def without_kinds(records: list[Record], chance: random.Random, share: float = 1.0) -> Iterator[Record]:
    """Yield rounds without each kind of event, part of a kind and pair of them, or with some of their events left."""
    names = kinds_of(records)
    chosen = [(name,) for name in names] + list(combinations(names, 2))
    for record in records:
        for kinds in chosen:
            if chance.random() < share:
                yield withhold(record, kinds, chance.choice([1.0, 1.0, 0.5]), chance)


def with_less(records: list[Record], chance: random.Random) -> Iterator[Record]:
    """Yield rounds with several things left out at once."""
    names = kinds_of(records)
    for record in records:
        found = record
        if chance.random() < 0.4:
            end = chance.randrange(len(record["events"]) + 1)
            found = stop(record, end, unrelated=chance.random() < 0.5, with_outcomes=chance.random() < 0.4)
        for name, leave_out in LESS.items():
            if name != "omit_events" and chance.random() < 0.35:
                found = leave_out(found, chance)
        found = withhold(found, chance.sample(names, chance.choice(_KINDS_AT_ONCE)), 1.0, chance)
        yield LESS["omit_events"](found, chance) if chance.random() < 0.1 else found


@pytest.mark.parametrize("game", GAMES)
def test_a_beginning_of_a_lawful_round_breaks_nothing(game: str) -> None:
    records, house = play(game, 40, 1)
    assert not failures(game, [*stop_everywhere(records, random.Random(1), 0.2)], house)


@pytest.mark.parametrize("game", GAMES)
def test_a_lawful_round_without_some_kinds_of_event_breaks_nothing(game: str) -> None:
    records, house = play(game, 40, 1)
    assert not failures(game, [*without_kinds(records, random.Random(2), 0.03)], house)


@pytest.mark.parametrize("game", GAMES)
def test_a_lawful_round_with_much_left_out_breaks_nothing(game: str) -> None:
    records, house = play(game, 40, 1)
    assert not failures(game, [*with_less(records * 10, random.Random(3))], house)


def main(game: str, rounds: int, seed: int) -> None:
    """Print the failures in many more rounds with less evidence."""
    records, house = play(game, rounds, seed)
    chance = random.Random(seed)
    for name, less in (
        ("stopped", stop_everywhere(records, chance)),
        ("without kinds", without_kinds(records, chance, 0.1)),
        ("with less", with_less(records * 20, chance)),
    ):
        kept = [*less]
        print(game, name, len(kept), dict(failures(game, kept, house)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
