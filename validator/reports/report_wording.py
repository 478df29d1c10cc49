"""Words that all reports share: statuses, verdicts, places, numbers, waivers, the licensee, the period and amounts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec import Struct

from fairdeal.validator.results import findings
from fairdeal.validator.results.results import (
    CRITERIA_KINDS,
    AppliedDocument,
    CurrencyMoney,
    InputFile,
    LicenseeDetails,
    Money,
    Provenance,
    Results,
    SessionGap,
    Subject,
)
from fairdeal.validator.text.plain_values import format_money

STATUS_WORD: Mapping[findings.Status, str] = MappingProxyType(
    {status: status.value.replace("-", " ").capitalize() for status in findings.Status}
)
"""Status as people read it."""

STATUS_MEANING: Mapping[findings.Status, str] = MappingProxyType(
    {
        findings.Status.FAIL: "The evidence violates the rule.",
        findings.Status.ERROR: "The check could not be completed.",
        findings.Status.NOT_EVIDENCED: "The evidence does not show whether the rule was followed.",
        findings.Status.NEEDS_ATTESTATION: "A person must attest this, and no attestation was submitted.",
        findings.Status.PASS: "No violation was found.",
        findings.Status.NOT_APPLICABLE: "The rule did not arise.",
        findings.Status.NOT_IN_FORCE: "The rule was not in force on this day.",
    }
)
"""Meaning of each status, in one sentence."""

CHECKED_IN: Mapping[findings.Evidence, str] = MappingProxyType(
    {
        findings.Evidence.SUBMISSION: "checked in the submission",
        findings.Evidence.ROUND: "checked in each round",
        findings.Evidence.SESSION: "checked from round to round",
        findings.Evidence.ATTESTATION: "checked by attestation",
    }
)
"""Evidence in which a requirement is checked."""

_TALLY_PHRASE: Mapping[findings.Status, str] = MappingProxyType(
    {
        findings.Status.FAIL: "violated",
        findings.Status.ERROR: "could not be checked",
        findings.Status.NOT_EVIDENCED: "could not be confirmed",
        findings.Status.NEEDS_ATTESTATION: "without attestation",
        findings.Status.PASS: "without violation",
        findings.Status.NOT_APPLICABLE: "did not arise",
        findings.Status.NOT_IN_FORCE: "not in force",
    }
)


REQUESTS: Mapping[findings.Cause, str] = MappingProxyType(
    {
        findings.Cause.CONTRADICTED: "Request: which record of each contradicted round is correct.",
        findings.Cause.NO_EVENTS: "Request: a log with the events of every round.",
        findings.Cause.KINDS_NOT_RECORDED: "Request: a log with every kind of event.",
        findings.Cause.RECORD_STOPS: "Request: the complete records of rounds whose records stop.",
        findings.Cause.NO_SUBMISSION: "Request: the approved submission that was in force.",
        findings.Cause.NOT_STATED: "Request: the missing statements in the submission.",
        findings.Cause.NO_ATTESTATION: "Request: an attestation in the submission.",
        findings.Cause.NOT_GIVEN: "Request: the kind of evidence that was not given.",
        findings.Cause.OTHER: "Request: records that show what these rules require.",
    }
)
"""Evidence that an officer requests, by the cause that leaves a requirement open."""

DAY_NOT_STATED = "day not stated"
"""Text for the time of a round whose log states no day."""


LOG_MAY_BE_INCOMPLETE = (
    "The log does not show whether it is complete. "
    "Rules that follow play from one round to the next cannot be confirmed where rounds are missing."
)
"""Sentence above tables whose logs have gaps."""


def format_number(value: int) -> str:
    """Return a whole number with thousands separators: `12,000`."""
    return f"{value:,}"


def format_count(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 record`, `1,200 records`."""
    return f"{format_number(value)} {singular if value == 1 else plural or singular + 's'}"


def join_words(words: Sequence[str]) -> str:
    """Join words as in a sentence: `a, b and c`."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def short_id(document: str, full: str) -> str:
    """Return an id without the prefix of its document."""
    return full.removeprefix(f"{document}/")


def format_lines(first: int, last: int) -> str:
    """Return lines of a text in words: `lines 3 to 5`."""
    return f"line {first}" if first == last else f"lines {first} to {last}"


def format_location(where: findings.EvidencePlace) -> str:
    """Return a place in a file as editors write it, `file:line:column`; empty if no file is known."""
    if where.file is None:
        return ""
    return ":".join(str(part) for part in (where.file, where.line, where.column) if part is not None)


def list_place_parts(where: findings.EvidencePlace, *, casino: bool = True) -> tuple[tuple[str, str], ...]:
    """Return the known parts of a place in play as names and values, from the casino down to the event.

    A place in a workbook begins with its sheet and cell. The casino is left out for a submission, whose file shows it,
    and if `casino` is false.
    """
    parts = (
        ("sheet", where.sheet),
        ("cell", where.cell),
        ("casino", where.casino if casino and where.submission is None else None),
        ("table", where.table),
        ("round", where.round),
        ("time", where.clock),
        ("seat", where.seat),
        ("player", where.player),
        ("wager", where.wager),
        ("event", where.event),
    )
    return tuple((name, str(value)) for name, value in parts if value is not None)


def summarize_requirements(results: Results) -> str:
    """Return how many requirements have each status, worst first, in one clause."""
    if not results.requirements:
        return "no rule was checked"
    parts: list[str] = []
    failed = [result for result in results.requirements if result.status is findings.Status.FAIL]
    total = format_count(len(results.requirements), "rule")
    if failed:
        by_severity = {severity: sum(r.severity is severity for r in failed) for severity in findings.Severity}
        waived = sum(result.waived is not None for result in failed)
        detail = [f"{format_number(n)} {severity.value}" for severity, n in by_severity.items() if n]
        detail += [f"{format_number(waived)} of them under a waiver"] if waived else []
        parts.append(f"{format_number(len(failed))} of {total} violated ({', '.join(detail)})")
    else:
        parts.append(f"none of {total} violated")
    counts = results.count_by_status()
    parts += [
        f"{format_number(counts[status])} {_TALLY_PHRASE[status]}"
        for status in findings.WORST_FIRST
        if status is not findings.Status.FAIL and counts[status]
    ]
    return ", ".join(parts)


def describe_verdict(results: Results) -> str:
    """Return the verdict in one or two sentences, such as "The casino violated 3 of the 89 rules checked."."""
    total = len(results.requirements)
    checked = f"the {format_number(total)} rules checked" if total > 1 else "the rule checked" if total else "no rules"
    failed = [result for result in results.requirements if result.status is findings.Status.FAIL]
    waived = sum(result.waived is not None for result in failed)
    if results.verdict is findings.Verdict.VIOLATIONS and failed:
        whose = "The casinos" if len(results.subject.casinos) > 1 else "The casino"
        violated = f"{format_number(len(failed))} of {checked}" if total > 1 else checked
        return f"{whose} violated {violated}. {_waivers_in_words(waived, len(failed))}"
    if results.verdict is findings.Verdict.COMPLIANT:
        return f"No violation of {checked} was found." if not waived else f"Every violation of {checked} is waived."
    counts = results.count_by_status()
    open_ = sum(
        counts[status]
        for status in (findings.Status.ERROR, findings.Status.NOT_EVIDENCED, findings.Status.NEEDS_ATTESTATION)
    )
    confirmed = (
        f"{format_number(open_)} of {checked} could not be confirmed" if open_ else "not all records could be checked"
    )
    return f"No violation was found, but {confirmed}."


def _waivers_in_words(waived: int, failed: int) -> str:
    if not waived:
        return "No waiver applies."
    return (
        f"A waiver applies to {format_number(waived)} of them." if failed > 1 else "A waiver applies to some findings."
    )


def summarize_statuses(results: Results) -> str:
    """Return the violations by severity and the other rules by status, for a line below the verdict."""
    failed = [result for result in results.requirements if result.status is findings.Status.FAIL]
    severities = {severity: sum(result.severity is severity for result in failed) for severity in findings.Severity}
    violated = ", ".join(f"{format_number(count)} {severity.value}" for severity, count in severities.items() if count)
    counts = results.count_by_status()
    others = ", ".join(
        f"{format_number(counts[status])} {_TALLY_PHRASE[status]}"
        for status in findings.WORST_FIRST
        if status is not findings.Status.FAIL and counts[status]
    )
    sentences = [f"Violations: {violated}"] if violated else []
    return ". ".join([*sentences, *([f"{'Other rules' if violated else 'Rules'}: {others}"] if others else [])])


def has_new_content(text: str, *known: str) -> bool:
    """Return whether a text says more than the texts that are shown with it."""
    return _plain(text) not in map(_plain, known)


def _plain(text: str) -> str:
    return " ".join(text.rstrip(".").casefold().split())


def count_quarantined(results: Results) -> int:
    """Return the number of quarantined records, listed or not."""
    return max(sum(file.quarantined for file in results.provenance.inputs), len(results.quarantined))


def list_evidence_files(results: Results) -> tuple[InputFile, ...]:
    """Return the inputs with evidence, without waivers, profiles and other inputs that rules come from."""
    return tuple(file for file in results.provenance.inputs if file.kind not in CRITERIA_KINDS)


def summarize_reading(results: Results) -> str:
    """Return how many records were read, checked and quarantined, in one clause."""
    inputs = list_evidence_files(results)
    read, checked = (sum(getattr(file, name) for file in inputs) for name in ("read", "checked"))
    repeated = sum(file.repeated for file in inputs)
    return (
        f"{format_count(read, 'record')} read from {format_count(len(inputs), 'file')}, "
        f"{format_number(checked)} checked, {format_number(count_quarantined(results))} quarantined"
        + (f", {format_number(repeated)} repeated" if repeated else "")
    )


def describe_repeated_rounds(results: Results) -> tuple[str, ...]:
    """Return a sentence for each file with rounds that have more than one record."""
    sentences: list[str] = []
    for file in results.provenance.inputs:
        if file.repeated:
            records = f"{format_count(file.repeated, 'record')} {'repeats' if file.repeated == 1 else 'repeat'}"
            sentences.append(f"{file.file}: {records} another record of the same round; the round counts once")
        if file.contradicted:
            records = f"{format_count(file.contradicted, 'record')} {'is' if file.contradicted == 1 else 'are'}"
            sentences.append(
                f"{file.file}: {records} contradicted by another record of the same round; "
                "both were checked, and neither proves that the round was in order"
            )
    return tuple(sentences)


def describe_waiver(waiver: findings.Waiver) -> str:
    """Return a regulator's waiver in one clause: who granted it, when, for how long and why."""
    parts = [f"granted by {waiver.by}, {waiver.regulator}, on {waiver.granted}"]
    parts += [f"from {waiver.from_}"] if waiver.from_ else []
    parts += [f"until {waiver.until}"] if waiver.until else []
    return ", ".join(parts) + ("" if waiver.reason is None else f": {waiver.reason}")


def describe_claim(claim: findings.WaiverClaim, *, granted: bool) -> str:
    """Return a waiver that a casino claims in one clause: whether it was granted, and the casino's statement."""
    until = f", until {claim.until}" if claim.until else ""
    outcome = "granted" if granted else "not granted"
    return f"claimed by the casino; {outcome} (the casino's statement: by {claim.by}{until}: {claim.reason})"


def describe_grants(claim: findings.WaiverClaimed) -> str:
    """Return what the regulator's files say about a waiver that a casino claims."""
    if not claim.granted:
        return "not granted"
    granted = "; ".join(map(describe_waiver, claim.granted))
    return f"not granted: {', '.join(claim.not_granted)}; {granted}" if claim.not_granted else granted


def describe_missing_rounds(gap: SessionGap) -> str:
    """Return a gap of a session in one clause: how many rounds are missing, where, and why."""
    where = f"before round {gap.before}" if gap.after is None else f"between rounds {gap.after} and {gap.before}"
    if gap.missing is None:
        where = f"up to round {gap.before}" if gap.after is None else where
        return f"rounds may be missing {where}: {gap.why}"
    return f"{format_count(gap.missing, 'round')} missing {where}: {gap.why}"


def summarize_run(results: Results) -> str:
    """Return the run in one line, for standard error once a report is written."""
    return f"{results.verdict.value}: {summarize_requirements(results)}; {summarize_reading(results)}"


def format_sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a full stop."""
    return capitalize_first(text) if text.endswith((".", "!", "?")) else f"{capitalize_first(text)}."


def capitalize_first(text: str) -> str:
    """Return the text with a capital first letter and the rest unchanged."""
    return text[:1].upper() + text[1:]


def format_totals(totals: Mapping[findings.Status, int]) -> str:
    """Return counts by status, worst first, without zeros: `3 fail, 1,200 pass`."""
    return ", ".join(
        f"{format_number(totals[status])} {status.value.replace('-', ' ')}"
        for status in findings.WORST_FIRST
        if totals.get(status)
    )


NOT_STATED = "not stated"
"""Text for something that the results do not state."""


def count_rules(status: findings.Status, count: int) -> str:
    """Return how many rules have a status: `43 rules without violation`."""
    return f"{format_count(count, 'rule')} {_TALLY_PHRASE[status]}"


GROUP_NAMES = {"requirement": "rule"}
"""Names of groups of sums that are not their keys."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def describe_submitted_amounts(results: Results) -> Iterator[str]:
    """Yield the amounts of each submission as they were understood, with questions on them."""
    several = len(results.subject.amounts) > 1
    for stated in results.subject.amounts:
        of = f" by {stated.submission}" if several else ""
        currency = "no currency is stated" if stated.currency is None else stated.currency
        yield f"Amounts submitted{of} ({currency}): {'; '.join(stated.amounts)}."
        yield from stated.questions


def format_amount(minor: int, currency: str | None) -> str:
    """Return an amount in minor units with the sign or code of its currency, if that is known."""
    return format_money(minor, currency)


def format_day(day: str) -> str:
    """Return a day as people write it: `2026-03-02` becomes `2 March 2026`. Any other text is returned unchanged."""
    year, _, rest = day.partition("-")
    month, _, of_month = rest.partition("-")
    plain = all(part.isascii() and part.isdigit() for part in (year, month, of_month))
    if not plain or len(of_month) != 2 or not 1 <= int(month) <= len(_MONTHS):
        return day
    return f"{int(of_month)} {_MONTHS[int(month) - 1]} {year}"


def parse_generation_time(generated: str) -> datetime:
    """Return the time of results in UTC without its zone, for the properties of a file; 1980 if they state none."""
    try:
        return datetime.fromisoformat(generated).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return datetime(1980, 1, 1)


def format_time(time: str) -> str:
    """Return a time of a log with a blank between day and clock."""
    return time.replace("T", " ", 1) if time[4:5] == "-" and time[10:11] == "T" else time


def split_clock(where: findings.EvidencePlace) -> tuple[str | None, str | None]:
    """Return the day of a round, and its time of day; the whole time if its date differs from the gaming day."""
    day, clock = where.played_on, where.clock
    if day is None or clock is None:
        return day, clock
    return day, clock[10:] if clock.startswith(day) else format_time(clock)


def describe_edition(provenance: Provenance) -> str:
    """Describe the version and date of the rulebook."""
    version, date = provenance.rulebook_version, provenance.rulebook_date
    return " of ".join(filter(None, (version, None if date is None else format_day(date)))) or NOT_STATED


def format_period(first: str | None, last: str | None) -> str:
    """Return the days from the first to the last in words."""
    if first is None or last is None:
        return NOT_STATED if first is None and last is None else format_day(first or last or "")
    return format_day(first) if first == last else f"{format_day(first)} to {format_day(last)}"


def format_short_period(first: str, last: str) -> str:
    """Return the days from the first to a later one, with a common month or year once: `2 to 25 March 2026`."""
    begins, ends = format_day(first), format_day(last)
    for digits, common in ((7, ends.partition(" ")[2]), (4, ends.rpartition(" ")[2])):
        if first != begins and last != ends and first[:digits] == last[:digits]:
            return f"{begins.removesuffix(f' {common}')} to {ends}"
    return f"{begins} to {ends}"


def list_licensees(subject: Subject) -> tuple[LicenseeDetails, ...]:
    """Return the licensees of submissions, and the casinos that only logs name."""
    named = {licensee.name for licensee in subject.licensees}
    rest = (LicenseeDetails(name=name, license=None) for name in subject.casinos if name not in named)
    return (*subject.licensees, *rest)


def format_licensee(licensee: LicenseeDetails) -> str:
    """Return a licensee with the number of its license."""
    return licensee.name if licensee.license is None else f"{licensee.name} (license {licensee.license})"


class CitedClause(Struct, frozen=True, kw_only=True):
    """Clause as people cite it."""

    gist: str
    """Summary of the clause."""
    regulation: str
    """Citation of the regulation; of older results, the lines of its source."""
    label: str
    """Label of the clause in its regulation."""
    text: tuple[str, ...]
    """Lines of the words of the clause; empty if the user gave no texts."""


def cite_clauses(results: Results) -> dict[str, CitedClause]:
    """Return every clause by id, with what it is cited by.

    Clauses of older results whose regulation is unknown are cited by the lines of their source.
    """
    laws = {law.document: law for law in results.subject.law}
    return {
        clause.clause: CitedClause(
            gist=clause.gist,
            label=short_id(clause.document, clause.clause),
            regulation=laws[clause.document].citation
            if clause.document in laws
            else f"{clause.source}, {format_lines(clause.first_line, clause.last_line)}",
            text=tuple(results.texts.get(clause.clause, "").splitlines()),
        )
        for clause in results.clauses
    }


def format_regulation(law: AppliedDocument) -> str:
    """Return the citation of a regulation and its regulator."""
    return f"{law.citation}; {law.regulator}"


def list_games(subject: Subject) -> tuple[str, ...]:
    """Return the names of the games."""
    return tuple(dict.fromkeys(law.game or law.title for law in subject.law))


def count_tables_and_rounds(subject: Subject) -> str:
    """Return how many tables and rounds were checked."""
    if not subject.tables_read:
        return "no rounds of play"
    rounds = sum(table.rounds for table in subject.tables)
    beyond = " or more" if subject.tables_read > len(subject.tables) else ""
    return f"{format_count(subject.tables_read, 'table')}, {format_count(rounds, 'round')}{beyond}"


def summarize_subject(results: Results) -> str:
    """Return licensee, game, period and tables in one line."""
    subject = results.subject
    whose = "; ".join(map(format_licensee, list_licensees(subject))) or f"casino {NOT_STATED}"
    parts = [whose, "; ".join(list_games(subject)) or f"game {NOT_STATED}", format_period(subject.first, subject.last)]
    return ", ".join([*parts, count_tables_and_rounds(subject)])


def format_currencies(subject: Subject) -> str:
    """Return the currency of all amounts, or their several currencies."""
    return join_words(subject.currencies) if subject.currencies else subject.currency or NOT_STATED


def describe_amounts(money: Money | None, currency: str | None) -> str:
    """Return the sums of all violations that concern money, by currency.

    Args:
        currency: currency of amounts that state none.
    """
    if money is None:
        return "an older version wrote these results, without amounts"
    sums = [_money_in_words(part, part.currency or currency) for part in money.by_currency if part.findings]
    return "; ".join(sums) or "no finding concerns money"


def _money_in_words(money: CurrencyMoney, currency: str | None) -> str:
    parts = [f"{format_amount(money.owed, currency)} too little"] if money.owed else []
    parts += [f"{format_amount(money.overpaid, currency)} too much"] if money.overpaid else []
    concerned = format_count(money.findings, "finding")
    return (
        f"players received {' and '.join(parts)} ({concerned})"
        if parts
        else f"{concerned} on money, none with an amount"
    )


def format_sums(owed: int, overpaid: int, currency: str | None) -> str:
    """Return the sums of some findings in words; empty if they are zero."""
    parts = [f"{format_amount(owed, currency)} owed to players"] if owed else []
    parts += [f"{format_amount(overpaid, currency)} overpaid"] if overpaid else []
    return ", ".join(parts)
