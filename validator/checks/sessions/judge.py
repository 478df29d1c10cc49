"""Every requirement that spans rounds, judged over all rounds of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from validator.checks.marks import NOT_EVIDENCED, NOT_IN_FORCE, STATUSES
from validator.checks.rounds import Gap, RoundsVerdict, finding_of
from validator.checks.sessions.every import every
from validator.checks.sessions.gathered import Gathered
from validator.checks.sessions.needed import needed
from validator.checks.sessions.outcome import Lapse, Outcome, asked_of
from validator.checks.sessions.showing import spanning
from validator.checks.sessions.succession import succession
from validator.checks.submissions import lifting
from validator.play.prepared import Prepared
from validator.play.tri import UNKNOWN
from validator.play.words import demanded
from validator.rulebook.language.requirement import Requirement
from validator.verdicts import Finding, Status

OPERATORS: Mapping[str, Callable[[Prepared, Gathered, Requirement], Outcome]] = {
    "every": every,
    "succession": succession,
    "needed": needed,
}
"""The operators that judge sessions, by name."""


def judge_sessions(prepared: Prepared, rounds: Gathered) -> Iterable[RoundsVerdict]:
    """How every requirement that spans rounds came out; findings are in the order of casinos, tables and play."""
    for requirement in spanning(prepared.regulation.requirements):
        outcome = OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        marks = outcome.marks if in_force is None else np.where(in_force, outcome.marks, np.uint8(NOT_IN_FORCE))
        lapses = [one for one in outcome.lapses if in_force is None or in_force[one.place]]
        gaps = np.flatnonzero(marks == NOT_EVIDENCED)
        yield RoundsVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(marks, minlength=len(STATUSES)).tolist()),
            findings=tuple(
                _failure(prepared, rounds, requirement, one) for one in sorted(lapses, key=lambda one: one.place)
            ),
            gap=_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _failure(prepared: Prepared, rounds: Gathered, requirement: Requirement, lapse: Lapse) -> Finding:
    finding = finding_of(prepared.regulation, requirement, Status.FAIL, lapse.told())
    waived = lifting(rounds.waivers(lapse.place), finding.clauses)
    return replace(finding, waived=waived, count=lapse.rounds)


def _gap(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, outcome: Outcome, gaps: NDArray[np.int64]
) -> Gap:
    first = int(gaps[0])
    told = outcome.gap(first)
    if asked_of(rounds, requirement)[first] == UNKNOWN:
        when = demanded(prepared, requirement.check.operand.when)
        told = replace(told, observed=f"the evidence does not show whether it applies: {when}")
    return Gap(rounds=len(gaps), first=finding_of(prepared.regulation, requirement, Status.NOT_EVIDENCED, told))
