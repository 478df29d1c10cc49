"""What is asked of submissions, in sentences."""

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

_MATCH = {
    "exactly": "The posted pay table is one of these printed tables: all its rows, no other, each as it says",
    "at-least": "The posted pay table has every row of one of these printed tables, and none pays less than is printed",
    "wording": "The odds of the posted pay table are worded as in one of these printed tables",
}
_SIGNS = {"limits": "the minimum and the maximum", "odds": "rows of the pay table in use", "rake": "kind and levels"}


def _conditions(regulation: Regulation, head: str, condition: SubmissionCondition) -> Iterator[Sentence]:
    """A condition after its head, as the text is read; nothing where readings alone decide it."""
    read = condition.as_read(regulation)
    if not isinstance(read, bool):
        yield from _laid_out(f"{head}: ", head, read)


def _laid_out(before: str, head: str, condition: SubmissionCondition) -> Iterator[Sentence]:
    """A condition as a sentence, or as a list where it is several or of each of some items, and long: `before` stands
    before it as one, `head` before what it is several of."""
    joint, asked = _JOINTS.get(condition.operator), condition.asked()
    if joint and (head or len(asked) > _LONG):
        yield Sentence(f"{head}, {joint}:" if head else f"{joint}:")
        for part in condition.operand:
            yield from within(_laid_out("", "", part))
    elif isinstance(condition.meaning, EveryItem) and len(asked) > _LONG:
        yield Sentence(f"{before}{condition.meaning.of_each(condition.operand)}:")
        yield from within(_laid_out("", "", condition.operand.must))
    else:
        yield Sentence(f"{before}{asked}")


_JOINTS = {"all": "all of these", "any": "one of these at least"}
_LONG = 100
"""More characters than this are a list."""


def _where(regulation: Regulation, condition: SubmissionCondition | None) -> Iterator[Sentence]:
    if condition is not None:
        yield from _conditions(regulation, "Only where", condition)


def _submitted(regulation: Regulation, check: SubmittedCheck) -> Iterator[Sentence]:
    yield from _conditions(regulation, "The submission states", check.must)
    yield from _where(regulation, check.when)


def _pay_tables(regulation: Regulation, check: PayTablesCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_lines(regulation, [check.for_])}: {_MATCH[check.match][0].lower()}{_MATCH[check.match][1:]}:")
    if regulation.game is not None:
        for name in check.one_of:
            yield Sentence(f"{name}: {rows_in_words(regulation.game.pay_tables[name])}", 1)
    yield from _where(regulation, check.when)


def _publications(regulation: Regulation, check: PublicationsCheck) -> Iterator[Sentence]:
    yield Sentence(f"Pay tables in publications say what the table in use says: {_lines(regulation, check.for_)}.")
    yield from _where(regulation, check.when)


def _signs(regulation: Regulation, check: SignsCheck) -> Iterator[Sentence]:
    of = "the rake" if check.for_ is None else _lines(regulation, check.for_)
    yield Sentence(f"What signs at the table show of {of} is what is submitted: {_SIGNS[check.show]}.")
    yield from _where(regulation, check.when)


def _alike(regulation: Regulation, check: AlikeCheck) -> Iterator[Sentence]:
    yield Sentence(f"All submissions of a {check.among} that are in force together agree in {path_named(check.at)}.")


def _unchanged(regulation: Regulation, check: UnchangedCheck) -> Iterator[Sentence]:
    inside = "" if check.in_ is None else f" of each entry in {path_named(check.in_)}"
    same = "" if check.by is None else f", found again by {path_named(check.by)}"
    yield Sentence(f"A submission keeps {path_named(check.at)}{inside} of the one that it replaces{same}.")
    yield from _where(regulation, check.where)


def _attested(regulation: Regulation, check: Attested) -> Iterator[Sentence]:
    yield Sentence(f"A person must vouch for this, the {check.by}: {check.statement}")
    yield from _where(regulation, check.when)


def _lines(regulation: Regulation, lines: Sequence[str]) -> str:
    game = regulation.game
    return named([line if game is None else title_of(game, line) for line in lines])


SUBMISSIONS: Mapping[str, Callable[[Regulation, Any], Iterator[Sentence]]] = {
    "submitted": _submitted,
    "pay-tables": _pay_tables,
    "publications": _publications,
    "signs": _signs,
    "alike": _alike,
    "unchanged": _unchanged,
    "attested": _attested,
}
"""What a check on submissions asks, by its operator."""
