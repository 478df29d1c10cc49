"""Every requirement that spans rounds, judged over the rounds of some tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.audit.operators.weighed import Gap, finding_of, of_version
from validator.audit.session_requirements.certain_failures import CertainFailures, may_be_certain
from validator.audit.session_requirements.periodic import every
from validator.audit.session_requirements.succession import succession
from validator.audit.session_requirements.summarise_rounds import spanning
from validator.audit.sessions.obligation import needed
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.versions import MOST_VERSIONS
from validator.audit.statuses.open_causes import CAUSES
from validator.audit.statuses.status_codes import (
    CONTRADICTED,
    FAIL,
    NOT_EVIDENCED,
    NOT_IN_FORCE,
    PASS,
    STATUSES,
    Told,
)
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
    prepared: Prepared,
    rounds: Gathered,
    requirements: Sequence[Requirement] | None = None,
    *,
    before: int = 0,
    version: int = 0,
    certain: CertainFailures | None = None,
) -> Iterator[SessionVerdict]:
    """Judge requirements that span rounds, one after the other.

    Args:
        requirements: those to judge; all of the regulation without it.
        before: how many of the first rounds serve for comparison alone.
        version: the version of contradicted rounds to judge; all other rounds then serve for comparison alone.
        certain: takes up how other rounds fail among a version, and says at the end which of them fail among all.
    """
    chosen = rounds.version >= version if version == MOST_VERSIONS else rounds.version == version
    chosen[:before] = False
    for requirement in spanning(prepared.regulation.requirements) if requirements is None else requirements:
        outcome = OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        marks = outcome.marks if in_force is None else np.where(in_force, outcome.marks, np.uint8(NOT_IN_FORCE))
        outcome = replace(outcome, marks=marks)
        if version:
            outcome = _doubt_passes(rounds, requirement, outcome)
        doubtless: list[Finding] = []
        if certain is not None and version:
            open_ = np.flatnonzero((outcome.marks == FAIL) & may_be_certain(rounds, requirement))
            for place in open_[open_ >= before].tolist():
                found = tuple(_failures_at(prepared, rounds, requirement, outcome.lapses, place))
                certain.add(requirement.requirement, version, found)
        elif certain is not None:
            outcome, doubtless = _fail_certainly(rounds, requirement, outcome, certain, chosen)
        gaps = np.flatnonzero(chosen & (outcome.marks == NOT_EVIDENCED))
        failures = _failures(prepared, rounds, requirement, outcome.lapses, chosen)
        if version:
            failed = np.flatnonzero(chosen & (outcome.marks == FAIL))
            failures = (
                of_version(finding, int(rounds.version[place]), rounds.other_version(place))
                for place in failed.tolist()
                for finding in _failures_at(prepared, rounds, requirement, outcome.lapses, place)
            )
        yield SessionVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(outcome.marks[chosen], minlength=len(STATUSES)).tolist()),
            findings=chain(failures, doubtless),
            gap=_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _doubt_passes(rounds: Gathered, requirement: Requirement, outcome: Outcome) -> Outcome:
    """Return an outcome with the passes of contradicted rounds left open."""
    opened = (outcome.marks == PASS) & (rounds.version > 0)

    def gap(place: int) -> Told:
        if not opened[place]:
            return outcome.gap(place)
        return Told(where=rounds.where(place), expected=requirement.title, observed=CONTRADICTED)

    return replace(outcome, marks=np.where(opened, np.uint8(NOT_EVIDENCED), outcome.marks), gap=gap)


def _failures(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, lapses: Lapses, chosen: Flags
) -> Iterator[Finding]:
    for lapse in np.argsort(lapses.places, kind="stable").tolist():
        place = int(lapses.places[lapse])
        if chosen[place]:
            finding = finding_of(prepared.regulation, requirement, Status.FAIL, lapses.told(lapse))
            yield replace(rounds.permits(place).marked(finding), count=int(lapses.rounds[lapse]))


def _failures_at(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, lapses: Lapses, place: int
) -> Iterator[Finding]:
    """Yield the failures of one round, also where a lapse began in a round before."""
    order = np.argsort(lapses.places, kind="stable")
    start, end = np.searchsorted(lapses.places[order], [place, place + 1]).tolist()
    for lapse in order[start if end > start else max(start - 1, 0) : max(end, 1)].tolist():
        told = lapses.told(lapse)
        told = told if end > start else replace(told, where=rounds.where(place))
        finding = finding_of(prepared.regulation, requirement, Status.FAIL, told)
        yield rounds.permits(place).marked(finding)


def _fail_certainly(
    rounds: Gathered, requirement: Requirement, outcome: Outcome, certain: CertainFailures, chosen: Flags
) -> tuple[Outcome, list[Finding]]:
    """Return an outcome in which rounds fail that do so among all versions, and the findings of these."""
    marks, found = outcome.marks.copy(), list[Finding]()
    for place, findings in certain.among(rounds, requirement.requirement):
        if chosen[place] and marks[place] != FAIL:
            marks[place] = FAIL
            found += findings
    return replace(outcome, marks=marks), found


def _gap(prepared: Prepared, rounds: Gathered, requirement: Requirement, outcome: Outcome, gaps: Ints) -> Gap:
    first = int(gaps[0])
    told = outcome.gap(first)
    if asked_of(rounds, requirement)[first] == UNKNOWN:
        when = demanded(prepared, requirement.check.operand.when)
        told = replace(told, observed=f"the evidence does not show whether it applies: {when}")
    contradicted = int(np.count_nonzero(rounds.version[gaps]))
    causes = {Cause.CONTRADICTED: contradicted, Cause.OTHER: len(gaps) - contradicted}
    return Gap(
        rounds=len(gaps),
        first=finding_of(prepared.regulation, requirement, Status.NOT_EVIDENCED, told),
        causes=tuple(causes.get(cause, 0) for cause in CAUSES),
    )
