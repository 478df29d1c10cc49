"""The one result model: what every check answers with and every report is rendered from.

This is the ground floor of the house. It imports nothing of fairdeal and knows neither rule files
nor evidence; everything above speaks in its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field


class Status(StrEnum):
    """How one requirement came out for one thing it was held against."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"
    NOT_IN_FORCE = "not-in-force"
    NOT_EVIDENCED = "not-evidenced"
    NEEDS_ATTESTATION = "needs-attestation"
    ERROR = "error"


WORST_FIRST: tuple[Status, ...] = (
    Status.FAIL,
    Status.ERROR,
    Status.NOT_EVIDENCED,
    Status.NEEDS_ATTESTATION,
    Status.PASS,
    Status.NOT_APPLICABLE,
    Status.NOT_IN_FORCE,
)
"""The order in which statuses outweigh each other when several things are summed up in one."""

UNPROVEN: frozenset[Status] = frozenset({Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION, Status.ERROR})
"""Statuses that never count as pass: with one of them, and no failure, a run is inconclusive."""


class Severity(StrEnum):
    """How much hangs on a requirement: money or integrity, conduct of the game, form."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class Evidence(StrEnum):
    """What a requirement is judged on."""

    SUBMISSION = "submission"
    ROUND = "round"
    SESSION = "session"
    ATTESTATION = "attestation"


class Verdict(StrEnum):
    """The outcome of a whole run."""

    COMPLIANT = "compliant"
    VIOLATIONS = "violations"
    INCONCLUSIVE = "inconclusive"


class State(StrEnum):
    """Whether a finding was there in the run that is the baseline."""

    NEW = "new"
    KNOWN = "known"


class Cause(StrEnum):
    """Why the evidence leaves something open."""

    NO_EVENTS = "no-events"
    """The record tells no events."""
    KINDS_NOT_RECORDED = "kinds-not-recorded"
    """The log says that it does not record some kinds of event."""
    RECORD_STOPS = "record-stops"
    """The record stops before the round is over."""
    NO_SUBMISSION = "no-submission"
    """No submission is in force for the round."""
    NOT_STATED = "not-stated"
    """The submission does not state it."""
    NO_ATTESTATION = "no-attestation"
    """Nobody has given their word."""
    NOT_GIVEN = "not-given"
    """No evidence of the kind was given at all."""
    OTHER = "other"
    """The requirement itself says what is not shown."""


class Recorded(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What stands in `results.json` as it is here: its keys are the names of the fields, with hyphens."""


class Where(Recorded, frozen=True, kw_only=True):
    """The place a finding speaks of: a spot in a file and, for a log, a spot in a round of play.

    `line` and `column` count from 1; `pointer` is a JSON Pointer into the document or the round's record;
    `event` counts the round's events from 1. `time` is when the round was played, as its log has it: only the day where
    that is all that is told. `submission` is the casino's own name of a submission; `context` what the log notes of the
    round besides.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    pointer: str | None = None
    casino: str | None = None
    table: str | None = None
    round: str | None = None
    time: str | None = None
    seat: int | None = None
    wager: str | None = None
    event: int | None = None
    submission: str | None = None
    context: Mapping[str, str] | None = None


class Waiver(Recorded, frozen=True, kw_only=True):
    """A regulator's permission to depart from a clause; a mark on a result, never a result.

    It stands in the regulator's own file, `file`: who granted it, the `regulator` and `by` which person, and on which
    day. It holds from its first day to its last, both included; None is open.
    """

    regulator: str
    by: str
    granted: str
    file: str
    reason: str | None = None
    from_: str | None = field(default=None, name="from")
    until: str | None = None


class WaiverClaim(Recorded, frozen=True, kw_only=True):
    """What a casino says in its submission of a waiver: its own word, which lifts nothing."""

    reason: str
    by: str
    until: str | None = None


class Claim(Recorded, frozen=True, kw_only=True):
    """A waiver that a submission speaks of, and what the regulator's files say of it.

    `granted` are the waivers of those files that lift some of its clauses for the casino while it is claimed;
    `not_granted` the clauses that none of them lifts.
    """

    file: str
    line: int | None
    column: int | None
    casino: str
    document: str
    clauses: tuple[str, ...]
    claim: WaiverClaim
    granted: tuple[Waiver, ...]
    not_granted: tuple[str, ...]


class Finding(Recorded, frozen=True, kw_only=True):
    """One requirement that did not simply pass, and where.

    `waived` is the regulator's waiver that lifts it, `claimed` the one that the casino claims, be it granted or not.
    `count` is the number of rounds (or other items) this finding stands for: 1 for a single violation,
    more where the same gap in the evidence repeats and only its first place is shown. Of a failure on money `owed` is
    what players were paid too little (or what was taken of them too much) and `overpaid` what they were paid too much,
    in minor units, one of them 0; both are None of all others. `id` stays the same from run to run (`finding_ids`).
    `state` is what an earlier run, the baseline, says of it, None where none was given.
    """

    requirement: str
    clauses: tuple[str, ...]
    document: str
    status: Status
    severity: Severity
    message: str
    expected: str
    observed: str
    where: Where
    reading: tuple[str, ...] = ()
    remedy: str | None = None
    waived: Waiver | None = None
    claimed: WaiverClaim | None = None
    count: int = 1
    owed: int | None = None
    overpaid: int | None = None
    id: str = ""
    state: State | None = None


class RequirementResult(Recorded, frozen=True, kw_only=True):
    """How one requirement came out over everything it was held against.

    `totals` counts items by status: rounds for a hand log, 1 for a submission. They add up to what was
    selected. `status` is the worst of them; `reason` says in a sentence why it is not a plain pass.
    """

    requirement: str
    title: str
    document: str
    clauses: tuple[str, ...]
    evidence: Evidence
    severity: Severity
    status: Status
    reason: str
    totals: Mapping[Status, int]
    reading: tuple[str, ...] = ()
    waived: Waiver | None = None


SUBMISSION, HAND_LOG, WAIVERS, PROFILE = "submission", "hand log", "waivers", "profile"
"""Kinds of input."""

JUDGED_BY = frozenset({WAIVERS, PROFILE})
"""Those that hold what evidence is judged by, and none themselves."""


class InputFile(Recorded, frozen=True, kw_only=True):
    """One input that was read: its name as given, its SHA-256 (hex) and what it was read as.

    `read` counts records (lines of a log, 1 for a submission), `checked` those that were judged, `quarantined` those
    that were set aside, `repeated` those that only say again what another record of their round says.
    `read == checked + quarantined + repeated`. Of the quarantined, `contradicted` could be read, but another record of
    their round says otherwise.
    """

    file: str
    sha256: str
    kind: str
    read: int
    checked: int
    quarantined: int
    repeated: int = 0
    contradicted: int = 0


class Quarantined(Recorded, frozen=True, kw_only=True):
    """A record of a hand log that was set aside unjudged, and why."""

    file: str
    line: int
    column: int | None
    reason: str


class ReadingRelied(Recorded, frozen=True, kw_only=True):
    """A reading of the text some result rests on: the question, the option applied and why."""

    reading: str
    document: str
    clauses: tuple[str, ...]
    question: str
    adopted: str
    why: str
    from_profile: bool = False


class Provenance(Recorded, frozen=True, kw_only=True):
    """What made this result: program, rulebook, inputs, dates. The clock is injected, never read here."""

    program: str
    rulebook_sha256: str
    documents: tuple[str, ...]
    as_of: str | None
    generated: str
    inputs: tuple[InputFile, ...]
    profile: str | None = None


class SessionGap(Recorded, frozen=True, kw_only=True):
    """Rounds of a session that the logs do not hold, or may not hold, and why.

    They lie between the rounds `after` (None: before the first one read) and `before`, by their ids. `missing` is
    how many there are, None where nobody can tell, or whether there are any.
    """

    after: str | None
    before: str
    missing: int | None
    why: str


class Session(Recorded, frozen=True, kw_only=True):
    """The rounds of one game that the logs hold of one table, in the order of play.

    `first` and `last` are ids of rounds, `begins` and `ends` their times by the clock of the log, None where no day is
    told. `openings` counts how often the table was opened, as far as rounds are numbered. `gaps` are the first of
    `gaps_found`.
    """

    document: str
    casino: str | None
    table: str
    first: str
    begins: str | None
    last: str
    ends: str | None
    rounds: int
    openings: int
    gaps: tuple[SessionGap, ...]
    gaps_found: int


class Baseline(Recorded, frozen=True, kw_only=True):
    """An earlier run that the findings are held against: its results `file`, the SHA-256 (hex) of that, and when it was
    generated. `gone` are the first of its `gone_found` findings that are here no more; `set_aside` is how many records
    were set aside that it did not set aside for the same reason.
    """

    file: str
    sha256: str
    generated: str
    gone: tuple[Finding, ...]
    gone_found: int
    set_aside: int


class Results(Recorded, frozen=True, kw_only=True):
    """Everything a run found out, in the order every report shows it.

    `findings` is sorted worst first, then by requirement, then by place; it may be a lazy sequence read
    back from disk, so reports iterate it and never ask for a copy. `money` is None where an older file does not tell.
    """

    verdict: Verdict
    findings: Sequence[Finding]
    requirements: tuple[RequirementResult, ...]
    readings: tuple[ReadingRelied, ...]
    quarantined: tuple[Quarantined, ...]
    provenance: Provenance
    layouts: tuple[Layout, ...] = ()
    sessions: tuple[Session, ...] = ()
    claims: tuple[Claim, ...] = ()
    subject: Subject
    money: Money | None
    baseline: Baseline | None = None
    open: tuple[Open, ...] = ()
    clauses: tuple[ClauseText, ...] = ()
    explanations: tuple[Explanation, ...] = ()

    def by_status(self) -> dict[Status, int]:
        """Number of requirements in each status, worst first, zeros included."""
        counts = dict.fromkeys(WORST_FIRST, 0)
        for requirement in self.requirements:
            counts[requirement.status] += 1
        return counts


class Per(StrEnum):
    """What an area of a layout is there for once: each position, or the table."""

    POSITION = "position"
    TABLE = "table"


class TableShape(StrEnum):
    """The outline of a table."""

    HALF_ROUND = "half-round"
    OVAL = "oval"


class LayoutMark(Recorded, frozen=True, kw_only=True):
    """That findings of a requirement, with this status, point at a part of a layout."""

    requirement: str
    status: Status


class LayoutArea(Recorded, frozen=True, kw_only=True):
    """An area of a submitted layout with its legend, and what findings point at the one or the other.

    `wager` says whether a wager is placed there.
    """

    area: str
    legend: str
    wager: bool = True
    per: Per = Per.POSITION
    marks: tuple[LayoutMark, ...] = ()
    legend_marks: tuple[LayoutMark, ...] = ()


class LayoutSign(Recorded, frozen=True, kw_only=True):
    """A sign at the table, and what findings point at it."""

    text: str
    marks: tuple[LayoutMark, ...] = ()


class Layout(Recorded, frozen=True, kw_only=True):
    """A submitted table layout, as far as a report draws it.

    `positions` is None where the submission does not state it; `marks` are of findings that point at the
    layout as a whole. `lacks` are areas that it should have, each with the findings that say so.
    """

    file: str
    title: str
    positions: int | None
    areas: tuple[LayoutArea, ...]
    signage: tuple[LayoutSign, ...] = ()
    marks: tuple[LayoutMark, ...] = ()
    shape: TableShape = TableShape.HALF_ROUND
    lacks: tuple[LayoutArea, ...] = ()


def worst(statuses: Iterable[Status]) -> Status:
    """The status that outweighs the others; `not-applicable` where there are none."""
    found = set(statuses)
    return next((status for status in WORST_FIRST if status in found), Status.NOT_APPLICABLE)


def verdict_of(requirements: Iterable[RequirementResult], *, quarantined: int) -> Verdict:
    """The outcome of a run: any failure that is not waived is a violation; anything unproven, unread or
    empty leaves it inconclusive."""
    # A waiver lifts the failures of a requirement, not what of it is left unproven beside them.
    statuses = {
        status
        for one in requirements
        for status in (one.status, *one.totals)
        if not (one.waived and status is Status.FAIL)
    }
    if Status.FAIL in statuses:
        return Verdict.VIOLATIONS
    if quarantined or Status.PASS not in statuses or not UNPROVEN.isdisjoint(statuses):
        return Verdict.INCONCLUSIVE
    return Verdict.COMPLIANT


class Law(Recorded, frozen=True, kw_only=True):
    """A document that evidence was held against; `game` is the title of its game, where it has one."""

    document: str
    title: str
    citation: str
    regulator: str
    game: str | None


class LicenseeNamed(Recorded, frozen=True, kw_only=True):
    """A casino that handed in a submission."""

    name: str
    license: str | None


class TableRead(Recorded, frozen=True, kw_only=True):
    """A table whose rounds were judged: how many, the first and the last day (None where no day is told)."""

    document: str
    casino: str | None
    table: str
    rounds: int
    first: str | None
    last: str | None


class Subject(Recorded, frozen=True, kw_only=True):
    """Whose evidence was judged, under which law, for which time.

    `first` and `last` are days: of rounds, and, where there are none, of the submissions. `tables` are the first of
    `tables_read`, by document, casino and name. `currency` is the code of the currency of all amounts, None where
    nobody says it.
    """

    licensees: tuple[LicenseeNamed, ...]
    law: tuple[Law, ...]
    casinos: tuple[str, ...]
    tables: tuple[TableRead, ...]
    tables_read: int
    first: str | None
    last: str | None
    currency: str | None


class ClauseText(Recorded, frozen=True, kw_only=True):
    """A clause that requirements rest on: what it says in short, and the lines of the source it stands on."""

    clause: str
    document: str
    gist: str
    source: str
    first_line: int
    last_line: int


class Sum(Recorded, frozen=True, kw_only=True):
    """What failures on money come to, in minor units, for one value (`name`) of what they are grouped `by`; None stands
    for those that do not say. Tables are told apart by casino."""

    by: str
    name: str | None
    casino: str | None
    findings: int
    owed: int
    overpaid: int


class Money(Recorded, frozen=True, kw_only=True):
    """What all failures on money come to, in minor units; what a waiver lifts is left out."""

    findings: int
    owed: int
    overpaid: int
    sums: tuple[Sum, ...]


class Open(Recorded, frozen=True, kw_only=True):
    """Something the evidence does not show, once for all requirements of a document that it leaves open.

    `items` are the rounds (or submissions) it is true of, of `of` that were judged; `first` is the first place where it
    left something open.
    """

    document: str
    cause: Cause
    says: str
    items: int
    of: int
    requirements: tuple[str, ...]
    first: Where | None


class Chapter(Recorded, frozen=True, kw_only=True):
    """A part of what is told of a round: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


class Explanation(Recorded, frozen=True, kw_only=True):
    """The round of the first finding of some requirements, told step by step."""

    requirements: tuple[str, ...]
    where: Where
    chapters: tuple[Chapter, ...]
