"""Courses made ready: where each step may stand, and which requirement owns what goes wrong at each boundary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import Ints8, Ints16
from validator.results.statuses import Severity
from validator.rules.core.regulation import Regulation
from validator.rules.model.course import Course, Window
from validator.rules.model.requirement import PhaseCheck
from validator.text.models.model import structure_of


class Runs(Struct, frozen=True, kw_only=True):
    """Of every set of phases, as bits: the first phase (`low`, int8), the last one that follows it without a gap
    (`high`, int8), and what is left of the set after that (`rest`, int16)."""

    low: Ints8
    high: Ints8
    rest: Ints16


class PreparedCourse(Struct, frozen=True, kw_only=True, eq=False):
    """A course ready to be held against rounds. Requirements are known by the structure of their checks.

    `places` are the phases of each step as bits. `narrow`, `wide` and `general` are by boundary, which is the place of
    the phase that begins there: who owns it for which of the steps next to it, for steps further away that overtook
    something there (of requirements that name the boundary), and for the others. `always` are those of
    them that are in force whenever the document is, with their severities.
    """

    course: Course
    places: Mapping[str, int]
    windows: tuple[Window, ...]
    runs: Runs
    narrow: tuple[Mapping[str, bytes], ...]
    wide: tuple[Mapping[str, bytes], ...]
    general: tuple[bytes | None, ...]
    always: Mapping[bytes, Severity]

    @property
    def everywhere(self) -> int:
        """All phases, as bits."""
        return int((1 << len(self.course.phases)) - 1)

    def due(self, step: str) -> int:
        """The boundary before which a step that must come at all must have come: the end of its first window."""
        return next(window.high + 1 for window in self.windows if window.step == step)

    def owner(self, boundary: int, steps: Sequence[str], others: Sequence[str]) -> bytes | None:
        """Who owns an event of some steps that is out of place at a boundary, as of the events of others that overtook
        it: who names one of its steps, else one of the others', else who owns the boundary."""
        named = (
            *(self.narrow[boundary].get(step) for step in (*steps, *others)),
            *(self.wide[boundary].get(step) for step in others),
        )
        return next((owner for owner in named if owner is not None), self.general[boundary])

    def sides(self, boundary: int, key: bytes) -> Iterator[Sequence[list[int]]]:
        """Pairs of windows, by their numbers, that a requirement keeps apart at a boundary: of any two, one of each
        list, the first must come before the second."""
        own = self.narrow[boundary]
        before = [at for at, window in enumerate(self.windows) if window.high < boundary]
        after = [at for at, window in enumerate(self.windows) if window.low >= boundary]
        ending = [at for at in before if self.windows[at].high == boundary - 1]
        beginning = [at for at in after if self.windows[at].low == boundary]
        if self.general[boundary] == key:
            free = [
                [at for at in side if self.windows[at].step not in own] for side in (ending, after, before, beginning)
            ]
            yield free[0], free[1]
            yield free[2], free[3]
        named = [[at for at in side if own.get(self.windows[at].step) == key] for side in (ending, beginning)]
        yield [named[0], after]
        yield [before, named[1]]


def prepare_courses(regulation: Regulation, courses: Mapping[str, Course]) -> dict[str, PreparedCourse]:
    """The courses of a game, made ready, with those requirements of the regulation that own their boundaries."""
    asked = [
        (structure_of(requirement.check.operand), requirement)
        for requirement in regulation.requirements
        if requirement.check.operator == "phase"
    ]
    always = {
        key: requirement.severity
        for key, requirement in asked
        if requirement.from_ is None and requirement.until is None
    }
    checks = [(key, requirement.check.operand) for key, requirement in asked]
    return {
        name: _prepared(course, {key: check for key, check in checks if check.course == name}, always)
        for name, course in courses.items()
    }


def _prepared(course: Course, checks: Mapping[bytes, PhaseCheck], always: Mapping[bytes, Severity]) -> PreparedCourse:
    places = {step: course.place(step) for step in course.steps}
    windows = course.windows()
    narrow: list[dict[str, bytes]] = [{} for _ in course.phases]
    wide: list[dict[str, bytes]] = [{} for _ in course.phases]
    general: list[bytes | None] = [None for _ in course.phases]
    for key, check in checks.items():
        for boundary in check.boundaries(course):
            if not check.of:
                general[boundary] = key
            beside = {window.step for window in windows if window.beside(boundary)}
            narrow[boundary].update((step, key) for step in check.of if step in beside)
            wide[boundary].update(dict.fromkeys(check.of if check.begins is not None else (), key))
    return PreparedCourse(
        course=course,
        places=places,
        windows=windows,
        runs=_runs(len(course.phases)),
        narrow=tuple(narrow),
        wide=tuple(wide),
        general=tuple(general),
        always={key: always[key] for key in checks if key in always},
    )


def _runs(phases: int) -> Runs:
    sets = np.arange(1 << phases, dtype=np.int32)
    lowest = sets & -sets
    above = sets + lowest  # the bits of the first run give way to the one after it
    beyond = above & -above
    rest = np.where(sets == 0, 0, sets & ~(beyond - 1))
    powers = np.zeros((1 << phases) + 1, np.int8)
    powers[1 << np.arange(phases + 1)] = np.arange(phases + 1)
    return Runs(low=powers[lowest], high=powers[beyond] - np.int8(1), rest=rest.astype(np.int16))
