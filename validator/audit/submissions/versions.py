"""Submissions of one licensee and document held against each other: which replaces which, which stand side by side."""

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

_ANY_OTHER = None
"""Stands for every table that no submission names."""

Table = str | None


class Begun(Struct):
    """The submissions for one table: the days on which some took effect, in ascending order, and which ones, by their
    numbers."""

    days: list[date] = field(default_factory=list)
    numbers: list[list[int]] = field(default_factory=list)

    def begin(self, day: date, number: int) -> None:
        """Add one, which took effect no earlier than those before."""
        if not self.days or self.days[-1] != day:
            self.days.append(day)
            self.numbers.append([])
        self.numbers[-1].append(number)


class Neighbours:
    """The submissions of a run, as one looks for those of its licensee and document beside it. They have their
    numbers in the order given."""

    __slots__ = ("_at", "_stated", "submissions")

    def __init__(self, submissions: Sequence[Submission] = ()) -> None:
        self.submissions = submissions
        self._stated: dict[int, Mapping[str, Any]] = {}
        self._at: dict[tuple[str, str], dict[Table, Begun]] = {}
        by_day = sorted(range(len(submissions)), key=lambda number: (submissions[number].effective, number))
        for number in by_day:
            one = submissions[number]
            tables = self._at.setdefault(_house(one), defaultdict(Begun))
            covered: Iterable[Table] = one.tables or (_ANY_OTHER,)
            for table in covered:
                tables[table].begin(one.effective, number)

    def replaced_by(self, judged: Submission) -> tuple[Submission, ...]:
        """The submissions in force at any table of the judged one on the eve of its taking effect."""
        tables = self._at.get(_house(judged), {})
        asked: Iterable[Table] = judged.tables or chain(tables, (_ANY_OTHER,))
        return tuple(self.submissions[number] for number in self._in_force(tables, asked, judged, bisect_left))

    def beside(self, judged: Submission) -> tuple[Submission, ...]:
        """The submissions that are in force at other tables when the judged one takes effect."""
        return tuple(self.submissions[number] for number in self._elsewhere(judged))

    def stated_beside(self, judged: Submission) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Those beside the judged one: their names and what they state, which is worked out once."""
        for number in self._elsewhere(judged):
            one = self.submissions[number]
            if number not in self._stated:
                self._stated[number] = stated(one)
            yield one.submission, self._stated[number]

    def _elsewhere(self, judged: Submission) -> list[int]:
        if not judged.tables:
            return []
        tables, own = self._at.get(_house(judged), {}), frozenset(judged.tables)
        elsewhere = [table for table in tables if table not in own]
        return self._in_force(tables, [*elsewhere, _ANY_OTHER], judged, bisect_right)

    def _in_force(
        self,
        tables: dict[Table, Begun],
        asked: Iterable[Table],
        judged: Submission,
        bisect: Callable[[list[date], date], int],
    ) -> list[int]:
        """The numbers of those that took effect last, of those early enough, at any of some tables."""
        found: set[int] = set()
        anywhere = _last(tables.get(_ANY_OTHER), judged.effective, bisect)
        for table in dict.fromkeys(asked):
            last = anywhere if table is _ANY_OTHER else _last(tables.get(table), judged.effective, bisect)
            latest = max((day for day, _ in (last, anywhere) if day is not None), default=None)
            found.update(number for day, numbers in (last, anywhere) if day == latest for number in numbers)
        return [number for number in sorted(found) if self.submissions[number] is not judged]


def _house(submission: Submission) -> tuple[str, str]:
    return submission.document, submission.licensee.name


def _last(begun: Begun | None, day: date, bisect: Callable[[list[date], date], int]) -> tuple[date | None, list[int]]:
    """The last day early enough on which some took effect, and which ones."""
    place = 0 if begun is None else bisect(begun.days, day)
    return (None, []) if begun is None or not place else (begun.days[place - 1], begun.numbers[place - 1])


def alike(view: View, check: AlikeCheck, others: Sequence[tuple[str, View]]) -> Answer:
    """Whether a submission states what others do that stand beside it, each given with its name."""
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
    return _worst(answers)


def unchanged(view: View, check: UnchangedCheck, name: str) -> Answer:
    """Whether a submission keeps what the one that it replaces, which bears a name, states. `view` holds both."""
    return _worst([_kept(view, path, earlier, name) for path, earlier in _pairs(view, check)])


def _pairs(view: View, check: UnchangedCheck) -> Iterator[tuple[Path, Path]]:
    """Places that must agree: in the submission, and in the one it replaces."""
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


def _kept(view: View, path: Path, earlier: Path, name: str) -> Answer:
    before, now = view.value(earlier), view.value(path)
    if before == now:
        return Answer(value=YES)
    key = str(path[-1])
    reason = Reason(path=path, expected=f"{text_of(before, key)}, as in {name}", observed=text_of(now, key))
    return Answer(value=UNKNOWN if before is None or now is None else NO, reasons=(reason,))


def _worst(answers: Sequence[Answer]) -> Answer:
    """The weightiest of them; without any there was nothing to hold the submission against."""
    value = min((one.value for one in answers), default=YES)
    reasons = tuple(reason for one in answers if one.value == value != YES for reason in one.reasons)
    return Answer(value=value, reasons=reasons, idle=not answers)
