"""Places of a submission at which the rules allow only one value, whatever else the licensee chooses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from validator.forms.asked_places import EACH, Keys, may_apply, steps_of, values_in
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.operators.submission.places import Given
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement

Around: TypeAlias = tuple[Keys, ...]
"""Places of the list items around a condition, the outermost first."""


class Lawful(Struct, frozen=True, kw_only=True):
    """The only lawful value of a place."""

    place: Keys
    """The place."""
    value: Any
    """The value."""
    requirement: Requirement
    """The requirement that fixes it."""
    item: tuple[str, str] | None = None
    """Key and value that identify the list item to which it applies; None outside lists."""
    only_if_stated: bool = False
    """True if the licensee may leave out the place."""


def lawful_values(regulation: Regulation, day: date) -> list[Lawful]:
    """Return the only lawful values, in the order of the requirements in force on a day.

    A value that depends on another place of the submission is a choice, and is not included.
    """
    by_place: dict[tuple[Keys, tuple[str, str] | None], list[Lawful]] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "submitted" and regulation.in_force(requirement, day):
            check = requirement.check.operand
            if not may_apply(regulation, check.when):
                continue
            conditions = set() if check.when is None else {place for place, _ in values_in(check.when)}
            for sole_value in _list_required_values(regulation, check.must, (), requirement):
                if conditions <= {sole_value.place}:
                    qualified = replace(sole_value, only_if_stated=sole_value.only_if_stated or bool(conditions))
                    by_place.setdefault((sole_value.place, sole_value.item), []).append(qualified)
    return [
        candidates[0]
        for candidates in by_place.values()
        if all(candidate.value == candidates[0].value for candidate in candidates)
    ]


def _list_required_values(
    regulation: Regulation, condition: SubmissionCondition, around: Around, requirement: Requirement
) -> Iterator[Lawful]:
    """Yield the values without which a condition does not hold."""
    operand, meaning = condition.operand, condition.meaning
    if isinstance(operand, Value) and operand.bound.only:
        yield Lawful(place=steps_of(operand.at, around), value=operand.operand, requirement=requirement)
    list_ = meaning.list_of(operand)
    binding = [part.condition for part in meaning.parts(operand) if part.binding]
    if list_ is None:
        for part in binding:
            yield from _list_required_values(regulation, part, around, requirement)
    elif binding and not around:
        within = (*steps_of(list_, ()), EACH)
        identified = _identify_item(operand.where, within)
        if identified is None:
            return
        item, stated = identified
        for part in binding:
            for sole_value in _list_required_values(regulation, part, (within,), requirement):
                if stated <= {sole_value.place} and sole_value.item is None:
                    yield replace(sole_value, item=item, only_if_stated=bool(stated))


def _identify_item(where: SubmissionCondition | None, within: Keys) -> tuple[tuple[str, str], set[Keys]] | None:
    """Return the key and value that identify the list items of a condition, and the places that must be stated.

    The result is None if other conditions select the items.
    """
    item: tuple[str, str] | None = None
    stated: set[Keys] = set()
    for part in () if where is None else where.meaning.joined(where):
        value = part.operand
        if isinstance(part.meaning, Given):
            stated.add(steps_of(value, (within,)))
        elif isinstance(value, Value) and value.bound.only and isinstance(value.operand, str) and item is None:
            place = steps_of(value.at, (within,))
            if len(place) != len(within) + 1:
                return None
            item = (place[-1], value.operand)
        else:
            return None
    return None if item is None else (item, stated)
