"""The course of a round: its phases in order, and the steps that belong in each."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from msgspec import Struct
from pydantic import Field, JsonValue, model_validator

from validator.language.conditions import Condition
from validator.language.refs import ClauseName, PhaseName, ReadingName, StepName
from validator.results.statuses import Severity
from validator.rules.model.requirement_words import RequirementWords
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose

MOST_WINDOWS = 62
"""The most windows of a course: what comes in a round is noted as bits of a number."""


class Window(Struct, frozen=True, kw_only=True):
    """Neighbouring phases in which a step may stand, from the first (`low`) to the last (`high`). A step may have
    several windows: the shuffle stands before the deal and, for the next round, after the settlement."""

    step: str
    low: int
    high: int

    def beside(self, boundary: int) -> bool:
        """Whether it ends, or begins, where the phase of a boundary begins."""
        return boundary in (self.low, self.high + 1)


class Phase(Closed):
    """A part of the course: it begins when those before it are over. The name of a step alone is a phase of that step
    and of its name."""

    phase: Identifier
    """Its name."""
    title_: Prose | None = None
    """What it is, so that it can be said after "before" and "after"; left out, the title of the step that is the phase,
    else the phase's name: "the deal"."""
    steps: Annotated[list[StepName], MinLen(1)]
    """The steps that belong in it, in any order among themselves."""

    @model_validator(mode="before")
    @classmethod
    def _bare_step(cls, value: object) -> object:
        return {"phase": value, "steps": [value]} if isinstance(value, str) else value


class Boundaries(Closed):
    """That phases begin only when those before them are over. An event out of place is reported once, at the boundary
    of phases next to its own place: one that comes too late where the phase after its own begins, one that comes too
    early where its own begins."""

    begins: PhaseName | Annotated[list[PhaseName], MinLen(1)] | None = None
    """The phase, or phases, before which it is asked; left out, every phase but the first."""
    of: list[StepName] = Field(default_factory=list)
    """The steps it is about: those events, and what they were overtaken by. Left out, all that no other requirement
    names there."""
    at_least_one: list[StepName] = Field(default_factory=list)
    """Steps that must also come at all, in every round or at every seat that the course is of. Of a step that belongs
    in phases apart from each other it must be in the first."""

    def boundaries(self, course: Course) -> tuple[int, ...]:
        """The phases before which it is asked, by their places in the course's list."""
        names = [self.begins] if isinstance(self.begins, str) else self.begins
        return tuple(at for at, one in enumerate(course.phases) if (at > 0 if names is None else one.phase in names))


class CourseRequirement(Boundaries, RequirementWords):
    """A requirement that phases of the course begin only when those before them are over."""

    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses it comes from."""
    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of, one with a check `phase`: its name, or its `name` and its parameters. What
    it says of phases, words and a fault that are left out are those of the pattern."""


class Course(Closed):
    """Phases that follow each other, in a round or at each seat by itself. A step that belongs in several phases may
    come in any of them. A phase in which nothing happens is passed over."""

    per: Literal["round", "seat"] = "round"
    """Whether it is the course of the whole round, or that of each seat, told by the events of the seat."""
    when: Condition | None = None
    """The rounds or seats that it is the course of; left out, all."""
    phases: Annotated[list[Phase], MinLen(2), MaxLen(12)]
    """The phases in order."""
    severity: Severity | None = None
    """How much hangs on those of its requirements that do not say so themselves."""
    remedy: Prose | None = None
    """What to do about a failure of those of its requirements that do not say so themselves."""
    requirements: list[CourseRequirement] = Field(default_factory=list)
    """That it is kept: every beginning of a phase is asked for by one of these, or by one with a check `phase`."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that belong in any of its phases, in the order in which they come up first."""
        return tuple(dict.fromkeys(step for phase in self.phases for step in phase.steps))

    def place(self, step: str) -> int:
        """The phases that a step belongs in, as bits, the first phase being 1."""
        return sum(1 << number for number, phase in enumerate(self.phases) if step in phase.steps)

    def windows(self, step: str | None = None) -> tuple[Window, ...]:
        """The windows of a step, or of every step, in order."""
        found: list[Window] = []
        for name in self.steps if step is None else (step,):
            inside = [at for at, phase in enumerate(self.phases) if name in phase.steps]
            lows = [at for at in inside if at - 1 not in inside]
            highs = [at for at in inside if at + 1 not in inside]
            found += [Window(step=name, low=low, high=high) for low, high in zip(lows, highs, strict=True)]
        return tuple(found)


class FreeStep(Closed):
    """A step that is in no course, or several: the text leaves their time open."""

    step: StepName | Annotated[list[StepName], MinLen(1)]
    """The step, or the steps."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that speak of it and name no time."""
    reading: ReadingName | None = None
    """The reading of the text by which its time is open."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps it names."""
        return (self.step,) if isinstance(self.step, str) else tuple(self.step)
