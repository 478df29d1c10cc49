"""Places of a submission at which the rules allow one value alone, whatever else the casino chooses."""

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


class Lawful(Struct, frozen=True, kw_only=True):
    """The only lawful value of a place, and the requirement that says so.

    `item` is the key and the value by which the items of a list are told that it is for; `only_if_stated` is whether
    the casino may leave the place out altogether.
    """

    place: Keys
    value: Any
    requirement: Requirement
    item: tuple[str, str] | None = None
    only_if_stated: bool = False


def lawful_values(regulation: Regulation, day: date) -> list[Lawful]:
    """Every such place, in the order of the requirements in force on a day.

    What hangs on another place of the submission is a choice between the two, and is not among them.
    """
    found: dict[tuple[Keys, tuple[str, str] | None], list[Lawful]] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "submitted" and regulation.in_force(requirement, day):
            check = requirement.check.operand
            if not may_apply(regulation, check.when):
                continue
            asks = set() if check.when is None else {place for place, _ in values_in(check.when)}
            for one in _alone(regulation, check.must, (), requirement):
                if asks <= {one.place}:
                    made = replace(one, only_if_stated=one.only_if_stated or bool(asks))
                    found.setdefault((one.place, one.item), []).append(made)
    return [several[0] for several in found.values() if all(one.value == several[0].value for one in several)]


def _alone(
    regulation: Regulation, condition: SubmissionCondition, around: Around, requirement: Requirement
) -> Iterator[Lawful]:
    """The values without which a condition does not hold."""
    operand, meaning = condition.operand, condition.meaning
    if isinstance(operand, Value) and operand.bound.only:
        yield Lawful(place=steps_of(operand.at, around), value=operand.operand, requirement=requirement)
    list_ = meaning.list_of(operand)
    binding = [part.condition for part in meaning.parts(operand) if part.binding]
    if list_ is None:
        for part in binding:
            yield from _alone(regulation, part, around, requirement)
    elif binding and not around:
        within = (*steps_of(list_, ()), EACH)
        told = _told_by(operand.where, within)
        if told is None:
            return
        item, stated = told
        for part in binding:
            for one in _alone(regulation, part, (within,), requirement):
                if stated <= {one.place} and one.item is None:
                    yield replace(one, item=item, only_if_stated=bool(stated))


def _told_by(where: SubmissionCondition | None, within: Keys) -> tuple[tuple[str, str], set[Keys]] | None:
    """By which value the items of a list are told that a condition is on, and the places that must be stated besides;
    None where they are told otherwise."""
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
