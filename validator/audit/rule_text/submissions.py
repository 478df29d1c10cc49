"""Sentences about checks of submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from validator.audit.rule_text.money import rows_in_words
from validator.audit.rule_text.sentences import Sentence, within
from validator.language.submission.checks import PayTablesCheck, PublicationsCheck, SignsCheck, SubmittedCheck
from validator.language.submission.conditions import SubmissionCondition
from validator.language.submission.wording import named as path_named
from validator.language.wording import named
from validator.operators.submission.lists import EveryItem
from validator.rules.core.regulation import Regulation
from validator.rules.core.titles import title_of
from validator.rules.model.requirement import Attested
from validator.rules.model.sessions import AlikeCheck, UnchangedCheck

_POSTED_TABLE_MATCH = {
    "exactly": "The posted pay table has exactly the rows and odds of one of these printed tables",
    "at-least": "The posted pay table has every row of one of these printed tables, and no row pays less than printed",
    "wording": "The odds of the posted pay table are worded as in one of these printed tables",
}
_SIGN_CONTENT = {
    "limits": "the minimum and the maximum",
    "odds": "rows of the pay table in use",
    "rake": "kind and levels",
}


def _describe_submission_condition(
    regulation: Regulation, head: str, condition: SubmissionCondition
) -> Iterator[Sentence]:
    """Describe a condition after its head under the readings in use; nothing if readings alone decide it."""
    read = condition.as_read(regulation)
    if not isinstance(read, bool):
        yield from _list_condition(f"{head}: ", head, read)


def _list_condition(before: str, head: str, condition: SubmissionCondition) -> Iterator[Sentence]:
    """Describe a condition as a sentence, or as a list if it is long.

    Args:
        before: text before a single condition.
        head: text before a list of conditions.
    """
    joint, text = _SUBMISSION_JOINTS.get(condition.operator), condition.asked()
    if joint and (head or len(text) > _MAX_CONDITION_LENGTH):
        yield Sentence(f"{head}, {joint}:" if head else f"{joint}:")
        for part in condition.operand:
            yield from within(_list_condition("", "", part))
    elif isinstance(condition.meaning, EveryItem) and len(text) > _MAX_CONDITION_LENGTH:
        yield Sentence(f"{before}{condition.meaning.of_each(condition.operand)}:")
        yield from within(_list_condition("", "", condition.operand.must))
    else:
        yield Sentence(f"{before}{text}")


_SUBMISSION_JOINTS = {"all": "all of these", "any": "at least one of these"}
_MAX_CONDITION_LENGTH = 100
"""Maximum length in characters of a condition on one line."""


def _describe_submission_restriction(
    regulation: Regulation, condition: SubmissionCondition | None
) -> Iterator[Sentence]:
    if condition is not None:
        yield from _describe_submission_condition(regulation, "Only if", condition)


def _describe_submitted(regulation: Regulation, check: SubmittedCheck) -> Iterator[Sentence]:
    yield from _describe_submission_condition(regulation, "The submission states", check.must)
    yield from _describe_submission_restriction(regulation, check.when)


def _describe_pay_tables(regulation: Regulation, check: PayTablesCheck) -> Iterator[Sentence]:
    rule = _POSTED_TABLE_MATCH[check.match]
    yield Sentence(f"{_line_titles(regulation, [check.for_])}: {rule[0].lower()}{rule[1:]}:")
    if regulation.game is not None:
        for name in check.one_of:
            yield Sentence(f"{name}: {rows_in_words(regulation.game.pay_tables[name])}", 1)
    yield from _describe_submission_restriction(regulation, check.when)


def _describe_publications(regulation: Regulation, check: PublicationsCheck) -> Iterator[Sentence]:
    yield Sentence(f"Pay tables in publications agree with the table in use: {_line_titles(regulation, check.for_)}.")
    yield from _describe_submission_restriction(regulation, check.when)


def _describe_signs(regulation: Regulation, check: SignsCheck) -> Iterator[Sentence]:
    of = "the rake" if check.for_ is None else _line_titles(regulation, check.for_)
    yield Sentence(f"Signs at the table agree with the submission on {of}: {_SIGN_CONTENT[check.show]}.")
    yield from _describe_submission_restriction(regulation, check.when)


def _describe_alike(regulation: Regulation, check: AlikeCheck) -> Iterator[Sentence]:
    yield Sentence(f"All submissions of a {check.among} that are in force together agree in {path_named(check.at)}.")


def _describe_unchanged(regulation: Regulation, check: UnchangedCheck) -> Iterator[Sentence]:
    inside = "" if check.in_ is None else f" of each entry in {path_named(check.in_)}"
    same = "" if check.by is None else f", matched by {path_named(check.by)}"
    yield Sentence(f"A submission keeps {path_named(check.at)}{inside} of the one that it replaces{same}.")
    yield from _describe_submission_restriction(regulation, check.where)


def _describe_attested(regulation: Regulation, check: Attested) -> Iterator[Sentence]:
    yield Sentence(f"A person ({check.by}) must attest this: {check.statement}")
    yield from _describe_submission_restriction(regulation, check.when)


def _line_titles(regulation: Regulation, lines: Sequence[str]) -> str:
    game = regulation.game
    return named([line if game is None else title_of(game, line) for line in lines])


SUBMISSIONS: Mapping[str, Callable[[Regulation, Any], Iterator[Sentence]]] = {
    "submitted": _describe_submitted,
    "pay-tables": _describe_pay_tables,
    "publications": _describe_publications,
    "signs": _describe_signs,
    "alike": _describe_alike,
    "unchanged": _describe_unchanged,
    "attested": _describe_attested,
}
"""Functions that describe a check of submissions, by operator."""
