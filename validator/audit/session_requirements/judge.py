"""Evaluation of every requirement on sessions over the rounds of some tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.audit.operators.weighed import EvidenceGap, build_finding, mark_version
from validator.audit.session_requirements.certain_failures import CertainFailures, may_be_certain
from validator.audit.session_requirements.periodic import check_periodic
from validator.audit.session_requirements.succession import check_succession
from validator.audit.session_requirements.summarise_rounds import select_session_requirements
from validator.audit.sessions.obligation import check_obligation
from validator.audit.sessions.outcome import SessionFailures, SessionOutcome, find_applicable_rounds
from validator.audit.sessions.rounds_in_order import OrderedRounds
from validator.audit.sessions.versions import MAX_VERSIONS
from validator.audit.statuses.open_causes import CAUSES
from validator.audit.statuses.status_codes import (
    CONTRADICTED,
    FAIL,
    NOT_EVIDENCED,
    NOT_IN_FORCE,
    PASS,
    STATUSES,
    FindingDetails,
)
from validator.engine.compiled.game import CompiledGame
from validator.engine.core.kleene import UNKNOWN
from validator.language.wording import describe_condition
from validator.results.findings import Finding
from validator.results.statuses import Cause, Status
from validator.rules.model.requirement import Requirement

SESSION_OPERATORS: Mapping[str, Callable[[CompiledGame, OrderedRounds, Requirement], SessionOutcome]] = {
    "every": check_periodic,
    "succession": check_succession,
    "needed": check_obligation,
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
    gap: EvidenceGap | None
    """Rounds whose evidence is incomplete; None if there are none."""


def evaluate_sessions(
    prepared: CompiledGame,
    rounds: OrderedRounds,
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
    chosen = rounds.version >= version if version == MAX_VERSIONS else rounds.version == version
    chosen[:before] = False
    for requirement in (
        select_session_requirements(prepared.regulation.requirements) if requirements is None else requirements
    ):
        outcome = SESSION_OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        statuses = (
            outcome.status_codes
            if in_force is None
            else np.where(in_force, outcome.status_codes, np.uint8(NOT_IN_FORCE))
        )
        outcome = replace(outcome, status_codes=statuses)
        if version:
            outcome = _withhold_contradicted(rounds, requirement, outcome)
        doubtless: list[Finding] = []
        if certain is not None and version:
            candidates = np.flatnonzero((outcome.status_codes == FAIL) & may_be_certain(rounds, requirement))
            for place in candidates[candidates >= before].tolist():
                findings = tuple(_build_failures_at(prepared, rounds, requirement, outcome.failures, place))
                certain.add(requirement.requirement, version, findings)
        elif certain is not None:
            outcome, doubtless = _add_certain_failures(rounds, requirement, outcome, certain, chosen)
        gaps = np.flatnonzero(chosen & (outcome.status_codes == NOT_EVIDENCED))
        failures = _build_failures(prepared, rounds, requirement, outcome.failures, chosen)
        if version:
            failed = np.flatnonzero(chosen & (outcome.status_codes == FAIL))
            failures = (
                mark_version(finding, int(rounds.version[place]), rounds.other_version(place))
                for place in failed.tolist()
                for finding in _build_failures_at(prepared, rounds, requirement, outcome.failures, place)
            )
        yield SessionVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(outcome.status_codes[chosen], minlength=len(STATUSES)).tolist()),
            findings=chain(failures, doubtless),
            gap=_build_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _withhold_contradicted(rounds: OrderedRounds, requirement: Requirement, outcome: SessionOutcome) -> SessionOutcome:
    """Replace passes of contradicted rounds by NOT_EVIDENCED."""
    is_withheld = (outcome.status_codes == PASS) & (rounds.version > 0)

    def describe_gap(place: int) -> FindingDetails:
        if not is_withheld[place]:
            return outcome.describe_gap(place)
        return FindingDetails(where=rounds.where(place), expected=requirement.title, observed=CONTRADICTED)

    return replace(
        outcome,
        status_codes=np.where(is_withheld, np.uint8(NOT_EVIDENCED), outcome.status_codes),
        describe_gap=describe_gap,
    )


def _build_failures(
    prepared: CompiledGame, rounds: OrderedRounds, requirement: Requirement, failures: SessionFailures, chosen: Flags
) -> Iterator[Finding]:
    for failure in np.argsort(failures.places, kind="stable").tolist():
        place = int(failures.places[failure])
        if chosen[place]:
            finding = build_finding(prepared.regulation, requirement, Status.FAIL, failures.describe_failure(failure))
            yield replace(rounds.get_waivers(place).mark_finding(finding), count=int(failures.rounds[failure]))


def _build_failures_at(
    prepared: CompiledGame, rounds: OrderedRounds, requirement: Requirement, failures: SessionFailures, place: int
) -> Iterator[Finding]:
    """Yield the failures of one round, including a failure that began in an earlier round."""
    order = np.argsort(failures.places, kind="stable")
    start, end = np.searchsorted(failures.places[order], [place, place + 1]).tolist()
    for failure in order[start if end > start else max(start - 1, 0) : max(end, 1)].tolist():
        details = failures.describe_failure(failure)
        details = details if end > start else replace(details, where=rounds.where(place))
        finding = build_finding(prepared.regulation, requirement, Status.FAIL, details)
        yield rounds.get_waivers(place).mark_finding(finding)


def _add_certain_failures(
    rounds: OrderedRounds, requirement: Requirement, outcome: SessionOutcome, certain: CertainFailures, chosen: Flags
) -> tuple[SessionOutcome, list[Finding]]:
    """Return an outcome in which rounds that certainly fail have status FAIL, and their findings."""
    statuses, certain_findings = outcome.status_codes.copy(), list[Finding]()
    for place, findings in certain.list_certain(rounds, requirement.requirement):
        if chosen[place] and statuses[place] != FAIL:
            statuses[place] = FAIL
            certain_findings += findings
    return replace(outcome, status_codes=statuses), certain_findings


def _build_gap(
    prepared: CompiledGame, rounds: OrderedRounds, requirement: Requirement, outcome: SessionOutcome, gaps: Ints
) -> EvidenceGap:
    first = int(gaps[0])
    details = outcome.describe_gap(first)
    if find_applicable_rounds(rounds, requirement)[first] == UNKNOWN:
        when = describe_condition(prepared, requirement.check.operand.when)
        details = replace(details, observed=f"the evidence does not show whether it applies: {when}")
    contradicted = int(np.count_nonzero(rounds.version[gaps]))
    causes = {Cause.CONTRADICTED: contradicted, Cause.OTHER: len(gaps) - contradicted}
    return EvidenceGap(
        rounds=len(gaps),
        first=build_finding(prepared.regulation, requirement, Status.NOT_EVIDENCED, details),
        causes=tuple(causes.get(cause, 0) for cause in CAUSES),
    )
