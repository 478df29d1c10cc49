"""Comparison of submissions of one licensee and document: replaced submissions, and concurrent ones at other tables."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

from msgspec import Struct, field

from validator.engine.submission.answers import View
from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import EARLIER, stated
from validator.language.submission.answers import Answer, Reason
from validator.language.submission.wording import NOT_STATED, key_of, text_of
from validator.rules.model.sessions import AlikeCheck, UnchangedCheck
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES

_OTHER_TABLES = None
"""Placeholder for every table that no submission names."""

Table = str | None
"""Name of a table, or `_OTHER_TABLES`."""


class Begun(Struct):
    """Submissions for one table by the day on which they took effect."""

    days: list[date] = field(default_factory=list)
    """Days, ascending."""
    numbers: list[list[int]] = field(default_factory=list)
    """Numbers of the submissions that took effect on each day."""

    def begin(self, day: date, number: int) -> None:
        """Add a submission that took effect no earlier than those before."""
        if not self.days or self.days[-1] != day:
            self.days.append(day)
            self.numbers.append([])
        self.numbers[-1].append(number)


class Neighbours:
    """Submissions of a run, which finds the related ones of a submission. Their numbers follow the order given."""

    __slots__ = ("_by_licensee", "_statements", "submissions")

    def __init__(self, submissions: Sequence[Submission] = ()) -> None:
        self.submissions = submissions
        self._statements: dict[int, Mapping[str, Any]] = {}
        self._by_licensee: dict[tuple[str, str], dict[Table, Begun]] = {}
        by_day = sorted(range(len(submissions)), key=lambda number: (submissions[number].effective, number))
        for number in by_day:
            submission = submissions[number]
            tables = self._by_licensee.setdefault(_licensee_key(submission), defaultdict(Begun))
            covered: Iterable[Table] = submission.tables or (_OTHER_TABLES,)
            for table in covered:
                tables[table].begin(submission.effective, number)

    def replaced_by(self, submission: Submission) -> tuple[Submission, ...]:
        """Return the submissions in force at any table of a submission on the day before it takes effect."""
        tables = self._by_licensee.get(_licensee_key(submission), {})
        asked: Iterable[Table] = submission.tables or chain(tables, (_OTHER_TABLES,))
        return tuple(self.submissions[number] for number in self._find_in_force(tables, asked, submission, bisect_left))

    def beside(self, submission: Submission) -> tuple[Submission, ...]:
        """Return the submissions that are in force at other tables when a submission takes effect."""
        return tuple(self.submissions[number] for number in self._elsewhere(submission))

    def stated_beside(self, submission: Submission) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the names and statements of concurrent submissions, from a cache."""
        for number in self._elsewhere(submission):
            other = self.submissions[number]
            if number not in self._statements:
                self._statements[number] = stated(other)
            yield other.submission, self._statements[number]

    def _elsewhere(self, submission: Submission) -> list[int]:
        if not submission.tables:
            return []
        tables, own = self._by_licensee.get(_licensee_key(submission), {}), frozenset(submission.tables)
        elsewhere = [table for table in tables if table not in own]
        return self._find_in_force(tables, [*elsewhere, _OTHER_TABLES], submission, bisect_right)

    def _find_in_force(
        self,
        tables: dict[Table, Begun],
        wanted: Iterable[Table],
        submission: Submission,
        bisect: Callable[[list[date], date], int],
    ) -> list[int]:
        """Return the numbers of the submissions in force at some tables on a day."""
        numbers_found: set[int] = set()
        anywhere = _last_start(tables.get(_OTHER_TABLES), submission.effective, bisect)
        for table in dict.fromkeys(wanted):
            last = anywhere if table is _OTHER_TABLES else _last_start(tables.get(table), submission.effective, bisect)
            latest = max((day for day, _ in (last, anywhere) if day is not None), default=None)
            numbers_found.update(number for day, numbers in (last, anywhere) if day == latest for number in numbers)
        return [number for number in sorted(numbers_found) if self.submissions[number] is not submission]


def _licensee_key(submission: Submission) -> tuple[str, str]:
    return submission.document, submission.licensee.name


def _last_start(
    starts: Begun | None, day: date, bisect: Callable[[list[date], date], int]
) -> tuple[date | None, list[int]]:
    """Return the last day early enough on which submissions took effect, and their numbers."""
    place = 0 if starts is None else bisect(starts.days, day)
    return (None, []) if starts is None or not place else (starts.days[place - 1], starts.numbers[place - 1])


def alike(view: View, check: AlikeCheck, others: Sequence[tuple[str, View]]) -> Answer:
    """Return whether a submission agrees with concurrent ones, each given with its name."""
    path = view.path(check.at)
    value = view.value(path)
    key, answers = key_of(check.at), list[Answer]()
    for name, other in others:
        theirs = other.value(other.path(check.at))
        if value is not None and theirs is not None:
            if value == theirs:
                answers.append(Answer(value=YES))
                continue
            reason = Reason(path=path, expected=f"{text_of(theirs, key)}, as in {name}", observed=text_of(value, key))
            answers.append(Answer(value=NO, reasons=(reason,)))
        else:
            observed = NOT_STATED if value is None else f"{text_of(value, key)}; {name} does not state it"
            reason = Reason(path=path, expected=f"the same as in {name}", observed=observed)
            answers.append(Answer(value=UNKNOWN, reasons=(reason,)))
    return _combine_answers(answers)


def unchanged(view: View, check: UnchangedCheck, name: str) -> Answer:
    """Return whether a submission keeps the statements of the one it replaces.

    Args:
        view: statements of both submissions.
        name: name of the replaced submission.
    """
    return _combine_answers([_compare_kept(view, path, earlier, name) for path, earlier in _pair_paths(view, check)])


def _pair_paths(view: View, check: UnchangedCheck) -> Iterator[tuple[Path, Path]]:
    """Yield places that must agree: in the submission, and in the one it replaces."""
    if check.in_ is None or check.by is None:
        path = view.path(check.at)
        yield path, (EARLIER, *path)
        return
    now = view.entries(view.path(check.in_)) or []
    for earlier in view.entries((EARLIER, *view.path(check.in_))) or []:
        if check.where is not None and check.where.answer(earlier).value == NO:
            continue
        key = earlier.value(earlier.path(check.by))
        for later in now:
            if key is not None and later.value(later.path(check.by)) == key:
                yield later.path(check.at), earlier.path(check.at)


def _compare_kept(view: View, path: Path, earlier: Path, name: str) -> Answer:
    previous, now = view.value(earlier), view.value(path)
    if previous == now:
        return Answer(value=YES)
    key = str(path[-1])
    reason = Reason(path=path, expected=f"{text_of(previous, key)}, as in {name}", observed=text_of(now, key))
    return Answer(value=UNKNOWN if previous is None or now is None else NO, reasons=(reason,))


def _combine_answers(answers: Sequence[Answer]) -> Answer:
    """Return the most severe answer; without answers there was nothing to compare."""
    value = min((answer.value for answer in answers), default=YES)
    reasons = tuple(reason for answer in answers if answer.value == value != YES for reason in answer.reasons)
    return Answer(value=value, reasons=reasons, idle=not answers)
