"""Places of a submission: the values that each may have, and those that the rules permit where they refer to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER, find_money_keys
from fairdeal.validator.language.grammar import OptionIs
from fairdeal.validator.language.round_conditions import Quantity
from fairdeal.validator.language.submission_conditions import PlaceLookup, SubmissionCondition, Value
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS, ValueIsStated
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import iterate_set_keys, to_key
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.plain_values import write_money
from fairdeal.validator.text.positioned_document import DataPath

_EARLIER_PREFIX = f"{EARLIER}."

_SCALAR_KINDS: dict[type, str] = {bool: "yes or no", int: "number", str: "text"}
PlaceProblem = tuple[DataPath, str]
"""Place of a condition, and the problem in words."""


class SubmissionPlace(Struct, frozen=True, kw_only=True):
    """The values that a place of a submission may have."""

    kinds: frozenset[str]
    """Kinds of values."""
    choices: frozenset[str] | None = None
    """The only possible texts, if there are few."""
    fields: type[BaseModel] | None = None
    """Model of a mapping with known keys."""
    values: Any = None
    """Annotation of the values of a mapping with free keys."""
    items: Any = None
    """Annotation of the items of a list."""

    def get_child(self, key: str) -> SubmissionPlace | None:
        """Return the place that a key leads to; None if there is no such key."""
        if self.fields is not None:
            annotations = {to_key(name): info.annotation for name, info in self.fields.model_fields.items()}
            return place_from_annotation(annotations[key]) if key in annotations else None
        return None if self.values is None else place_from_annotation(self.values)

    def get_item(self) -> SubmissionPlace | None:
        """Return the place of each item; None unless it is a list."""
        return None if self.items is None else place_from_annotation(self.items)


def place_from_annotation(annotation: Any) -> SubmissionPlace:
    """Return the place of a field with an annotation. An optional field counts as given."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return place_from_annotation(arguments[0])
    if origin in (Union, UnionType):
        parts = [place_from_annotation(part) for part in arguments if part is not NoneType]
        if len(parts) == 1:
            return parts[0]
        mapping = next((part for part in parts if part.fields is not None), None)
        if mapping is not None:  # a short form in text is read as a mapping (`evidence.stated`)
            return mapping
        return SubmissionPlace(kinds=frozenset[str]().union(*(part.kinds for part in parts)))
    if origin is Literal:
        return SubmissionPlace(kinds=frozenset({"text"}), choices=frozenset(arguments))
    if origin is list:
        return SubmissionPlace(kinds=frozenset({"list"}), items=arguments[0])
    if origin is dict:
        return SubmissionPlace(kinds=frozenset({"mapping"}), values=arguments[1])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return SubmissionPlace(kinds=frozenset({"mapping"}), fields=annotation)
    if annotation in _SCALAR_KINDS:
        return SubmissionPlace(kinds=frozenset({_SCALAR_KINDS[annotation]}))
    if annotation is date:
        return SubmissionPlace(kinds=frozenset({"text", "day"}))
    return SubmissionPlace(kinds=frozenset({"text", "payout"}))  # odds, which are written as text


@cache
def _submission() -> SubmissionPlace:
    return place_from_annotation(Submission)


def resolve_place(path: str, around: Sequence[SubmissionPlace] = ()) -> SubmissionPlace | None:
    """Return the place that a dotted path leads to; None if it leads nowhere.

    Args:
        path: Keys with dots; leading dots count the lists it is relative to.
        around: Items of the lists around the path, the outermost first.
    """
    if path == EARLIER:
        return _submission()
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return None
    place = around[-dots] if dots else _submission()
    for key in path.lstrip(".").removeprefix("" if dots else _EARLIER_PREFIX).split("."):
        child = place if not key and dots else place.get_child(key)
        if child is None:
            return None
        place = child
    return place


def find_place_problems(model: BaseModel, here: DataPath) -> Iterator[PlaceProblem]:
    """Yield the problems of conditions and quantities on a submission whose places never have the required values."""
    for key, value in iterate_set_keys(model):
        if isinstance(value, BaseModel | list | dict):
            yield from _check_value(value, (*here, key))


def _check_value(value: object, here: DataPath) -> Iterator[PlaceProblem]:
    if isinstance(value, SubmissionCondition):
        for look in SUBMISSION_OPERATORS.iterate_lookups(value, here):
            yield from _check_reference(look)
    elif isinstance(value, BaseModel):
        if isinstance(value, Quantity) and value.operator == "submitted":
            yield from _check_kind(resolve_place(value.operand), value.operand, "number", (*here, "submitted"))
        yield from find_place_problems(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check_value(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _check_value(item, (*here, key))


def _check_reference(look: PlaceLookup) -> Iterator[PlaceProblem]:
    """Yield the problems of a place that a condition refers to; none if its outer list does not exist."""
    around: tuple[SubmissionPlace, ...] = ()
    for list_ in look.lists:
        outer = resolve_place(list_, around)
        item = None if outer is None else outer.get_item()
        if item is None:
            return
        around = (*around, item)
    place, value = resolve_place(look.path, around), look.value
    if place is None and (path := _suggest_dots(look.path, around)) is not None:
        yield look.at, f"{_format_unknown_place(look.path)}; did you mean `{path}`?"
        return
    if value is not None:
        yield from _check_comparison(value, place, around, look.at[:-1])
    elif place is None or look.required_kind:
        yield from _check_kind(place, look.path, look.required_kind, look.at)


def _suggest_dots(path: str, around: Sequence[SubmissionPlace]) -> str | None:
    """Return the path with another number of leading dots that leads to a place; None if there is none."""
    paths = ("." * dots + path.lstrip(".") for dots in range(len(around), -1, -1))
    return next((other for other in paths if resolve_place(other, around) is not None), None)


def _check_comparison(
    value: Value, place: SubmissionPlace | None, around: Sequence[SubmissionPlace], here: DataPath
) -> Iterator[PlaceProblem]:
    bound, operand, operand_path = SUBMISSION_OPERATORS.find(value), value.operand, (*here, *value.bound_path)
    needed = bound.required_kind
    if bound.compares_order:
        needed = "day" if place is not None and "day" in place.kinds else "number"
    if place is None or (needed and needed not in place.kinds):
        yield from _check_kind(place, value.at, needed, (*here, "at"))
        return
    compared = place.get_item() if needed == "list" else place
    if bound.refers_to_value and operand == value.at:
        yield operand_path, f"`{operand}` is compared with itself"
    elif bound.refers_to_value and bound.compares_order:
        yield from _check_kind(resolve_place(operand, around), operand, needed, operand_path)
    elif bound.refers_to_value:
        other_place = resolve_place(operand, around)
        if other_place is None or compared is None:
            yield operand_path, _format_unknown_place(operand)
        elif not other_place.kinds & compared.kinds:
            yield operand_path, f"{_format_place(operand)} {_format_kinds(other_place)}, not {_format_kinds(compared)}"
    elif compared is not None and needed != "text":
        for name in bound.list_values(operand):
            if not _may_hold(compared, name):
                near = find_similar(str(name), compared.choices or ())
                meant = f"; did you mean `{near}`?" if near else ""
                message = f"{_format_place(value.at)} {_format_kinds(compared)}, not {json.dumps(name)}{meant}"
                yield operand_path, message


def _may_hold(place: SubmissionPlace, value: object) -> bool:
    """Return whether a place may have a value."""
    if _SCALAR_KINDS[type(value)] not in place.kinds:
        return False
    return place.choices is None or value in place.choices


def _check_kind(place: SubmissionPlace | None, path: str, kind: str, here: DataPath) -> Iterator[PlaceProblem]:
    if place is None:
        yield here, _format_unknown_place(path)
    elif kind not in place.kinds:
        yield here, f"{_format_place(path)} {_format_kinds(place)}, but {_ARTICLES.get(kind, f'a {kind}')} is required"


def _format_unknown_place(path: str) -> str:
    return f"`{path}` is not a place of a submission"


def _format_place(path: str) -> str:
    return f"`{path}` is"


_ARTICLES = {"yes or no": "yes or no", "payout": "odds"}


def _format_kinds(place: SubmissionPlace) -> str:
    if place.choices is not None:
        return f"one of {', '.join(sorted(place.choices))}"
    return " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in sorted(place.kinds))


PlaceKeys: TypeAlias = tuple[str, ...]
"""A place of a submission: the keys that lead there, `EACH` for every item of a list."""

EACH_ITEM = "*"
"""Placeholder key for every item of a list."""
_SUBMISSION_EVIDENCE = frozenset({Evidence.SUBMISSION, Evidence.ATTESTATION})
_SUBMISSION_KEYS = frozenset(to_key(name) for name in Submission.model_fields)


class RequiredPlaces(Struct, frozen=True, kw_only=True):
    """Places and values of a submission that rules refer to."""

    places: frozenset[PlaceKeys]
    """Places that rules refer to, and all places that lead there."""
    values: Mapping[PlaceKeys, tuple[Any, ...]]
    """Values that rules expect at a place, as a file states them, in the order of the rules."""
    requirements_by_key: Mapping[str, tuple[tuple[PlaceKeys, Requirement], ...]]
    """Requirements on submissions with the place they concern, by its first key."""


def collect_required_places(regulation: Regulation, day: date) -> RequiredPlaces:
    """Collect the places and values that the rules of a document refer to, for a submission that takes effect on a
    day."""
    words: dict[PlaceKeys, dict[Any, None]] = {}
    by_key: dict[str, dict[str, tuple[PlaceKeys, Requirement]]] = {}
    applicable = [
        requirement
        for requirement in regulation.requirements
        if regulation.is_in_force(requirement, day)
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
                words.setdefault(place, {}).update(dict.fromkeys(_write_value(place, word) for word in value))
    return RequiredPlaces(
        places=frozenset(place[:length] for place in words for length in range(1, len(place) + 1)),
        values={place: tuple(values) for place, values in words.items()},
        requirements_by_key={key: tuple(entries.values()) for key, entries in by_key.items()},
    )


def _write_value(place: PlaceKeys, value: Any) -> Any:
    """Return a value of a place as a file states it: money in units of the currency."""
    is_money = place[-1] in find_money_keys() and type(value) is int
    return write_money(value) if is_money else value


def resolve_keys(path: str, around: tuple[PlaceKeys, ...]) -> PlaceKeys:
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


def list_values(
    condition: SubmissionCondition, around: tuple[PlaceKeys, ...] = ()
) -> Iterator[tuple[PlaceKeys, Value | None]]:
    """Yield every place that a condition refers to, with its test if it tests a value."""
    for look in SUBMISSION_OPERATORS.iterate_lookups(condition):
        within = around
        for list_ in look.lists:
            within = (*within, (*resolve_keys(list_, within), EACH_ITEM))
        yield resolve_keys(look.path, within), look.value


def may_apply(regulation: Regulation, condition: SubmissionCondition | None) -> bool:
    """Return whether a condition may hold for some submission under the readings in force."""
    return condition is None or SUBMISSION_OPERATORS.may_hold(condition, regulation)


def _list_required_places(requirement: Requirement) -> Iterator[PlaceKeys]:
    """Yield the places that a requirement needs, and the places of choices that make it apply."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "submitted":
            yield from (place for place, _ in list_values(check.must) if place)
            conditions = [] if check.when is None else [place for place, _ in list_values(check.when)]
            yield from (
                place for place in conditions if place and place[0] in _SUBMISSION_KEYS and EACH_ITEM not in place
            )
        case "alike":
            yield resolve_keys(check.at, ())
        case "pay-tables" | "publications":
            yield ("pay-tables",)
        case "signs":
            yield ("layout", "signage")
        case _:
            return


def _list_tested_places(model: BaseModel) -> Iterator[tuple[PlaceKeys, list[Any]]]:
    """Yield every place of a submission that a model of the rulebook refers to, with the expected values."""
    for part in _list_outermost_models(model):
        if isinstance(part, SubmissionCondition):
            for place, value in list_values(part):
                yield place, [] if value is None else _list_expected_values(value)
        elif isinstance(part, OptionIs):
            yield ("options", part.name), [part.is_]
        elif isinstance(part, Quantity) and part.operator == "submitted":
            yield resolve_keys(part.operand, ()), []
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
    is_complete = SUBMISSION_OPERATORS.find(value).names_items and SUBMISSION_OPERATORS.find(value).fixes_value
    return [] if is_complete else list(SUBMISSION_OPERATORS.find(value).list_values(value.operand))


def _get_common_prefix(places: list[PlaceKeys]) -> PlaceKeys:
    """Return the longest common prefix of places, up to the first list."""
    first, *others = places
    length = 0
    while length < len(first) and all(other[: length + 1] == first[: length + 1] for other in others):
        length += 1
    prefix = first[:length]
    return prefix[: prefix.index(EACH_ITEM)] if EACH_ITEM in prefix else prefix


PermittedWords: TypeAlias = tuple[str, ...]
"""Words in the order of the rules."""


def collect_permitted_words(regulation: Regulation) -> dict[PlaceKeys, PermittedWords]:
    """Return the words that requirements permit, by place, in the order of the rules.

    Only requirements count that are always in force and depend on nothing else in the submission.
    """
    words_by_place: dict[PlaceKeys, PermittedWords] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator != "submitted" or not _is_always_in_force(requirement):
            continue
        check = requirement.check.operand
        if check.when is not None and not may_apply(regulation, check.when):
            continue
        conditions = set() if check.when is None else {place for place, _ in list_values(check.when)}
        for place, words in _list_permitted(check.must, ()):
            if conditions <= {place, place[:-1]}:
                words_by_place[place] = tuple(word for word in words_by_place.get(place, words) if word in words)
    return words_by_place


def collect_permitted_rows(regulation: Regulation) -> Mapping[str, PermittedWords]:
    """Return the rows that pay tables may have, by line, in printed order.

    Only lines count for which a requirement demands one of the printed tables exactly, in every submission.
    """
    rows_by_line: dict[str, PermittedWords] = {}
    for requirement in regulation.requirements:
        if (
            requirement.check.operator == "pay-tables"
            and _is_always_in_force(requirement)
            and regulation.game is not None
        ):
            check = requirement.check.operand
            if check.match == "exactly" and check.when is None:
                rows = dict.fromkeys(row for name in check.one_of for row in regulation.game.pay_tables[name].rows)
                rows_by_line[check.of] = tuple(row for row in rows_by_line.get(check.of, tuple(rows)) if row in rows)
    return rows_by_line


def _is_always_in_force(requirement: Requirement) -> bool:
    return requirement.from_ is None and requirement.until is None


def _list_permitted(
    condition: SubmissionCondition, around: tuple[PlaceKeys, ...]
) -> Iterator[tuple[PlaceKeys, PermittedWords]]:
    """Yield the places at which a condition permits only some words, with these words."""
    operand, meaning = condition.operand, SUBMISSION_OPERATORS.find(condition)
    if isinstance(operand, Value) and not operand.at.startswith(f"{EARLIER}."):
        words = _list_required_words(operand)
        if words:
            place = resolve_keys(operand.at, around)
            yield (*place, EACH_ITEM) if SUBMISSION_OPERATORS.find(operand).names_items else place, words
    list_ = meaning.find_list_path(operand)
    if list_ is None:
        within = around
    elif operand.when is None:
        within = (*around, (*resolve_keys(list_, around), EACH_ITEM))
    else:
        return
    for part in meaning.list_parts(operand):
        if part.is_binding:
            yield from _list_permitted(part.condition, within)


def _list_required_words(value: Value) -> PermittedWords:
    """Return the words that a value must be one of; none if other values are possible."""
    names = (
        SUBMISSION_OPERATORS.find(value).list_values(value.operand)
        if SUBMISSION_OPERATORS.find(value).is_exhaustive
        else ()
    )
    return tuple(names) if all(isinstance(word, str) for word in names) else ()


EnclosingLists: TypeAlias = tuple[PlaceKeys, ...]
"""Places of the list items around a condition, the outermost first."""


class SoleValue(Struct, frozen=True, kw_only=True):
    """The only lawful value of a place."""

    place: PlaceKeys
    """The place."""
    value: Any
    """The value, as a file states it."""
    requirement: Requirement
    """The requirement that fixes it."""
    list_item: tuple[str, str] | None = None
    """Key and value that identify the list item to which it applies; None outside lists."""
    only_if_stated: bool = False
    """True if the licensee may leave out the place."""


def find_sole_values(regulation: Regulation, day: date) -> list[SoleValue]:
    """Return the only lawful values, in the order of the requirements in force on a day.

    A value that depends on another place of the submission is a choice, and is not included.
    """
    by_place: dict[tuple[PlaceKeys, tuple[str, str] | None], list[SoleValue]] = {}
    for requirement in regulation.requirements:
        if requirement.check.operator == "submitted" and regulation.is_in_force(requirement, day):
            check = requirement.check.operand
            if not may_apply(regulation, check.when):
                continue
            conditions = set() if check.when is None else {place for place, _ in list_values(check.when)}
            for sole_value in _list_required_values(regulation, check.must, (), requirement):
                if conditions <= {sole_value.place}:
                    qualified = replace(sole_value, only_if_stated=sole_value.only_if_stated or bool(conditions))
                    by_place.setdefault((sole_value.place, sole_value.list_item), []).append(qualified)
    return [
        candidates[0]
        for candidates in by_place.values()
        if all(candidate.value == candidates[0].value for candidate in candidates)
    ]


def _list_required_values(
    regulation: Regulation, condition: SubmissionCondition, around: EnclosingLists, requirement: Requirement
) -> Iterator[SoleValue]:
    """Yield the values without which a condition does not hold."""
    operand, meaning = condition.operand, SUBMISSION_OPERATORS.find(condition)
    if isinstance(operand, Value) and SUBMISSION_OPERATORS.find(operand).fixes_value:
        place = resolve_keys(operand.at, around)
        yield SoleValue(place=place, value=_write_value(place, operand.operand), requirement=requirement)
    list_ = meaning.find_list_path(operand)
    binding = [part.condition for part in meaning.list_parts(operand) if part.is_binding]
    if list_ is None:
        for part in binding:
            yield from _list_required_values(regulation, part, around, requirement)
    elif binding and not around:
        within = (*resolve_keys(list_, ()), EACH_ITEM)
        identified = _identify_item(operand.when, within)
        if identified is None:
            return
        item, stated = identified
        for part in binding:
            for sole_value in _list_required_values(regulation, part, (within,), requirement):
                if stated <= {sole_value.place} and sole_value.list_item is None:
                    yield replace(sole_value, list_item=item, only_if_stated=bool(stated))


def _identify_item(
    where: SubmissionCondition | None, within: PlaceKeys
) -> tuple[tuple[str, str], set[PlaceKeys]] | None:
    """Return the key and value that identify the list items of a condition, and the places that must be stated.

    The result is None if other conditions select the items.
    """
    item: tuple[str, str] | None = None
    stated: set[PlaceKeys] = set()
    for part in () if where is None else SUBMISSION_OPERATORS.find(where).list_conjuncts(where):
        value = part.operand
        if isinstance(SUBMISSION_OPERATORS.find(part), ValueIsStated):
            stated.add(resolve_keys(value, (within,)))
        elif (
            isinstance(value, Value)
            and SUBMISSION_OPERATORS.find(value).fixes_value
            and isinstance(value.operand, str)
            and item is None
        ):
            place = resolve_keys(value.at, (within,))
            if len(place) != len(within) + 1:
                return None
            item = (place[-1], value.operand)
        else:
            return None
    return None if item is None else (item, stated)
