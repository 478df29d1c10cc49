"""Builder of the results of a run, from verdicts on submissions and batches of rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.audit.granted_waivers import WaiverGrant
from fairdeal.validator.audit.run.finding_store import FindingStore, MoneySums, SessionStore, set_round_count
from fairdeal.validator.audit.run.run_summary import (
    REASONS_NOT_CHECKED,
    MissingEvidence,
    SubjectBuilder,
    TableCounts,
    UnresolvedSummary,
)
from fairdeal.validator.audit.submissions.submission_requirements import SubmissionVerdict
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.results import results
from fairdeal.validator.results.findings import (
    WORST_FIRST,
    Cause,
    Evidence,
    Finding,
    FindingIds,
    Status,
    Waiver,
    WaiverClaimed,
    worst_status,
)
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.regulation import SELF_DECLARED_ODDS, Regulation, SelfDeclaredRequirement
from fairdeal.validator.rules.requirement_model import Requirement

if TYPE_CHECKING:
    from fairdeal.validator.audit.operators.round_requirements import EvidenceGap


QUARANTINED_SHOWN = 1_000
"""Maximum number of quarantined records that results list; all are counted."""

_REASONS = {
    Status.PASS: "No violation.",
    Status.NOT_APPLICABLE: "Did not arise.",
    Status.NOT_IN_FORCE: "Was not in force on this day.",
    Status.NEEDS_ATTESTATION: "No attestation was submitted.",
    Status.NOT_EVIDENCED: "The evidence does not show whether the rule was followed.",
    Status.ERROR: "Could not be checked.",
}
_ON_ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})


class _RequirementTally(Struct):
    """Running results of one requirement."""

    totals: Counter[Status] = field(default_factory=Counter)
    """Number of submissions or rounds by status."""
    gap_rounds: int = 0
    """Number of rounds that lack evidence."""
    gap: Finding | None = None
    """Finding for the first of them."""
    causes: Counter[Cause] = field(default_factory=Counter)
    """Number of rounds by what is missing."""
    failures: int = 0
    """Number of failures."""
    waived: int = 0
    """Number of waived failures."""
    waiver: Waiver | None = None
    """First waiver of a failure."""
    note: str | None = None
    """First note of a verdict on a submission."""

    def add_finding(self, finding: Finding) -> None:
        """Count a failure, and the waiver that lifts it."""
        if finding.status is Status.FAIL:
            self.failures += 1
            self.waived += finding.waived is not None
            self.waiver = self.waiver or finding.waived

    @property
    def lifted(self) -> Waiver | None:
        """Waiver, if every failure is waived."""
        return self.waiver if self.failures and self.failures == self.waived else None


class ResultsBuilder(Struct):
    """Builder of the results of a run. The order in which rounds are added changes no finding, gap or explanation."""

    regulations: Mapping[str, Regulation]
    """Regulations of the run, by id."""
    kinds: frozenset[Evidence]
    """Kinds of evidence that the run checks."""
    findings: FindingStore = field(default_factory=FindingStore)
    """Findings so far."""
    quarantined: list[results.Quarantined] = field(default_factory=list)
    """Quarantined records, up to `QUARANTINED_SHOWN`."""
    quarantined_count: int = 0
    """Number of quarantined records."""
    inputs: list[results.InputFile] = field(default_factory=list)
    """Files of evidence."""
    rule_inputs: list[results.InputFile] = field(default_factory=list)
    """Files of rules and waivers."""
    layouts: list[results.Layout] = field(default_factory=list)
    """Table layouts of submissions."""
    sessions: SessionStore = field(default_factory=SessionStore)
    """Sessions of the rounds."""
    claims: list[WaiverClaimed] = field(default_factory=list)
    """Waivers that submissions claim."""
    subject_builder: SubjectBuilder = field(default_factory=SubjectBuilder)
    """Builder of the subject of the run."""
    sums: MoneySums = field(default_factory=MoneySums)
    """Sums of failures on money."""
    unresolved: UnresolvedSummary = field(default_factory=UnresolvedSummary)
    """Summary of what stays unresolved."""
    _ids: FindingIds = field(default_factory=FindingIds)
    _explained: dict[str, results.Explanation] = field(default_factory=dict)
    _accounts: dict[tuple[str, str], _RequirementTally] = field(default_factory=dict)

    def add_waivers(self, files: Iterable[tuple[Sequence[WaiverGrant], results.InputFile]]) -> tuple[WaiverGrant, ...]:
        """Add files of waivers; return the waivers of all files."""
        given_files = list(files)
        self.rule_inputs += [input_file for _, input_file in given_files]
        return tuple(grant for grants, _ in given_files for grant in grants)

    def add_submission(self, submission: Submission, verdicts: Iterable[SubmissionVerdict]) -> None:
        """Add the verdicts on one submission."""
        document = submission.document
        self.subject_builder.add_submission(submission)
        self.unresolved.add_submission(document)
        for verdict in verdicts:
            account = self._account(document, verdict.requirement)
            account.totals[verdict.status] += 1
            account.note = account.note or verdict.note
            for finding in verdict.findings:
                self._add_finding(account, finding)
                if finding.status in (Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION):
                    self.unresolved.add_unstated(finding)

    def add_rounds(
        self,
        document: str,
        requirement: str,
        *,
        totals: Mapping[Status, int],
        findings: Iterable[Finding],
        gap: EvidenceGap | None,
    ) -> None:
        """Add the verdict of one requirement on some rounds."""
        account = self._account(document, requirement)
        account.totals.update(totals)
        if gap is not None:
            account.gap_rounds += gap.rounds
            if account.gap is None or results.make_place_key(gap.first.where) < results.make_place_key(
                account.gap.where
            ):
                account.gap = gap.first
            account.causes.update(dict(zip(Cause, gap.causes, strict=True)))
        for finding in findings:
            self._add_finding(account, finding)

    def add_part(
        self,
        document: str,
        *,
        rounds: int,
        tables: TableCounts,
        lacks: Mapping[Cause, MissingEvidence],
        explained: Iterable[results.Explanation],
    ) -> None:
        """Add rounds of a game: their tables, the evidence they lack, and explanations of first failures."""
        self.subject_builder.add_tables(document, tables)
        self.unresolved.add_rounds(document, rounds, lacks)
        for explanation in explained:
            for name in explanation.requirements:
                known = self._explained.get(name)
                if known is None or results.make_place_key(explanation.where) < results.make_place_key(known.where):
                    self._explained[name] = explanation

    def _add_finding(self, account: _RequirementTally, finding: Finding) -> None:
        named = self._ids.assign_id(finding)
        account.add_finding(named)
        if named.version is None and named.is_on_money:
            self.sums.add(named)
        self.findings.add(named)

    def add_quarantined(self, records: Iterable[results.Quarantined]) -> int:
        """Add quarantined records in the order of files and lines; return their number."""
        count = 0
        for record in records:
            count += 1
            if len(self.quarantined) < QUARANTINED_SHOWN:
                self.quarantined.append(record)
        self.quarantined_count += count
        return count

    def build(
        self, *, program: str, generated: str, as_of: date | None, rulebook: Rulebook, currencies: Collection[str]
    ) -> results.Results:
        """Build the results.

        Args:
            as_of: day whose rules applied, if fixed.
            rulebook: rulebook of the run.
            currencies: currencies of the amounts.
        """
        profile_file = rulebook.profile_file
        # All documents of a rulebook have its edition.
        edition = next((regulation.edition for regulation in self.regulations.values()), None)
        for account in self._accounts.values():
            if account.gap is not None:
                self.findings.add(self._ids.assign_id(set_round_count(account.gap, account.gap_rounds)))
                self.unresolved.add_gap(account.gap, +account.causes)
        requirements = tuple(
            self._result(regulation, requirement)
            for _, regulation in sorted(self.regulations.items())
            for requirement in regulation.requirements
            if requirement.evidence in self.kinds
        )
        # Statements of submissions about themselves are listed only if a submission makes them.
        requirements += tuple(
            self._result(regulation, SELF_DECLARED_ODDS)
            for document, regulation in sorted(self.regulations.items())
            if (document, SELF_DECLARED_ODDS.requirement) in self._accounts
        )
        for result in requirements:
            if not result.totals:
                self.unresolved.add_unjudged(result.document, result.requirement, result.evidence)
        for finding in self.findings.finish_amounts(next(iter(currencies)) if len(currencies) == 1 else None):
            self.sums.add(finding)
        return results.Results(
            subject=self.subject_builder.build(self.regulations, currencies),
            money=self.sums.build(currencies),
            open=self.unresolved.build_items(),
            clauses=self._clauses(),
            explanations=self._explanations(),
            verdict=results.decide_verdict(
                requirements, quarantined=self.quarantined_count + self._count_contradicted()
            ),
            findings=self.findings,
            requirements=requirements,
            readings=self._readings(),
            quarantined=tuple(self.quarantined),
            layouts=tuple(self.layouts),
            sessions=self.sessions.build_sequence(),
            claims=tuple(self.claims),
            provenance=results.Provenance(
                program=program,
                rulebook_version=None if edition is None else edition.version,
                rulebook_date=None if edition is None else edition.date.isoformat(),
                rulebook_sha256=rulebook.sha256(tuple(sorted(self.regulations))),
                documents=tuple(sorted(self.regulations)),
                as_of=None if as_of is None else as_of.isoformat(),
                generated=generated,
                inputs=(*self.inputs, *self.rule_inputs, *([] if profile_file is None else [profile_file])),
                profile=None if rulebook.profile is None else rulebook.profile.profile,
            ),
        )

    def _count_contradicted(self) -> int:
        return sum(file.contradicted for file in self.inputs)

    def _explanations(self) -> tuple[results.Explanation, ...]:
        """Return the explained rounds, each with the requirements whose first failure it is."""
        names: dict[results.PlaceKey, list[str]] = {}
        for name, explanation in sorted(self._explained.items()):
            names.setdefault(results.make_place_key(explanation.where), []).append(name)
        explanations = [
            replace(self._explained[of_round[0]], requirements=tuple(of_round)) for of_round in names.values()
        ]
        return tuple(sorted(explanations, key=lambda explanation: explanation.requirements))

    def _account(self, document: str, requirement: str) -> _RequirementTally:
        return self._accounts.setdefault((document, requirement), _RequirementTally())

    def _result(
        self, regulation: Regulation, requirement: Requirement | SelfDeclaredRequirement
    ) -> results.RequirementResult:
        account = self._accounts.get((regulation.id, requirement.requirement), _RequirementTally())
        totals = {status: account.totals[status] for status in WORST_FIRST if account.totals[status]}
        is_checked = bool(totals)
        status = worst_status(totals) if is_checked else Status.NOT_EVIDENCED
        return results.RequirementResult(
            requirement=regulation.qualify(requirement.requirement),
            title=requirement.title,
            document=regulation.id,
            clauses=regulation.qualify_clauses(requirement.clauses),
            evidence=requirement.evidence,
            severity=requirement.severity,
            status=status,
            reason=_reason(requirement, status, account) if is_checked else REASONS_NOT_CHECKED[requirement.evidence],
            totals=totals,
            reading=tuple(regulation.qualify(name) for name in requirement.readings),
            waived=account.lifted,
        )

    def _readings(self) -> tuple[results.AppliedReading, ...]:
        """Return every reading used by a requirement that was checked, and every reading that a profile changed."""
        relied: list[results.AppliedReading] = []
        for _, regulation in sorted(self.regulations.items()):
            used = {
                name
                for requirement in regulation.requirements
                if self._is_judged(regulation, requirement)
                for name in requirement.readings
            }
            relied += [
                regulation.build_reading_relied(name)
                for name in regulation.readings
                if name in used | regulation.chosen
            ]
        return tuple(relied)

    def _clauses(self) -> tuple[results.ClauseText, ...]:
        """Return every clause of the documents, in their order."""
        return tuple(
            results.ClauseText(
                clause=regulation.qualify(clause.clause),
                document=document,
                gist=clause.gist,
                source=regulation.document.source.file,
                first_line=clause.lines[0],
                last_line=clause.lines[1],
            )
            for document, regulation in sorted(self.regulations.items())
            for clause in regulation.document.clauses
        )

    def _is_judged(self, regulation: Regulation, requirement: Requirement) -> bool:
        account = self._accounts.get((regulation.id, requirement.requirement))
        return account is not None and any(account.totals[status] for status in (Status.PASS, Status.FAIL))


def _describe_waiver(waiver: Waiver) -> str:
    why = "" if waiver.reason is None else f": {waiver.reason}"
    return f"Waived by {waiver.by}, {waiver.regulator}{why}"


def _reason(requirement: Requirement | SelfDeclaredRequirement, status: Status, account: _RequirementTally) -> str:
    if status is Status.FAIL:
        if account.lifted is not None:
            return _describe_waiver(account.lifted)
        return requirement.broken or requirement.message
    if status is Status.PASS and account.note is not None:
        return f"{account.note[:1].upper()}{account.note[1:]}"
    if status is Status.NOT_EVIDENCED and account.gap is not None:
        return f"In {_rounds(account.gap_rounds)} {account.gap.observed}."
    if status is Status.PASS and requirement.evidence in _ON_ROUNDS:
        return f"No violation in {_rounds(account.totals[Status.PASS])}."
    return _REASONS[status]


def _rounds(count: int) -> str:
    return f"{count:,} round{'' if count == 1 else 's'}"
