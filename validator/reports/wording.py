"""Words that all reports for people share: for statuses, verdicts, places, numbers and waivers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from validator.results.findings import Claim, Waiver, WaiverClaim, Where
from validator.results.results import JUDGED_BY, InputFile, Results
from validator.results.statuses import WORST_FIRST, Cause, Evidence, Severity, Status, Verdict
from validator.results.subject import SessionGap

STATUS_WORD: Mapping[Status, str] = MappingProxyType(
    {status: status.value.replace("-", " ").capitalize() for status in Status}
)
"""Status as people read it."""

STATUS_MEANING: Mapping[Status, str] = MappingProxyType(
    {
        Status.FAIL: "The evidence violates the rule.",
        Status.ERROR: "The check could not be completed.",
        Status.NOT_EVIDENCED: "The evidence does not show whether the rule was followed.",
        Status.NEEDS_ATTESTATION: "A person must attest this, and no attestation was submitted.",
        Status.PASS: "No violation was found.",
        Status.NOT_APPLICABLE: "The rule did not arise.",
        Status.NOT_IN_FORCE: "The rule was not in force on this day.",
    }
)
"""Meaning of each status, in one sentence."""

JUDGED_ON: Mapping[Evidence, str] = MappingProxyType(
    {
        Evidence.SUBMISSION: "checked in the submission",
        Evidence.ROUND: "checked in each round",
        Evidence.SESSION: "checked from round to round",
        Evidence.ATTESTATION: "checked by attestation",
    }
)
"""Evidence in which a requirement is checked."""

_TALLY_PHRASE: Mapping[Status, str] = MappingProxyType(
    {
        Status.ERROR: "could not be checked",
        Status.NOT_EVIDENCED: "could not be confirmed",
        Status.NEEDS_ATTESTATION: "without attestation",
        Status.PASS: "without violation",
        Status.NOT_APPLICABLE: "did not arise",
        Status.NOT_IN_FORCE: "not in force",
    }
)


CLOSES: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.CONTRADICTED: "Request: which record of each round is correct.",
        Cause.NO_EVENTS: "Request: a log with the events of every round.",
        Cause.KINDS_NOT_RECORDED: "Request: a log with every kind of event.",
        Cause.RECORD_STOPS: "Request: the complete records of these rounds.",
        Cause.NO_SUBMISSION: "Request: the approved submission that was in force.",
        Cause.NOT_STATED: "Request: the missing statements in the submission.",
        Cause.NO_ATTESTATION: "Request: an attestation in the submission.",
        Cause.NOT_GIVEN: "Request: evidence of this kind.",
        Cause.OTHER: "Request: records of these rounds that show it.",
    }
)
"""Evidence that an officer requests, by the cause that leaves a requirement open."""

DAY_NOT_TOLD = "day not stated"
"""Text for the time of a round whose log states no day."""


LOG_MAY_BE_INCOMPLETE = (
    "The log does not show whether it is complete. "
    "Rules that follow play from one round to the next cannot be confirmed where rounds are missing."
)
"""Sentence above tables whose logs have gaps."""


def number(value: int) -> str:
    """Return a whole number with thousands separators: `12,000`."""
    return f"{value:,}"


def counted(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 record`, `1,200 records`."""
    return f"{number(value)} {singular if value == 1 else plural or singular + 's'}"


def in_a_row(words: Sequence[str]) -> str:
    """Join words as in a sentence: `a, b and c`."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def name_in(document: str, full: str) -> str:
    """Return an id without the prefix of its document."""
    return full.removeprefix(f"{document}/")


def lines_of(first: int, last: int) -> str:
    """Return lines of a text in words: `lines 3 to 5`."""
    return f"line {first}" if first == last else f"lines {first} to {last}"


def location(where: Where) -> str:
    """Return a place in a file as editors write it, `file:line:column`; empty if no file is known."""
    if where.file is None:
        return ""
    return ":".join(str(part) for part in (where.file, where.line, where.column) if part is not None)


def play_parts(where: Where, *, casino: bool = True) -> tuple[tuple[str, str], ...]:
    """Return the known parts of a place in play as names and values, from the casino down to the event.

    The casino is left out for a submission, whose file shows it, and if `casino` is false.
    """
    parts = (
        ("casino", where.casino if casino and where.submission is None else None),
        ("table", where.table),
        ("round", where.round),
        ("time", where.time),
        ("seat", where.seat),
        ("wager", where.wager),
        ("event", where.event),
    )
    return tuple((name, str(value)) for name, value in parts if value is not None)


def standing(results: Results) -> str:
    """Return how many requirements have each status, worst first, in one clause."""
    if not results.requirements:
        return "no rule was checked"
    parts: list[str] = []
    failed = [result for result in results.requirements if result.status is Status.FAIL]
    total = counted(len(results.requirements), "rule")
    if failed:
        by_severity = {severity: sum(r.severity is severity for r in failed) for severity in Severity}
        waived = sum(result.waived is not None for result in failed)
        detail = [f"{number(n)} {severity.value}" for severity, n in by_severity.items() if n]
        detail += [f"{number(waived)} of them under a waiver"] if waived else []
        parts.append(f"{number(len(failed))} of {total} violated ({', '.join(detail)})")
    else:
        parts.append(f"none of {total} violated")
    counts = results.by_status()
    parts += [
        f"{number(counts[status])} {_TALLY_PHRASE[status]}"
        for status in WORST_FIRST
        if status is not Status.FAIL and counts[status]
    ]
    return ", ".join(parts)


def verdict_in_words(results: Results) -> str:
    """Return the verdict in one or two sentences, such as "The casino violated 3 of the 89 rules checked."."""
    total = len(results.requirements)
    checked = f"the {number(total)} rules checked" if total > 1 else "the rule checked" if total else "no rules"
    failed = [result for result in results.requirements if result.status is Status.FAIL]
    waived = sum(result.waived is not None for result in failed)
    if results.verdict is Verdict.VIOLATIONS and failed:
        whose = "The casinos" if len(results.subject.casinos) > 1 else "The casino"
        violated = f"{number(len(failed))} of {checked}" if total > 1 else checked
        return f"{whose} violated {violated}. {_waivers_in_words(waived, len(failed))}"
    if results.verdict is Verdict.COMPLIANT:
        return f"No violation of {checked} was found." if not waived else f"Every violation of {checked} is waived."
    counts = results.by_status()
    open_ = sum(counts[status] for status in (Status.ERROR, Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION))
    confirmed = f"{number(open_)} of {checked} could not be confirmed" if open_ else "not all records could be checked"
    return f"No violation was found, but {confirmed}."


def _waivers_in_words(waived: int, failed: int) -> str:
    if not waived:
        return "No waiver applies."
    return f"A waiver applies to {number(waived)} of them." if failed > 1 else "A waiver applies to some findings."


def breakdown(results: Results) -> str:
    """Return the violations by severity and the other rules by status, for a line below the verdict."""
    failed = [result for result in results.requirements if result.status is Status.FAIL]
    severities = {severity: sum(result.severity is severity for result in failed) for severity in Severity}
    violated = ", ".join(f"{number(count)} {severity.value}" for severity, count in severities.items() if count)
    counts = results.by_status()
    others = ", ".join(
        f"{number(counts[status])} {_TALLY_PHRASE[status]}"
        for status in WORST_FIRST
        if status is not Status.FAIL and counts[status]
    )
    sentences = [f"Violations: {violated}"] if violated else []
    return ". ".join([*sentences, *([f"{'Other rules' if violated else 'Rules'}: {others}"] if others else [])])


def adds_to(text: str, *known: str) -> bool:
    """Return whether a text says more than the texts that are shown with it."""
    return _plain(text) not in map(_plain, known)


def _plain(text: str) -> str:
    return " ".join(text.rstrip(".").casefold().split())


def set_aside(results: Results) -> int:
    """Return the number of quarantined records, listed or not."""
    return max(sum(file.quarantined for file in results.provenance.inputs), len(results.quarantined))


def evidence_read(results: Results) -> tuple[InputFile, ...]:
    """Return the inputs with evidence, without waivers, profiles and other inputs that rules come from."""
    return tuple(file for file in results.provenance.inputs if file.kind not in JUDGED_BY)


def reading_done(results: Results) -> str:
    """Return how many records were read, checked and quarantined, in one clause."""
    inputs = evidence_read(results)
    read, checked = (sum(getattr(file, name) for file in inputs) for name in ("read", "checked"))
    repeated = sum(file.repeated for file in inputs)
    return (
        f"{counted(read, 'record')} read from {counted(len(inputs), 'file')}, "
        f"{number(checked)} checked, {number(set_aside(results))} quarantined"
        + (f", {number(repeated)} repeated" if repeated else "")
    )


def recorded_twice(results: Results) -> tuple[str, ...]:
    """Return a sentence for each file with rounds that have more than one record."""
    sentences: list[str] = []
    for file in results.provenance.inputs:
        if file.repeated:
            records = f"{counted(file.repeated, 'record')} {'repeats' if file.repeated == 1 else 'repeat'}"
            sentences.append(f"{file.file}: {records} another record of the same round; the round counts once")
        if file.contradicted:
            records = f"{counted(file.contradicted, 'record')} {'is' if file.contradicted == 1 else 'are'}"
            sentences.append(
                f"{file.file}: {records} contradicted by another record of the same round; "
                "both were checked, and neither proves that the round was in order"
            )
    return tuple(sentences)


def waiver_in_words(waiver: Waiver) -> str:
    """Return a regulator's waiver in one clause: who granted it, when, for how long and why."""
    parts = [f"granted by {waiver.by}, {waiver.regulator}, on {waiver.granted}"]
    parts += [f"from {waiver.from_}"] if waiver.from_ else []
    parts += [f"until {waiver.until}"] if waiver.until else []
    return ", ".join(parts) + ("" if waiver.reason is None else f": {waiver.reason}")


def claim_in_words(claim: WaiverClaim, *, granted: bool) -> str:
    """Return a waiver that a casino claims in one clause: whether it was granted, and the casino's statement."""
    until = f", until {claim.until}" if claim.until else ""
    outcome = "granted" if granted else "not granted"
    return f"claimed by the casino; {outcome} (the casino's statement: by {claim.by}{until}: {claim.reason})"


def what_was_granted(claim: Claim) -> str:
    """Return what the regulator's files say about a waiver that a casino claims."""
    if not claim.granted:
        return "not granted"
    granted = "; ".join(map(waiver_in_words, claim.granted))
    return f"not granted: {', '.join(claim.not_granted)}; {granted}" if claim.not_granted else granted


def missing_rounds(gap: SessionGap) -> str:
    """Return a gap of a session in one clause: how many rounds are missing, where, and why."""
    where = f"before round {gap.before}" if gap.after is None else f"between rounds {gap.after} and {gap.before}"
    if gap.missing is None:
        where = f"up to round {gap.before}" if gap.after is None else where
        return f"rounds may be missing {where}: {gap.why}"
    return f"{counted(gap.missing, 'round')} missing {where}: {gap.why}"


def summary_line(results: Results) -> str:
    """Return the run in one line, for standard error once a report is written."""
    return f"{results.verdict.value}: {standing(results)}; {reading_done(results)}"


def as_sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a full stop."""
    return capital(text) if text.endswith((".", "!", "?")) else f"{capital(text)}."


def capital(text: str) -> str:
    """Return the text with a capital first letter and the rest unchanged."""
    return text[:1].upper() + text[1:]


def totals_line(totals: Mapping[Status, int]) -> str:
    """Return counts by status, worst first, without zeros: `3 fail, 1,200 pass`."""
    return ", ".join(
        f"{number(totals[status])} {status.value.replace('-', ' ')}" for status in WORST_FIRST if totals.get(status)
    )
