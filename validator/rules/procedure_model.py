"""Models of the order of play: courses of phases within a round, and checks that span rounds or submissions.

A session consists of all rounds of one game at one table, in the order of play, from all logs. Events between two
rounds are recorded in the later round.
"""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from msgspec import Struct
from pydantic import Field, model_validator

from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.fault_model import RequirementWords
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, OneOperatorModel, Prose, unset_operator

MOST_WINDOWS = 62
"""The most windows of a course: the windows of a round are bits of an int64."""


class PhaseWindow(Struct, frozen=True, kw_only=True):
    """Consecutive phases in which a step may happen. A step may have several windows, for example a shuffle before the
    deal and another after the settlement."""

    step: str
    """The step."""
    low: int
    """Index of the first phase."""
    high: int
    """Index of the last phase."""

    def touches_boundary(self, boundary: int) -> bool:
        """Return whether the window begins or ends at the start of a phase."""
        return boundary in (self.low, self.high + 1)


class Phase(ClosedModel):
    """A phase of a course: it begins when the phases before it are over. The bare name of a step is a phase with that
    name and that step."""

    phase: Identifier
    """Name of the phase."""
    title_: Prose | None = None
    """Title for use after "before" and "after". Left out, the title of the step that is the phase, else the name of the
    phase: "the deal"."""
    steps: Annotated[list[grammar.StepName], MinLen(1)]
    """The steps of the phase, in any order."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_step(cls, value: object) -> object:
        return {"phase": value, "steps": [value]} if isinstance(value, str) else value


class Boundaries(ClosedModel):
    """A rule that phases begin only when the phases before them are over. Each event out of place is reported once. An
    event that is too late is reported at the start of the phase after its own; one that is too early, at the start of
    its own phase."""

    begins: grammar.PhaseName | Annotated[list[grammar.PhaseName], MinLen(1)] | None = None
    """The phase, or phases, at whose start it is checked. Left out, every phase but the first."""
    of: list[grammar.StepName] = Field(default_factory=list)
    """The steps that it is about: their events, and the events that overtook them. Left out, all steps that no other
    requirement names there."""

    def list_boundaries(self, course: "Course") -> tuple[int, ...]:
        """Return the indices of the phases at whose start it is checked."""
        names = [self.begins] if isinstance(self.begins, str) else self.begins
        return tuple(
            index for index, phase in enumerate(course.phases) if (index > 0 if names is None else phase.phase in names)
        )


class CourseRequirement(Boundaries, RequirementWords):
    """A requirement that phases of the course begin only when the phases before them are over."""

    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that it rests on."""


class Course(ClosedModel):
    """Phases in order, for a round or for each seat by itself. A step of several phases may happen in any of them. A
    phase without events is skipped."""

    per: Literal["round", "seat"] = "round"
    """`round`: the course of the whole round. `seat`: the course of each seat, by the events of the seat."""
    when: Condition | None = None
    """The rounds or seats that have this course. Left out, all."""
    phases: Annotated[list[Phase], MinLen(2), MaxLen(12)]
    """The phases in order."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    requirements: list[CourseRequirement] = Field(default_factory=list)
    """The requirements that the course is kept. Each start of a phase needs one of these, or one with a check
    `phase`."""

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps of all phases, in order of first occurrence."""
        return tuple(dict.fromkeys(step for phase in self.phases for step in phase.steps))

    def phase_bits(self, step: str) -> int:
        """Return the phases of a step as bits; the first phase is bit 0."""
        return sum(1 << number for number, phase in enumerate(self.phases) if step in phase.steps)

    def list_windows(self, step: str | None = None) -> tuple[PhaseWindow, ...]:
        """Return the windows of a step, or of all steps, in order."""
        windows: list[PhaseWindow] = []
        for name in self.steps if step is None else (step,):
            inside = [at for at, phase in enumerate(self.phases) if name in phase.steps]
            lows = [at for at in inside if at - 1 not in inside]
            highs = [at for at in inside if at + 1 not in inside]
            windows += [PhaseWindow(step=name, low=low, high=high) for low, high in zip(lows, highs, strict=True)]
        return tuple(windows)


MOST_STEPS = 15
"""The most steps that a check may require in order."""


class Within(OneOperatorModel):
    """The longest time until something must happen again."""

    rounds: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """It must happen at least once in any run of this number of rounds."""
    blocks_of: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """It must happen at least once in each block of this number of rounds, counted from the opening of the table."""
    hours: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """At most this number of hours may pass since it last happened, or since the table opened."""


class EveryCheck(OneOperatorModel):
    """A check that something happens at least once in a number of rounds or hours.

    Rounds that it does not apply to (`when`) end the count, which then starts again.
    """

    COMPANIONS = frozenset({"within", "of_each", "counts", "when"})

    happens: Condition = unset_operator()
    """A condition on a round that must hold."""
    step: grammar.StepName = unset_operator()
    """The step that must happen."""
    within: Within
    """The longest time between two occurrences."""
    of_each: Literal["deck"] | None = None
    """Counts for each deck instead of for the table. A step concerns the deck that its events name, or else the deck in
    play."""
    counts: Condition | None = None
    """The rounds that are counted. Left out, all. An occurrence in a round that is not counted still counts."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""


class SuccessionCheck(OneOperatorModel):
    """A comparison of a round with the previous round at the table: the one that it names as `after`, else the one with
    the number before. It does not apply to the first round after an opening. With `deck`, it does not apply to a round
    after one that `when` excludes."""

    COMPANIONS = frozenset({"when", "each", "received", "removed"})

    deck: Literal["other", "same"] = unset_operator()
    """`same`: the deck in play is the deck of the previous round. `other`: it is the other one of two decks, which
    alternate without a third."""
    received: grammar.StepName | None = None
    """With `deck: other`, the step that brings a deck to the table. It may replace one of the two."""
    removed: grammar.StepName | None = None
    """With `deck: other`, the step that removes a deck from the table. The remaining deck is then dealt alone."""
    copies_since: grammar.StepName = unset_operator()
    """No card appears more often than the decks in play contain it, over all rounds since this step, such as the
    shuffle. Missing rounds end the count."""
    must: Condition = unset_operator()
    """The condition that must hold. `previous` refers to the previous round and, if players are judged, to the same
    player."""
    each: Literal["round", "player"] = "round"
    """With `must`: the items that are judged, rounds or single players. A `new-player`, and everybody in the round with
    which the table opens, is excluded unless the check uses `new-player`."""
    when: Condition | None = None
    """The rounds or, with `must`, the rounds or players that it applies to. With `must`, it may use `previous`."""


class NeededCheck(ClosedModel):
    """A check that certain steps happen, in order, after one event and before another.

    Events that a course reports as out of place neither require the steps nor need to wait for them. Steps that it
    reports as too late are not reported as missing.
    """

    per: Literal["round", "table", "deck"]
    """`round`: each round by itself. `table`: the table from round to round. `deck`: each deck of the table. Events
    that name no deck concern the deck in play."""
    since: grammar.OccasionName | Annotated[list[grammar.OccasionName], MinLen(1)]
    """The occasion after which the steps are required, or any of several. It is a step, `table-opens` (before round
    number 1), or `round-dealt` (after the last card of a round)."""
    steps: Annotated[list[grammar.StepName], MinLen(1), MaxLen(MOST_STEPS)]
    """The required steps, in order. Other steps may come between them."""
    before: grammar.StepName | Annotated[list[grammar.StepName], MinLen(1)]
    """The step, or any of several steps, that must not happen before them."""
    grace: Annotated[int, Ge(0), Le(10)] = 0
    """The number of times that `before` may still happen without the steps: 1 if one more round may be played."""
    until: grammar.StepName | None = None
    """A recorded step that ends the obligation. Another requirement covers the time after it."""
    told: bool = False
    """True if only recorded occasions require the steps. Left out, missing rounds may have required them as well. A
    round without the steps is then `not-evidenced`, unless the log shows that they were not required."""
    unnumbered: Literal["fail"] | None = None
    """`fail`: rounds without numbers are judged in the order of the log, with the table opening at the first and each
    round following the one before. Left out, unrecorded rounds may have been played between them."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""

    @property
    def occasions(self) -> tuple[str, ...]:
        """Occasions after which the steps are required."""
        return (self.since,) if isinstance(self.since, str) else tuple(self.since)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Steps that must not happen before the required steps."""
        return (self.before,) if isinstance(self.before, str) else tuple(self.before)


class AlikeCheck(ClosedModel):
    """A check that submissions in force at the same time for different tables agree in a value."""

    at: grammar.SubmissionPath
    """Path of the value: keys joined by dots."""
    among: Literal["licensee"]
    """`licensee`: compares the submissions of one licensee for one document."""
