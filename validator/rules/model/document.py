"""A source document: citation, dates, every clause with its encoding status, and how its text is read."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Len, MinLen
from pydantic import Field

from validator.language.refs import CategoryName, ClauseName, ReadingName
from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier, Name, Prose

ClauseStatus = Literal["checked", "option", "definition", "attested", "informative", "external"]


class SourceFile(Closed):
    """The text a document was encoded from."""

    file: Prose
    """Name of the source file."""
    citation: Prose
    """How the text is cited."""


class Clause(Closed):
    """A clause of the source and what became of it."""

    clause: str
    """Its label, as the source has it; with the document's id before it, its id."""
    lines: Annotated[list[Annotated[int, Ge(1)]], MinLen(2)]
    """First and last line of the source file."""
    gist: Prose
    """What it says, in our own words."""
    status: ClauseStatus = "checked"
    """What became of it; `checked`: a requirement that can fail cites it."""
    reason: Prose | None = None
    """Why, where it is neither checked nor attested."""
    used_by: list[str] = Field(default_factory=list)
    """What a definition or an option is used by: names in the game file."""


class NameList(Closed):
    """Names that the text lists, as data."""

    title: Prose
    """What they are."""
    clause: ClauseName
    """The clause that lists them."""
    from_: Day | None = None
    """The first day the list is in force; left out, as long as the document."""
    until: Day | None = None
    """The last day the list is in force."""
    items: Annotated[list[Name], MinLen(1)]
    """The names, as the text has them."""


class Document(Closed):
    """A source document as far as it is encoded."""

    document: Identifier
    """Its id."""
    title: Prose
    """Its title."""
    regulator: Prose
    """Who issued it, as far as the text says."""
    source: SourceFile
    """The text it was encoded from."""
    from_: Day | None = None
    """The first day it is in force; left out where the text does not print it."""
    until: Day | None = None
    """The last day it is in force."""
    clauses: Annotated[list[Clause], MinLen(1)]
    """Every clause of the source, in its order."""
    lists: dict[Identifier, NameList] = Field(default_factory=dict)
    """Lists of names that conditions on submissions may ask for."""


class Reading(Closed):
    """A defect or silence of the text: how it is read, and how else it might be. Each way to read it is an option, with
    a name and what the passage then means."""

    HELP: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("adopted", "alternatives", "options"),
        "write the option adopted as `adopted: {NAME: MEANING}`, and the others in this way under `alternatives`",
    )

    reading: Identifier
    """Its name within the document."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses in doubt."""
    question: Prose
    """What the text leaves open."""
    adopted_: Annotated[dict[Identifier, Prose], Len(1, 1)]
    """The option adopted."""
    alternatives: dict[Identifier, Prose] = Field(default_factory=dict)
    """The other options, where there are any."""
    why: Prose
    """Why."""
    changes: Literal["money", "verdict", "nothing"]
    """What hangs on it."""

    @property
    def adopted(self) -> str:
        """The name of the option adopted."""
        return next(iter(self.adopted_))

    @property
    def options(self) -> dict[str, str]:
        """All options, each with what the passage then means, the one adopted first."""
        return self.adopted_ | self.alternatives


class ReadingFile(Closed):
    """All readings of a document."""

    readings: list[Reading]
    """The readings."""


class ProfileChoice(Closed):
    """A reading settled otherwise than the rulebook adopts."""

    document: Identifier
    """The document."""
    reading: ReadingName
    """The reading."""
    option: Identifier
    """The option to apply."""


class Profile(Closed):
    """Choices among readings, made by the authority on whose behalf evidence is judged."""

    profile: Identifier
    """Its name."""
    title: Prose
    """Whose readings these are."""
    choices: list[ProfileChoice]
    """The choices; every other reading stays as adopted."""


__all__ = ["CategoryName", "Clause", "Document", "Profile", "Reading", "ReadingFile"]
