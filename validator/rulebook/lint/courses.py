"""Semantic errors in courses: missing or contradictory steps, boundaries that no requirement checks, or two do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

from validator.language.conditions import Problem
from validator.rules.core.regulation import Regulation
from validator.rules.model.course import MOST_WINDOWS, Course
from validator.rules.model.game import Game, Step
from validator.rules.model.requirement import PhaseCheck
from validator.text.trees.tree import Path


def course_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield problems with courses: steps without a place, contradictory phases, unchecked boundaries."""
    yield from _find_unplaced_steps(game)
    for name, course in game.courses.items():
        here: Path = ("courses", name)
        for number, phase in enumerate(course.phases):
            if len(set(phase.steps)) < len(phase.steps):
                yield (*here, "phases", number, "steps"), "names a step twice"
        if len(course.windows()) > MOST_WINDOWS:
            yield (
                (*here, "phases"),
                f"has more than {MOST_WINDOWS} steps; a step in separate phases counts once for each",
            )
        yield from _find_contradictions(game, course, (*here, "phases"))
        yield from _find_unowned_boundaries(regulation, name, course, (*here, "phases"))


def phase_problems(regulation: Regulation, game: Game, check: PhaseCheck, here: Path) -> Iterator[Problem]:
    """Yield problems with a phase check whose steps do not meet its phases, or that repeats another check."""
    course = game.courses[check.course]
    phases = [phase.phase for phase in course.phases]
    for name in [check.begins] if isinstance(check.begins, str) else check.begins or ():
        if name not in phases[1:]:
            reason = (
                "is the first phase, which begins with the round" if name in phases else "is a phase of another course"
            )
            yield (*here, "begins"), f"{name} {reason}"
            return
    for key, steps in (("of", check.of), ("at-least-one", check.at_least_one)):
        for index, step in enumerate(steps):
            if step not in course.steps:
                yield (*here, key, index), f"the step {step} is not in the course {check.course}"
            elif key == "of" and not any(
                window.beside(boundary) for window in course.windows(step) for boundary in check.boundaries(course)
            ):
                yield (
                    (*here, key, index),
                    f"the place of {step} neither begins nor ends where a phase named here begins",
                )
    others = [other_check for other_check in _list_phase_checks(regulation, check.course) if other_check is not check]
    for boundary in check.boundaries(course):
        for other in others:
            both = set(check.of) & set(other.of)
            if boundary in other.boundaries(course) and (both or not (check.of or other.of)):
                of = f" for {sorted(both)[0]}" if both else ""
                yield here, f"another requirement also checks the beginning of {phases[boundary]}{of}"
                return


def _list_phase_checks(regulation: Regulation, name: str) -> list[PhaseCheck]:
    checks = [
        requirement.check.operand for requirement in regulation.requirements if requirement.check.operator == "phase"
    ]
    return [check for check in checks if check.course == name]


def _find_unplaced_steps(game: Game) -> Iterator[Problem]:
    placed = {step for course in game.courses.values() for step in course.steps}
    free: set[str] = set()
    for index, free_steps in enumerate(game.anywhere):
        here: Path = ("anywhere", index)
        for name in free_steps.steps:
            if name in placed or name in free:
                yield (
                    (*here, "step"),
                    f"{name} has its place in a course" if name in placed else f"{name} is named twice",
                )
            free.add(name)
        if not free_steps.clauses and free_steps.reading is None:
            yield here, "`clauses` or `reading` must state where the text leaves its time open"
    if game.courses:
        for index, step in enumerate(game.procedure):
            if step.step not in placed and step.step not in free:
                yield (
                    ("procedure", index, "step"),
                    f"the step {step.step} is in no course: name it in a phase or, if the text leaves its time open, "
                    "under `anywhere`",
                )


def _find_contradictions(game: Game, course: Course, here: Path) -> Iterator[Problem]:
    """Yield steps that share events but no phase, and phases that contradict the order of play."""
    steps = [step for step in game.procedure if step.step in course.steps]
    for first, second in combinations(steps, 2):
        if (_is_subset(first, second) or _is_subset(second, first)) and not course.place(first.step) & course.place(
            second.step
        ):
            yield (
                here,
                f"events of {first.step} can also belong to {second.step}, but no phase contains both",
            )
    played = [step.step for step in steps if not step.aside]
    for before, after in pairwise(played):
        lowest, highest = course.place(before) & -course.place(before), course.place(after)
        if highest < lowest:
            yield here, f"the game is played in the other order: {before} before {after}"


def _is_subset(one: Step, other: Step) -> bool:
    """Return whether every event of a step certainly belongs to another step, which has no further condition."""
    conditions = {key: value for key, value in other if key not in ("step", "title", "events", "each", "turn", "aside")}
    defaults = _get_step_defaults()
    return set(one.events) <= set(other.events) and all(
        value in (defaults[key], getattr(one, key)) for key, value in conditions.items()
    )


@cache
def _get_step_defaults() -> Mapping[str, Any]:
    """Return the default of every field of a step.

    The result is cached: pydantic inspects every default factory anew, which took two fifths of loading a regulation.
    """
    return {name: field.get_default(call_default_factory=True) for name, field in Step.model_fields.items()}


def _find_unowned_boundaries(regulation: Regulation, name: str, course: Course, here: Path) -> Iterator[Problem]:
    """Yield boundaries of phases at which no requirement detects two steps in the wrong order."""
    for boundary in range(1, len(course.phases)):
        owners = [check for check in _list_phase_checks(regulation, name) if boundary in check.boundaries(course)]
        if any(not check.of for check in owners):
            continue
        adjacent = {window.step for window in course.windows() if window.beside(boundary)}
        named = adjacent & {step for check in owners for step in check.of}
        windows = [window for window in course.windows() if window.step not in named]
        before, after = (
            [window for window in windows if window.high < boundary],
            [window for window in windows if window.low >= boundary],
        )
        for earlier, later in product(before, after):
            if earlier.step != later.step and (earlier.beside(boundary) or later.beside(boundary)):
                phase = course.phases[boundary].phase
                yield (
                    (*here, boundary, "phase"),
                    f"no requirement checks the beginning of {phase}, so {later.step} may come before {earlier.step}: "
                    f"one of `requirements` of the course must have `begins: {phase}`",
                )
                break
