"""One requirement judged over one batch: its marks, its findings, and what the evidence does not show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from math import ceil

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Flags, Statuses
from validator.audit.statuses.open_causes import CAUSES, causes_of
from validator.audit.statuses.status_codes import (
    ERROR,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    STATUSES,
    Judged,
    Told,
    contradicted_by,
    place_ranks,
)
from validator.engine.core.context import Scope
from validator.results.findings import Finding
from validator.results.statuses import Status
from validator.rules.core.regulation import Regulation
from validator.rules.core.remedies import remedy_of
from validator.rules.model.requirement import Requirement
from validator.text.values.money import amounts_in, format_money


class Gap(Struct, frozen=True, kw_only=True):
    """Evidence that is missing again and again: how many rounds, and a finding for the first of them. `causes` counts
    the rounds by what is missing, an entry for each of `causes.CAUSES`."""

    rounds: int
    first: Finding
    causes: tuple[int, ...]


class Weighed(Struct, frozen=True, kw_only=True):
    """Outcome of one requirement over one batch: `marks` is uint8[rounds], `items` uint8[items of `judged`]."""

    scope: Scope
    requirement: Requirement
    judged: Judged
    items: Statuses
    marks: Statuses

    def findings(self) -> Iterator[Finding]:
        """Failures and errors, in log order."""
        if self.marks.max(initial=NOT_APPLICABLE) < ERROR:  # most often; there are many more items than rounds
            return
        bad = np.flatnonzero(self.items >= ERROR)
        known: dict[Hashable, Hashable] = {}
        for item in bad[np.argsort(self.judged.round[bad], kind="stable")].tolist():
            round_ = int(self.judged.round[item])
            with amounts_in(currency_of_round(self.scope, round_)):
                finding = self._finding(STATUSES[self.items[item]], self.judged.tell(item))
            yield _share_texts(self._of_round(finding, round_), known)

    def gap(self) -> Gap | None:
        """Return what the evidence does not show; None if it shows everything."""
        rounds = int(np.count_nonzero(self.marks == NOT_EVIDENCED))
        if not rounds:
            return None
        of_rounds = self.marks[self.judged.round]
        doubtful = np.flatnonzero((self.items == NOT_EVIDENCED) & (of_rounds == NOT_EVIDENCED))
        first = int(doubtful[np.argmin(place_ranks(self.scope)[self.judged.round[doubtful]])])
        causes = causes_of(self.scope, self.requirement)[self.marks == NOT_EVIDENCED]
        with amounts_in(currency_of_round(self.scope, int(self.judged.round[first]))):
            finding = self._finding(Status.NOT_EVIDENCED, self.judged.gap(first))
        return Gap(
            rounds=rounds,
            first=finding,
            causes=tuple(np.bincount(causes, minlength=len(CAUSES)).tolist()),
        )

    def _finding(self, status: Status, told: Told) -> Finding:
        return finding_of(self.scope.prepared.regulation, self.requirement, status, told)

    def _of_round(self, finding: Finding, round_: int) -> Finding:
        """Return a finding with what depends on its round alone: the version of the record, and the currency."""
        versions = self.scope.batch.versions
        if versions is not None and versions.number[round_]:
            finding = of_version(finding, int(versions.number[round_]), versions.other.text(round_))
        return finding if finding.owed is None else replace(finding, currency=currency_of_round(self.scope, round_))


_ALIKE = ("requirement", "clauses", "expected", "reading", "remedy")
"""Fields that most findings of a requirement share."""


def _share_texts(finding: Finding, known: dict[Hashable, Hashable]) -> Finding:
    """Return the finding with texts in the place of equal ones that findings before it hold: there may be many."""
    alike = ((name, getattr(finding, name)) for name in _ALIKE)
    return replace(finding, **{name: known.setdefault(value, value) for name, value in alike})


def finding_of(regulation: Regulation, requirement: Requirement, status: Status, told: Told) -> Finding:
    """Return a finding of a requirement at one place."""
    owed, overpaid = _sums(told.balance)
    readings = told.readings + tuple(regulation.full_id(name) for name in requirement.readings)
    return Finding(
        requirement=regulation.full_id(requirement.requirement),
        clauses=tuple(dict.fromkeys(told.clauses)) or regulation.clause_ids(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        expected=told.expected,
        observed=told.observed,
        where=told.where,
        reading=tuple(dict.fromkeys(readings)),
        remedy=_corrective_action(remedy_of(regulation, requirement), told.where.seat, owed, overpaid),
        owed=owed,
        overpaid=overpaid,
    )


def of_version(finding: Finding, number: int, other: str | None) -> Finding:
    """Return a finding of a round that another record, at the place `other`, contradicts."""
    return replace(finding, version=number, observed=f"{finding.observed}; {contradicted_by(other)}")


def currency_of_round(scope: Scope, round_: int) -> str | None:
    """Return the currency of the amounts of a round: its own, or else that of its submission."""
    stated = None if scope.configuration is None else scope.configuration.data.get("currency")
    return scope.batch.currency.text(round_) or stated


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


def _sums(balance: Fraction | None) -> tuple[int | None, int | None]:
    """Return what players are owed and what they were overpaid, in whole minor units: a part of one counts as one."""
    if balance is None:
        return None, None
    return max(ceil(-balance), 0), max(ceil(balance), 0)


def with_marks(weighed: Weighed, chosen: Flags, mark: int, gap: Callable[[int], Told] | None = None) -> Weighed:
    """Return a requirement with another mark for some items, bool[items]; `gap` words those that are left open."""
    items = np.where(chosen, np.uint8(mark), weighed.items)
    judged = replace(weighed.judged, marks=items, gap=weighed.judged.gap if gap is None else gap)
    concerned = np.zeros(len(weighed.marks), bool)
    concerned[judged.round[chosen]] = True
    marks = np.where(concerned, judged.per_round(len(weighed.marks)), weighed.marks)
    return replace(weighed, judged=judged, items=items, marks=marks)
