"""What a regulator permitted, and what a casino only says was permitted.

Waivers stand in the regulator's own file, which the auditor names; they lift the findings they cover. What a
submission says of waivers is a claim: it is shown beside findings, and lifts nothing.
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
    """A waiver of a regulator's file, and what it covers: clauses by their ids; no `tables` are all of them. It holds
    from `first` to `last`, both included."""

    waiver: Waiver
    licensee: str
    document: str
    clauses: tuple[str, ...]
    tables: frozenset[str]
    first: date
    last: date | None

    def covers(self, document: str, licensee: str | None, tables: Collection[str]) -> bool:
        """Whether it is for a licensee's game at all of these tables, of which none are all."""
        if (document, licensee) != (self.document, self.licensee):
            return False
        return not self.tables or (bool(tables) and self.tables.issuperset(tables))

    def holds_on(self, day: date) -> bool:
        """Whether it is in force on a day."""
        return self.first <= day and (self.last is None or day <= self.last)


class Permits(Struct, frozen=True, kw_only=True):
    """What is permitted where something is judged, and what the casino says is: waivers and claims by the id of the
    clause they lift, or would lift."""

    granted: Mapping[str, Waiver]
    claimed: Mapping[str, WaiverClaim]

    def lifts(self, clauses: Sequence[str]) -> Waiver | None:
        """The waiver that lifts what rests on these clauses: there is one only where every one of them is waived, and
        none for what no clause asks for."""
        return _of_all(self.granted, clauses)

    def marked(self, finding: Finding) -> Finding:
        """A finding with the waiver that lifts it, and the one that the casino claims."""
        if not self.granted and not self.claimed:
            return finding
        claimed = _of_all(self.claimed, finding.clauses)
        return replace(finding, waived=self.lifts(finding.clauses), claimed=claimed)

    def key(self) -> tuple[frozenset[tuple[str, Waiver]], frozenset[tuple[str, WaiverClaim]]]:
        """What two of them have in common that permit and claim the same."""
        return frozenset(self.granted.items()), frozenset(self.claimed.items())


def grant_of(terms: WaiverTerms, *, regulator: str, licensee: str, document: str, file: str) -> Grant:
    """A waiver of a regulator's file, for a casino and a game."""

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
    """The label of a clause that is given by it or by its id."""
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
    """What is permitted to a licensee at some tables (none: all of them) on a day, and what the submission that is in
    force there claims."""
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
    """The lines (wagers and bonuses) whose posted pay tables are permitted whatever they pay: every requirement on what
    such a table pays is waived."""
    if not permits.granted:
        return frozenset()
    asked: dict[str, bool] = {}
    for one in regulation.requirements:
        if one.check.operator == "pay-tables" and one.check.operand.match != "wording":
            line = one.check.operand.for_
            waived = permits.lifts(regulation.clause_ids(one.clauses)) is not None
            asked[line] = asked.get(line, True) and waived
    return frozenset(line for line, waived in asked.items() if waived)


def waived_courses(regulation: Regulation, permits: Permits) -> frozenset[bytes]:
    """The checks, by their structure, of requirements on the courses of rounds that are waived."""
    if not permits.granted:
        return frozenset()
    return frozenset(
        structure_of(one.check.operand)
        for one in regulation.requirements
        if one.check.operator == "phase" and permits.lifts(regulation.clause_ids(one.clauses)) is not None
    )


def claims_of(regulation: Regulation, submission: Submission, tree: Tree, grants: Sequence[Grant]) -> Iterator[Claim]:
    """Every waiver that a submission speaks of, and what the regulator's files say of it."""
    for index, claimed in enumerate(submission.waivers):
        clauses = tuple(dict.fromkeys(_clause_ids(regulation, claimed)))
        matching = [
            one for one in grants if _matches(one, submission, claimed) and not set(clauses).isdisjoint(one.clauses)
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
            not_granted=tuple(one for one in clauses if all(one not in grant.clauses for grant in matching)),
        )


def _matches(grant: Grant, submission: Submission, claimed: SubmittedWaiver) -> bool:
    """Whether a waiver is for the casino of a submission, for some of its tables, and holds on some day on which the
    submission claims one."""
    if (grant.document, grant.licensee) != (submission.document, submission.licensee.name):
        return False
    if grant.tables and submission.tables and grant.tables.isdisjoint(submission.tables):
        return False
    begun = claimed.until is None or grant.first <= claimed.until
    return begun and (grant.last is None or submission.effective <= grant.last)


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


def _of_all(permissions: Mapping[str, Permission], clauses: Sequence[str]) -> Permission | None:
    if not clauses or any(clause not in permissions for clause in clauses):
        return None
    return permissions[clauses[0]]
