"""Examples: small evidence and every finding it must give, the proof of every requirement; and the snapshot of a
document's examples, which a program writes: what they give besides what they say themselves."""

from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.evidence.submission.waivers import WaiverTerms
from validator.language.refs import ClauseName, ReadingName, RequirementName
from validator.text.models.model import Closed
from validator.text.models.scalars import Day, Identifier, Prose

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]


class Variation(Closed):
    """Evidence told by what differs from other evidence: a base, or that of an example, and one of the two is named.
    Changes are made in the order insert, set, remove."""

    base: Identifier | None = None
    """The base, by its name in `bases.yaml`."""
    like: Identifier | None = None
    """The example whose evidence of this kind it starts from: its submission, or its round."""
    insert: dict[Pointer, Any] = Field(default_factory=dict)
    """Items put into lists: before the item a JSON Pointer names, or at the end with `-` as its last part."""
    set_: dict[Pointer, Any] = Field(default_factory=dict)
    """Values put in place, by JSON Pointer."""
    remove: list[Pointer] = Field(default_factory=list)
    """Values taken away, by JSON Pointer, from the last to the first."""

    @model_validator(mode="after")
    def _starts_somewhere(self) -> Self:
        if (self.base is None) == (self.like is None):
            raise ValueError("evidence starts from one thing: name either a `base` or, under `like`, an example")
        return self


class BasesFile(Closed):
    """Evidence that examples start from."""

    submissions: dict[Identifier, dict[str, Any]] = Field(default_factory=dict)
    """Submissions by name."""
    rounds: dict[Identifier, dict[str, Any]] = Field(default_factory=dict)
    """Rounds of play by name, as a line of a hand log has them."""
    variations: dict[Identifier, Variation] = Field(default_factory=dict)
    """Further rounds by name, told by what differs from another. Examples start from them by `base`."""


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


Amount = Annotated[int, Ge(1)]


class BoundaryFinding(Closed):
    """A requirement, and a place where it is broken."""

    requirement: RequirementName
    """The requirement."""
    at: Spot = Field(default_factory=Spot)
    """Where."""


class ExpectedFinding(BoundaryFinding):
    """A finding the example must give. What it says in words is kept in the snapshot of the document."""

    owed: Amount | None = None
    """Of a failure on money: what the player was paid too little, in minor units."""
    overpaid: Amount | None = None
    """Of a failure on money: what the player was paid too much, in minor units."""


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
    """The requirements it proves by fulfilling them, and not merely skipping them. Those that it breaks or leaves
    unproven are named there."""
    not_applicable: list[RequirementName] = Field(default_factory=list)
    """The requirements that it shows not to apply."""
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
    """Every failure and error, in any order."""
    unproven: list[RequirementName] = Field(default_factory=list)
    """The requirements that it shows to come out not evidenced or in need of an attestation. All others that do are
    kept in the snapshot of the document."""
    boundary: list[BoundaryFinding] = Field(default_factory=list)
    """For a round that is settled exactly: what is found at wagers of seats, in order, once each of them is settled by
    the smallest unit less, and once by the smallest unit more, in the player's eyes. That makes two further examples,
    whose names end in `-under` and `-over`; there is none of the first if every wager is lost whole."""

    @property
    def proves(self) -> tuple[str, ...]:
        """The requirements it is a proof of: fulfilled by it, broken, or shown to be unproven."""
        return tuple(dict.fromkeys([*self.about, *(one.requirement for one in self.findings), *self.unproven]))


class ExampleFile(Closed):
    """A file of examples on one topic."""

    topic: Prose
    """The topic."""
    under: Identifier | None = None
    """The submission, by its name in `bases.yaml`, that rounds are judged by where an example names none."""
    examples: Annotated[list[Example], MinLen(1)]
    """The examples."""


class Sources(Closed):
    """What a finding rests on."""

    clauses: Annotated[list[Prose], MinLen(1)]
    """Every clause it names, in order."""
    readings: list[Identifier] = Field(default_factory=list)
    """Every reading it rests on, in order."""


class KeptFinding(Closed):
    """What a finding of an example says."""

    requirement: Identifier
    """The requirement."""
    status: Literal["fail", "error"] = "fail"
    """Its status."""
    rests: Sources | None = None
    """What it rests on; left out, what most findings of the requirement do."""
    waived: bool = False
    """Whether a waiver marks it."""
    expected: str
    """What it says was expected."""
    observed: str
    """What it says was observed."""


class OwnUnproven(Closed):
    """What an example leaves unproven, told by how it differs from what most on its base do."""

    besides: list[Identifier] = Field(default_factory=list)
    """Requirements that it leaves unproven besides."""
    except_: list[Identifier] = Field(default_factory=list)
    """Requirements that it does not leave unproven."""


class Unproven(Closed):
    """What comes out not evidenced or in need of an attestation."""

    submissions: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the submission that is judged: the requirements that most examples on it leave unproven."""
    rounds: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the round."""
    sessions: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """By the base of the first round of the session."""
    examples: dict[Identifier, OwnUnproven] = Field(default_factory=dict)
    """By example, where it differs from that."""


class Snapshot(Closed):
    """What examples of a document give besides what they say themselves. `fairdeal rules test --update` writes it."""

    requirements: dict[Identifier, Sources] = Field(default_factory=dict)
    """What most findings of a requirement rest on, by the requirement."""
    unproven: Unproven = Field(default_factory=Unproven)
    """What examples leave unproven."""
    findings: dict[Identifier, Annotated[list[KeptFinding], MinLen(1)]] = Field(default_factory=dict)
    """What their findings say, by example, in order."""
