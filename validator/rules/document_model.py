"""Models of a source document: citation, dates, clauses with their status, readings and profiles."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Len, MinLen
from pydantic import Field

from fairdeal.validator.language.grammar import CategoryName, ClauseName, ReadingName
from fairdeal.validator.text.closed_model import ClosedModel, Day, Identifier, Name, Prose, make_list

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
    used_by: list[str] = Field(default_factory=make_list)
    """Names in the game file that use a definition or an option."""


class NameList(ClosedModel):
    """A list of names from the text."""

    title: Prose
    """Title of the list."""
    clause: ClauseName
    """The clause that lists them."""
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
    lists: dict[Identifier, NameList] = Field(default_factory=dict)
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
    alternatives: dict[Identifier, Prose] = Field(default_factory=dict)
    """The other options, if any."""
    why: Prose
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
    option: Identifier
    """The option to apply."""


class Profile(ClosedModel):
    """Choices among readings, made by the authority on whose behalf evidence is judged."""

    profile: Identifier
    """Its name."""
    title: Prose
    """Title that names the authority whose readings these are."""
    choices: list[ProfileChoice]
    """The choices. All other readings stay as adopted."""
