"""Evaluation of every requirement on sessions over the rounds of some tables."""

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
"""Operators that check sessions, by name."""


class SessionVerdict(Struct, frozen=True, kw_only=True):
    """Result of one requirement on sessions."""

    requirement: str
    """Name of the requirement."""
    counts: tuple[int, ...]
    """Number of rounds with each of `STATUSES`."""
    findings: Iterable[Finding]
    """Failures in the order of casinos, tables and play, built during iteration."""
    gap: Gap | None
    """Rounds whose evidence is incomplete; None if there are none."""


def judge_sessions(
    prepared: Prepared,
    rounds: Gathered,
    requirements: Sequence[Requirement] | None = None,
    *,
    before: int = 0,
    version: int = 0,
    certain: CertainFailures | None = None,
) -> Iterator[SessionVerdict]:
    """Evaluate requirements on sessions and yield their verdicts.

    Args:
        requirements: requirements to evaluate; by default all of the regulation.
        before: number of first rounds that serve only for comparison.
        version: version of contradicted rounds to evaluate; all other rounds then serve only for comparison.
        certain: collects the failures of other rounds with each version, and supplies the certain failures at the end.
    """
    chosen = rounds.version >= version if version == MOST_VERSIONS else rounds.version == version
    chosen[:before] = False
    for requirement in spanning(prepared.regulation.requirements) if requirements is None else requirements:
        outcome = OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        statuses = outcome.marks if in_force is None else np.where(in_force, outcome.marks, np.uint8(NOT_IN_FORCE))
        outcome = replace(outcome, marks=statuses)
        if version:
            outcome = _withhold_contradicted(rounds, requirement, outcome)
        doubtless: list[Finding] = []
        if certain is not None and version:
            candidates = np.flatnonzero((outcome.marks == FAIL) & may_be_certain(rounds, requirement))
            for place in candidates[candidates >= before].tolist():
                findings = tuple(_build_failures_at(prepared, rounds, requirement, outcome.lapses, place))
                certain.add(requirement.requirement, version, findings)
        elif certain is not None:
            outcome, doubtless = _add_certain_failures(rounds, requirement, outcome, certain, chosen)
        gaps = np.flatnonzero(chosen & (outcome.marks == NOT_EVIDENCED))
        failures = _build_failures(prepared, rounds, requirement, outcome.lapses, chosen)
        if version:
            failed = np.flatnonzero(chosen & (outcome.marks == FAIL))
            failures = (
                of_version(finding, int(rounds.version[place]), rounds.other_version(place))
                for place in failed.tolist()
                for finding in _build_failures_at(prepared, rounds, requirement, outcome.lapses, place)
            )
        yield SessionVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(outcome.marks[chosen], minlength=len(STATUSES)).tolist()),
            findings=chain(failures, doubtless),
            gap=_build_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _withhold_contradicted(rounds: Gathered, requirement: Requirement, outcome: Outcome) -> Outcome:
    """Replace passes of contradicted rounds by NOT_EVIDENCED."""
    is_withheld = (outcome.marks == PASS) & (rounds.version > 0)

    def describe_gap(place: int) -> Told:
        if not is_withheld[place]:
            return outcome.gap(place)
        return Told(where=rounds.where(place), expected=requirement.title, observed=CONTRADICTED)

    return replace(outcome, marks=np.where(is_withheld, np.uint8(NOT_EVIDENCED), outcome.marks), gap=describe_gap)


def _build_failures(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, failures: Lapses, chosen: Flags
) -> Iterator[Finding]:
    for failure in np.argsort(failures.places, kind="stable").tolist():
        place = int(failures.places[failure])
        if chosen[place]:
            finding = finding_of(prepared.regulation, requirement, Status.FAIL, failures.told(failure))
            yield replace(rounds.permits(place).marked(finding), count=int(failures.rounds[failure]))


def _build_failures_at(
    prepared: Prepared, rounds: Gathered, requirement: Requirement, failures: Lapses, place: int
) -> Iterator[Finding]:
    """Yield the failures of one round, including a failure that began in an earlier round."""
    order = np.argsort(failures.places, kind="stable")
    start, end = np.searchsorted(failures.places[order], [place, place + 1]).tolist()
    for failure in order[start if end > start else max(start - 1, 0) : max(end, 1)].tolist():
        details = failures.told(failure)
        details = details if end > start else replace(details, where=rounds.where(place))
        finding = finding_of(prepared.regulation, requirement, Status.FAIL, details)
        yield rounds.permits(place).marked(finding)


def _add_certain_failures(
    rounds: Gathered, requirement: Requirement, outcome: Outcome, certain: CertainFailures, chosen: Flags
) -> tuple[Outcome, list[Finding]]:
    """Return an outcome in which rounds that certainly fail have status FAIL, and their findings."""
    statuses, certain_findings = outcome.marks.copy(), list[Finding]()
    for place, findings in certain.among(rounds, requirement.requirement):
        if chosen[place] and statuses[place] != FAIL:
            statuses[place] = FAIL
            certain_findings += findings
    return replace(outcome, marks=statuses), certain_findings


def _build_gap(prepared: Prepared, rounds: Gathered, requirement: Requirement, outcome: Outcome, gaps: Ints) -> Gap:
    first = int(gaps[0])
    details = outcome.gap(first)
    if asked_of(rounds, requirement)[first] == UNKNOWN:
        when = demanded(prepared, requirement.check.operand.when)
        details = replace(details, observed=f"the evidence does not show whether it applies: {when}")
    contradicted = int(np.count_nonzero(rounds.version[gaps]))
    causes = {Cause.CONTRADICTED: contradicted, Cause.OTHER: len(gaps) - contradicted}
    return Gap(
        rounds=len(gaps),
        first=finding_of(prepared.regulation, requirement, Status.NOT_EVIDENCED, details),
        causes=tuple(causes.get(cause, 0) for cause in CAUSES),
    )
