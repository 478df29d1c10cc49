"""Models of courses: the phases of a round in order, and the steps of each."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from msgspec import Struct
from pydantic import Field, JsonValue, model_validator

from validator.language.conditions import Condition
from validator.language.refs import ClauseName, PhaseName, ReadingName, StepName
from validator.results.statuses import Severity
from validator.rules.model.requirement_words import RequirementWords
from validator.text.models.model import ClosedModel
from validator.text.models.scalars import Identifier, Prose

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
    steps: Annotated[list[StepName], MinLen(1)]
    """The steps of the phase, in any order."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_step(cls, value: object) -> object:
        return {"phase": value, "steps": [value]} if isinstance(value, str) else value


class Boundaries(ClosedModel):
    """A rule that phases begin only when the phases before them are over. Each event out of place is reported once. An
    event that is too late is reported at the start of the phase after its own; one that is too early, at the start of
    its own phase."""

    begins: PhaseName | Annotated[list[PhaseName], MinLen(1)] | None = None
    """The phase, or phases, at whose start it is checked. Left out, every phase but the first."""
    of: list[StepName] = Field(default_factory=list)
    """The steps that it is about: their events, and the events that overtook them. Left out, all steps that no other
    requirement names there."""
    at_least_one: list[StepName] = Field(default_factory=list)
    """Steps that must happen at least once in every round, or at every seat, of the course. A step that belongs to
    separate phases must happen in the first of them."""

    def list_boundaries(self, course: Course) -> tuple[int, ...]:
        """Return the indices of the phases at whose start it is checked."""
        names = [self.begins] if isinstance(self.begins, str) else self.begins
        return tuple(
            index for index, phase in enumerate(course.phases) if (index > 0 if names is None else phase.phase in names)
        )


class CourseRequirement(Boundaries, RequirementWords):
    """A requirement that phases of the course begin only when the phases before them are over."""

    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of, which must have a check `phase`: its name, or its `name` with parameters.
    Phases, words and fault that are left out come from the pattern."""


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


class FreeStep(ClosedModel):
    """A step, or steps, that belong to no course, because the text does not fix their time."""

    step: StepName | Annotated[list[StepName], MinLen(1)]
    """The step, or the steps."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that mention it without a time."""
    reading: ReadingName | None = None
    """The reading of the text under which its time is open."""

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps that it names."""
        return (self.step,) if isinstance(self.step, str) else tuple(self.step)
