"""Evaluation of all round requirements of a regulation on a batch: status codes, findings, and gaps in the evidence."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import date
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import Flags, Ints, Statuses, are_all, find_true, has_any
from fairdeal.validator.audit.operators.round_operators import ROUND_OPERATORS
from fairdeal.validator.audit.status_codes import (
    CAUSES,
    CONTRADICTED,
    ERROR,
    FAIL,
    NO_CAUSE,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    NOT_IN_FORCE,
    PASS,
    STATUSES,
    CheckResult,
    FindingDetails,
    build_place,
    describe_contradiction,
    find_causes,
    find_worst,
    rank_places,
)
from fairdeal.validator.audit.wording.terms import suggest_remedy
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.evidence.columns.round_batch import Batch, RecordVersions
from fairdeal.validator.results.findings import Evidence, EvidencePlace, Finding, Status
from fairdeal.validator.results.results import make_place_key
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.plain_values import are_comparable, currency_context, format_money


class EvidenceGap(Struct, frozen=True, kw_only=True):
    """Rounds that lack evidence for a requirement."""

    rounds: int
    """Number of rounds."""
    first: Finding
    """Finding for the first of the rounds."""
    causes: tuple[int, ...]
    """Number of rounds with each of `CAUSES`."""


class RequirementOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of one requirement on one batch."""

    scope: EvaluationContext
    requirement: Requirement
    check_result: CheckResult
    """Result of the check, with the texts of its items."""
    item_codes: Statuses
    """Status code of each item of `check_result`."""
    status_codes: Statuses
    """Status code of each round."""
    worst: int
    """Highest status code of all rounds, or a higher one."""

    def build_findings(self) -> Iterator[Finding]:
        """Yield failures and errors, in log order."""
        if self.worst < ERROR:  # the common case
            return
        bad = find_true(self.item_codes >= ERROR)
        known: dict[Hashable, Hashable] = {}
        for item in bad[np.argsort(self.check_result.round[bad], kind="stable")].tolist():
            round_ = int(self.check_result.round[item])
            with currency_context(find_currency(self.scope, round_)):
                finding = self._build_finding(STATUSES[self.item_codes[item]], self.check_result.describe_failure(item))
            yield _share_texts(self._add_version_and_currency(finding, round_), known)

    def find_gap(self) -> EvidenceGap | None:
        """Return the rounds that lack evidence; None if there are none."""
        rounds = int(np.count_nonzero(self.status_codes == NOT_EVIDENCED))
        if not rounds:
            return None
        of_rounds = self.status_codes[self.check_result.round]
        doubtful = find_true((self.item_codes == NOT_EVIDENCED) & (of_rounds == NOT_EVIDENCED))
        first = int(doubtful[np.argmin(rank_places(self.scope)[self.check_result.round[doubtful]])])
        causes = find_causes(self.scope, self.requirement)[self.status_codes == NOT_EVIDENCED]
        with currency_context(find_currency(self.scope, int(self.check_result.round[first]))):
            finding = self._build_finding(Status.NOT_EVIDENCED, self.check_result.describe_gap(first))
        return EvidenceGap(
            rounds=rounds,
            first=finding,
            causes=tuple(np.bincount(causes, minlength=len(CAUSES)).tolist()),
        )

    def _build_finding(self, status: Status, details: FindingDetails) -> Finding:
        return build_finding(self.scope.compiled_game.regulation, self.requirement, status, details)

    def _add_version_and_currency(self, finding: Finding, round_: int) -> Finding:
        """Return a finding with the properties of its round: the version of the record, and the currency."""
        versions = self.scope.batch.versions
        if versions is not None and versions.number[round_]:
            finding = mark_version(finding, int(versions.number[round_]), versions.other.text(round_))
        return finding if finding.owed is None else replace(finding, currency=find_currency(self.scope, round_))


_SHARED_FIELDS = ("requirement", "clauses", "expected", "reading", "broken", "remedy")
"""Fields that are equal in most findings of a requirement."""


def _share_texts(finding: Finding, known: dict[Hashable, Hashable]) -> Finding:
    """Return the finding with its texts replaced by equal ones of earlier findings, which saves memory."""
    alike = ((name, getattr(finding, name)) for name in _SHARED_FIELDS)
    return replace(finding, **{name: known.setdefault(value, value) for name, value in alike})


def build_finding(regulation: Regulation, requirement: Requirement, status: Status, details: FindingDetails) -> Finding:
    """Build a finding of a requirement at one place."""
    owed, overpaid = _split_balance(details.balance)
    remedy = suggest_remedy(regulation, requirement)
    readings = (*(regulation.qualify(name) for name in requirement.readings), *details.readings)
    return Finding(
        requirement=regulation.qualify(requirement.requirement),
        clauses=tuple(dict.fromkeys(details.clauses)) or regulation.qualify_clauses(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        broken=requirement.broken if status is Status.FAIL else None,
        expected=details.expected,
        observed=details.observed,
        where=details.where,
        reading=tuple(dict.fromkeys(readings)),
        remedy=_corrective_action(remedy, details.where.seat, owed, overpaid),
        owed=owed,
        overpaid=overpaid,
        between_players=details.between_players,
    )


def mark_version(finding: Finding, number: int, other: str | None) -> Finding:
    """Add to a finding that another record, at the place `other`, contradicts the record of its round."""
    return replace(finding, version=number, observed=f"{finding.observed}; {describe_contradiction(other)}")


def find_currency(scope: EvaluationContext, round_: int) -> str | None:
    """Return the currency of the amounts of a round: its own, otherwise that of its submission.

    Rounds without a currency have two decimals, so they are not in a currency with others.
    """
    stated = None if scope.configuration is None else scope.configuration.data.get("currency")
    return scope.batch.currency.text(round_) or (stated if are_comparable(stated, None) else None)


def _corrective_action(remedy: str, seat: int | None, owed: int | None, overpaid: int | None) -> str:
    """Return the payment that corrects a failure if its amount is known, else the remedy of the requirement."""
    amount = owed or overpaid
    if not amount:
        return remedy
    if seat is None:
        return f"{remedy} Amount: {format_money(amount)}."
    if owed:
        return f"Pay {format_money(owed)} to the player at seat {seat}."
    return f"Recover or record the {format_money(amount)} overpaid to the player at seat {seat}."


def _split_balance(balance: Fraction | None) -> tuple[int | None, int | None]:
    """Return the amounts owed to and overpaid to players, in whole minor units, rounded up."""
    if balance is None:
        return None, None
    return max(ceil(-balance), 0), max(ceil(balance), 0)


def override_items(
    outcome: RequirementOutcome, chosen: Flags, mark: int, gap: Callable[[int], FindingDetails] | None = None
) -> RequirementOutcome:
    """Return an outcome with another status for some items.

    Args:
        chosen: bool[items], the items.
        mark: their new status code.
        gap: describes the items whose evidence is incomplete.
    """
    items = np.where(chosen, np.uint8(mark), outcome.item_codes)
    result = replace(
        outcome.check_result, status_codes=items, describe_gap=outcome.check_result.describe_gap if gap is None else gap
    )
    concerned = np.zeros(len(outcome.status_codes), bool)
    concerned[result.round[chosen]] = True
    combined = result.combine_per_round(len(outcome.status_codes), find_worst(items))
    statuses = np.where(concerned, combined, outcome.status_codes)
    return replace(
        outcome, check_result=result, item_codes=items, status_codes=statuses, worst=find_worst(statuses, NOT_IN_FORCE)
    )


_EPOCH = np.datetime64("1970-01-01", "D")


class RoundsVerdict(Struct, frozen=True, kw_only=True):
    """Result of one requirement on one batch."""

    requirement: str
    """Name of the requirement."""
    counts: tuple[int, ...]
    """Number of rounds with each of `STATUSES`; the sum is the number of rounds."""
    findings: tuple[Finding, ...]
    """Failures and errors, in log order."""
    gap: EvidenceGap | None
    """Rounds whose evidence is incomplete; None if there are none."""


def check_batch(
    prepared: CompiledGame, batch: Batch, configuration: LicenseeConfiguration | None, *, as_of: int | None = None
) -> list[RoundsVerdict]:
    """Evaluate every round requirement of a regulation on a batch; see `check_context`."""
    return check_context(EvaluationContext(batch, prepared, configuration), as_of=as_of)


def check_context(scope: EvaluationContext, *, as_of: int | None = None) -> list[RoundsVerdict]:
    """Evaluate every round requirement of the regulation on the batch of a context.

    Args:
        as_of: day whose rules apply, in days since 1970-01-01; None for the day of each round.
    """
    columns: list[Statuses] = []
    names: list[str] = []
    findings: list[tuple[Finding, ...]] = []
    gaps: list[EvidenceGap | None] = []
    for outcome in evaluate_context(scope, as_of=as_of):
        columns.append(outcome.status_codes)
        names.append(outcome.requirement.requirement)
        findings.append(tuple(outcome.build_findings()) if outcome.worst >= ERROR else ())
        gaps.append(outcome.find_gap() if outcome.worst >= NOT_EVIDENCED else None)
    return [
        RoundsVerdict(requirement=name, counts=tuple(counts), findings=findings_of_name, gap=gap)
        for name, counts, findings_of_name, gap in zip(names, _count_statuses(columns), findings, gaps, strict=True)
    ]


def _count_statuses(columns: Sequence[Statuses]) -> list[list[int]]:
    """Return the number of rounds with each of `STATUSES`, for each requirement."""
    if not columns:
        return []
    # One count of numbers that encode requirement and status is fastest for few rounds and for many.
    width = len(STATUSES)
    rows = np.arange(0, width * len(columns), width)[:, None]
    counts = np.bincount((np.array(columns) + rows).reshape(-1), minlength=width * len(columns))
    by_requirement: list[list[int]] = counts.reshape(-1, width).tolist()
    return by_requirement


def merge_verdicts(verdicts: Sequence[RoundsVerdict]) -> RoundsVerdict:
    """Merge verdicts on rounds that were checked separately, with the findings in the order of logs."""
    gaps = [verdict.gap for verdict in verdicts if verdict.gap is not None]
    return RoundsVerdict(
        requirement=verdicts[0].requirement,
        counts=tuple(map(sum, zip(*(verdict.counts for verdict in verdicts), strict=True))),
        findings=tuple(sorted((finding for verdict in verdicts for finding in verdict.findings), key=_file_and_line)),
        gap=EvidenceGap(
            rounds=sum(gap.rounds for gap in gaps),
            first=min((gap.first for gap in gaps), key=lambda finding: make_place_key(finding.where)),
            causes=tuple(map(sum, zip(*(gap.causes for gap in gaps), strict=True))),
        )
        if gaps
        else None,
    )


def _file_and_line(finding: Finding) -> tuple[str, int]:
    return finding.where.file or "", finding.where.line or 0


def evaluate_batch(
    prepared: CompiledGame, batch: Batch, configuration: LicenseeConfiguration | None, *, as_of: int | None = None
) -> Iterator[RequirementOutcome]:
    """Yield the outcome of every round requirement on a batch; see `check_context`."""
    return evaluate_context(EvaluationContext(batch, prepared, configuration), as_of=as_of)


def evaluate_context(scope: EvaluationContext, *, as_of: int | None = None) -> Iterator[RequirementOutcome]:
    """Yield the outcome of every round requirement on the batch of a context; see `check_context`."""
    other_cases = AlternativeCases(scope, as_of)
    for outcome in evaluate_as_recorded(scope, as_of=as_of):
        sure = outcome if outcome.worst < FAIL else other_cases.withhold_doubtful_failures(outcome)
        yield sure if scope.batch.versions is None else _withhold_contradicted_passes(sure, scope.batch.versions)


def evaluate_as_recorded(scope: EvaluationContext, *, as_of: int | None) -> Iterator[RequirementOutcome]:
    """Yield the outcome of every round requirement, with the conditions that the context supposes.

    Conditions that are not evident are set as in `EvaluationContext.supposed`.
    """
    rounds = len(scope.batch)
    for requirement, check_rounds, is_limited in _list_round_checks(scope.compiled_game.regulation):
        in_force = find_rounds_in_force(scope, requirement, as_of=as_of) if is_limited else None
        if in_force is not None and not has_any(in_force):
            yield _build_not_in_force(scope, requirement)
            continue
        result = check_rounds(scope, requirement.check.operand)
        items = result.status_codes
        worst = find_worst(items)
        statuses = result.combine_per_round(rounds, worst)
        if in_force is not None and not are_all(in_force):
            statuses = np.where(in_force, statuses, np.uint8(NOT_IN_FORCE))
            items = np.where(in_force[result.round], items, np.uint8(NOT_APPLICABLE))
        yield RequirementOutcome(
            scope=scope,
            requirement=requirement,
            check_result=result,
            item_codes=items,
            status_codes=statuses,
            worst=worst,
        )


@cache_by_regulation
def _list_round_checks(
    regulation: Regulation,
) -> list[tuple[Requirement, Callable[[EvaluationContext, Any], CheckResult], bool]]:
    """Return all requirements on rounds, with the functions that check them, and whether their period is limited."""
    return [
        (
            requirement,
            ROUND_OPERATORS[requirement.check.operator],
            regulation.find_period(requirement) != (None, None),
        )
        for requirement in regulation.requirements
        if requirement.evidence is Evidence.ROUND
    ]


class AlternativeCases:
    """Alternative cases that the evidence leaves open for rounds of a batch.

    A condition under `evident` counts as false if the evidence does not show it. If it is open only because events are
    not recorded, a failure based on it remains in two situations: it depends on no such condition, or every other case
    breaks a requirement as well. Failures that occur in every case say nothing about the condition.
    """

    def __init__(self, scope: EvaluationContext, as_of: int | None) -> None:
        self._scope, self._as_of = scope, as_of
        self._complete_context: EvaluationContext | None = None
        self._still_open: dict[bytes, Flags] = {}
        self._failures: dict[bytes, tuple[Flags, Flags]] = {}
        self._certain_failures: tuple[Flags, Ints] | None = None

    def withhold_doubtful_failures(self, outcome: RequirementOutcome) -> RequirementOutcome:
        """Replace failures by NOT_EVIDENCED in rounds that may be in order in another case."""
        assumed = self._scope.assumed_conditions().values()
        if not assumed or not has_any(outcome.status_codes >= FAIL):
            return outcome
        failed = outcome.status_codes == FAIL
        if not has_any(failed) or not any(has_any(doubt.rounds & failed) for doubt in assumed):
            return outcome
        doubtful = np.zeros(len(failed), bool)
        for identity in self._scope.assumed_conditions():
            doubtful |= self._is_open_without_events(identity)
        doubtful &= failed
        if not has_any(doubtful):
            return outcome
        check = outcome.requirement.check
        result = ROUND_OPERATORS[check.operator](self._scope.with_assumption(doubtful, b""), check.operand)
        proven = {
            _place_key(result.describe_failure(item).where) for item in find_true(result.status_codes == FAIL).tolist()
        }
        items = find_true((outcome.item_codes == FAIL) & doubtful[outcome.check_result.round])
        unproven = [
            item
            for item in items.tolist()
            if _place_key(outcome.check_result.describe_failure(item).where) not in proven
        ]
        concerned = np.zeros(len(failed), bool)
        concerned[outcome.check_result.round[unproven]] = True
        is_lawful = self._may_be_lawful(concerned)
        is_withheld = np.zeros(len(outcome.item_codes), bool)
        is_withheld[unproven] = is_lawful[outcome.check_result.round[unproven]]
        if not has_any(is_withheld):
            return outcome
        describe, gap = outcome.check_result.describe_failure, outcome.check_result.describe_gap

        def describe_gap_or_cause(item: int) -> FindingDetails:
            return replace(describe(item), observed=NO_CAUSE, balance=None) if is_withheld[item] else gap(item)

        return override_items(outcome, is_withheld, NOT_EVIDENCED, describe_gap_or_cause)

    def _is_open_without_events(self, identity: bytes) -> Flags:
        """Return where a condition is open that a complete record would decide.

        Returns:
            bool[rounds].
        """
        doubt = self._scope.assumed_conditions()[identity]
        if identity not in self._still_open:
            if self._complete_context is None:
                self._complete_context = self._scope.assume_complete()
            grain = self._scope.compiled_game.find_grain(doubt.condition)
            still = np.zeros(len(doubt.rounds), bool)
            still[
                self._complete_context.rounds_of(grain)[
                    self._complete_context.evaluate(doubt.condition, grain) == UNKNOWN
                ]
            ] = True
            self._still_open[identity] = still
        return doubt.rounds & ~self._still_open[identity]

    def _may_be_lawful(self, concerned: Flags) -> Flags:
        """Return which rounds break no further requirement in some other case.

        Returns:
            bool[rounds]; False outside `concerned`.
        """
        result = np.zeros(len(concerned), bool)
        for identity in self._scope.assumed_conditions():
            remaining = concerned & self._is_open_without_events(identity) & ~result
            if has_any(remaining):
                result |= remaining & ~self._fails_if_supposed(identity, remaining)
        return result

    def _fails_if_supposed(self, supposed: bytes, wanted: Flags) -> Flags:
        """Return which of the wanted rounds break more requirements, or break them more often, if a condition is true.

        Returns:
            bool[rounds].
        """
        none = np.zeros(len(wanted), bool)
        known, fails = self._failures.get(supposed, (none, none))
        new = wanted & ~known
        if has_any(new):
            fails = fails.copy()
            for rounds, denied in self._split_rounds(supposed, new):
                failures = self._count_failures(rounds, supposed, denied)
                fails[rounds] = (failures > self._count_certain_failures(rounds)).any(axis=0)
            self._failures[supposed] = known | new, fails
        return fails

    def _count_certain_failures(self, wanted: Flags) -> Ints:
        """Return the number of failures of each requirement that depend on no open condition.

        Returns:
            int64[requirements, wanted rounds].
        """
        if self._certain_failures is None:
            requirements = self._scope.compiled_game.regulation.requirements
            checked = sum(requirement.evidence is Evidence.ROUND for requirement in requirements)
            self._certain_failures = np.zeros(len(wanted), bool), np.zeros((checked, len(wanted)), np.int64)
        known, counts = self._certain_failures
        new = wanted & ~known
        if has_any(new):
            counts[:, new] = self._count_failures(new, b"")
            known |= new
        return counts[:, wanted]

    def _count_failures(self, rounds: Flags, supposed: bytes, denied: frozenset[bytes] = frozenset()) -> Ints:
        """Return the number of failures of each requirement under an assumption about open conditions.

        Returns:
            int64[requirements, rounds].
        """
        scope = self._scope.with_assumption(rounds, supposed, denied)
        return np.stack(
            [
                np.bincount(outcome.check_result.round[outcome.item_codes == FAIL], minlength=len(scope.batch))
                for outcome in evaluate_as_recorded(scope, as_of=self._as_of)
            ]
        )

    def _split_rounds(self, supposed: bytes, wanted: Flags) -> Iterator[tuple[Flags, frozenset[bytes]]]:
        """Yield the wanted rounds in two parts with the conditions that are denied in each.

        If one condition is true, all other open conditions are false, unless it could then not be true itself.
        """
        condition = self._scope.assumed_conditions()[supposed].condition
        denied = frozenset(self._scope.assumed_conditions()) - {supposed}
        is_denied = np.zeros(len(wanted), bool)
        if self._scope.compiled_game.find_grain(condition) == "round":
            is_denied[wanted] = (
                self._scope.with_assumption(wanted, supposed, denied).evaluate(condition, "round") == YES
            )
        for rounds, others in ((is_denied, denied), (wanted & ~is_denied, frozenset[bytes]())):
            if has_any(rounds):
                yield rounds, others


def _withhold_contradicted_passes(outcome: RequirementOutcome, versions: RecordVersions) -> RequirementOutcome:
    """Replace passes by NOT_EVIDENCED in rounds that another record contradicts."""
    result = outcome.check_result
    is_withheld = (outcome.item_codes == PASS) & (versions.number > 0)[result.round]
    if not has_any(is_withheld):
        return outcome
    title, gap = outcome.requirement.title, result.describe_gap

    def describe_doubt(item: int) -> FindingDetails:
        if not is_withheld[item]:
            return gap(item)
        where = build_place(outcome.scope, int(result.round[item]))
        return FindingDetails(where=where, expected=title, observed=CONTRADICTED)

    return override_items(outcome, is_withheld, NOT_EVIDENCED, describe_doubt)


def _place_key(where: EvidencePlace) -> tuple[str | None, int | None, int | None, str | None, int | None]:
    """Return the parts of a place that identify it in a log."""
    return where.file, where.line, where.seat, where.wager, where.event


def _build_not_in_force(scope: EvaluationContext, requirement: Requirement) -> RequirementOutcome:
    """Build the outcome of a requirement that is in force for no round of a batch; it is not evaluated."""

    def describe_failure(item: int) -> FindingDetails:
        raise ValueError(f"{requirement.requirement} is not in force")

    rounds = len(scope.batch)
    statuses = np.full(rounds, NOT_APPLICABLE, np.uint8)
    result = CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=describe_failure,
    )
    in_force = np.full(rounds, NOT_IN_FORCE, np.uint8)
    return RequirementOutcome(
        scope=scope,
        requirement=requirement,
        check_result=result,
        item_codes=statuses,
        status_codes=in_force,
        worst=NOT_IN_FORCE,
    )


def find_rounds_in_force(scope: EvaluationContext, requirement: Requirement, *, as_of: int | None) -> Flags | None:
    """Return whether a requirement is in force on each round's day, or on the day `as_of`.

    Returns:
        bool[rounds]; None if the requirement is always in force.
    """
    first, last = scope.compiled_game.regulation.find_period(requirement)
    return None if first is None and last is None else _is_within(scope, first, last, as_of)


@cached_fact
def _is_within(scope: EvaluationContext, first: date | None, last: date | None, as_of: int | None) -> Flags:
    """Return whether the day of each round, or the day `as_of`, is in a period, bool[rounds]."""
    days = scope.batch.day if as_of is None else np.full(len(scope.batch), as_of, np.int32)
    lowest = -(10**8) if first is None else int((np.datetime64(first, "D") - _EPOCH).astype(int))
    highest = 10**8 if last is None else int((np.datetime64(last, "D") - _EPOCH).astype(int))
    inside: Flags = (lowest <= days) & (days <= highest)
    return inside
