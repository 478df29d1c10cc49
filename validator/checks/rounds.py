"""All round requirements of a regulation held against a batch: totals, and findings where they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from validator.checks.marks import (
    ERROR,
    FAIL,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    NOT_IN_FORCE,
    STATUSES,
    Judged,
    Marks,
    Told,
)
from validator.checks.round_operators import OPERATORS
from validator.evidence.columns import Batch
from validator.play.conditions import open_scope
from validator.play.configuration import Configuration
from validator.play.prepared import Prepared
from validator.play.scope import Scope
from validator.rulebook.language.requirement import Requirement
from validator.verdicts import Evidence, Finding, Status

_EPOCH = np.datetime64("1970-01-01", "D")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Evidence that is missing again and again: how many rounds, and a finding for the first of them."""

    rounds: int
    first: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsVerdict:
    """How one requirement came out over one batch: rounds by mark, findings in log order, and the gap.

    `counts` has an entry for each of `marks.STATUSES`; they add up to the rounds of the batch.
    """

    requirement: str
    counts: tuple[int, ...]
    findings: tuple[Finding, ...]
    gap: Gap | None


def judge_batch(
    prepared: Prepared, batch: Batch, configuration: Configuration | None, *, as_of: int | None = None
) -> list[RoundsVerdict]:
    """Every round requirement of the regulation held against every round of the batch.

    `as_of` is a day (days since 1970-01-01) by whose law all rounds are judged; without it each round is
    judged by the law of its own day.
    """
    scope = open_scope(batch, prepared, configuration)
    days = batch.day if as_of is None else np.full(len(batch), as_of, np.int32)
    return [
        _judge(scope, requirement, days)
        for requirement in prepared.regulation.requirements
        if requirement.evidence is Evidence.ROUND
    ]


def round_marks(scope: Scope, requirement: Requirement) -> Marks:
    """uint8[rounds]: the mark of each round under one requirement, whatever the day."""
    check = requirement.check
    return OPERATORS[check.operator](scope, check.operand).per_round(len(scope.batch))


def _judge(scope: Scope, requirement: Requirement, days: np.ndarray) -> RoundsVerdict:
    judged = OPERATORS[requirement.check.operator](scope, requirement.check.operand)
    marks = judged.per_round(len(scope.batch))
    items = judged.marks
    in_force = _in_force(scope, requirement, days)
    if in_force is not None:
        marks = np.where(in_force, marks, np.uint8(NOT_IN_FORCE))
        items = np.where(in_force[judged.round], items, np.uint8(NOT_APPLICABLE))
    return RoundsVerdict(
        requirement=requirement.requirement,
        counts=tuple(np.bincount(marks, minlength=len(STATUSES)).tolist()),
        findings=tuple(_findings(scope, requirement, judged, items)),
        gap=_gap(scope, requirement, judged, items, marks),
    )


def _in_force(scope: Scope, requirement: Requirement, days: np.ndarray) -> np.ndarray | None:
    """bool[rounds], or None where the requirement has no bounds."""
    first, last = scope.prepared.regulation.period(requirement)
    if first is None and last is None:
        return None
    lowest = -(10**8) if first is None else int((np.datetime64(first, "D") - _EPOCH).astype(int))
    highest = 10**8 if last is None else int((np.datetime64(last, "D") - _EPOCH).astype(int))
    return (lowest <= days) & (days <= highest)


def _findings(scope: Scope, requirement: Requirement, judged: Judged, items: Marks) -> Iterator[Finding]:
    bad = np.flatnonzero(items >= ERROR)
    for item in bad[np.argsort(judged.round[bad], kind="stable")].tolist():
        status = Status.FAIL if items[item] == FAIL else Status.ERROR
        yield finding_of(scope, requirement, status, judged.tell(item))


def _gap(scope: Scope, requirement: Requirement, judged: Judged, items: Marks, marks: Marks) -> Gap | None:
    rounds = int((marks == NOT_EVIDENCED).sum())
    if not rounds:
        return None
    doubtful = np.flatnonzero((items == NOT_EVIDENCED) & (marks[judged.round] == NOT_EVIDENCED))
    first = int(doubtful[np.argmin(judged.round[doubtful])])
    finding = finding_of(scope, requirement, Status.NOT_EVIDENCED, judged.gap(first))
    return Gap(rounds=rounds, first=finding)


def finding_of(scope: Scope, requirement: Requirement, status: Status, told: Told) -> Finding:
    """A finding of a requirement at one place."""
    regulation = scope.prepared.regulation
    clauses = told.clauses + regulation.clause_ids(requirement.clauses)
    readings = told.readings + tuple(regulation.full_id(name) for name in requirement.readings)
    return Finding(
        requirement=regulation.full_id(requirement.requirement),
        clauses=tuple(dict.fromkeys(clauses)),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        expected=told.expected,
        observed=told.observed,
        where=told.where,
        reading=tuple(dict.fromkeys(readings)),
        remedy=requirement.remedy,
    )
