"""Runs as the records of their log, which is all that the oracles of these tests look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from tests.facade.evidence import to_lines
from tests.facade.rounds import Prepared, prepare
from tests.facade.rules import load_regulation
from tests.facade.simulation import Simulation, load_simulation, simulate
from tests.facade.submissions import Submission

GAME = "co-rule10-3card-shine"
Record = dict[str, Any]


@cache
def shipped() -> tuple[Prepared, Simulation]:
    """The first game, and how it is simulated."""
    regulation = load_regulation(GAME)
    return prepare(regulation), load_simulation(regulation)


WITHOUT_SUPER_6 = "wager-is-offered"
FOLLOWS = {"folded-hand-keeps-its-play-wager": {"play-only-when-staying"}}
"""Requirements of the first game that are broken along with the one a fault is for."""


@cache
def house_for(fault: str | None) -> Submission:
    """The house of the first game in which a fault can be planted: the shipped one offers every wager."""
    submission = shipped()[1].submission
    if fault != WITHOUT_SUPER_6:
        return submission
    return changed(submission, wagers=[one for one in submission.wagers or [] if one.wager != "super-6"])


def log_of(prepared: Prepared, simulation: Simulation, **run: Any) -> bytes:
    """The log of a run, as JSON Lines."""
    run.setdefault("submission", simulation.submission)
    return b"".join(to_lines(batch, planted) for batch, planted in simulate(prepared, simulation, **run))


def records_of(prepared: Prepared, simulation: Simulation, **run: Any) -> list[Record]:
    """The rounds of a run, as a reader of its log has them."""
    return [json.loads(line) for line in log_of(prepared, simulation, **run).splitlines()]


def planted_in(record: Record) -> Sequence[str]:
    """The requirements a round was made to break."""
    planted: list[str] = record.get("annotations", {"planted": []})["planted"]
    return planted


def changed(submission: Submission, **fields: Any) -> Submission:
    """A submission with some fields changed."""
    return submission.model_copy(update=fields)
