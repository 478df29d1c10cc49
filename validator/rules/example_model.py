"""Models of the examples of a document: evidence, the findings that it must give, and their snapshot."""

from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from fairdeal.validator.evidence.submission_model import WaiverTerms
from fairdeal.validator.language.grammar import ClauseName, ReadingName, RequirementName
from fairdeal.validator.text.closed_model import ClosedModel, Day, Identifier, Prose

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
