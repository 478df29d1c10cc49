"""Evaluation of every requirement on sessions: rows of a batch, verdicts over the rounds of some tables.

Some failures of a round with one record do not depend on which record of a contradicted earlier round is true. They are
collected version by version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.operators import round_requirements
from fairdeal.validator.audit.operators.periodic_checks import check_periodic, list_copy_columns
from fairdeal.validator.audit.operators.succession_checks import check_succession
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.obligations import check_obligation
from fairdeal.validator.audit.sessions.play_order import build_seat_rows
from fairdeal.validator.audit.sessions.session_rows import SessionRows, TextColumn, build_event_log
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES, constant
from fairdeal.validator.evidence.columns.log_draft import hash_column, hash_texts
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.rule_renderer import describe_condition
from fairdeal.validator.results.findings import Cause, Evidence, Finding, Status
from fairdeal.validator.rules.check_model import SuccessionCheck
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement

MAX_VERSIONS = 8
"""Number of versions of a round that are evaluated separately; the last one includes all further versions."""


@cache_by_regulation
def select_session_requirements(regulation: Regulation) -> tuple[Requirement, ...]:
    """Return the requirements on sessions."""
    return tuple(requirement for requirement in regulation.requirements if requirement.evidence is Evidence.SESSION)


@cache_by_regulation
def _find_comparisons_by_player(regulation: Regulation) -> frozenset[str]:
    """Return the names of the requirements that compare players from round to round."""
    requirements = select_session_requirements(regulation)
    return frozenset(requirement.requirement for requirement in requirements if is_by_player(requirement))


def build_session_rows(
    scope: EvaluationContext, permits: ApplicableWaivers, *, as_of: int | None = None
) -> SessionRows:
    """Build the session rows of a batch.

    Args:
        as_of: day whose rules apply, in days since 1970-01-01; None for the day of each round.
    """
    batch = scope.batch
    requirements = select_session_requirements(scope.compiled_game.regulation)
    shows = {}
    seats_show = {}
    by_player = _find_comparisons_by_player(scope.compiled_game.regulation)
    for requirement in requirements:
        columns = dict(_list_columns(scope, requirement))
        if requirement.requirement in by_player and requirement.check.operand.each == "player":
            seats_show[requirement.requirement] = columns
            columns = {"applies": constant(YES, len(batch))}
        in_force = round_requirements.find_rounds_in_force(scope, requirement, as_of=as_of)
        if in_force is not None:
            columns["in-force"] = in_force
        shows[requirement.requirement] = columns
    return SessionRows(
        document=batch.game,
        file=batch.file,
        waivers=permits,
        casino=batch.casino,
        table=batch.table,
        deck=batch.deck,
        time=batch.time,
        dated=batch.dated,
        offset=batch.offset,
        number=batch.number,
        line=batch.line,
        round=TextColumn(batch.round),
        name=hash_texts(batch.round),
        after=hash_column(batch.after),
        seats=build_seat_rows(scope) if by_player else None,
        event_log=build_event_log(scope, [requirement.check.operand for requirement in requirements]),
        round_columns=shows,
        seat_columns=seats_show,
        versions=batch.versions,
    )


def _list_columns(scope: EvaluationContext, requirement: Requirement) -> Iterator[tuple[str, NDArray[Any]]]:
    check = requirement.check.operand
    if requirement.check.operator == "succession" and check.operator == "must":
        yield from _list_comparison_columns(scope, check)
        return
    yield "applies", scope.evaluate(check.when, "round")
    match requirement.check.operator:
        case "every":
            if check.counts is not None:
                yield "counts", scope.evaluate(check.counts, "round")
            if check.operator == "must":
                yield "happened", scope.evaluate(check.must, "round")
        case "succession" if check.operator == "copies-since":
            yield from list_copy_columns(scope, check)
        case "succession" if check.deck == "same":
            yield "several-decks", _may_have_several_decks(scope)


def _may_have_several_decks(scope: EvaluationContext) -> Flags:
    """Return whether the table may have more than one deck: an event names its deck, or the submission states several.

    Returns:
        bool[rounds].
    """
    events = scope.batch.events
    has_named_deck = np.zeros(len(scope.batch), bool)
    has_named_deck[events.round[events.deck.codes != ABSENT]] = True
    stated = {} if scope.configuration is None else scope.configuration.data.get("deck") or {}
    return has_named_deck | any((stated.get(name) or 0) > 1 for name in ("decks", "kept"))


def is_by_player(requirement: Requirement) -> bool:
    """Return whether a requirement compares players from round to round."""
    return requirement.check.operator == "succession" and (
        requirement.check.operand.each == "player" or OPERATORS.requires_seats(requirement.check.operand)
    )


def _list_comparison_columns(scope: EvaluationContext, check: SuccessionCheck) -> Iterator[tuple[str, NDArray[Any]]]:
    grain: Grain = "seat" if check.each == "player" else "round"
    if grain == "round":
        yield "applies", constant(YES, len(scope.batch))
    yield from OPERATORS.collect_columns(scope, check.must, grain, "must")
    if check.when is not None:
        yield from OPERATORS.collect_columns(scope, check.when, grain, "when")


WHICHEVER_RECORD = "this holds whichever record of the earlier rounds is true"
_Place = tuple[str | None, int | None]


class _Failure(Struct):
    """Failure that occurs with each version up to `version`."""

    version: int
    findings: tuple[Finding, ...]


class CertainFailures(Struct):
    """Collector of failures, version by version.

    Failures that occur with every version of the earlier rounds are certain.
    """

    versions: int
    """Number of versions that are evaluated."""
    _failures: dict[str, dict[_Place, _Failure]] = field(default_factory=dict)

    def add(self, requirement: str, version: int, findings: tuple[Finding, ...]) -> None:
        """Add the failures of a round that occur with a version of the earlier rounds."""
        where = findings[0].where
        failures = self._failures.setdefault(requirement, {})
        failure = failures.get((where.file, where.line))
        if version == 1:
            noted = tuple(replace(finding, observed=f"{finding.observed}; {WHICHEVER_RECORD}") for finding in findings)
            failures[where.file, where.line] = _Failure(version=1, findings=noted)
        elif failure is not None and failure.version == version - 1:
            failure.version = version

    def list_certain(
        self, rounds: ordered_rounds.OrderedRounds, requirement: str
    ) -> Iterator[tuple[int, tuple[Finding, ...]]]:
        """Yield the rounds that certainly fail a requirement, by their places, with their findings."""
        certain = {
            place: failure.findings
            for place, failure in self._failures.get(requirement, {}).items()
            if failure.version == self.versions
        }
        if not certain:
            return
        lines = np.array([line for _, line in certain], np.int64)
        for place in np.flatnonzero(np.isin(rounds.line(), lines)).tolist():
            where = rounds.where(place)
            if (where.file, where.line) in certain:
                yield place, certain[where.file, where.line]


def may_be_certain(rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> Flags:
    """Return which rounds with a single version certainly fail if they fail with each version.

    With one contradicted earlier round, its versions are all cases. With several, the audit does not try every
    combination of versions. The combination does not matter to checks that use only the previous round, nor to checks
    that something happened in an earlier round.

    Returns:
        bool[rounds].
    """
    order = rounds.order
    contradicted: Ints = np.cumsum(rounds.version > 0)
    starts = np.maximum.accumulate(np.where(order.first, np.arange(len(rounds)), 0))
    contradicted_before = contradicted - (contradicted - (rounds.version > 0))[starts]
    result: Flags = (
        (rounds.version == 0) & (contradicted_before > 0) & (_is_simple(requirement) | (contradicted_before == 1))
    )
    return result


def _is_simple(requirement: Requirement) -> bool:
    """Return whether combinations of versions of several rounds do not matter to a requirement."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "succession":
            return check.deck == "same"
        case "every":
            return check.when is None and check.counts is None and check.each is None
    return False


SESSION_OPERATORS: Mapping[
    str, Callable[[CompiledGame, ordered_rounds.OrderedRounds, Requirement], ordered_rounds.SessionOutcome]
] = {
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
    gap: round_requirements.EvidenceGap | None
    """Rounds whose evidence is incomplete; None if there are none."""


def evaluate_sessions(
    prepared: CompiledGame,
    rounds: ordered_rounds.OrderedRounds,
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
    for requirement in select_session_requirements(prepared.regulation) if requirements is None else requirements:
        outcome = SESSION_OPERATORS[requirement.check.operator](prepared, rounds, requirement)
        in_force = rounds.column(requirement.requirement, "in-force")
        statuses = (
            outcome.status_codes
            if in_force is None
            else np.where(in_force, outcome.status_codes, np.uint8(status_codes.NOT_IN_FORCE))
        )
        outcome = replace(outcome, status_codes=statuses)
        if version:
            outcome = _withhold_contradicted(rounds, requirement, outcome)
        doubtless: list[Finding] = []
        if certain is not None and version:
            candidates = np.flatnonzero(
                (outcome.status_codes == status_codes.FAIL) & may_be_certain(rounds, requirement)
            )
            for place in candidates[candidates >= before].tolist():
                findings = tuple(_build_failures_at(prepared, rounds, requirement, outcome.failures, place))
                certain.add(requirement.requirement, version, findings)
        elif certain is not None:
            outcome, doubtless = _add_certain_failures(rounds, requirement, outcome, certain, chosen)
        gaps = np.flatnonzero(chosen & (outcome.status_codes == status_codes.NOT_EVIDENCED))
        failures = _build_failures(prepared, rounds, requirement, outcome.failures, chosen)
        if version:
            failed = np.flatnonzero(chosen & (outcome.status_codes == status_codes.FAIL))
            failures = (
                round_requirements.mark_version(finding, int(rounds.version[place]), rounds.other_version(place))
                for place in failed.tolist()
                for finding in _build_failures_at(prepared, rounds, requirement, outcome.failures, place)
            )
        yield SessionVerdict(
            requirement=requirement.requirement,
            counts=tuple(np.bincount(outcome.status_codes[chosen], minlength=len(status_codes.STATUSES)).tolist()),
            findings=chain(failures, doubtless),
            gap=_build_gap(prepared, rounds, requirement, outcome, gaps) if len(gaps) else None,
        )


def _withhold_contradicted(
    rounds: ordered_rounds.OrderedRounds, requirement: Requirement, outcome: ordered_rounds.SessionOutcome
) -> ordered_rounds.SessionOutcome:
    """Replace passes of contradicted rounds by NOT_EVIDENCED."""
    is_withheld = (outcome.status_codes == status_codes.PASS) & (rounds.version > 0)

    def describe_gap(place: int) -> status_codes.FindingDetails:
        if not is_withheld[place]:
            return outcome.describe_gap(place)
        return status_codes.FindingDetails(
            where=rounds.where(place), expected=requirement.title, observed=status_codes.CONTRADICTED
        )

    return replace(
        outcome,
        status_codes=np.where(is_withheld, np.uint8(status_codes.NOT_EVIDENCED), outcome.status_codes),
        describe_gap=describe_gap,
    )


def _build_failures(
    prepared: CompiledGame,
    rounds: ordered_rounds.OrderedRounds,
    requirement: Requirement,
    failures: ordered_rounds.SessionFailures,
    chosen: Flags,
) -> Iterator[Finding]:
    for failure in np.argsort(failures.places, kind="stable").tolist():
        place = int(failures.places[failure])
        if chosen[place]:
            finding = round_requirements.build_finding(
                prepared.regulation, requirement, Status.FAIL, failures.describe_failure(failure)
            )
            yield replace(rounds.get_waivers(place).mark_finding(finding), count=int(failures.rounds[failure]))


def _build_failures_at(
    prepared: CompiledGame,
    rounds: ordered_rounds.OrderedRounds,
    requirement: Requirement,
    failures: ordered_rounds.SessionFailures,
    place: int,
) -> Iterator[Finding]:
    """Yield the failures of one round, including a failure that began in an earlier round."""
    order = np.argsort(failures.places, kind="stable")
    start, end = np.searchsorted(failures.places[order], [place, place + 1]).tolist()
    for failure in order[start if end > start else max(start - 1, 0) : max(end, 1)].tolist():
        details = failures.describe_failure(failure)
        details = details if end > start else replace(details, where=rounds.where(place))
        finding = round_requirements.build_finding(prepared.regulation, requirement, Status.FAIL, details)
        yield rounds.get_waivers(place).mark_finding(finding)


def _add_certain_failures(
    rounds: ordered_rounds.OrderedRounds,
    requirement: Requirement,
    outcome: ordered_rounds.SessionOutcome,
    certain: CertainFailures,
    chosen: Flags,
) -> tuple[ordered_rounds.SessionOutcome, list[Finding]]:
    """Return an outcome in which rounds that certainly fail have status FAIL, and their findings."""
    statuses, certain_findings = outcome.status_codes.copy(), list[Finding]()
    for place, findings in certain.list_certain(rounds, requirement.requirement):
        if chosen[place] and statuses[place] != status_codes.FAIL:
            statuses[place] = status_codes.FAIL
            certain_findings += findings
    return replace(outcome, status_codes=statuses), certain_findings


def _build_gap(
    prepared: CompiledGame,
    rounds: ordered_rounds.OrderedRounds,
    requirement: Requirement,
    outcome: ordered_rounds.SessionOutcome,
    gaps: Ints,
) -> round_requirements.EvidenceGap:
    first = int(gaps[0])
    details = outcome.describe_gap(first)
    if ordered_rounds.find_applicable_rounds(rounds, requirement)[first] == UNKNOWN:
        when = describe_condition(prepared, requirement.check.operand.when)
        details = replace(details, observed=f"the evidence does not show whether it applies: {when}")
    contradicted = int(np.count_nonzero(rounds.version[gaps]))
    causes = {Cause.CONTRADICTED: contradicted, Cause.OTHER: len(gaps) - contradicted}
    return round_requirements.EvidenceGap(
        rounds=len(gaps),
        first=round_requirements.build_finding(prepared.regulation, requirement, Status.NOT_EVIDENCED, details),
        causes=tuple(causes.get(cause, 0) for cause in status_codes.CAUSES),
    )
