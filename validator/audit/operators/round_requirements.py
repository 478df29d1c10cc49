"""All round requirements of a regulation held against a batch: totals, and findings where they are needed."""

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
    """Every round requirement of the regulation held against every round of a batch; see `judge_scope`."""
    return judge_scope(Scope(batch, prepared, configuration), as_of=as_of)


def judge_scope(scope: Scope, *, as_of: int | None = None) -> list[RoundsVerdict]:
    """Every round requirement of the regulation held against every round of the batch of a scope.

    `as_of` is a day (days since 1970-01-01) by whose law all rounds are judged; without it each round is
    judged by the law of its own day.
    """
    return [
        RoundsVerdict(
            requirement=weighed.requirement.requirement,
            counts=tuple(np.bincount(weighed.marks, minlength=len(STATUSES)).tolist()),
            findings=tuple(weighed.findings()),
            gap=weighed.gap(),
        )
        for weighed in weigh_scope(scope, as_of=as_of)
    ]


def together(verdicts: Sequence[RoundsVerdict]) -> RoundsVerdict:
    """Return one verdict of rounds that were judged separately, with the findings in the order of logs."""
    gaps = [verdict.gap for verdict in verdicts if verdict.gap is not None]
    return RoundsVerdict(
        requirement=verdicts[0].requirement,
        counts=tuple(map(sum, zip(*(verdict.counts for verdict in verdicts), strict=True))),
        findings=tuple(sorted((one for verdict in verdicts for one in verdict.findings), key=_log_place)),
        gap=Gap(
            rounds=sum(gap.rounds for gap in gaps),
            first=min((gap.first for gap in gaps), key=lambda finding: place_key(finding.where)),
            causes=tuple(map(sum, zip(*(gap.causes for gap in gaps), strict=True))),
        )
        if gaps
        else None,
    )


def _log_place(finding: Finding) -> tuple[str, int]:
    return finding.where.file or "", finding.where.line or 0


def weigh_batch(
    prepared: Prepared, batch: Batch, configuration: Configuration | None, *, as_of: int | None = None
) -> Iterator[Weighed]:
    """Every round requirement judged over a batch, one after the other; see `judge_scope`."""
    return weigh_scope(Scope(batch, prepared, configuration), as_of=as_of)


def weigh_scope(scope: Scope, *, as_of: int | None = None) -> Iterator[Weighed]:
    """Every round requirement judged over the batch of a scope, one after the other; see `judge_scope`."""
    other_cases = OtherCases(scope, as_of)
    for weighed in weigh_as_recorded(scope, as_of=as_of):
        yield _doubt_contradicted(other_cases.leave_open(weighed))


def weigh_as_recorded(scope: Scope, *, as_of: int | None) -> Iterator[Weighed]:
    """Judge every round requirement, what is not evident being taken as `Scope.supposed` has it."""
    rounds = len(scope.batch)
    for requirement in scope.prepared.regulation.requirements:
        if requirement.evidence is not Evidence.ROUND:
            continue
        in_force = in_force_for(scope, requirement, as_of=as_of)
        if in_force is not None and not in_force.any():
            yield _not_in_force(scope, requirement)
            continue
        judged = OPERATORS[requirement.check.operator](scope, requirement.check.operand)
        marks, items = judged.per_round(rounds), judged.marks
        if in_force is not None:
            marks = np.where(in_force, marks, np.uint8(NOT_IN_FORCE))
            items = np.where(in_force[judged.round], items, np.uint8(NOT_APPLICABLE))
        yield Weighed(scope=scope, requirement=requirement, judged=judged, items=items, marks=marks)


class OtherCases:
    """The cases besides the regular one that the evidence leaves open for rounds of a batch.

    A condition under `evident` is taken as no where the evidence does not show it. Where it is open for want of events,
    a failure that rests on it stands if it does not depend on any such condition, or if the round breaks some
    requirement in every other case too.
    """

    def __init__(self, scope: Scope, as_of: int | None) -> None:
        self._scope, self._as_of = scope, as_of
        self._whole: Scope | None = None
        self._still_open: dict[bytes, Flags] = {}
        self._fails: dict[bytes, tuple[Flags, Flags]] = {}

    def leave_open(self, weighed: Weighed) -> Weighed:
        """Return a requirement with the failures left open of rounds that may be in order in another case."""
        failed = weighed.marks == FAIL
        if not failed.any() or not any((doubt.rounds & failed).any() for doubt in self._scope.assumed().values()):
            return weighed
        doubtful = np.zeros(len(failed), bool)
        for identity in self._scope.assumed():
            doubtful |= self._for_want_of_events(identity)
        doubtful &= failed
        if not doubtful.any():
            return weighed
        check = weighed.requirement.check
        judged = OPERATORS[check.operator](self._scope.otherwise(doubtful, b""), check.operand)
        proven = {_place(judged.tell(item).where) for item in np.flatnonzero(judged.marks == FAIL).tolist()}
        items = np.flatnonzero((weighed.items == FAIL) & doubtful[weighed.judged.round])
        unproven = [item for item in items.tolist() if _place(weighed.judged.tell(item).where) not in proven]
        concerned = np.zeros(len(failed), bool)
        concerned[weighed.judged.round[unproven]] = True
        lawful = self._perhaps_lawful(concerned)
        opened = np.zeros(len(weighed.items), bool)
        opened[unproven] = lawful[weighed.judged.round[unproven]]
        if not opened.any():
            return weighed
        told, gap = weighed.judged.tell, weighed.judged.gap

        def word(item: int) -> Told:
            return replace(told(item), observed=NO_CAUSE, balance=None) if opened[item] else gap(item)

        return with_marks(weighed, opened, NOT_EVIDENCED, word)

    def _for_want_of_events(self, identity: bytes) -> Flags:
        """Return where a condition is open that would be decided if the record left out no event, bool[rounds]."""
        doubt = self._scope.assumed()[identity]
        if identity not in self._still_open:
            if self._whole is None:
                self._whole = self._scope.as_if_whole()
            grain = self._scope.prepared.grain(doubt.condition)
            still = np.zeros(len(doubt.rounds), bool)
            still[self._whole.round_of(grain)[self._whole.truth(doubt.condition, grain) == UNKNOWN]] = True
            self._still_open[identity] = still
        return doubt.rounds & ~self._still_open[identity]

    def _perhaps_lawful(self, concerned: Flags) -> Flags:
        """Return which of some rounds break no requirement in some other case, bool[rounds]."""
        found = np.zeros(len(concerned), bool)
        for identity in self._scope.assumed():
            asked = concerned & self._for_want_of_events(identity) & ~found
            if asked.any():
                found |= asked & ~self._fail(identity, asked)
        return found

    def _fail(self, supposed: bytes, asked: Flags) -> Flags:
        """Return which rounds break some requirement while a condition is supposed, bool[rounds], as far as asked."""
        none = np.zeros(len(asked), bool)
        known, fails = self._fails.get(supposed, (none, none))
        new = asked & ~known
        if new.any():
            fails = fails.copy()
            for rounds, denied in self._parted(supposed, new):
                broken = np.zeros(int(rounds.sum()), bool)
                for weighed in weigh_as_recorded(self._scope.otherwise(rounds, supposed, denied), as_of=self._as_of):
                    broken |= weighed.marks == FAIL
                fails[rounds] = broken
            self._fails[supposed] = known | new, fails
        return fails

    def _parted(self, supposed: bytes, asked: Flags) -> Iterator[tuple[Flags, frozenset[bytes]]]:
        """Yield the rounds asked for in two parts, bool[rounds], with the conditions that are denied in each.

        While one condition holds, all others that are open do not, unless it could then not hold itself.
        """
        condition = self._scope.assumed()[supposed].condition
        denied = frozenset(self._scope.assumed()) - {supposed}
        apart = np.zeros(len(asked), bool)
        if self._scope.prepared.grain(condition) == "round":
            apart[asked] = self._scope.otherwise(asked, supposed, denied).truth(condition, "round") == YES
        for rounds, others in ((apart, denied), (asked & ~apart, frozenset[bytes]())):
            if rounds.any():
                yield rounds, others


def _doubt_contradicted(weighed: Weighed) -> Weighed:
    """Return a requirement with its passes left open in rounds that another record contradicts."""
    versions = weighed.scope.batch.versions
    if versions is None:
        return weighed
    judged = weighed.judged
    opened = (weighed.items == PASS) & (versions.number > 0)[judged.round]
    if not opened.any():
        return weighed
    title, gap = weighed.requirement.title, judged.gap

    def doubt(item: int) -> Told:
        if not opened[item]:
            return gap(item)
        where = place_of(weighed.scope, int(judged.round[item]))
        return Told(where=where, expected=title, observed=CONTRADICTED)

    return with_marks(weighed, opened, NOT_EVIDENCED, doubt)


def _place(where: Where) -> tuple[str | None, int | None, int | None, str | None, int | None]:
    """Return what distinguishes the places of logs."""
    return where.file, where.line, where.seat, where.wager, where.event


def _not_in_force(scope: Scope, requirement: Requirement) -> Weighed:
    """A requirement that is in force for no round of a batch, which need not be asked."""

    def tell(item: int) -> Told:
        raise ValueError(f"{requirement.requirement} is not in force")

    rounds = len(scope.batch)
    marks = np.full(rounds, NOT_APPLICABLE, np.uint8)
    judged = Judged(marks=marks, round=scope.round_of("round"), tell=tell, gap=tell)
    in_force = np.full(rounds, NOT_IN_FORCE, np.uint8)
    return Weighed(scope=scope, requirement=requirement, judged=judged, items=marks, marks=in_force)


def in_force_for(scope: Scope, requirement: Requirement, *, as_of: int | None) -> Flags | None:
    """bool[rounds], whether a requirement is in force on each round's day, or on the day `as_of`; None where it has
    no bounds."""
    days = scope.batch.day if as_of is None else np.full(len(scope.batch), as_of, np.int32)
    first, last = scope.prepared.regulation.period(requirement)
    if first is None and last is None:
        return None
    lowest = -(10**8) if first is None else int((np.datetime64(first, "D") - _EPOCH).astype(int))
    highest = 10**8 if last is None else int((np.datetime64(last, "D") - _EPOCH).astype(int))
    inside: Flags = (lowest <= days) & (days <= highest)
    return inside
