"""Places of a submission that the requirements of a document refer to, and the values that may be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, TypeAlias

from msgspec import Struct
from pydantic import BaseModel

from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import EARLIER
from validator.language.conditions import Quantity
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.operators.house import OptionIs
from validator.results.statuses import Evidence
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement
from validator.text.models.model import hyphenated

Keys: TypeAlias = tuple[str, ...]
"""A place of a submission: the keys that lead there, `EACH` for every item of a list."""

EACH = "*"
"""Placeholder key for every item of a list."""
_SUBMISSION_EVIDENCE = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
_SUBMISSION_KEYS = frozenset(hyphenated(name) for name in Submission.model_fields)


class Asked(Struct, frozen=True, kw_only=True):
    """Places and values of a submission that rules refer to."""

    places: frozenset[Keys]
    """Places that rules refer to, and all places that lead there."""
    words: Mapping[Keys, tuple[Any, ...]]
    """Values that rules expect at a place, in the order of the rules."""
    by_key: Mapping[str, tuple[tuple[Keys, Requirement], ...]]
    """Requirements on submissions with the place they concern, by its first key."""


def asked_on(regulation: Regulation, day: date) -> Asked:
    """Collect the places and values that the rules of a document refer to, for a submission that takes effect on a
    day."""
    words: dict[Keys, dict[Any, None]] = {}
    by_key: dict[str, dict[str, tuple[Keys, Requirement]]] = {}
    applicable = [
        requirement
        for requirement in regulation.requirements
        if regulation.in_force(requirement, day)
        and not (
            requirement.check.operator == "submitted" and not may_apply(regulation, requirement.check.operand.when)
        )
    ]
    for requirement in applicable:
        required = list(dict.fromkeys(_list_required_places(requirement)))
        for key in dict.fromkeys(place[0] for place in required):
            about = _get_common_prefix([place for place in required if place[0] == key])
            if requirement.evidence in _SUBMISSION_EVIDENCE and requirement.check.operator != "attested":
                by_key.setdefault(key, {})[requirement.requirement] = (about, requirement)
    for model in (*(() if regulation.game is None else (regulation.game,)), *applicable):
        for place, value in _list_tested_places(model):
            if place and place[0] in _SUBMISSION_KEYS:
                words.setdefault(place, {}).update(dict.fromkeys(value))
    return Asked(
        places=frozenset(place[:length] for place in words for length in range(1, len(place) + 1)),
        words={place: tuple(values) for place, values in words.items()},
        by_key={key: tuple(entries.values()) for key, entries in by_key.items()},
    )


def steps_of(path: str, around: tuple[Keys, ...]) -> Keys:
    """Return the place of a dotted path.

    A path into the replaced submission gives the same place in the new one.

    Args:
        path: Keys with dots; leading dots count the lists it is relative to.
        around: Places of the items of the lists around it, the outermost first.
    """
    keys = path.lstrip(".")
    dots = len(path) - len(keys)
    start = around[-dots] if 0 < dots <= len(around) else ()
    place = (*start, *(keys.split(".") if keys else ()))
    return place[1:] if place[:1] == (EARLIER,) else place


def values_in(condition: SubmissionCondition, around: tuple[Keys, ...] = ()) -> Iterator[tuple[Keys, Value | None]]:
    """Yield every place that a condition refers to, with its test if it tests a value."""
    for look in condition.looks():
        within = around
        for list_ in look.lists:
            within = (*within, (*steps_of(list_, within), EACH))
        yield steps_of(look.path, within), look.value


def may_apply(regulation: Regulation, condition: SubmissionCondition | None) -> bool:
    """Return whether a condition may hold for some submission under the readings in force."""
    return condition is None or condition.may_hold(regulation)


def _list_required_places(requirement: Requirement) -> Iterator[Keys]:
    """Yield the places that a requirement needs, and the places of choices that make it apply."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "submitted":
            yield from (place for place, _ in values_in(check.must) if place)
            conditions = [] if check.when is None else [place for place, _ in values_in(check.when)]
            yield from (place for place in conditions if place and place[0] in _SUBMISSION_KEYS and EACH not in place)
        case "alike" | "unchanged":
            list_path = getattr(check, "in_", None)
            yield steps_of(check.at if list_path is None else list_path, ())
        case "pay-tables" | "publications":
            yield ("pay-tables",)
        case "signs":
            yield ("layout", "signage")
        case _:
            return


def _list_tested_places(model: BaseModel) -> Iterator[tuple[Keys, list[Any]]]:
    """Yield every place of a submission that a model of the rulebook refers to, with the expected values."""
    for part in _list_outermost_models(model):
        if isinstance(part, SubmissionCondition):
            for place, value in values_in(part):
                yield place, [] if value is None else _list_expected_values(value)
        elif isinstance(part, OptionIs):
            yield ("options", part.name), [part.is_]
        elif isinstance(part, Quantity) and part.operator == "submitted":
            yield steps_of(part.operand, ()), []
    if isinstance(model, Requirement):
        for place in _list_required_places(model):
            yield place, []


def _list_outermost_models(value: object) -> Iterator[BaseModel]:
    """Yield every model within a value, but of nested conditions on submissions only the outermost."""
    if isinstance(value, BaseModel):
        yield value
        if not isinstance(value, SubmissionCondition):
            for field in type(value).model_fields:
                if field in value.model_fields_set:
                    yield from _list_outermost_models(getattr(value, field))
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _list_outermost_models(item)


def _list_expected_values(value: Value) -> list[Any]:
    """Return the values that a test accepts; a list that must be complete is no choice."""
    is_complete = value.bound.of_items and value.bound.only
    return [] if is_complete else list(value.bound.names(value.operand))


def _get_common_prefix(places: list[Keys]) -> Keys:
    """Return the longest common prefix of places, up to the first list."""
    first, *others = places
    length = 0
    while length < len(first) and all(other[: length + 1] == first[: length + 1] for other in others):
        length += 1
    prefix = first[:length]
    return prefix[: prefix.index(EACH)] if EACH in prefix else prefix
