"""Models of a source document: citation, clauses, readings, profiles, examples, and texts in a folder of the user."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from annotated_types import Ge, Le, Len, MinLen
from pydantic import Field, model_validator

from fairdeal.validator.evidence.submission_model import WaiverTerms
from fairdeal.validator.language.grammar import CategoryName, ClauseName, ReadingName, RequirementName
from fairdeal.validator.text.closed_model import ClosedModel, Day, Identifier, Name, Prose
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import Source, read_source

__all__ = ["CategoryName", "Clause", "Document", "Profile", "Reading", "ReadingFile", "RulebookEdition"]


ClauseStatus = Literal["checked", "option", "definition", "attested", "informative", "external"]


class RulebookEdition(ClosedModel):
    """Version and date of a rules folder, which results state next to the hash of its files."""

    version: Name
    """Version, as its publisher counts: `0.3.0`, `2026-2`."""
    date: Day
    """Day on which this version was published."""


class SourceFile(ClosedModel):
    """The text that a document was encoded from."""

    file: Prose
    """Name of the source file."""
    citation: Prose
    """Citation of the text."""
    edition: Prose | None = None
    """Edition or date of the text, as it states it."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the source file, by which `--texts` knows the edition."""


class Clause(ClosedModel):
    """A clause of the source and its encoding status."""

    clause: str
    """Label of the clause, as in the source. Its full id is the id of the document, a slash and the label."""
    lines: Annotated[list[Annotated[int, Ge(1)]], MinLen(2)]
    """First and last line of the source file."""
    gist: Prose
    """Summary of the clause in our own words."""
    status: ClauseStatus = "checked"
    """Encoding status. `checked`: a requirement that can fail cites the clause."""
    reason: Prose | None = None
    """Reason for a status other than `checked` and `attested`."""
    used_by: list[str] = []
    """Names in the game file that use a definition or an option."""


class NameList(ClosedModel):
    """A list of names from the text."""

    title: Prose
    """Title of the list."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that list them."""
    from_: Day | None = None
    """The first day on which the list is in force. Left out, that of the document."""
    until: Day | None = None
    """The last day on which the list is in force."""
    items: Annotated[list[Name], MinLen(1)]
    """The names, as in the text."""


class Document(ClosedModel):
    """An encoded source document."""

    document: Identifier
    """Id of the document."""
    title: Prose
    """Title of the document."""
    regulator: Prose
    """The authority that issued it, if the text names one."""
    source: SourceFile
    """The text it was encoded from."""
    from_: Day | None = None
    """The first day on which it is in force. Left out if the text does not state it."""
    until: Day | None = None
    """The last day on which it is in force."""
    clauses: Annotated[list[Clause], MinLen(1)]
    """All clauses of the source, in its order."""
    lists: dict[Identifier, NameList] = {}
    """Lists of names that conditions on submissions can use."""


class Reading(ClosedModel):
    """A defect or silence of the text, and the possible ways to read it. Each way is an option, with a name and the
    meaning of the passage under it."""

    KEY_HELP: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("adopted", "alternatives", "options"),
        "write the adopted option as `adopted: {NAME: MEANING}`, and the others in the same form under `alternatives`",
    )

    reading: Identifier
    """Name of the reading within the document."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that are in doubt."""
    question: Prose
    """The question that the text leaves open."""
    adopted_: Annotated[dict[Identifier, Prose], Len(1, 1)]
    """The adopted option."""
    alternatives: dict[Identifier, Prose] = {}
    """The other options, if any."""
    reason: Prose
    """Reason for the adopted option."""
    changes: Literal["money", "verdict", "nothing"]
    """Consequence of the choice: `money`, a `verdict`, or `nothing`."""

    @property
    def adopted(self) -> str:
        """Name of the adopted option."""
        return next(iter(self.adopted_))

    @property
    def options(self) -> dict[str, str]:
        """All options with the meaning of the passage, the adopted one first."""
        return self.adopted_ | self.alternatives


class ReadingFile(ClosedModel):
    """All readings of a document."""

    readings: list[Reading]
    """The readings."""


class ProfileChoice(ClosedModel):
    """Another option of a reading than the adopted one."""

    document: Identifier
    """The document."""
    reading: ReadingName
    """The reading."""
    is_: Identifier
    """The option to apply."""


class Profile(ClosedModel):
    """Choices among readings, made by the authority on whose behalf evidence is judged."""

    profile: Identifier
    """Its name."""
    title: Prose
    """Title that names the authority whose readings these are."""
    choices: list[ProfileChoice]
    """The choices. All other readings stay as adopted."""


Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]


class Variation(ClosedModel):
    """Evidence described by its differences from other evidence: a base, or the evidence of an example. Exactly one of
    `base` and `like` is given. Changes are made in the order `insert`, `set`, `remove`."""

    base: Identifier | None = None
    """The base, by its name in `bases.yaml`."""
    like: Identifier | None = None
    """The example from whose submission, or round, it starts."""
    insert: dict[Pointer, Any] = {}
    """Items to insert into lists, by JSON Pointer: before the item that it names, or at the end if it ends in `-`."""
    set_: dict[Pointer, Any] = {}
    """Values to set, by JSON Pointer."""
    remove: list[Pointer] = []
    """Values to remove, as JSON Pointers, from the last to the first."""

    @model_validator(mode="after")
    def _require_single_start(self) -> Self:
        if (self.base is None) == (self.like is None):
            raise ValueError("evidence starts from one source: name either a `base` or, under `like`, an example")
        return self


class BasesFile(ClosedModel):
    """A file of evidence that examples start from."""

    submissions: dict[Identifier, dict[str, Any]] = {}
    """Submissions by name."""
    rounds: dict[Identifier, dict[str, Any]] = {}
    """Rounds of play by name, in the form of a line of a hand log."""
    variations: dict[Identifier, Variation] = {}
    """Further rounds by name, each described by its differences from another. Examples start from them by `base`."""


class VariedRound(Variation):
    """A round of a session, or several in a row. Values that it does not set follow from the previous round: the
    `round` is `R` and its place in the session; the `time` is a minute later; the `number`, if any, is one more. Of
    several in a row, the first has the values that are set, and the others follow from it."""

    times: Annotated[int, Ge(1), Le(1000)] = 1
    """Number of such rounds in a row."""


class FindingPlace(ClosedModel):
    """The place of an expected finding."""

    round_: Prose | None = None
    """In a session: the id of the round."""

    pointer: Pointer | None = None
    """In a submission: the JSON Pointer."""
    seat: Annotated[int, Ge(1)] | None = None
    """In a round: the number of the seat."""
    wager: Prose | None = None
    """In a round: the wager or bonus."""
    event: Annotated[int, Ge(1)] | None = None
    """In a round: the event, counted from 1."""


Amount = Annotated[int, Ge(1)]


class BoundaryFinding(ClosedModel):
    """A failed requirement and the place of the failure."""

    requirement: RequirementName
    """The requirement."""
    at: FindingPlace = Field(default_factory=FindingPlace)
    """The place."""


class ExpectedFinding(BoundaryFinding):
    """A finding that the example must give. The snapshot of the document has its words."""

    owed: Amount | None = None
    """For a failure on money: the amount that the player was underpaid, in minor units."""
    overpaid: Amount | None = None
    """For a failure on money: the amount that the player was overpaid, in minor units."""


class ExampleWaiver(WaiverTerms):
    """A waiver of clauses of the document, granted by the regulator."""

    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The waived clauses."""
    licensee: Prose | None = None
    """The licensee. Left out, that of the submission."""


class Example(ClosedModel):
    """Evidence and the findings that it must give."""

    example: Identifier
    """Name of the example."""
    shows: Prose
    """The point of the example, and the words of the text from which the outcome follows."""
    about: list[RequirementName] = []
    """The requirements that it proves by satisfying them, not only by not applying. Requirements that it breaks or
    leaves unproven are named under `findings` and `unproven`."""
    not_applicable: list[RequirementName] = []
    """The requirements that do not apply to it."""
    submission: Variation | None = None
    """The submission. It is judged itself or, if there is a round, gives the configuration for the round."""
    round_: Variation | None = None
    """The round that is judged."""
    rounds: Annotated[list[VariedRound], MinLen(1)] | None = None
    """The rounds of a session, in order of play. Only requirements that span rounds judge them."""
    beside: list[Variation] = []
    """Other submissions of the run: in force at the same time, or replaced by the one that is judged."""
    waivers: list[ExampleWaiver] = []
    """Waivers granted by the regulator."""
    as_of: Day | None = None
    """The day whose rules apply. Left out, the day of the evidence."""
    readings: dict[ReadingName, Identifier] = {}
    """Readings with another option than the adopted one."""
    findings: list[ExpectedFinding] = []
    """All failures and errors, in any order."""
    unproven: list[RequirementName] = []
    """The requirements that it shows to be not evidenced or to need an attestation. The snapshot of the document has
    all others with such a status."""
    boundary: list[BoundaryFinding] = []
    """For a round that is settled exactly: the findings, in order, if each of these wagers is settled with the smallest
    unit less, and with the smallest unit more, for the player. This makes two further examples, with names that end in
    `-under` and `-over`. If every wager is lost completely, there is no `-under`."""

    @property
    def proves(self) -> tuple[str, ...]:
        """The requirements that it proves: satisfied, broken, or shown to be unproven."""
        return tuple(dict.fromkeys([*self.about, *(finding.requirement for finding in self.findings), *self.unproven]))


class ExampleFile(ClosedModel):
    """A file of examples on one topic."""

    title: Prose
    """Title: the topic."""
    under: Identifier | None = None
    """The submission, by its name in `bases.yaml`, for rounds of examples that name none."""
    examples: Annotated[list[Example], MinLen(1)]
    """The examples."""


class FindingSources(ClosedModel):
    """Clauses and readings that a finding rests on."""

    clauses: Annotated[list[Prose], MinLen(1)]
    """All clauses that it names, in order."""
    readings: list[Identifier] = []
    """All readings that it rests on, in order."""


class KeptFinding(ClosedModel):
    """The recorded text of a finding of an example."""

    requirement: Identifier
    """The requirement."""
    status: Literal["fail", "error"] = "fail"
    """Status of the finding."""
    rests: FindingSources | None = None
    """Clauses and readings that it rests on. Left out, those of most findings of the requirement."""
    waived: bool = False
    """True if a waiver covers it."""
    expected: str
    """Text under `expected`."""
    observed: str
    """Text under `observed`."""


class OwnUnproven(ClosedModel):
    """The difference between the unproven requirements of an example and those of most examples on its base."""

    besides: list[Identifier] = []
    """Additional requirements that it leaves unproven."""
    except_: list[Identifier] = []
    """Requirements that it does not leave unproven."""


class UnprovenRequirements(ClosedModel):
    """Requirements that are not evidenced or need an attestation."""

    submissions: dict[Identifier, list[Identifier]] = {}
    """By base of the judged submission: the requirements that most examples on it leave unproven."""
    rounds: dict[Identifier, list[Identifier]] = {}
    """The same by base of the round."""
    sessions: dict[Identifier, list[Identifier]] = {}
    """The same by base of the first round of the session."""
    examples: dict[Identifier, OwnUnproven] = {}
    """Differences of single examples."""


class Snapshot(ClosedModel):
    """The recorded results of the examples of a document. `fairdeal rules test --update` writes the file."""

    requirements: dict[Identifier, FindingSources] = {}
    """Clauses and readings of most findings of a requirement, by requirement."""
    unproven: UnprovenRequirements = Field(default_factory=UnprovenRequirements)
    """Requirements that examples leave unproven."""
    findings: dict[Identifier, Annotated[list[KeptFinding], MinLen(1)]] = {}
    """Texts of the findings, by example, in order."""


MAX_TEXT = 8 << 20
"""Limit of the bytes of a text."""
MAX_FILES = 1_000
"""Limit of the files of a folder of texts."""
MAX_QUOTED = 4_000
"""Limit of the characters of a clause that are quoted."""


def quote_clauses(folder: Path, documents: Iterable[Document]) -> dict[str, str]:
    """Return the words of the clauses of documents, by full id, as the texts in a folder have them.

    A text is found by its file name or by its SHA-256. Documents without a text in the folder are left out.

    Raises:
        InputError: if a text cannot be read or is another edition, or if the folder has no text of any document.
    """
    wanted = list(documents)
    files = _list_files(folder)
    problems: list[Diagnostic] = []
    by_hash: dict[str, Source] | None = None
    quoted: dict[str, str] = {}
    missing: list[str] = []
    for document in wanted:
        source = files.get(document.source.file)
        text = None if source is None else read_source(str(source), limit=MAX_TEXT)
        if text is not None and text.sha256 != document.source.sha256:
            problems.append(_build_other_edition(document, text))
            continue
        if text is None and document.source.sha256 is not None:
            by_hash = _read_all(files.values()) if by_hash is None else by_hash
            text = by_hash.get(document.source.sha256)
        if text is None:
            missing.append(document.title)
            continue
        lines = text.split_text()
        quoted.update({f"{document.document}/{clause.clause}": _quote(lines, clause) for clause in document.clauses})
    if not quoted and not problems:
        problems.append(
            Diagnostic(
                code="no-texts",
                message="the folder has no text of the regulations",
                expected=f"the text of {', '.join(missing)}" if missing else "a text of a regulation",
                help="put the text that was encoded there; `fairdeal rules show DOCUMENT` has its name and SHA-256",
                file=str(folder),
            )
        )
    if problems:
        raise InputError(tuple(problems))
    return quoted


def _list_files(folder: Path) -> Mapping[str, Path]:
    """Return the regular files of a folder by name, at most MAX_FILES. Raises InputError."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        message = f"the folder of texts cannot be read: {error.strerror or error}"
        raise InputError((Diagnostic(code="no-texts", message=message, file=str(folder)),)) from error
    return {path.name: path for path in files[:MAX_FILES]}


def _read_all(files: Iterable[Path]) -> dict[str, Source]:
    """Return texts by their SHA-256; files that are no text are left out."""
    texts = {}
    for path in files:
        try:
            source = read_source(str(path), limit=MAX_TEXT)
        except InputError:
            continue
        texts[source.sha256] = source
    return texts


def _build_other_edition(document: Document, text: Source) -> Diagnostic:
    if document.source.sha256 is None:
        message = f"{document.document} does not state the SHA-256 of its text, so that its edition is unknown"
        help_ = "state `sha256` under `source` in document.yaml"
    else:
        message = f"this text is another edition than the one from which {document.document} was encoded"
        help_ = "use the edition that was encoded; lines of clauses may differ in others"
    return Diagnostic(
        code="other-edition",
        message=message,
        expected=f"SHA-256 {document.source.sha256 or 'in document.yaml'}, found {text.sha256}",
        help=help_,
        file=text.name,
    )


def _quote(lines: Sequence[str], clause: Clause) -> str:
    """Return the lines of a clause without blanks at their ends and without tabs; a long clause is cut short."""
    first, last = clause.lines
    text = "\n".join(line.strip().replace("\t", "  ") for line in lines[first - 1 : last]).strip()
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
