"""What a statement of a game asks for, in a phrase, where its author has no better one."""

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
    """A case of settlement: `Folded ante: Ante is lost`."""
    if case.due.operator == "outcome":
        one, several = _OUTCOMES[case.due.operand]
    else:
        how = str(case.due.operand) if case.due.operator == "odds" else "by the pay table"
        one, several = f"is paid {how}", f"are paid {how}"
    return f"{_spelt(case.case)}: {_lines(game, case.lines)} {one if len(case.lines) == 1 else several}"


def cap_title(game: Game, cap: Cap) -> str:
    """A limit: `Payout limit: Ante and Bet are paid up to it`."""
    return f"{_spelt(cap.cap)}: {_lines(game, cap.lines)} {'is' if len(cap.lines) == 1 else 'are'} paid up to it"


def table_title(game: Game, table: PayTable) -> str:
    """A pay table: `Ante is paid by a printed table`."""
    return f"{title_of(game, table.for_)} is paid by a printed table"


def course_title(game: Game, course: Course, asked: CourseRequirement) -> str:
    """Phases of a course: `The deal only after the opening wagers`, or all of them: `The fold, then the collection`."""
    titles = [game.phase_title(phase) for phase in course.phases]
    begun = () if asked.begins is None else asked.boundaries(course)
    phrase = "; ".join(f"{titles[at]} only after {titles[at - 1]}" for at in begun if at) or ", then ".join(titles)
    steps = {step.step: step.title for step in game.procedure}
    of = f": {_named([steps.get(one, one) for one in asked.of])}" if asked.of else ""
    return f"{phrase[:1].upper()}{phrase[1:]}{of}"


def _spelt(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _lines(game: Game, lines: Sequence[str]) -> str:
    return _named([title_of(game, line) for line in lines])


def _named(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
