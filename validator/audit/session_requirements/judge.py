"""Every requirement that spans rounds, judged over the rounds of some tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Ints
from validator.audit.operators.weighed import Gap, finding_of
from validator.audit.session_requirements.periodic import every
from validator.audit.session_requirements.succession import succession
from validator.audit.session_requirements.summarise_rounds import spanning
from validator.audit.sessions.obligation import needed
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.statuses.open_causes import CAUSES
from validator.audit.statuses.status_codes import NOT_EVIDENCED, NOT_IN_FORCE, STATUSES
from validator.engine.compiled.game import Prepared
from validator.engine.core.kleene import UNKNOWN
from validator.language.wording import demanded
from validator.results.findings import Finding
from validator.results.statuses import Cause, Status
from validator.rules.model.requirement import Requirement

OPERATORS: Mapping[str, Callable[[Prepared, Gathered, Requirement], Outcome]] = {
    "every": every,
    "succession": succession,
    "needed": needed,
}
"""The operators that judge sessions, by name."""


class SessionVerdict(Struct, frozen=True, kw_only=True):
    """How one requirement came out over all sessions: rounds by mark, as in `RoundsVerdict`; failures in the order of
    casinos, tables and play, made as they are gone through; and the gap."""

    requirement: str
    counts: tuple[int, ...]
    findings: Iterable[Finding]
    gap: Gap | None


def judge_sessions(
    prepared: Prepared, rounds: Gathered, requirements: Sequence[Requirement] | None = None, *, before: int = 0
) -> Iterator[SessionVerdict]:
    """Requirements that span rounds, all there are or these, one after the other. The first rounds, `before` of them,
    are there only for those after them to be held against."""
    for requirement in spanning(prepared.regulation.requirements) if requirements is None else requirements:
        outcome = OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        marks = outcome.marks if in_force is None else np.where(in_force, outcome.marks, np.uint8(NOT_IN_FORCE))
        gaps = before + np.flatnonzero(marks[before:] == NOT_EVIDENCED)
        yield SessionVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(marks[before:], minlength=len(STATUSES)).tolist()),
            findings=_failures(prepared, rounds, requirement, outcome.lapses, before),
            gap=_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _failures(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, lapses: Lapses, before: int
) -> Iterator[Finding]:
    for lapse in np.argsort(lapses.places, kind="stable").tolist():
        if lapses.places[lapse] < before:
            continue
        finding = finding_of(prepared.regulation, requirement, Status.FAIL, lapses.told(lapse))
        marked = rounds.permits(int(lapses.places[lapse])).marked(finding)
        yield replace(marked, count=int(lapses.rounds[lapse]))


def _gap(prepared: Prepared, rounds: Gathered, requirement: Requirement, outcome: Outcome, gaps: Ints) -> Gap:
    first = int(gaps[0])
    told = outcome.gap(first)
    if asked_of(rounds, requirement)[first] == UNKNOWN:
        when = demanded(prepared, requirement.check.operand.when)
        told = replace(told, observed=f"the evidence does not show whether it applies: {when}")
    return Gap(
        rounds=len(gaps),
        first=finding_of(prepared.regulation, requirement, Status.NOT_EVIDENCED, told),
        causes=tuple(len(gaps) * (cause is Cause.OTHER) for cause in CAUSES),
    )
