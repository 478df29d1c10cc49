"""Places of a submission at which the rules permit some words and no others, whatever else the casino chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from validator.evidence.submission.view import EARLIER
from validator.forms.asked_places import EACH, Keys, may_apply, steps_of, values_in
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement

Words: TypeAlias = tuple[str, ...]


def permitted_words(regulation: Regulation) -> dict[Keys, Words]:
    """The words that requirements permit at places of a submission, by places, in the order of the rules.

    Only what holds on every day the document is in force, and hangs on nothing else that a submission says, is among
    them.
    """
    found: dict[Keys, Words] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator != "submitted" or not _always(requirement):
            continue
        check = requirement.check.operand
        if check.when is not None and not may_apply(regulation, check.when):
            continue
        asks = set() if check.when is None else {place for place, _ in values_in(check.when)}
        for place, words in _permitted(check.must, ()):
            if asks <= {place, place[:-1]}:
                found[place] = tuple(word for word in found.get(place, words) if word in words)
    return found


def permitted_rows(regulation: Regulation) -> Mapping[str, Words]:
    """The rows that pay tables of a line may have, by lines, in printed order: those of the printed tables, where a
    requirement asks for one of these exactly and in every submission."""
    found: dict[str, Words] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "pay-tables" and _always(requirement) and regulation.game is not None:
            check = requirement.check.operand
            if check.match == "exactly" and check.when is None:
                rows = dict.fromkeys(row for name in check.one_of for row in regulation.game.pay_tables[name].rows)
                found[check.for_] = tuple(row for row in found.get(check.for_, tuple(rows)) if row in rows)
    return found


def _always(requirement: Requirement) -> bool:
    return requirement.from_ is None and requirement.until is None


def _permitted(condition: SubmissionCondition, around: tuple[Keys, ...]) -> Iterator[tuple[Keys, Words]]:
    """The places that a condition permits only some words at, with these."""
    operand, meaning = condition.operand, condition.meaning
    if isinstance(operand, Value) and not operand.at.startswith(f"{EARLIER}."):
        words = _words(operand)
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
            yield from _permitted(part.condition, within)


def _words(value: Value) -> Words:
    """The words that a value must be one of; none where it may be others."""
    wanted = value.bound.names(value.operand) if value.bound.closed else ()
    return tuple(wanted) if all(isinstance(word, str) for word in wanted) else ()
