"""Compiled courses: the phases of each step, and the requirement that owns each boundary between phases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import Ints8, Ints16
from validator.results.statuses import Severity
from validator.rules.core.regulation import Regulation
from validator.rules.model.course import Course, PhaseWindow
from validator.rules.model.requirement import PhaseCheck
from validator.text.models.model import hash_structure


class PhaseRuns(Struct, frozen=True, kw_only=True):
    """Decomposition of every set of phases, as bits, into runs of adjacent phases. The set is the index."""

    first_phase: Ints8
    """First phase of the set, int8."""
    last_phase: Ints8
    """Last phase of the first run, int8."""
    remaining: Ints16
    """Set of the phases after the first run, int16."""


class CompiledCourse(Struct, frozen=True, kw_only=True, eq=False):
    """Course compiled for comparison with rounds. Requirements are identified by the structure of their checks.

    A boundary is the index of the phase that begins there.
    """

    course: Course
    step_phases: Mapping[str, int]
    """Phases in which each step may occur, as bits."""
    windows: tuple[PhaseWindow, ...]
    """Windows of adjacent phases of the steps."""
    phase_runs: PhaseRuns
    """Runs of adjacent phases of every set of phases."""
    adjacent_owners: tuple[Mapping[str, bytes], ...]
    """Owner of each step next to a boundary, by boundary."""
    distant_owners: tuple[Mapping[str, bytes], ...]
    """Owner of steps that passed a boundary from further away, by boundary; only requirements that name the boundary.
    """
    boundary_owners: tuple[bytes | None, ...]
    """Owner of all other steps, by boundary."""
    always_in_force: Mapping[bytes, Severity]
    """Owners that are in force whenever the document is, with their severities."""

    @property
    def all_phases(self) -> int:
        """Return all phases, as bits."""
        return int((1 << len(self.course.phases)) - 1)

    def latest_boundary(self, step: str) -> int:
        """Return the boundary before which a mandatory step must occur: the end of its first window."""
        return next(window.high + 1 for window in self.windows if window.step == step)

    def find_owner(self, boundary: int, steps: Sequence[str], others: Sequence[str]) -> bytes | None:
        """Return the owner of an event that is out of place at a boundary.

        The owner of one of the event's own `steps` comes first. Next comes the owner of one of the `others` that
        overtook it, then the owner of the boundary.
        """
        named = (
            *(self.adjacent_owners[boundary].get(step) for step in (*steps, *others)),
            *(self.distant_owners[boundary].get(step) for step in others),
        )
        return next((owner for owner in named if owner is not None), self.boundary_owners[boundary])

    def iter_ordered_windows(self, boundary: int, key: bytes) -> Iterator[Sequence[list[int]]]:
        """Yield pairs of lists of windows that a requirement keeps apart at a boundary.

        Every window of the first list must come before every window of the second. Windows are indices.
        """
        own = self.adjacent_owners[boundary]
        before = [at for at, window in enumerate(self.windows) if window.high < boundary]
        after = [at for at, window in enumerate(self.windows) if window.low >= boundary]
        ending = [at for at in before if self.windows[at].high == boundary - 1]
        beginning = [at for at in after if self.windows[at].low == boundary]
        if self.boundary_owners[boundary] == key:
            free = [
                [at for at in side if self.windows[at].step not in own] for side in (ending, after, before, beginning)
            ]
            yield free[0], free[1]
            yield free[2], free[3]
        named = [[at for at in side if own.get(self.windows[at].step) == key] for side in (ending, beginning)]
        yield [named[0], after]
        yield [before, named[1]]


def compile_courses(regulation: Regulation, courses: Mapping[str, Course]) -> dict[str, CompiledCourse]:
    """Compile the courses of a game with the requirements that own their boundaries."""
    owners = [
        (hash_structure(requirement.check.operand), requirement)
        for requirement in regulation.requirements
        if requirement.check.operator == "phase"
    ]
    always = {
        key: requirement.severity
        for key, requirement in owners
        if requirement.from_ is None and requirement.until is None
    }
    checks = [(key, requirement.check.operand) for key, requirement in owners]
    return {
        name: _compile_course(course, {key: check for key, check in checks if check.course == name}, always)
        for name, course in courses.items()
    }


def _compile_course(
    course: Course, checks: Mapping[bytes, PhaseCheck], always: Mapping[bytes, Severity]
) -> CompiledCourse:
    places = {step: course.phase_bits(step) for step in course.steps}
    windows = course.list_windows()
    narrow: list[dict[str, bytes]] = [{} for _ in course.phases]
    wide: list[dict[str, bytes]] = [{} for _ in course.phases]
    general: list[bytes | None] = [None for _ in course.phases]
    for key, check in checks.items():
        for boundary in check.list_boundaries(course):
            if not check.of:
                general[boundary] = key
            adjacent = {window.step for window in windows if window.touches_boundary(boundary)}
            narrow[boundary].update((step, key) for step in check.of if step in adjacent)
            wide[boundary].update(dict.fromkeys(check.of if check.begins is not None else (), key))
    return CompiledCourse(
        course=course,
        step_phases=places,
        windows=windows,
        phase_runs=_compute_runs(len(course.phases)),
        adjacent_owners=tuple(narrow),
        distant_owners=tuple(wide),
        boundary_owners=tuple(general),
        always_in_force={key: always[key] for key in checks if key in always},
    )


def _compute_runs(phases: int) -> PhaseRuns:
    sets = np.arange(1 << phases, dtype=np.int32)
    lowest = sets & -sets
    above = sets + lowest  # clears the first run and sets the bit after it
    beyond = above & -above
    rest = np.where(sets == 0, 0, sets & ~(beyond - 1))
    powers = np.zeros((1 << phases) + 1, np.int8)
    powers[1 << np.arange(phases + 1)] = np.arange(phases + 1)
    return PhaseRuns(
        first_phase=powers[lowest], last_phase=powers[beyond] - np.int8(1), remaining=rest.astype(np.int16)
    )
