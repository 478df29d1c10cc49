"""A decision that a log leaves out is one finding, or a record that contradicts itself."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import load_simulation, simulate_records
from tests.lawful.judge import judge, load_generator, write_rounds
from tests.lawful.known import POKER
from tests.lawful.record import Record, Submission

ACTS = {"check", "fold", "call", "bet", "raise"}


def drop_a_decision(record: Record, rng: random.Random) -> str:
    """Remove an act of betting from a round; return its decision, or nothing if it has none."""
    events = record.get("events", [])
    acts = [at for at, event in enumerate(events) if event["event"] == "decide" and event["decision"] in ACTS]
    return str(events.pop(rng.choice(acts))["decision"]) if acts else ""


def count_findings(
    records: Sequence[Record], submissions: Sequence[Submission], profile: str | None = None
) -> dict[str, list[int]]:
    """Return the number of requirements that fail in each changed round, by the decision that is left out.

    A quarantined record is one finding.
    """
    rng = random.Random(5)
    dropped = {record["round"]: drop_a_decision(record, rng) for record in records}
    judgement = judge(records, submissions, profile)
    counts: dict[str, list[int]] = {decision: [] for decision in ACTS}
    for id_, decision in dropped.items():
        if decision:
            requirements = {finding.requirement for finding in judgement.failures.get(id_, [])}
            counts[decision].append(1 if id_ in judgement.quarantined else len(requirements))
    return counts


def test_a_decision_left_out_is_one_finding_at_most() -> None:
    records, submissions = write_rounds(POKER, 5, 300)
    counts = count_findings(records, submissions, load_generator(POKER).PROFILE)
    every = [count for own in counts.values() for count in own]
    assert sum(count > 1 for count in every) == 0
    assert all(sum(count == 1 for count in own) >= 0.5 * len(own) > 5 for own in counts.values())


def test_chips_left_out_contradict_the_summary_where_checks_state_no_amount() -> None:
    regulation = load_regulation(POKER)
    simulation = load_simulation(regulation)
    records = simulate_records(compile_game(regulation), simulation, rounds=300, seed=6)
    house = json.loads(simulation.submission.model_dump_json(by_alias=True, exclude_unset=True))
    counts = count_findings(records, [house])
    every = [count for own in counts.values() for count in own]
    assert sum(count > 1 for count in every) <= 1
    assert {count for decision in ("call", "bet", "raise") for count in counts[decision]} == {1}
