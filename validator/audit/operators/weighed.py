"""Outcome of one requirement on one batch: status codes, findings, and gaps in the evidence."""

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
    """Rounds that lack evidence for a requirement."""

    rounds: int
    """Number of rounds."""
    first: Finding
    """Finding for the first of the rounds."""
    causes: tuple[int, ...]
    """Number of rounds with each of `CAUSES`."""


class Weighed(Struct, frozen=True, kw_only=True):
    """Outcome of one requirement on one batch."""

    scope: Scope
    requirement: Requirement
    judged: Judged
    """Result of the check, with the texts of its items."""
    items: Statuses
    """Status code of each item of `check_result`."""
    marks: Statuses
    """Status code of each round."""

    def findings(self) -> Iterator[Finding]:
        """Yield failures and errors, in log order."""
        if self.marks.max(initial=NOT_APPLICABLE) < ERROR:  # the common case; there are far more items than rounds
            return
        bad = np.flatnonzero(self.items >= ERROR)
        known: dict[Hashable, Hashable] = {}
        for item in bad[np.argsort(self.judged.round[bad], kind="stable")].tolist():
            round_ = int(self.judged.round[item])
            with amounts_in(currency_of_round(self.scope, round_)):
                finding = self._build_finding(STATUSES[self.items[item]], self.judged.tell(item))
            yield _share_texts(self._add_version_and_currency(finding, round_), known)

    def gap(self) -> Gap | None:
        """Return the rounds that lack evidence; None if there are none."""
        rounds = int(np.count_nonzero(self.marks == NOT_EVIDENCED))
        if not rounds:
            return None
        of_rounds = self.marks[self.judged.round]
        doubtful = np.flatnonzero((self.items == NOT_EVIDENCED) & (of_rounds == NOT_EVIDENCED))
        first = int(doubtful[np.argmin(place_ranks(self.scope)[self.judged.round[doubtful]])])
        causes = causes_of(self.scope, self.requirement)[self.marks == NOT_EVIDENCED]
        with amounts_in(currency_of_round(self.scope, int(self.judged.round[first]))):
            finding = self._build_finding(Status.NOT_EVIDENCED, self.judged.gap(first))
        return Gap(
            rounds=rounds,
            first=finding,
            causes=tuple(np.bincount(causes, minlength=len(CAUSES)).tolist()),
        )

    def _build_finding(self, status: Status, details: Told) -> Finding:
        return finding_of(self.scope.prepared.regulation, self.requirement, status, details)

    def _add_version_and_currency(self, finding: Finding, round_: int) -> Finding:
        """Return a finding with the properties of its round: the version of the record, and the currency."""
        versions = self.scope.batch.versions
        if versions is not None and versions.number[round_]:
            finding = of_version(finding, int(versions.number[round_]), versions.other.text(round_))
        return finding if finding.owed is None else replace(finding, currency=currency_of_round(self.scope, round_))


_SHARED_FIELDS = ("requirement", "clauses", "expected", "reading", "broken", "remedy")
"""Fields that are equal in most findings of a requirement."""


def _share_texts(finding: Finding, known: dict[Hashable, Hashable]) -> Finding:
    """Return the finding with its texts replaced by equal ones of earlier findings, which saves memory."""
    alike = ((name, getattr(finding, name)) for name in _SHARED_FIELDS)
    return replace(finding, **{name: known.setdefault(value, value) for name, value in alike})


def finding_of(regulation: Regulation, requirement: Requirement, status: Status, details: Told) -> Finding:
    """Build a finding of a requirement at one place."""
    owed, overpaid = _split_balance(details.balance)
    readings = details.readings + tuple(regulation.full_id(name) for name in requirement.readings)
    return Finding(
        requirement=regulation.full_id(requirement.requirement),
        clauses=tuple(dict.fromkeys(details.clauses)) or regulation.clause_ids(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        broken=requirement.broken if status is Status.FAIL else None,
        expected=details.expected,
        observed=details.observed,
        where=details.where,
        reading=tuple(dict.fromkeys(readings)),
        remedy=_corrective_action(remedy_of(regulation, requirement), details.where.seat, owed, overpaid),
        owed=owed,
        overpaid=overpaid,
    )


def of_version(finding: Finding, number: int, other: str | None) -> Finding:
    """Add to a finding that another record, at the place `other`, contradicts the record of its round."""
    return replace(finding, version=number, observed=f"{finding.observed}; {contradicted_by(other)}")


def currency_of_round(scope: Scope, round_: int) -> str | None:
    """Return the currency of the amounts of a round: its own, otherwise that of its submission."""
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


def _split_balance(balance: Fraction | None) -> tuple[int | None, int | None]:
    """Return the amounts owed to and overpaid to players, in whole minor units, rounded up."""
    if balance is None:
        return None, None
    return max(ceil(-balance), 0), max(ceil(balance), 0)


def with_marks(outcome: Weighed, chosen: Flags, mark: int, gap: Callable[[int], Told] | None = None) -> Weighed:
    """Return an outcome with another status for some items.

    Args:
        chosen: bool[items], the items.
        mark: their new status code.
        gap: describes the items whose evidence is incomplete.
    """
    items = np.where(chosen, np.uint8(mark), outcome.items)
    result = replace(outcome.judged, marks=items, gap=outcome.judged.gap if gap is None else gap)
    concerned = np.zeros(len(outcome.marks), bool)
    concerned[result.round[chosen]] = True
    statuses = np.where(concerned, result.per_round(len(outcome.marks)), outcome.marks)
    return replace(outcome, judged=result, items=items, marks=statuses)
