"""Courses that cannot be meant: steps left out or at odds with each other, boundaries that nobody owns, or two do."""

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
    """Every step has its place or is said to be free, and every boundary between two phases is somebody's."""
    yield from _left_out(game)
    for name, course in game.courses.items():
        here: Path = ("courses", name)
        for number, phase in enumerate(course.phases):
            if len(set(phase.steps)) < len(phase.steps):
                yield (*here, "phases", number, "steps"), "names a step twice"
        if len(course.windows()) > MOST_WINDOWS:
            yield (*here, "phases"), f"has more than {MOST_WINDOWS} steps, counted apart where their phases are apart"
        yield from _at_odds(game, course, (*here, "phases"))
        yield from _unowned(regulation, name, course, (*here, "phases"))


def phase_problems(regulation: Regulation, game: Game, check: PhaseCheck, here: Path) -> Iterator[Problem]:
    """A check must name phases and steps of its course that meet, and no other may own the same."""
    course = game.courses[check.course]
    phases = [phase.phase for phase in course.phases]
    for name in [check.begins] if isinstance(check.begins, str) else check.begins or ():
        if name not in phases[1:]:
            why = (
                "is the first phase, which begins with the round" if name in phases else "is a phase of another course"
            )
            yield (*here, "begins"), f"{name} {why}"
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
    others = [one for one in _checks(regulation, check.course) if one is not check]
    for boundary in check.boundaries(course):
        for other in others:
            both = set(check.of) & set(other.of)
            if boundary in other.boundaries(course) and (both or not (check.of or other.of)):
                of = f" for {sorted(both)[0]}" if both else ""
                yield here, f"another requirement owns the beginning of {phases[boundary]}{of} too"
                return


def _checks(regulation: Regulation, name: str) -> list[PhaseCheck]:
    checks = [one.check.operand for one in regulation.requirements if one.check.operator == "phase"]
    return [one for one in checks if one.course == name]


def _left_out(game: Game) -> Iterator[Problem]:
    placed = {step for course in game.courses.values() for step in course.steps}
    free: set[str] = set()
    for index, one in enumerate(game.anywhere):
        here: Path = ("anywhere", index)
        for name in one.steps:
            if name in placed or name in free:
                yield (
                    (*here, "step"),
                    f"{name} has its place in a course" if name in placed else f"{name} is named twice",
                )
            free.add(name)
        if not one.clauses and one.reading is None:
            yield here, "`clauses` or `reading` must say where the text leaves its time open"
    if game.courses:
        for index, step in enumerate(game.procedure):
            if step.step not in placed and step.step not in free:
                yield (
                    ("procedure", index, "step"),
                    f"the step {step.step} is in no course: name it in a phase or, if the text leaves its time open, "
                    "under `anywhere`",
                )


def _at_odds(game: Game, course: Course, here: Path) -> Iterator[Problem]:
    """Steps of which each event of one is one of the other must have a phase in common; and phases must not stand
    against the order in which the game is played."""
    steps = [step for step in game.procedure if step.step in course.steps]
    for one, other in combinations(steps, 2):
        if (_within(one, other) or _within(other, one)) and not course.place(one.step) & course.place(other.step):
            yield (
                here,
                f"what belongs to {one.step} can belong to {other.step} as well, but there is no phase for both",
            )
    played = [step.step for step in steps if not step.aside]
    for before, after in pairwise(played):
        lowest, highest = course.place(before) & -course.place(before), course.place(after)
        if highest < lowest:
            yield here, f"the game is played the other way round: {before} before {after}"


def _within(one: Step, other: Step) -> bool:
    """Whether every event of a step surely belongs to another, which asks for nothing more."""
    asked = {key: value for key, value in other if key not in ("step", "title", "events", "each", "turn", "aside")}
    plain = _plain_step()
    return set(one.events) <= set(other.events) and all(
        value in (plain[key], getattr(one, key)) for key, value in asked.items()
    )


@cache
def _plain_step() -> Mapping[str, Any]:
    """What a step has by field where its mapping does not say it. Pydantic looks at the source of each factory of a
    default anew, which for every pair of steps took two fifths of loading a regulation."""
    return {name: field.get_default(call_default_factory=True) for name, field in Step.model_fields.items()}


def _unowned(regulation: Regulation, name: str, course: Course, here: Path) -> Iterator[Problem]:
    """Boundaries at which nobody finds it where two steps come the other way round."""
    for boundary in range(1, len(course.phases)):
        owners = [one for one in _checks(regulation, name) if boundary in one.boundaries(course)]
        if any(not one.of for one in owners):
            continue
        beside = {window.step for window in course.windows() if window.beside(boundary)}
        named = beside & {step for one in owners for step in one.of}
        windows = [window for window in course.windows() if window.step not in named]
        before, after = (
            [window for window in windows if window.high < boundary],
            [window for window in windows if window.low >= boundary],
        )
        for one, other in product(before, after):
            if one.step != other.step and (one.beside(boundary) or other.beside(boundary)):
                phase = course.phases[boundary].phase
                yield (
                    (*here, boundary, "phase"),
                    f"no requirement owns the beginning of {phase}, so that {other.step} may come before {one.step}: "
                    f"one of `requirements` of the course must have `begins: {phase}`",
                )
                break
