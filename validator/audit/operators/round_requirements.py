"""Evaluation of all round requirements of a regulation on a batch: totals and findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Flags
from validator.audit.operators.operators import OPERATORS
from validator.audit.operators.weighed import Gap, Weighed, with_marks
from validator.audit.statuses.status_codes import (
    CONTRADICTED,
    FAIL,
    NO_CAUSE,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    NOT_IN_FORCE,
    PASS,
    STATUSES,
    Judged,
    Told,
    place_of,
)
from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import UNKNOWN, YES
from validator.evidence.columns.batch import Batch
from validator.results.findings import Finding, Where
from validator.results.place_order import place_key
from validator.results.statuses import Evidence
from validator.rules.model.requirement import Requirement

_EPOCH = np.datetime64("1970-01-01", "D")


class RoundsVerdict(Struct, frozen=True, kw_only=True):
    """Result of one requirement on one batch."""

    requirement: str
    """Name of the requirement."""
    counts: tuple[int, ...]
    """Number of rounds with each of `STATUSES`; the sum is the number of rounds."""
    findings: tuple[Finding, ...]
    """Failures and errors, in log order."""
    gap: Gap | None
    """Rounds whose evidence is incomplete; None if there are none."""


def judge_batch(
    prepared: Prepared, batch: Batch, configuration: Configuration | None, *, as_of: int | None = None
) -> list[RoundsVerdict]:
    """Evaluate every round requirement of a regulation on a batch; see `check_context`."""
    return judge_scope(Scope(batch, prepared, configuration), as_of=as_of)


def judge_scope(scope: Scope, *, as_of: int | None = None) -> list[RoundsVerdict]:
    """Evaluate every round requirement of the regulation on the batch of a context.

    Args:
        as_of: day whose rules apply, in days since 1970-01-01; None for the day of each round.
    """
    return [
        RoundsVerdict(
            requirement=outcome.requirement.requirement,
            counts=tuple(np.bincount(outcome.marks, minlength=len(STATUSES)).tolist()),
            findings=tuple(outcome.findings()),
            gap=outcome.gap(),
        )
        for outcome in weigh_scope(scope, as_of=as_of)
    ]


def together(verdicts: Sequence[RoundsVerdict]) -> RoundsVerdict:
    """Merge verdicts on rounds that were checked separately, with the findings in the order of logs."""
    gaps = [verdict.gap for verdict in verdicts if verdict.gap is not None]
    return RoundsVerdict(
        requirement=verdicts[0].requirement,
        counts=tuple(map(sum, zip(*(verdict.counts for verdict in verdicts), strict=True))),
        findings=tuple(sorted((finding for verdict in verdicts for finding in verdict.findings), key=_file_and_line)),
        gap=Gap(
            rounds=sum(gap.rounds for gap in gaps),
            first=min((gap.first for gap in gaps), key=lambda finding: place_key(finding.where)),
            causes=tuple(map(sum, zip(*(gap.causes for gap in gaps), strict=True))),
        )
        if gaps
        else None,
    )


def _file_and_line(finding: Finding) -> tuple[str, int]:
    return finding.where.file or "", finding.where.line or 0


def weigh_batch(
    prepared: Prepared, batch: Batch, configuration: Configuration | None, *, as_of: int | None = None
) -> Iterator[Weighed]:
    """Yield the outcome of every round requirement on a batch; see `check_context`."""
    return weigh_scope(Scope(batch, prepared, configuration), as_of=as_of)


def weigh_scope(scope: Scope, *, as_of: int | None = None) -> Iterator[Weighed]:
    """Yield the outcome of every round requirement on the batch of a context; see `check_context`."""
    other_cases = OtherCases(scope, as_of)
    for outcome in weigh_as_recorded(scope, as_of=as_of):
        yield _withhold_contradicted_passes(other_cases.leave_open(outcome))


def weigh_as_recorded(scope: Scope, *, as_of: int | None) -> Iterator[Weighed]:
    """Yield the outcome of every round requirement, with the conditions that the context supposes.

    Conditions that are not evident are set as in `EvaluationContext.supposed`.
    """
    rounds = len(scope.batch)
    for requirement in scope.prepared.regulation.requirements:
        if requirement.evidence is not Evidence.ROUND:
            continue
        in_force = in_force_for(scope, requirement, as_of=as_of)
        if in_force is not None and not in_force.any():
            yield _build_not_in_force(scope, requirement)
            continue
        result = OPERATORS[requirement.check.operator](scope, requirement.check.operand)
        statuses, items = result.per_round(rounds), result.marks
        if in_force is not None:
            statuses = np.where(in_force, statuses, np.uint8(NOT_IN_FORCE))
            items = np.where(in_force[result.round], items, np.uint8(NOT_APPLICABLE))
        yield Weighed(scope=scope, requirement=requirement, judged=result, items=items, marks=statuses)


class OtherCases:
    """Alternative cases that the evidence leaves open for rounds of a batch.

    A condition under `evident` counts as false if the evidence does not show it. If it is open only because events are
    not recorded, a failure based on it remains in two situations: it depends on no such condition, or the round breaks
    some requirement in every other case too.
    """

    def __init__(self, scope: Scope, as_of: int | None) -> None:
        self._scope, self._as_of = scope, as_of
        self._complete_context: Scope | None = None
        self._still_open: dict[bytes, Flags] = {}
        self._failures: dict[bytes, tuple[Flags, Flags]] = {}

    def leave_open(self, outcome: Weighed) -> Weighed:
        """Replace failures by NOT_EVIDENCED in rounds that may be in order in another case."""
        failed = outcome.marks == FAIL
        if not failed.any() or not any((doubt.rounds & failed).any() for doubt in self._scope.assumed().values()):
            return outcome
        doubtful = np.zeros(len(failed), bool)
        for identity in self._scope.assumed():
            doubtful |= self._is_open_without_events(identity)
        doubtful &= failed
        if not doubtful.any():
            return outcome
        check = outcome.requirement.check
        result = OPERATORS[check.operator](self._scope.otherwise(doubtful, b""), check.operand)
        proven = {_place_key(result.tell(item).where) for item in np.flatnonzero(result.marks == FAIL).tolist()}
        items = np.flatnonzero((outcome.items == FAIL) & doubtful[outcome.judged.round])
        unproven = [item for item in items.tolist() if _place_key(outcome.judged.tell(item).where) not in proven]
        concerned = np.zeros(len(failed), bool)
        concerned[outcome.judged.round[unproven]] = True
        is_lawful = self._may_be_lawful(concerned)
        is_withheld = np.zeros(len(outcome.items), bool)
        is_withheld[unproven] = is_lawful[outcome.judged.round[unproven]]
        if not is_withheld.any():
            return outcome
        describe, gap = outcome.judged.tell, outcome.judged.gap

        def describe_gap_or_cause(item: int) -> Told:
            return replace(describe(item), observed=NO_CAUSE, balance=None) if is_withheld[item] else gap(item)

        return with_marks(outcome, is_withheld, NOT_EVIDENCED, describe_gap_or_cause)

    def _is_open_without_events(self, identity: bytes) -> Flags:
        """Return where a condition is open that a complete record would decide.

        Returns:
            bool[rounds].
        """
        doubt = self._scope.assumed()[identity]
        if identity not in self._still_open:
            if self._complete_context is None:
                self._complete_context = self._scope.as_if_whole()
            grain = self._scope.prepared.grain(doubt.condition)
            still = np.zeros(len(doubt.rounds), bool)
            still[
                self._complete_context.round_of(grain)[self._complete_context.truth(doubt.condition, grain) == UNKNOWN]
            ] = True
            self._still_open[identity] = still
        return doubt.rounds & ~self._still_open[identity]

    def _may_be_lawful(self, concerned: Flags) -> Flags:
        """Return which rounds break no requirement in some other case.

        Returns:
            bool[rounds]; False outside `concerned`.
        """
        result = np.zeros(len(concerned), bool)
        for identity in self._scope.assumed():
            remaining = concerned & self._is_open_without_events(identity) & ~result
            if remaining.any():
                result |= remaining & ~self._fails_if_supposed(identity, remaining)
        return result

    def _fails_if_supposed(self, supposed: bytes, wanted: Flags) -> Flags:
        """Return which of the wanted rounds break some requirement if a condition is true.

        Returns:
            bool[rounds].
        """
        none = np.zeros(len(wanted), bool)
        known, fails = self._failures.get(supposed, (none, none))
        new = wanted & ~known
        if new.any():
            fails = fails.copy()
            for rounds, denied in self._split_rounds(supposed, new):
                is_broken = np.zeros(int(rounds.sum()), bool)
                for outcome in weigh_as_recorded(self._scope.otherwise(rounds, supposed, denied), as_of=self._as_of):
                    is_broken |= outcome.marks == FAIL
                fails[rounds] = is_broken
            self._failures[supposed] = known | new, fails
        return fails

    def _split_rounds(self, supposed: bytes, wanted: Flags) -> Iterator[tuple[Flags, frozenset[bytes]]]:
        """Yield the wanted rounds in two parts with the conditions that are denied in each.

        If one condition is true, all other open conditions are false, unless it could then not be true itself.
        """
        condition = self._scope.assumed()[supposed].condition
        denied = frozenset(self._scope.assumed()) - {supposed}
        is_denied = np.zeros(len(wanted), bool)
        if self._scope.prepared.grain(condition) == "round":
            is_denied[wanted] = self._scope.otherwise(wanted, supposed, denied).truth(condition, "round") == YES
        for rounds, others in ((is_denied, denied), (wanted & ~is_denied, frozenset[bytes]())):
            if rounds.any():
                yield rounds, others


def _withhold_contradicted_passes(outcome: Weighed) -> Weighed:
    """Replace passes by NOT_EVIDENCED in rounds that another record contradicts."""
    versions = outcome.scope.batch.versions
    if versions is None:
        return outcome
    result = outcome.judged
    is_withheld = (outcome.items == PASS) & (versions.number > 0)[result.round]
    if not is_withheld.any():
        return outcome
    title, gap = outcome.requirement.title, result.gap

    def describe_doubt(item: int) -> Told:
        if not is_withheld[item]:
            return gap(item)
        where = place_of(outcome.scope, int(result.round[item]))
        return Told(where=where, expected=title, observed=CONTRADICTED)

    return with_marks(outcome, is_withheld, NOT_EVIDENCED, describe_doubt)


def _place_key(where: Where) -> tuple[str | None, int | None, int | None, str | None, int | None]:
    """Return the parts of a place that identify it in a log."""
    return where.file, where.line, where.seat, where.wager, where.event


def _build_not_in_force(scope: Scope, requirement: Requirement) -> Weighed:
    """Build the outcome of a requirement that is in force for no round of a batch; it is not evaluated."""

    def describe_failure(item: int) -> Told:
        raise ValueError(f"{requirement.requirement} is not in force")

    rounds = len(scope.batch)
    statuses = np.full(rounds, NOT_APPLICABLE, np.uint8)
    result = Judged(marks=statuses, round=scope.round_of("round"), tell=describe_failure, gap=describe_failure)
    in_force = np.full(rounds, NOT_IN_FORCE, np.uint8)
    return Weighed(scope=scope, requirement=requirement, judged=result, items=statuses, marks=in_force)


def in_force_for(scope: Scope, requirement: Requirement, *, as_of: int | None) -> Flags | None:
    """Return whether a requirement is in force on each round's day, or on the day `as_of`.

    Returns:
        bool[rounds]; None if the requirement is always in force.
    """
    days = scope.batch.day if as_of is None else np.full(len(scope.batch), as_of, np.int32)
    first, last = scope.prepared.regulation.period(requirement)
    if first is None and last is None:
        return None
    lowest = -(10**8) if first is None else int((np.datetime64(first, "D") - _EPOCH).astype(int))
    highest = 10**8 if last is None else int((np.datetime64(last, "D") - _EPOCH).astype(int))
    inside: Flags = (lowest <= days) & (days <= highest)
    return inside
