"""Common form of violations: one breach of one clause in a round that is otherwise lawful."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.lawful.judge import judge
from tests.lawful.record import Record, Submission


@dataclass
class Case:
    """Records with one breach, and the id of the round that must give a finding."""

    records: list[Record]
    submissions: list[Submission]
    round_id: str


@dataclass
class Violation:
    """A breach that a surveillance review looks for, with its clause and a builder from a seed."""

    name: str
    clause: str
    build: Callable[[int], Case]


def is_found(case: Case, profile: str | None = None) -> bool:
    """Return whether the round of a case has a failure; a quarantined record is no finding."""
    judgement = judge(case.records, case.submissions, profile)
    return bool(judgement.failures.get(case.round_id)) and case.round_id not in judgement.quarantined
