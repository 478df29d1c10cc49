"""Places of a submission at which the rules permit only some words, whatever else the licensee chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from validator.evidence.submission.view import EARLIER
from validator.forms.asked_places import EACH, Keys, may_apply, steps_of, values_in
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement

Words: TypeAlias = tuple[str, ...]
"""Words in the order of the rules."""


def permitted_words(regulation: Regulation) -> dict[Keys, Words]:
    """Return the words that requirements permit, by place, in the order of the rules.

    Only requirements count that are always in force and depend on nothing else in the submission.
    """
    words_by_place: dict[Keys, Words] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator != "submitted" or not _is_always_in_force(requirement):
            continue
        check = requirement.check.operand
        if check.when is not None and not may_apply(regulation, check.when):
            continue
        conditions = set() if check.when is None else {place for place, _ in values_in(check.when)}
        for place, words in _list_permitted(check.must, ()):
            if conditions <= {place, place[:-1]}:
                words_by_place[place] = tuple(word for word in words_by_place.get(place, words) if word in words)
    return words_by_place


def permitted_rows(regulation: Regulation) -> Mapping[str, Words]:
    """Return the rows that pay tables may have, by line, in printed order.

    Only lines count for which a requirement demands one of the printed tables exactly, in every submission.
    """
    rows_by_line: dict[str, Words] = {}
    for requirement in regulation.requirements:
        if (
            requirement.check.operator == "pay-tables"
            and _is_always_in_force(requirement)
            and regulation.game is not None
        ):
            check = requirement.check.operand
            if check.match == "exactly" and check.when is None:
                rows = dict.fromkeys(row for name in check.one_of for row in regulation.game.pay_tables[name].rows)
                rows_by_line[check.for_] = tuple(
                    row for row in rows_by_line.get(check.for_, tuple(rows)) if row in rows
                )
    return rows_by_line


def _is_always_in_force(requirement: Requirement) -> bool:
    return requirement.from_ is None and requirement.until is None


def _list_permitted(condition: SubmissionCondition, around: tuple[Keys, ...]) -> Iterator[tuple[Keys, Words]]:
    """Yield the places at which a condition permits only some words, with these words."""
    operand, meaning = condition.operand, condition.meaning
    if isinstance(operand, Value) and not operand.at.startswith(f"{EARLIER}."):
        words = _list_required_words(operand)
        if words:
            place = steps_of(operand.at, around)
            yield (*place, EACH) if operand.bound.of_items else place, words
    list_ = meaning.list_of(operand)
    if list_ is None:
        within = around
    elif operand.where is None:
        within = (*around, (*steps_of(list_, around), EACH))
    else:
        return
    for part in meaning.parts(operand):
        if part.binding:
            yield from _list_permitted(part.condition, within)


def _list_required_words(value: Value) -> Words:
    """Return the words that a value must be one of; none if other values are possible."""
    names = value.bound.names(value.operand) if value.bound.closed else ()
    return tuple(names) if all(isinstance(word, str) for word in names) else ()
