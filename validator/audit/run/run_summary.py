"""Summary of a run: its subject, its currencies, and its unresolved requirements.

Amounts in different currencies are never added up. Unresolved requirements are listed once for each cause of missing
evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, field

from fairdeal.validator.arrays import np
from fairdeal.validator.audit.run.finding_store import OTHER_NAMES
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.audit.submissions.submission_summary import describe_submitted_amounts
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.results import results
from fairdeal.validator.results.findings import Cause, Evidence, EvidencePlace, Finding, Status
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    from fairdeal.validator.evidence.assembly import DecodedBlock


def collect_submission_currencies(submissions: Iterable[FiledSubmission], chosen: str | None) -> frozenset[str]:
    """Return the currencies of submissions, and the currency chosen for the run.

    Raises:
        InputError: At the place where a submission names a currency other than the chosen one.
    """
    currencies = set() if chosen is None else {chosen}
    problems: list[Diagnostic] = []
    for filed in submissions:
        named = filed.submission.currency
        if named is None:
            continue
        currencies.add(named)
        if chosen not in (None, named):
            message = f"this submission is in {named}, the run is in {chosen}"
            help_ = "leave `--currency` out, or leave the submission out"
            problems.append(filed.tree.build_diagnostic(("currency",), "another-currency", message, help=help_))
    if problems:
        raise InputError(tuple(problems))
    return frozenset(currencies)


def collect_round_currencies(decoded: DecodedBlock) -> frozenset[str]:
    """Return the currencies that rounds name."""
    return frozenset(name for batch in decoded.batches for name in batch.currency.used_names())


def quarantine_other_currencies(decoded: DecodedBlock, currency: str | None) -> DecodedBlock:
    """Move rounds in another currency to the quarantined records; keep everything if no currency is chosen."""
    if currency is None or collect_round_currencies(decoded) <= {currency}:
        return decoded
    from msgspec.structs import replace  # noqa: PLC0415 - checking a submission does without

    from fairdeal.validator.evidence.columns.round_batch import select_rounds  # noqa: PLC0415
    from fairdeal.validator.results.results import Quarantined  # noqa: PLC0415

    batches, quarantined_ = [], list(decoded.quarantined)
    for batch in decoded.batches:
        is_other = (batch.currency.codes >= 0) & (batch.currency.codes != batch.currency.code(currency))
        for index in np.flatnonzero(is_other).tolist():
            reason = f"the round is in {batch.currency.text(index)}, the run is in {currency}"
            file = batch.file.text(index) or ""
            quarantined_.append(Quarantined(file=file, line=int(batch.line[index]), column=None, reason=reason))
        if not is_other.all():
            batches.append(select_rounds(batch, ~is_other))
    quarantined_.sort(key=lambda record: (record.file, record.line))
    return replace(decoded, batches=tuple(batches), quarantined=tuple(quarantined_))


MAX_LISTED_TABLES = 1_000
"""Maximum number of tables that results list."""
MAX_LISTED_NAMES = 1_000
"""Maximum number of licensees, and of casinos, that results list."""
MAX_LISTED_AMOUNTS = 100
"""Maximum number of submissions whose amounts results list."""
_EPOCH = date(1970, 1, 1)

MAX_TABLES = 100_000
"""Maximum number of tables that are distinguished, which bounds memory."""

TableCounts = tuple[tuple[str | None, str, int, int, int], ...]
"""Tables of one game in a batch: casino, table, rounds, first and last day since 1970-01-01.

Without a day, the first is `DAY_NOT_KNOWN` and the last is `-DAY_NOT_KNOWN`.
"""
DAY_NOT_KNOWN = 1 << 31
"""Placeholder for a day that is not known."""


class SubjectBuilder(Struct):
    """Builder of the subject of a run."""

    _tables: dict[tuple[str, str | None, str], list[int]] = field(default_factory=dict)
    _submissions: list[Submission] = field(default_factory=list)

    def add_tables(self, document: str, tables: TableCounts) -> None:
        """Add the tables of rounds of a game."""
        for casino, table, rounds, first, last in tables:
            key = (document, casino, table)
            if key not in self._tables and len(self._tables) >= MAX_TABLES:
                key = (document, None, OTHER_NAMES)
            counts = self._tables.setdefault(key, [0, first, last])
            counts[0] += rounds
            counts[1] = min(counts[1], first)
            counts[2] = max(counts[2], last)

    def add_submission(self, submission: Submission) -> None:
        """Add a submission."""
        self._submissions.append(submission)

    def build(self, regulations: Mapping[str, Regulation], currencies: Collection[str]) -> results.Subject:
        """Build the subject of everything added.

        Args:
            currencies: currencies of the amounts.
        """
        read = [_table_read(key, counted) for key, counted in sorted(self._tables.items(), key=_table_sort_key)]
        days = [day for table in read for day in (table.first, table.last) if day is not None]
        days = days or [submission.effective.isoformat() for submission in self._submissions]
        licensees = {submission.licensee.name: submission.licensee.license for submission in self._submissions}
        casinos = {table.casino for table in read if table.casino is not None} | set(licensees)
        return results.Subject(
            licensees=tuple(
                results.LicenseeDetails(name=name, license=licensees.get(name)) for name in _list_first(licensees)
            ),
            law=tuple(_list_laws(regulations)),
            casinos=_list_first(sorted(casinos)),
            tables=tuple(read[:MAX_LISTED_TABLES]),
            tables_read=len(read),
            first=min(days, default=None),
            last=max(days, default=None),
            currency=next(iter(currencies)) if len(currencies) == 1 else None,
            currencies=tuple(sorted(currencies)) if len(currencies) > 1 else (),
            amounts=tuple(islice(self._list_amounts(regulations), MAX_LISTED_AMOUNTS)),
        )

    def _list_amounts(self, regulations: Mapping[str, Regulation]) -> Iterator[results.SubmittedAmounts]:
        """Yield the amounts of each submission that states any, and equal ones once."""
        described = (
            describe_submitted_amounts(submission, regulations[submission.document]) for submission in self._submissions
        )
        yield from dict.fromkeys(amounts for amounts in described if amounts is not None)


def _list_first(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first names of licensees or casinos, and a name for all further ones."""
    first = tuple(islice(names, MAX_LISTED_NAMES + 1))
    return first if len(first) <= MAX_LISTED_NAMES else (*first[:-1], OTHER_NAMES)


def _table_sort_key(entry: tuple[tuple[str, str | None, str], list[int]]) -> tuple[str, str, str]:
    document, casino, table = entry[0]
    return document, casino or "", table


def _table_read(key: tuple[str, str | None, str], counted: list[int]) -> results.TableCoverage:
    document, casino, table = key
    rounds, first, last = counted
    return results.TableCoverage(
        document=document, casino=casino, table=table, rounds=rounds, first=_format_day(first), last=_format_day(last)
    )


def _format_day(day: int) -> str | None:
    return None if abs(day) == DAY_NOT_KNOWN else (_EPOCH + timedelta(days=day)).isoformat()


def _list_laws(regulations: Mapping[str, Regulation]) -> Iterator[results.AppliedDocument]:
    for name, regulation in sorted(regulations.items()):
        document = regulation.document
        yield results.AppliedDocument(
            document=name,
            title=document.title,
            citation=document.source.citation,
            regulator=document.regulator,
            game=None if regulation.game is None else regulation.game.title,
        )


_ROUND_TEXTS = {
    Cause.CONTRADICTED: (
        "1 round has records that contradict each other",
        "{items} rounds have records that contradict each other",
    ),
    Cause.NO_EVENTS: ("the log records no events of 1 round", "the log records no events of {items} rounds"),
    Cause.KINDS_NOT_RECORDED: (
        "in 1 round the log leaves out some kinds of event",
        "in {items} rounds the log leaves out some kinds of event",
    ),
    Cause.RECORD_STOPS: (
        "the record of 1 round stops before its end",
        "the records of {items} rounds stop before their end",
    ),
    Cause.NO_SUBMISSION: ("no submission was in force for 1 round", "no submission was in force for {items} rounds"),
}
"""Text on one round, and on several, by cause."""
REASONS_NOT_CHECKED = {
    Evidence.SUBMISSION: "No submission was provided.",
    Evidence.ATTESTATION: "No submission with an attestation was provided.",
    Evidence.ROUND: "No rounds were provided.",
    Evidence.SESSION: "No rounds were provided.",
}
"""Reasons why requirements were not checked, by kind of evidence."""


class MissingEvidence(Struct, frozen=True, kw_only=True):
    """Rounds that lack evidence of one kind."""

    rounds: int
    """Number of rounds."""
    first: EvidencePlace
    """Place of the first one."""

    def add(self, other: MissingEvidence) -> MissingEvidence:
        """Return both together."""
        first = min(self.first, other.first, key=results.make_place_key)
        return MissingEvidence(rounds=self.rounds + other.rounds, first=first)


class UnresolvedSummary(Struct):
    """Builder of the summary. Results may be added in any order."""

    _rounds: dict[str, int] = field(default_factory=dict)
    _submissions: dict[str, int] = field(default_factory=dict)
    _missing: dict[tuple[str, Cause], MissingEvidence] = field(default_factory=dict)
    _items: dict[tuple[str, Cause, str], list[tuple[str, int, EvidencePlace | None]]] = field(default_factory=dict)

    def add_rounds(self, document: str, rounds: int, lacks: Mapping[Cause, MissingEvidence]) -> None:
        """Add rounds of a game, and the evidence that some of them lack."""
        self._rounds[document] = self._rounds.get(document, 0) + rounds
        for cause, missing in lacks.items():
            previous = self._missing.get((document, cause))
            self._missing[document, cause] = missing if previous is None else previous.add(missing)

    def add_submission(self, document: str) -> None:
        """Add a submission."""
        self._submissions[document] = self._submissions.get(document, 0) + 1

    def add_gap(self, finding: Finding, causes: Mapping[Cause, int]) -> None:
        """Add a requirement that is unresolved in some rounds, with the number of rounds by cause.

        Args:
            finding: finding of the first of the rounds.
        """
        for cause, rounds in causes.items():
            says = finding.observed if cause is Cause.OTHER else ""
            where = finding.where if cause is Cause.OTHER else None
            self._add_item(finding, cause, says, rounds, where)

    def add_unstated(self, finding: Finding) -> None:
        """Add a requirement that is unresolved for one submission."""
        needs_attestation = finding.status is Status.NEEDS_ATTESTATION
        self._add_item(finding, Cause.NO_ATTESTATION if needs_attestation else Cause.NOT_STATED, "", 1, finding.where)

    def add_unjudged(self, document: str, requirement: str, evidence: Evidence) -> None:
        """Add a requirement for which there was no evidence."""
        self._items.setdefault((document, Cause.NOT_GIVEN, REASONS_NOT_CHECKED[evidence]), []).append(
            (requirement, 0, None)
        )

    def build_items(self) -> tuple[results.UnresolvedItem, ...]:
        """Return one item for each cause, the causes that leave most requirements unresolved first."""
        items = [self._build_item(*key, noted) for key, noted in self._items.items()]
        return tuple(sorted(items, key=lambda item: (-len(item.requirements), item.document, item.cause, item.says)))

    def _add_item(self, finding: Finding, cause: Cause, says: str, items: int, where: EvidencePlace | None) -> None:
        self._items.setdefault((finding.document, cause, says), []).append((finding.requirement, items, where))

    def _build_item(
        self, document: str, cause: Cause, says: str, noted: Iterable[tuple[str, int, EvidencePlace | None]]
    ) -> results.UnresolvedItem:
        listed = list(noted)
        missing = self._missing.get((document, cause))
        stated = cause in (Cause.NOT_STATED, Cause.NO_ATTESTATION)
        of = self._submissions.get(document, 0) if stated else self._rounds.get(document, 0)
        items = max(count for _, count, _ in listed) if missing is None else missing.rounds
        places = [where for _, _, where in listed if where is not None]
        first = min(places, key=results.make_place_key, default=None) if missing is None else missing.first
        return results.UnresolvedItem(
            document=document,
            cause=cause,
            says="".join(_describe_cause(cause, says, items, of)),
            items=items,
            of=of,
            requirements=tuple(sorted({requirement for requirement, _, _ in listed})),
            first=first,
        )


def _describe_cause(cause: Cause, says: str, items: int, of: int) -> Iterator[str]:
    match cause:
        case Cause.NOT_GIVEN:
            yield says
        case Cause.NOT_STATED:
            yield "The submission does not state this."
        case Cause.NO_ATTESTATION:
            yield "No attestation was submitted."
        case Cause.OTHER:
            yield f"In the only round {says}." if of == 1 else f"In {items:,} of {of:,} rounds {says}."
        case _:
            singular, plural = _ROUND_TEXTS[cause]
            text = (singular if items == 1 else plural).format(items=f"{items:,}")
            yield f"{text[:1].upper()}{text[1:]}{f' (of {of:,})' if of > 1 else ''}."
