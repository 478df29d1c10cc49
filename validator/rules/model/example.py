"""Examples: small evidence and the whole findings it must give, the proof of every requirement."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.evidence.submission.waivers import WaiverTerms
from validator.language.refs import ClauseName, ReadingName, RequirementName
from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier, Prose

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]


class BasesFile(Closed):
    """Evidence that examples start from."""

    submissions: dict[Identifier, dict[str, Any]] = Field(default_factory=dict)
    """Submissions by name."""
    rounds: dict[Identifier, dict[str, Any]] = Field(default_factory=dict)
    """Rounds of play by name, as a line of a hand log has them."""


class Variation(Closed):
    """Evidence told by what differs from a base. Changes are made in the order insert, set, remove."""

    base: Identifier
    """The base, by its name in `bases.yaml`."""
    insert: dict[Pointer, Any] = Field(default_factory=dict)
    """Items put into lists: before the item a JSON Pointer names, or at the end with `-` as its last part."""
    set_: dict[Pointer, Any] = Field(default_factory=dict)
    """Values put in place, by JSON Pointer."""
    remove: list[Pointer] = Field(default_factory=list)
    """Values taken away, by JSON Pointer, from the last to the first."""


class VariedRound(Variation):
    """A round of a session, or several in a row. What it does not set itself goes on from the round before: the
    `round` is `R` and its place in the session, the `time` a minute later, the `number`, if that round has one, one
    more. Of several in a row the first has what is set, and the others go on from it."""

    times: Annotated[int, Ge(1), Le(1000)] = 1
    """How many rounds like this follow each other."""


class Spot(Closed):
    """The place of an expected finding."""

    round_: Prose | None = None
    """In a session: the round's id."""

    pointer: Pointer | None = None
    """In a submission: its JSON Pointer."""
    seat: Annotated[int, Ge(1)] | None = None
    """In a round: the seat's number."""
    wager: Prose | None = None
    """In a round: the wager or bonus."""
    event: Annotated[int, Ge(1)] | None = None
    """In a round: the event, counted from 1."""


class ExpectedFinding(Closed):
    """A finding the example must give, whole."""

    requirement: RequirementName
    """The requirement."""
    status: Literal["fail", "error"] = "fail"
    """Its status."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Every clause it names, in order."""
    at: Spot = Field(default_factory=Spot)
    """Where."""
    expected: Prose
    """What it says was expected."""
    observed: Prose
    """What it says was observed."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Every reading it rests on, in order."""
    waived: bool = False
    """Whether a waiver marks it."""


class ExampleWaiver(WaiverTerms):
    """A waiver that the regulator granted, of clauses of the document."""

    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses it lifts."""
    licensee: Prose | None = None
    """The casino it is granted to; left out, that of the submission."""


class Example(Closed):
    """Evidence and what must be found in it."""

    example: Identifier
    """Its name."""
    shows: Prose
    """What it shows, and from which words of the text the outcome follows."""
    about: list[RequirementName] = Field(default_factory=list)
    """The requirements it is a proof of: each is broken by it, or fulfilled by it and not merely skipped."""
    not_applicable: list[RequirementName] = Field(default_factory=list)
    """The requirements that it shows not to apply. At least one requirement stands here or under `about`."""
    submission: Variation | None = None
    """The submission: what is judged or, where there is a round, the configuration it is judged by."""
    round_: Variation | None = None
    """The round that is judged."""
    rounds: Annotated[list[VariedRound], MinLen(1)] | None = None
    """The rounds of a session, in order of play: they are judged by what spans rounds, and by nothing else."""
    beside: list[Variation] = Field(default_factory=list)
    """Other submissions of the run: those in force beside the one that is judged, or replaced by it."""
    waivers: list[ExampleWaiver] = Field(default_factory=list)
    """Waivers that the regulator granted."""
    as_of: Day | None = None
    """The day by whose law it is judged; left out, its own."""
    readings: dict[ReadingName, Identifier] = Field(default_factory=dict)
    """Readings applied otherwise than adopted."""
    findings: list[ExpectedFinding] = Field(default_factory=list)
    """Every failure and error, whole, in the order of the requirements and places."""
    unproven: list[RequirementName] = Field(default_factory=list)
    """Every requirement that comes out not evidenced or in need of an attestation."""

    @model_validator(mode="after")
    def _about_something(self) -> Example:
        if not (self.about or self.not_applicable):
            raise ValueError("an example is about something: name a requirement under `about` or `not-applicable`")
        return self


class ExampleFile(Closed):
    """A file of examples on one topic."""

    topic: Prose
    """The topic."""
    under: Identifier | None = None
    """The submission, by its name in `bases.yaml`, that rounds are judged by where an example names none."""
    unproven: list[RequirementName] = Field(default_factory=list)
    """Requirements that come out unproven in every example of the file, besides those it names itself."""
    examples: Annotated[list[Example], MinLen(1)]
    """The examples."""
