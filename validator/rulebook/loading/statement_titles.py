"""Titles of requirements that a game states, for statements without a title of their own."""

from __future__ import annotations

from collections.abc import Sequence

from validator.rules.core.titles import title_of
from validator.rules.model.course import Course, CourseRequirement
from validator.rules.model.game import Game
from validator.rules.model.pay_tables import PayTable
from validator.rules.model.settlement import Cap, Case

_OUTCOMES = {
    "lost": ("is lost", "are lost"),
    "returned": ("is returned", "are returned"),
    "nothing": ("is not paid", "are not paid"),
    "open": ("is paid as the house sees fit", "are paid as the house sees fit"),
}


def case_title(game: Game, case: Case) -> str:
    """Return the title of a case of settlement: `Folded ante: Ante is lost`."""
    if case.due.operator == "outcome":
        singular, plural = _OUTCOMES[case.due.operand]
    else:
        payout = str(case.due.operand) if case.due.operator == "odds" else "by the pay table"
        singular, plural = f"is paid {payout}", f"are paid {payout}"
    return f"{_format_name(case.case)}: {_join_lines(game, case.lines)} {singular if len(case.lines) == 1 else plural}"


def cap_title(game: Game, cap: Cap) -> str:
    """Return the title of a cap: `Payout limit: Ante and Bet are paid up to it`."""
    verb = "is" if len(cap.lines) == 1 else "are"
    return f"{_format_name(cap.cap)}: {_join_lines(game, cap.lines)} {verb} paid up to it"


def table_title(game: Game, table: PayTable) -> str:
    """Return the title of a pay table: `Ante is paid by a printed table`."""
    return f"{title_of(game, table.for_)} is paid by a printed table"


def course_title(game: Game, course: Course, requirement: CourseRequirement) -> str:
    """Return the title of phases of a course.

    Examples: `The deal only after the opening wagers`; for a whole course, `The fold, then the collection`.
    """
    titles = [game.phase_title(phase) for phase in course.phases]
    boundaries = () if requirement.begins is None else requirement.boundaries(course)
    phrase = "; ".join(f"{titles[at]} only after {titles[at - 1]}" for at in boundaries if at) or ", then ".join(titles)
    steps = {step.step: step.title for step in game.procedure}
    scope = f": {_join_names([steps.get(step, step) for step in requirement.of])}" if requirement.of else ""
    return f"{phrase[:1].upper()}{phrase[1:]}{scope}"


def _format_name(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _join_lines(game: Game, lines: Sequence[str]) -> str:
    return _join_names([title_of(game, line) for line in lines])


def _join_names(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
