"""Models of a source document: citation, clauses, readings, profiles, and texts in a folder of the user."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Len, MinLen
from pydantic import Field

from fairdeal.validator.language.grammar import CategoryName, ClauseName, ReadingName
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

    KEY_HELP: ClassVar = dict.fromkeys(
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
