"""Submissions of one licensee and document held against each other: which replaces which, which stand side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from validator.evidence.stated import EARLIER
from validator.evidence.submission import Submission
from validator.play.submission_conditions import NOT_STATED, Answer, Reason, View, answer
from validator.play.submission_words import key_of, text_of
from validator.rulebook.language.sessions import AlikeCheck, UnchangedCheck
from validator.text.tree import Path
from validator.truth import NO, UNKNOWN, YES

_ANY_OTHER = None
"""Stands for every table that no submission names."""

Table = str | None


def replaced_by(judged: Submission, others: Sequence[Submission]) -> tuple[Submission, ...]:
    """The submissions in force at any table of the judged one on the eve of its taking effect."""
    rivals = _rivals(judged, others)
    return _in_force(rivals, _tables(judged, _named([judged, *rivals])), lambda day: day < judged.effective)


def beside(judged: Submission, others: Sequence[Submission]) -> tuple[Submission, ...]:
    """The submissions that are in force at other tables when the judged one takes effect."""
    rivals = _rivals(judged, others)
    named = _named([judged, *rivals])
    elsewhere = [table for table in named if table not in _tables(judged, named)]
    return _in_force(rivals, elsewhere, lambda day: day <= judged.effective)


def _rivals(judged: Submission, others: Sequence[Submission]) -> list[Submission]:
    return [
        one
        for one in others
        if one is not judged and one.document == judged.document and one.licensee.name == judged.licensee.name
    ]


def _named(submissions: Sequence[Submission]) -> list[Table]:
    """Every table that is named, and that which stands for all others."""
    return [*dict.fromkeys(table for one in submissions for table in one.tables), _ANY_OTHER]


def _tables(submission: Submission, named: Sequence[Table]) -> list[Table]:
    return [table for table in named if not submission.tables or table in submission.tables]


def _in_force(
    submissions: Sequence[Submission], tables: Sequence[Table], early_enough: Callable[[date], bool]
) -> tuple[Submission, ...]:
    """Those that took effect last, of those early enough, at any of some tables; in the order given."""
    found: set[int] = set()
    for table in tables:
        fitting = [
            (one.effective, index)
            for index, one in enumerate(submissions)
            if early_enough(one.effective) and (not one.tables or table in one.tables)
        ]
        found.update(index for day, index in fitting if day == max(fitting)[0])
    return tuple(submissions[index] for index in sorted(found))


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
        if check.where is not None and answer(earlier, check.where).value == NO:
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
