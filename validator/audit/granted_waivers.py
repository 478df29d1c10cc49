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

from fairdeal.validator.evidence.submission_model import Submission, SubmittedWaiver, WaiversFile, WaiverTerms
from fairdeal.validator.results.findings import Finding, Waiver, WaiverClaim, WaiverClaimed
from fairdeal.validator.results.results import InputFile, InputKind
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import hash_structure
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, read_source

Permission = TypeVar("Permission", Waiver, WaiverClaim)


class WaiverGrant(Struct, frozen=True, kw_only=True):
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

    def is_in_force_on(self, day: date) -> bool:
        """Return whether the waiver is in force on a day."""
        return self.first <= day and (self.last is None or day <= self.last)


class ApplicableWaivers(Struct, frozen=True, kw_only=True):
    """Waivers that apply at a place and time."""

    granted: Mapping[str, Waiver]
    """Granted waivers, by the full ids of the clauses they lift."""
    claimed: Mapping[str, WaiverClaim]
    """Claimed waivers, by the full ids of the clauses."""

    def find_waiver(self, clauses: Sequence[str]) -> Waiver | None:
        """Return the waiver that lifts a requirement of these clauses.

        Returns:
            None unless every clause is waived; None for a requirement without clauses.
        """
        return _permission_for_all(self.granted, clauses)

    def mark_finding(self, finding: Finding) -> Finding:
        """Return a finding with the waiver that lifts it, and with the waiver that the casino claims."""
        if not self.granted and not self.claimed:
            return finding
        claimed = _permission_for_all(self.claimed, finding.clauses)
        return replace(finding, waived=self.find_waiver(finding.clauses), claimed=claimed)

    def get_identity(self) -> tuple[frozenset[tuple[str, Waiver]], frozenset[tuple[str, WaiverClaim]]]:
        """Return a key that is equal for equal waivers."""
        return frozenset(self.granted.items()), frozenset(self.claimed.items())


def build_waiver_grant(terms: WaiverTerms, *, regulator: str, licensee: str, document: str, file: str) -> WaiverGrant:
    """Build the waiver of a regulator's file for one casino and game."""

    def text(day: date | None) -> str | None:
        return None if day is None else day.isoformat()

    return WaiverGrant(
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
        clauses=tuple(f"{document}/{get_clause_label(document, clause)}" for clause in terms.clauses),
        tables=frozenset(terms.tables),
        first=terms.first_day,
        last=terms.until,
    )


def get_clause_label(document: str, clause: str) -> str:
    """Return the label of a clause, given by its label or its full id."""
    return clause.removeprefix(f"{document}/")


NO_WAIVERS = ApplicableWaivers(granted=MappingProxyType({}), claimed=MappingProxyType({}))


def find_applicable_waivers(
    regulation: Regulation,
    grants: Iterable[WaiverGrant],
    *,
    licensee: str | None,
    tables: Collection[str],
    day: date,
    submission: Submission | None,
) -> ApplicableWaivers:
    """Return the waivers that apply to a licensee at some tables on a day.

    Args:
        tables: empty means all tables.
        submission: submission in force, whose waivers are claims.
    """
    return ApplicableWaivers(
        granted={
            clause: grant.waiver
            for grant in grants
            if grant.covers(regulation.id, licensee, tables) and grant.is_in_force_on(day)
            for clause in grant.clauses
        },
        claimed={} if submission is None else _claims_on(regulation, submission, day),
    )


def find_permitted_tables(regulation: Regulation, permits: ApplicableWaivers) -> frozenset[str]:
    """Return the wagers and bonuses whose pay tables may pay anything, because all requirements on them are waived."""
    if not permits.granted:
        return frozenset()
    lines: dict[str, bool] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "pay-tables" and requirement.check.operand.match != "wording":
            line = requirement.check.operand.of
            is_waived = permits.find_waiver(regulation.qualify_clauses(requirement.clauses)) is not None
            lines[line] = lines.get(line, True) and is_waived
    return frozenset(line for line, is_waived in lines.items() if is_waived)


def find_waived_milestones(regulation: Regulation, permits: ApplicableWaivers) -> frozenset[bytes]:
    """Return the waived checks of milestones, by their structure."""
    if not permits.granted:
        return frozenset()
    return frozenset(
        hash_structure(requirement.check.operand)
        for requirement in regulation.requirements
        if requirement.check.operator == "order"
        and permits.find_waiver(regulation.qualify_clauses(requirement.clauses)) is not None
    )


def list_claims(
    regulation: Regulation, submission: Submission, tree: PositionedDocument, grants: Sequence[WaiverGrant]
) -> Iterator[WaiverClaimed]:
    """Yield every waiver that a submission claims, with the matching waivers of the regulator."""
    for index, claimed in enumerate(submission.waivers):
        clauses = tuple(dict.fromkeys(_clause_ids(regulation, claimed)))
        matching = [
            grant
            for grant in grants
            if _matches(grant, submission, claimed) and not set(clauses).isdisjoint(grant.clauses)
        ]
        position = tree.positions[tree.find_nearest(("waivers", index))]
        yield WaiverClaimed(
            file=tree.source_name,
            line=None if tree.cells else position.line,
            column=None if tree.cells else position.column,
            casino=submission.licensee.name,
            document=regulation.id,
            clauses=clauses,
            claim=_claim(claimed),
            granted=tuple(dict.fromkeys(grant.waiver for grant in matching)),
            not_granted=tuple(clause for clause in clauses if all(clause not in grant.clauses for grant in matching)),
        )


def _matches(grant: WaiverGrant, submission: Submission, claimed: SubmittedWaiver) -> bool:
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
    return regulation.qualify_clauses([get_clause_label(regulation.id, clause) for clause in claimed.lifted_clauses])


def _permission_for_all(permissions: Mapping[str, Permission], clauses: Sequence[str]) -> Permission | None:
    if not clauses or any(clause not in permissions for clause in clauses):
        return None
    return permissions[clauses[0]]


def read_waivers(rulebook: Rulebook, path: str) -> tuple[tuple[WaiverGrant, ...], InputFile]:
    """Read the waivers in a YAML or JSON file; `-` is standard input. Raises InputError as `parse_waivers` does."""
    return parse_waivers(rulebook, read_source(path))


def parse_waivers(rulebook: Rulebook, source: Source) -> tuple[tuple[WaiverGrant, ...], InputFile]:
    """Parse the waivers in the text of a file.

    Raises:
        InputError: If the file breaks its schema or names a document or clause that the rulebook does not have. A
            misspelt name would waive nothing.
    """
    tree = load_document(source)
    file = validate(tree, WaiversFile)
    problems = limit_diagnostics(_problems(rulebook, file, tree))
    if problems:
        raise InputError(problems)
    input_file = InputFile(
        file=source.name, sha256=source.sha256, kind=InputKind.WAIVERS, read=1, checked=1, quarantined=0
    )
    grants = tuple(
        build_waiver_grant(
            waiver, regulator=file.regulator, licensee=waiver.licensee, document=waiver.document, file=source.name
        )
        for waiver in file.waivers
    )
    return grants, input_file


def _problems(rulebook: Rulebook, file: WaiversFile, tree: PositionedDocument) -> Iterator[Diagnostic]:
    for index, waiver in enumerate(file.waivers):
        place: DataPath = ("waivers", index)
        if waiver.until is not None and waiver.until < waiver.first_day:
            yield tree.build_diagnostic(
                (*place, "until"),
                "semantic-error",
                "this waiver ends before it begins",
                expected="its first day, or a later one",
            )
        if waiver.document not in rulebook.documents:
            yield _unknown(tree, (*place, "document"), "the rulebook", "document", waiver.document, rulebook.documents)
            continue
        labels = [clause.clause for clause in rulebook.regulation(waiver.document).document.clauses]
        for number, clause in enumerate(waiver.clauses):
            if get_clause_label(waiver.document, clause) not in labels:
                yield _unknown(tree, (*place, "clauses", number), waiver.document, "clause", clause, labels)


def _unknown(
    tree: PositionedDocument, path: DataPath, owner: str, what: str, name: str, known: list[str] | tuple[str, ...]
) -> Diagnostic:
    near = find_similar(name, known)
    return tree.build_diagnostic(
        path,
        f"unknown-{what}",
        f"{owner} has no {what} `{name}`",
        expected=f"one of {', '.join(known)}" if what == "document" else "the label or the id of a clause",
        help=f"did you mean `{near}`?" if near else None,
    )
