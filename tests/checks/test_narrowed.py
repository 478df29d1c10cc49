"""Conditions evaluated for some items have the same results as for all items."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairdeal.validator.engine.core.derived_contexts import restrict
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rules.check_model import RoundCheck
from tests.facade.evidence import Batch, decode_records
from tests.facade.rounds import CompiledGame, EvaluationContext, compile_game
from tests.facade.rules import find_needed_readings, list_games, load_regulation
from tests.facade.simulation import is_plantable, load_simulation, simulate_records
from tests.facade.submissions import LicenseeConfiguration, build_configuration

GAMES = sorted(list_games())
ROUNDS = 60


@cache
def simulate_rounds(document: str) -> tuple[CompiledGame, list[dict[str, Any]]]:
    """Compile a game and simulate rounds with every fault that can be planted. The records of some stop early, or leave
    out kinds of event."""
    prepared = compile_game(load_regulation(document))
    regulation = prepared.regulation
    faults = [
        requirement.requirement
        for requirement in regulation.requirements
        if is_plantable(requirement) and not find_needed_readings(regulation, requirement)
    ]
    records = simulate_records(prepared, load_simulation(regulation), rounds=ROUNDS, seed=16, every=2, faults=faults)
    for record in records[::3]:
        record["events"] = record["events"][: len(record["events"]) // 2]
        record["complete"] = False
    for record in records[1::3]:
        record["unrecorded"] = ["reveal", "collect"]
    return prepared, records


@cache
def read(document: str) -> tuple[Batch, LicenseeConfiguration]:
    prepared, records = simulate_rounds(document)
    [batch], _ = decode_records(records, file="log", games={document})
    return batch, build_configuration(load_simulation(prepared.regulation).submission)


def open_context(document: str) -> EvaluationContext:
    """Return a context for the rounds of a game, with an empty cache."""
    batch, configuration = read(document)
    return EvaluationContext(batch, simulate_rounds(document)[0], configuration)


@cache
def open_shared_context(document: str) -> EvaluationContext:
    """Return a context for the rounds of a game that keeps its cache between tests."""
    return open_context(document)


def list_conditions(prepared: CompiledGame) -> Iterator[tuple[RoundCheck, Condition]]:
    for requirement in prepared.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            yield from ((check, part) for part in (check.when, check.must) if part is not None)


@pytest.mark.parametrize("document", GAMES)
@given(data=st.data())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_narrowed_is_taken_from_the_whole(document: str, data: st.DataObject) -> None:
    whole = open_shared_context(document)
    chance = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    share = data.draw(st.sampled_from([0.0, 0.01, 0.2, 0.5, 1.0]))
    narrowed = {}
    for check, condition in list_conditions(whole.compiled_game):
        if check.each not in narrowed:
            items = np.flatnonzero(chance.random(whole.count_items(check.each)) < share)
            of_these = np.flatnonzero(chance.random(len(items)) < 0.8)
            # Another context, with an empty cache.
            narrowed[check.each] = (
                restrict(restrict(open_context(document), check.each, items), check.each, of_these),
                items[of_these],
            )
        some, at = narrowed[check.each]
        assert np.array_equal(some.evaluate(condition, check.each), whole.evaluate(condition, check.each)[at])
