"""Models of the words of a requirement, in files of requirements and in game files."""

from pydantic import Field, model_validator

from validator.language.refs import ClauseName, ReadingName
from validator.results.statuses import Severity
from validator.rules.model.faults import Fault
from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier, Prose


class RequirementWords(Closed):
    """A requirement without its check."""

    requirement: Identifier
    """Name of the requirement within the document."""
    title_: Prose | None = None
    """Title: the requirement in a phrase. Left out, the message, or else the title of the statement."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that it rests on. Left out, those of the statement."""
    severity_: Severity | None = None
    """Severity of a failure. Left out, that of the enclosing file or part."""
    message_: Prose | None = None
    """Meaning of a failure, in a sentence that a casino understands. Left out, the title."""
    broken: Prose | None = None
    """What went wrong if the requirement failed: a sentence in the past tense that begins with who acted. Reports print
    it first. Left out, they print the message."""
    remedy: Prose | None = None
    """Corrective action. Left out, that of the enclosing file or part, or else one by the check."""
    from_: Day | None = None
    """The first day on which it is in force. Left out, that of the document."""
    until: Day | None = None
    """The last day on which it is in force."""
    readings: list[ReadingName] = Field(default_factory=list)
    """The readings of the text that it rests on."""
    fault: Fault | None = None
    """The change to a simulated round that breaks it. A requirement on amounts due may leave it out: then more is paid
    if nothing is due, and less if something is due."""


class StatementRequirement(RequirementWords):
    """The requirement that play follows a statement of the game. Several statements may share one requirement: one of
    them has its words, and the others have only its name, which may be bare text."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_name(cls, value: object) -> object:
        return {"requirement": value} if isinstance(value, str) else value
