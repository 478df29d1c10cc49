"""What a requirement says of itself, whether it stands in a file of requirements or at what the game states."""

from pydantic import Field, model_validator

from validator.language.refs import ClauseName, ReadingName
from validator.results.statuses import Severity
from validator.rules.model.faults import Fault
from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier, Prose


class RequirementWords(Closed):
    """A requirement without its check."""

    requirement: Identifier
    """Its name within the document."""
    title_: Prose | None = None
    """What it asks for, in a phrase; left out, what the message says, or else the statement."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses it comes from; left out, those of the statement."""
    severity_: Severity | None = None
    """How much hangs on it; left out, what the head says of all that stand below it."""
    message_: Prose | None = None
    """What a failure means, in a sentence a casino understands; left out, what the title says."""
    broken: Prose | None = None
    """What went wrong where it failed, in a sentence in the past tense that begins with who acted. Reports print it at
    the head of a failure; left out, they print the title."""
    remedy: Prose | None = None
    """What to do about a failure; left out, what the head says, or else what its check comes to."""
    from_: Day | None = None
    """The first day it is in force; left out, as long as the document."""
    until: Day | None = None
    """The last day it is in force."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings of the text that it rests on."""
    fault: Fault | None = None
    """How a simulated round can break it; left out of what is due, by paying more where that is nothing and less where
    it is something."""


class StatementRequirement(RequirementWords):
    """The requirement that a statement of the game is: that it is kept. Several statements may be one requirement; then
    one of them has its words, and the others its name alone, which may stand as bare text."""

    @model_validator(mode="before")
    @classmethod
    def _bare_name(cls, value: object) -> object:
        return {"requirement": value} if isinstance(value, str) else value
