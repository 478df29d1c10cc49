"""What the requirements of a document ask of which places of a submission, and what may stand there."""

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
_ON_SUBMISSIONS = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
_KEYS = frozenset(hyphenated(name) for name in Submission.model_fields)


class Asked(Struct, frozen=True, kw_only=True):
    """What is asked of submissions: `places` are those that rules look at, and all that lead there; `words` the values
    that rules look for at a place, in the order of the rules; `by_key` the requirements on submissions, each with the
    place that it is about, by the first key that leads there."""

    places: frozenset[Keys]
    words: Mapping[Keys, tuple[Any, ...]]
    by_key: Mapping[str, tuple[tuple[Keys, Requirement], ...]]


def asked_on(regulation: Regulation, day: date) -> Asked:
    """What the rules of a document ask of a submission that takes effect on a day."""
    words: dict[Keys, dict[Any, None]] = {}
    by_key: dict[str, dict[str, tuple[Keys, Requirement]]] = {}
    models = [
        one
        for one in regulation.requirements
        if regulation.in_force(one, day)
        and not (one.check.operator == "submitted" and not may_apply(regulation, one.check.operand.when))
    ]
    for requirement in models:
        demanded = list(dict.fromkeys(_demanded(requirement)))
        for key in dict.fromkeys(place[0] for place in demanded):
            about = _shared([place for place in demanded if place[0] == key])
            if requirement.evidence in _ON_SUBMISSIONS and requirement.check.operator != "attested":
                by_key.setdefault(key, {})[requirement.requirement] = (about, requirement)
    for model in (*(() if regulation.game is None else (regulation.game,)), *models):
        for place, value in _places_in(model):
            if place and place[0] in _KEYS:
                words.setdefault(place, {}).update(dict.fromkeys(value))
    return Asked(
        places=frozenset(place[:length] for place in words for length in range(1, len(place) + 1)),
        words={place: tuple(found) for place, found in words.items()},
        by_key={key: tuple(found.values()) for key, found in by_key.items()},
    )


def steps_of(path: str, around: tuple[Keys, ...]) -> Keys:
    """The place of a dotted path, from inside the items of lists that lie around it, the outermost first. Of the
    submission that is replaced, it is the same place in this one."""
    keys = path.lstrip(".")
    dots = len(path) - len(keys)
    start = around[-dots] if 0 < dots <= len(around) else ()
    found = (*start, *(keys.split(".") if keys else ()))
    return found[1:] if found[:1] == (EARLIER,) else found


def values_in(condition: SubmissionCondition, around: tuple[Keys, ...] = ()) -> Iterator[tuple[Keys, Value | None]]:
    """Every place that a condition looks at, with what is asked of it where that is a value."""
    for look in condition.looks():
        within = around
        for list_ in look.lists:
            within = (*within, (*steps_of(list_, within), EACH))
        yield steps_of(look.path, within), look.value


def may_apply(regulation: Regulation, condition: SubmissionCondition | None) -> bool:
    """Whether a condition may hold of some submission as the text is read."""
    return condition is None or condition.may_hold(regulation)


def _demanded(requirement: Requirement) -> Iterator[Keys]:
    """The places at which a requirement wants something, and those at which a choice calls it up."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "submitted":
            yield from (place for place, _ in values_in(check.must) if place)
            asked = [] if check.when is None else [place for place, _ in values_in(check.when)]
            yield from (place for place in asked if place and place[0] in _KEYS and EACH not in place)
        case "alike" | "unchanged":
            inside = getattr(check, "in_", None)
            yield steps_of(check.at if inside is None else inside, ())
        case "pay-tables" | "publications":
            yield ("pay-tables",)
        case "signs":
            yield ("layout", "signage")
        case _:
            return


def _places_in(model: BaseModel) -> Iterator[tuple[Keys, list[Any]]]:
    """Every place of a submission that a model of the rulebook looks at, with the values it looks for."""
    for part in _outermost(model):
        if isinstance(part, SubmissionCondition):
            for place, value in values_in(part):
                yield place, [] if value is None else _looked_for(value)
        elif isinstance(part, OptionIs):
            yield ("options", part.name), [part.is_]
        elif isinstance(part, Quantity) and part.operator == "submitted":
            yield steps_of(part.operand, ()), []
    if isinstance(model, Requirement):
        for place in _demanded(model):
            yield place, []


def _outermost(value: object) -> Iterator[BaseModel]:
    """Every model within a value; of conditions on submissions those that stand in no other."""
    if isinstance(value, BaseModel):
        yield value
        if not isinstance(value, SubmissionCondition):
            for field in type(value).model_fields:
                if field in value.model_fields_set:
                    yield from _outermost(getattr(value, field))
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _outermost(item)


def _looked_for(value: Value) -> list[Any]:
    """The values that a list or a place is looked through for; a list that must be whole is no choice."""
    whole = value.bound.of_items and value.bound.only
    return [] if whole else list(value.bound.names(value.operand))


def _shared(places: list[Keys]) -> Keys:
    """The longest way that places have in common, without the step into a list."""
    first, *others = places
    length = 0
    while length < len(first) and all(other[: length + 1] == first[: length + 1] for other in others):
        length += 1
    found = first[:length]
    return found[: found.index(EACH)] if EACH in found else found
