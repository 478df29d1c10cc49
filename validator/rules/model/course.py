"""The course of a round: its phases in order, and the steps that belong in each."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from msgspec import Struct
from pydantic import Field

from validator.language.conditions import Condition
from validator.language.refs import ClauseName, ReadingName, StepName
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
    """A part of the course: it begins when those before it are over."""

    phase: Identifier
    """Its name."""
    title: Prose
    """What it is, so that it can be said after "before" and "after": "the deal"."""
    steps: Annotated[list[StepName], MinLen(1)]
    """The steps that belong in it, in any order among themselves."""


class Course(Closed):
    """Phases that follow each other, in a round or at each seat by itself. A step that belongs in several phases may
    come in any of them. A phase in which nothing happens is passed over."""

    per: Literal["round", "seat"] = "round"
    """Whether it is the course of the whole round, or that of each seat, told by the events of the seat."""
    when: Condition | None = None
    """The rounds or seats that it is the course of; left out, all."""
    phases: Annotated[list[Phase], MinLen(2), MaxLen(12)]
    """The phases in order."""

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
    """A step that is in no course: the text leaves its time open."""

    step: StepName
    """The step."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that speak of it and name no time."""
    reading: ReadingName | None = None
    """The reading of the text by which its time is open."""
