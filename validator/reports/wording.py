"""The words every report for people uses: for statuses, verdicts, places and numbers."""

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
"""The word that stands for a status wherever a person reads it."""

STATUS_MEANING: Mapping[Status, str] = MappingProxyType(
    {
        Status.FAIL: "The evidence departs from the requirement.",
        Status.ERROR: "The check could not be completed, so nothing is known.",
        Status.NOT_EVIDENCED: "The evidence does not show whether the requirement is met.",
        Status.NEEDS_ATTESTATION: "Only a person can vouch for this, and no one has yet.",
        Status.PASS: "The evidence meets the requirement.",
        Status.NOT_APPLICABLE: "The requirement does not concern this evidence.",
        Status.NOT_IN_FORCE: "The requirement was not law on the day judged.",
    }
)
"""What a status says, in one sentence."""

VERDICT_MEANING: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.COMPLIANT: "Every requirement that applies was checked and is met or waived.",
        Verdict.VIOLATIONS: "At least one requirement is not met and not waived.",
        Verdict.INCONCLUSIVE: "No violation was found, but the evidence does not prove compliance.",
    }
)
"""What a verdict says, in one sentence."""

JUDGED_ON: Mapping[Evidence, str] = MappingProxyType(
    {
        Evidence.SUBMISSION: "judged on the submission",
        Evidence.ROUND: "judged on each round",
        Evidence.SESSION: "judged on each session",
        Evidence.ATTESTATION: "judged on an attestation",
    }
)
"""What a requirement is judged on, in words."""

_TALLY_PHRASE: Mapping[Status, str] = MappingProxyType(
    {
        Status.ERROR: "could not be checked",
        Status.NOT_EVIDENCED: "not evidenced",
        Status.NEEDS_ATTESTATION: "awaiting attestation",
        Status.PASS: "passed",
        Status.NOT_APPLICABLE: "not applicable",
        Status.NOT_IN_FORCE: "not in force",
    }
)


CLOSES: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.CONTRADICTED: "To close it, the house says which record is true, and hands in that one alone.",
        Cause.NO_EVENTS: "To close it, the house records the events of every round.",
        Cause.KINDS_NOT_RECORDED: "To close it, the house records these kinds of event too.",
        Cause.RECORD_STOPS: "To close it, the house hands in the whole record of these rounds.",
        Cause.NO_SUBMISSION: "To close it, the house hands in the submission that was in force.",
        Cause.NOT_STATED: "To close it, the house completes its submission.",
        Cause.NO_ATTESTATION: "To close it, the person who can vouch for it attests it in the submission.",
        Cause.NOT_GIVEN: "To close it, the house hands in evidence of this kind.",
        Cause.OTHER: "To close it, the house shows what these rounds do not.",
    }
)
"""What closes something that is open, by its cause."""

DAY_NOT_TOLD = "day not told"
"""What stands for the time of a round of which a log does not tell the day."""


def number(value: int) -> str:
    """A whole number with its thousands marked: `12,000`."""
    return f"{value:,}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 record`, `1,200 records`."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def in_a_row(words: Sequence[str]) -> str:
    """Words as a list in a sentence."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def name_in(document: str, full: str) -> str:
    """What something is called within its document: its id without that of the document."""
    return full.removeprefix(f"{document}/")


def lines_of(first: int, last: int) -> str:
    """Lines of a text."""
    return f"line {first}" if first == last else f"lines {first} to {last}"


def location(where: Where) -> str:
    """The spot in a file, as editors know it: `file:line:column`; empty where no file is named."""
    if where.file is None:
        return ""
    return ":".join(str(part) for part in (where.file, where.line, where.column) if part is not None)


def play_parts(where: Where, *, casino: bool = True) -> tuple[tuple[str, str], ...]:
    """The spot in play as names and values, from the casino down to the event; what is unknown is left out, and so is
    the casino of a submission, whose file tells it, and where only one comes up (`casino` is false)."""
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
    """How the requirements came out, in one clause that starts with the worst."""
    if not results.requirements:
        return "no requirement was judged"
    parts: list[str] = []
    failed = [result for result in results.requirements if result.status is Status.FAIL]
    total = counted(len(results.requirements), "requirement")
    if failed:
        by_severity = {severity: sum(r.severity is severity for r in failed) for severity in Severity}
        waived = sum(result.waived is not None for result in failed)
        detail = [f"{number(n)} {severity.value}" for severity, n in by_severity.items() if n]
        detail += [f"{number(waived)} of them under a waiver"] if waived else []
        parts.append(f"{number(len(failed))} of {total} failed ({', '.join(detail)})")
    else:
        parts.append(f"none of {total} failed")
    counts = results.by_status()
    parts += [
        f"{number(counts[status])} {_TALLY_PHRASE[status]}"
        for status in WORST_FIRST
        if status is not Status.FAIL and counts[status]
    ]
    return ", ".join(parts)


def set_aside(results: Results) -> int:
    """The number of records that were set aside, whether or not each of them is listed."""
    return max(sum(one.quarantined for one in results.provenance.inputs), len(results.quarantined))


def evidence_read(results: Results) -> tuple[InputFile, ...]:
    """The inputs that hold what is judged, and not what it is judged by."""
    return tuple(one for one in results.provenance.inputs if one.kind not in JUDGED_BY)


def reading_done(results: Results) -> str:
    """How many records were read, checked and set aside, in one clause."""
    inputs = evidence_read(results)
    read, checked = (sum(getattr(one, name) for one in inputs) for name in ("read", "checked"))
    repeated = sum(one.repeated for one in inputs)
    return (
        f"{counted(read, 'record')} read from {counted(len(inputs), 'file')}, "
        f"{number(checked)} checked, {number(set_aside(results))} quarantined"
        + (f", {number(repeated)} repeated" if repeated else "")
    )


def recorded_twice(results: Results) -> tuple[str, ...]:
    """What is said of rounds of which there is more than one record, file by file."""
    said: list[str] = []
    for one in results.provenance.inputs:
        if one.repeated:
            records = f"{counted(one.repeated, 'record')} {'repeats' if one.repeated == 1 else 'repeat'}"
            said.append(f"{one.file}: {records} another record of the same round, which counts once")
        if one.contradicted:
            records = f"{counted(one.contradicted, 'record')} {'is' if one.contradicted == 1 else 'are'}"
            said.append(
                f"{one.file}: {records} contradicted by another record of the same round; "
                "both are judged, and neither proves that the round was in order"
            )
    return tuple(said)


def waiver_in_words(waiver: Waiver) -> str:
    """A regulator's waiver in one clause: who granted it and when, how long it holds, and why."""
    parts = [f"granted by {waiver.by}, {waiver.regulator}, on {waiver.granted}"]
    parts += [f"from {waiver.from_}"] if waiver.from_ else []
    parts += [f"until {waiver.until}"] if waiver.until else []
    return ", ".join(parts) + ("" if waiver.reason is None else f": {waiver.reason}")


def claim_in_words(claim: WaiverClaim, *, granted: bool) -> str:
    """A waiver that a casino claims in one clause: whether it was granted, and what the casino says of it."""
    until = f", until {claim.until}" if claim.until else ""
    standing = "granted" if granted else "not granted"
    return f"claimed by the casino; {standing} (the casino says: by {claim.by}{until}: {claim.reason})"


def what_was_granted(claim: Claim) -> str:
    """What the regulator's files say of a waiver that a casino claims."""
    if not claim.granted:
        return "not granted"
    said = "; ".join(map(waiver_in_words, claim.granted))
    return f"not granted: {', '.join(claim.not_granted)}; {said}" if claim.not_granted else said


def missing_rounds(gap: SessionGap) -> str:
    """A gap of a session in one clause: how many rounds, where, and why."""
    where = f"before round {gap.before}" if gap.after is None else f"between rounds {gap.after} and {gap.before}"
    if gap.missing is None:
        where = f"up to round {gap.before}" if gap.after is None else where
        return f"any number of rounds may be missing {where}: {gap.why}"
    return f"{counted(gap.missing, 'round')} missing {where}: {gap.why}"


def summary_line(results: Results) -> str:
    """The run in one line, for standard error once a report is written."""
    return f"{results.verdict.value}: {standing(results)}; {reading_done(results)}"


def capital(text: str) -> str:
    """The text with its first letter as a capital and the rest untouched."""
    return text[:1].upper() + text[1:]


def totals_line(totals: Mapping[Status, int]) -> str:
    """Items by status, worst first, zeros left out: `3 fail, 1,200 pass`."""
    return ", ".join(
        f"{number(totals[status])} {status.value.replace('-', ' ')}" for status in WORST_FIRST if totals.get(status)
    )
