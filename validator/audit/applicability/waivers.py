"""Waivers that the regulator granted, and waivers that a casino claims.

The regulator's own file lists the granted waivers, and the auditor names that file. A granted waiver lifts the findings
it covers. A waiver in a submission is a claim: reports show it next to findings, and it lifts nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.submission.model import Submission, SubmittedWaiver
from validator.evidence.submission.waivers import WaiverTerms
from validator.results.findings import Claim, Finding, Waiver, WaiverClaim
from validator.rules.core.regulation import Regulation
from validator.text.models.model import structure_of
from validator.text.trees.tree import Tree

Permission = TypeVar("Permission", Waiver, WaiverClaim)


class Grant(Struct, frozen=True, kw_only=True):
    """Waiver in a regulator's file, with what it covers."""

    waiver: Waiver
    """Waiver as reports show it."""
    licensee: str
    """Name of the casino."""
    document: str
    """Id of the document whose clauses are waived."""
    clauses: tuple[str, ...]
    """Full ids of the waived clauses."""
    tables: frozenset[str]
    """Tables covered; empty covers all."""
    first: date
    """First day, included."""
    last: date | None
    """Last day, included; None has no end."""

    def covers(self, document: str, licensee: str | None, tables: Collection[str]) -> bool:
        """Return whether the waiver covers a licensee's game at all of these tables; no tables means every table."""
        if (document, licensee) != (self.document, self.licensee):
            return False
        return not self.tables or (bool(tables) and self.tables.issuperset(tables))

    def holds_on(self, day: date) -> bool:
        """Return whether the waiver is in force on a day."""
        return self.first <= day and (self.last is None or day <= self.last)


class Permits(Struct, frozen=True, kw_only=True):
    """Waivers that apply at a place and time."""

    granted: Mapping[str, Waiver]
    """Granted waivers, by the full ids of the clauses they lift."""
    claimed: Mapping[str, WaiverClaim]
    """Claimed waivers, by the full ids of the clauses."""

    def lifts(self, clauses: Sequence[str]) -> Waiver | None:
        """Return the waiver that lifts a requirement of these clauses.

        Returns:
            None unless every clause is waived; None for a requirement without clauses.
        """
        return _permission_for_all(self.granted, clauses)

    def marked(self, finding: Finding) -> Finding:
        """Return a finding with the waiver that lifts it, and with the waiver that the casino claims."""
        if not self.granted and not self.claimed:
            return finding
        claimed = _permission_for_all(self.claimed, finding.clauses)
        return replace(finding, waived=self.lifts(finding.clauses), claimed=claimed)

    def key(self) -> tuple[frozenset[tuple[str, Waiver]], frozenset[tuple[str, WaiverClaim]]]:
        """Return a key that is equal for equal waivers."""
        return frozenset(self.granted.items()), frozenset(self.claimed.items())


def grant_of(terms: WaiverTerms, *, regulator: str, licensee: str, document: str, file: str) -> Grant:
    """Build the waiver of a regulator's file for one casino and game."""

    def text(day: date | None) -> str | None:
        return None if day is None else day.isoformat()

    return Grant(
        waiver=Waiver(
            regulator=regulator,
            by=terms.by,
            granted=terms.granted.isoformat(),
            file=file,
            reason=terms.reason,
            from_=text(terms.from_),
            until=text(terms.until),
        ),
        licensee=licensee,
        document=document,
        clauses=tuple(f"{document}/{label_of(document, clause)}" for clause in terms.clauses),
        tables=frozenset(terms.tables),
        first=terms.first,
        last=terms.until,
    )


def label_of(document: str, clause: str) -> str:
    """Return the label of a clause, given by its label or its full id."""
    return clause.removeprefix(f"{document}/")


NOTHING_PERMITTED = Permits(granted=MappingProxyType({}), claimed=MappingProxyType({}))


def permits_on(
    regulation: Regulation,
    grants: Iterable[Grant],
    *,
    licensee: str | None,
    tables: Collection[str],
    day: date,
    submission: Submission | None,
) -> Permits:
    """Return the waivers that apply to a licensee at some tables on a day.

    Args:
        tables: empty means all tables.
        submission: submission in force, whose waivers are claims.
    """
    return Permits(
        granted={
            clause: grant.waiver
            for grant in grants
            if grant.covers(regulation.id, licensee, tables) and grant.holds_on(day)
            for clause in grant.clauses
        },
        claimed={} if submission is None else _claims_on(regulation, submission, day),
    )


def permitted_tables(regulation: Regulation, permits: Permits) -> frozenset[str]:
    """Return the wagers and bonuses whose pay tables may pay anything, because all requirements on them are waived."""
    if not permits.granted:
        return frozenset()
    lines: dict[str, bool] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "pay-tables" and requirement.check.operand.match != "wording":
            line = requirement.check.operand.for_
            is_waived = permits.lifts(regulation.clause_ids(requirement.clauses)) is not None
            lines[line] = lines.get(line, True) and is_waived
    return frozenset(line for line, is_waived in lines.items() if is_waived)


def waived_courses(regulation: Regulation, permits: Permits) -> frozenset[bytes]:
    """Return the waived checks of the course of a round, by their structure."""
    if not permits.granted:
        return frozenset()
    return frozenset(
        structure_of(requirement.check.operand)
        for requirement in regulation.requirements
        if requirement.check.operator == "phase"
        and permits.lifts(regulation.clause_ids(requirement.clauses)) is not None
    )


def claims_of(regulation: Regulation, submission: Submission, tree: Tree, grants: Sequence[Grant]) -> Iterator[Claim]:
    """Yield every waiver that a submission claims, with the matching waivers of the regulator."""
    for index, claimed in enumerate(submission.waivers):
        clauses = tuple(dict.fromkeys(_clause_ids(regulation, claimed)))
        matching = [
            grant
            for grant in grants
            if _matches(grant, submission, claimed) and not set(clauses).isdisjoint(grant.clauses)
        ]
        position = tree.positions[tree.nearest(("waivers", index))]
        yield Claim(
            file=tree.source_name,
            line=position.line,
            column=position.column,
            casino=submission.licensee.name,
            document=regulation.id,
            clauses=clauses,
            claim=_claim(claimed),
            granted=tuple(dict.fromkeys(grant.waiver for grant in matching)),
            not_granted=tuple(clause for clause in clauses if all(clause not in grant.clauses for grant in matching)),
        )


def _matches(grant: Grant, submission: Submission, claimed: SubmittedWaiver) -> bool:
    """Return whether a granted waiver covers the casino, some table and some day of a claimed waiver."""
    if (grant.document, grant.licensee) != (submission.document, submission.licensee.name):
        return False
    if grant.tables and submission.tables and grant.tables.isdisjoint(submission.tables):
        return False
    starts_in_time = claimed.until is None or grant.first <= claimed.until
    return starts_in_time and (grant.last is None or submission.effective <= grant.last)


def _claims_on(regulation: Regulation, submission: Submission, day: date) -> dict[str, WaiverClaim]:
    return {
        clause: _claim(claimed)
        for claimed in submission.waivers
        if claimed.until is None or day <= claimed.until
        for clause in _clause_ids(regulation, claimed)
    }


def _claim(claimed: SubmittedWaiver) -> WaiverClaim:
    until = None if claimed.until is None else claimed.until.isoformat()
    return WaiverClaim(reason=claimed.reason, by=claimed.by, until=until)


def _clause_ids(regulation: Regulation, claimed: SubmittedWaiver) -> tuple[str, ...]:
    return regulation.clause_ids([label_of(regulation.id, clause) for clause in claimed.lifts])


def _permission_for_all(permissions: Mapping[str, Permission], clauses: Sequence[str]) -> Permission | None:
    if not clauses or any(clause not in permissions for clause in clauses):
        return None
    return permissions[clauses[0]]
