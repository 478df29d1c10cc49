"""Pydantic's errors in plain words, placed on the data.

Pydantic's locations name options of unions along with keys and indices. This module follows the types of the model
next to the location, so that each problem lands on the right part of the file. Of a union it reports only the option
that fits best.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypeGuard, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, RootModel, Tag
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from fairdeal.validator.text.closed_model import AbbreviatedModel, ClosedModel
from fairdeal.validator.text.diagnostics import find_similar, quote
from fairdeal.validator.text.plain_values import MONEY_EXPECTED
from fairdeal.validator.text.positioned_document import Data, DataPath

_MAX_SHOWN = 10
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "float_type": "a number",
    "money_type": MONEY_EXPECTED,
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "date_type": "a day such as 2024-01-31",
    "date_parsing": "a day such as 2024-01-31",
    "date_from_datetime_parsing": "a day such as 2024-01-31",
    "time_type": "a time such as 13:30",
    "time_parsing": "a time such as 13:30",
    "datetime_type": "a day and time such as 2024-01-31T13:30:00",
    "datetime_parsing": "a day and time such as 2024-01-31T13:30:00",
    "datetime_from_date_parsing": "a day and time such as 2024-01-31T13:30:00",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "none_required": "nothing",
}
_BOUNDS = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "at least {}"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "at most {}"),
    "multiple_of": ("multiple_of", "a multiple of {}"),
    "string_pattern_mismatch": ("pattern", "text of the form {}"),
}
_LENGTHS = {
    "string_too_short": ("min_length", "at least", "character"),
    "string_too_long": ("max_length", "at most", "character"),
    "too_short": ("min_length", "at least", "entry"),
    "too_long": ("max_length", "at most", "entry"),
}
_PLURAL = {"character": "characters", "entry": "entries"}
_CHOICES = frozenset(("literal_error", "enum"))
_OWN_ERRORS = frozenset(("value_error", "assertion_error"))
_UNQUOTED_FORMS = {
    "a whole number": re.compile(r"-?[0-9]{1,19}"),
    "a number": re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?"),
    "true or false": re.compile("true|false"),
}
_SUBJECT = re.compile("^(Input|Value|String) ")
_QUOTED_CHOICE = re.compile(r"'([^']*)'")


class ProblemText(Struct, frozen=True, kw_only=True):
    """A problem in words, without its place."""

    code: str
    """Kind of the problem."""
    message: str
    """The problem in one sentence."""
    expected: str | None = None
    """Expected values, if that helps."""
    help: str | None = None
    """Remedy, if one is known."""


def describe_error(details: ErrorDetails, hint: Any, value: Data, path: DataPath) -> ProblemText:
    """Describe a value at a path by pydantic's error about it; `hint` is the expected type."""
    kind, context = details["type"], details.get("ctx", {})
    if kind in _TYPES:
        return describe_wrong_type(_TYPES[kind], value, path)
    if kind in _CHOICES:
        return describe_unknown_value(value, _list_choices(details, hint), path)
    if kind in _BOUNDS:
        key, form = _BOUNDS[kind]
        return _describe_out_of_bounds(f"must be {form.format(context[key])}", describe_found(value), path)
    if kind in _LENGTHS and isinstance(value, (str, list, dict)):
        key, bound, unit = _LENGTHS[kind]
        requirement = f"must have {bound} {context[key]:,} {unit if context[key] == 1 else _PLURAL[unit]}"
        return _describe_out_of_bounds(requirement, f"{len(value):,}", path)
    if kind == "missing":
        return ProblemText(code="out-of-bounds", message=f"{name_subject(path)} has too few entries")
    if kind in _OWN_ERRORS:
        return ProblemText(code="invalid-value", message=str(context["error"]))
    message = _SUBJECT.sub(f"{name_subject(path)} ", details["msg"])
    return ProblemText(code="invalid-value", message=message)


def describe_wrong_type(expected: str, value: Data, path: DataPath) -> ProblemText:
    """Describe a value of another type than `expected`."""
    return ProblemText(
        code="wrong-type",
        message=f"{name_subject(path)} must be {expected}, found {describe_found(value)}",
        help=_suggest_remedy(expected, value),
    )


def describe_unknown_value(value: Data, choices: Sequence[str], path: DataPath) -> ProblemText:
    """Describe a value that is none of the allowed ones."""
    if not isinstance(value, str):
        return describe_wrong_type(format_choices(choices), value, path)
    near = find_similar(value, choices)
    return ProblemText(
        code="unknown-value",
        message=f"{quote(value)} is not a value of {name_subject(path)}",
        expected=format_choices(choices),
        help=None if near is None else f"did you mean {quote(near)}?",
    )


def describe_unknown_key(
    key: str, unused: Sequence[str], what: str, *, alone: bool = False
) -> tuple[ProblemText, str | None]:
    """Describe an unknown key, and return the unused key that was probably meant, if any.

    Args:
        key: The unknown key.
        unused: Keys that the mapping does not have yet.
        what: What the message calls the mapping.
        alone: True if the key has no value; it may then be the rest of a text.
    """
    near = find_similar(key, unused)
    help_: str | None
    if near is not None:
        help_ = f"did you mean {quote(near)}?"
    elif alone:
        help_ = "inside { } a text with a comma must be in quotes"
    else:
        help_ = None if unused else "remove it"
    said = ProblemText(
        code="unknown-key",
        message=f"{quote(key)} is not a key of {what}",
        expected=format_choices(unused) if unused else None,
        help=help_,
    )
    return said, near


def describe_missing_key(key: str, what: str, choices: Sequence[str] = ()) -> ProblemText:
    """Describe a missing key, whose value is one of `choices` if they are known."""
    return ProblemText(
        code="missing-key",
        message=f"{what} needs the key {quote(key)}",
        expected=format_choices(choices) if choices else None,
    )


def describe_missing_tag(choices: Sequence[str]) -> ProblemText:
    """Describe a mapping without a key that states which of several kinds it is."""
    return ProblemText(
        code="missing-key", message="no key of this mapping states its kind", expected=format_choices(choices)
    )


def describe_misfits(misfits: Iterable[tuple[Any, ErrorDetails]], value: Data, path: DataPath) -> ProblemText:
    """Describe a value that fits none of several types, given with pydantic's error about each."""
    expected = dict.fromkeys(
        format_choices(_list_choices(details, hint)) if details["type"] in _CHOICES else _TYPES[details["type"]]
        for hint, details in misfits
        if details["type"] in _CHOICES or details["type"] in _TYPES
    )
    *others, last = expected
    return describe_wrong_type(f"{', '.join(others)} or {last}" if others else last, value, path)


def is_misfit(details: ErrorDetails, value: Data) -> bool:
    """Return whether an error means that the value has a completely different type."""
    return details["type"] in _TYPES or (details["type"] in _CHOICES and not isinstance(value, str))


def name_subject(path: DataPath) -> str:
    """Return what messages call the value at a path: its key, its number in a list, or the file."""
    if not path:
        return "the file"
    last = path[-1]
    return quote(last) if isinstance(last, str) else f"item {last + 1} of {name_subject(path[:-1])}"


def format_choices(choices: Sequence[str]) -> str:
    """Return `one of a, b, c`, shortened if there are many."""
    more = f" and {len(choices) - _MAX_SHOWN} more" if len(choices) > _MAX_SHOWN else ""
    return f"{'one of ' if len(choices) > 1 else ''}{', '.join(choices[:_MAX_SHOWN])}{more}"


def describe_found(value: Data) -> str:
    """Return what messages call a value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quote(value)}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"the number {value}"


def _describe_out_of_bounds(requirement: str, found_text: str, path: DataPath) -> ProblemText:
    return ProblemText(code="out-of-bounds", message=f"{name_subject(path)} {requirement}, found {found_text}")


def _list_choices(details: ErrorDetails, hint: Any) -> list[str]:
    """Return the allowed values, from the type or, if that is unknown, from pydantic's own sentence."""
    known = [str(choice) for choice in list_allowed_values(hint)]
    return known or _QUOTED_CHOICE.findall(str(details.get("ctx", {}).get("expected", "")))


def _suggest_remedy(expected: str, value: Data) -> str | None:
    """Return the small change that makes the value fit, if one is known."""
    if expected == "text" and isinstance(value, (bool, int, Decimal)):
        return "put it in quotes"
    if expected == "a whole number" and isinstance(value, Decimal):
        return "write it in digits alone"
    bare = _UNQUOTED_FORMS.get(expected)
    if bare is not None and isinstance(value, str) and bare.fullmatch(value):
        return "remove the quotes"
    if expected == "a list" and value is not None:
        return "write its items in square brackets" if isinstance(value, dict) else "write it in square brackets"
    return None


_KEY_MARK = "[key]"
_KEYS_COMPARED = 20


class ModelProblem(Struct, frozen=True, kw_only=True):
    """A problem of the data with respect to the model."""

    path: DataPath
    """Path of the value."""
    text: ProblemText
    """The problem in words."""
    at_key: bool = False
    """True if the problem concerns the key at the path."""


class _Error(NamedTuple):
    """An error of pydantic's."""

    tail: tuple[int | str, ...]
    """Rest of its location."""
    details: ErrorDetails
    """Pydantic's description."""

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def context(self) -> dict[str, Any]:
        return self.details.get("ctx", {})

    def descend(self) -> _Error:
        return _Error(self.tail[1:], self.details)


def explain_errors(errors: Iterable[ErrorDetails], hint: Any, value: Data, path: DataPath) -> list[ModelProblem]:
    """Explain pydantic's errors about a value at a path, which should have the type `hint`."""
    return _explain([_Error(error["loc"], error) for error in errors], hint, value, path)


def _explain(errors: list[_Error], hint: Any, value: Data, path: DataPath) -> list[ModelProblem]:
    hint = unwrap_hint(hint)
    written = value
    if isinstance(hint, type) and issubclass(hint, AbbreviatedModel):
        value = hint.write_out(value)
    members = list_union_options(hint)
    explained = [_explain_value(error, hint, value, path, written) for error in errors if not error.tail]
    groups: dict[int | str, list[_Error]] = {}
    for error in errors:
        if error.tail:
            groups.setdefault(error.tail[0], []).append(error.descend())
    if members and groups:
        return explained + _explain_union(groups, members, value, path)
    if is_model(hint) and isinstance(value, dict):
        return explained + _explain_model(groups, hint, value, path, written)
    for part, inner in groups.items():
        explained += _explain_part(inner, hint, value, path, part)
    return explained


def _explain_value(error: _Error, hint: Any, value: Data, path: DataPath, written: Data) -> ModelProblem:
    """Explain an error about the value itself; `written` is the value of the file that it was written out from."""
    if isinstance(hint, type) and issubclass(hint, AbbreviatedModel):
        refused = hint.find_refused_key(written)
        if refused is not None:
            text = ProblemText(code="invalid-value", message=refused[1])
            return ModelProblem(path=(*path, refused[0]), text=text, at_key=True)
    if error.kind in ("union_tag_invalid", "union_tag_not_found"):
        return _explain_tag(error, list_union_options(hint), value, path)
    return ModelProblem(
        path=path, text=describe_error(error.details, hint, value, path), at_key=isinstance(value, (dict, list))
    )


def _explain_model(
    groups: dict[int | str, list[_Error]], model: type[BaseModel], value: dict[str, Data], path: DataPath, written: Data
) -> list[ModelProblem]:
    """Explain errors about the parts of a mapping; `written` is the value of the file that it was written out from."""
    fields = map_keys_to_fields(model)
    unused = [key for key in list_written_keys(model) if key not in value]
    helps = _collect_key_help(model)
    explained: list[ModelProblem] = []
    suggested: set[str | None] = set()
    for part in groups:
        if part not in fields and part in value:
            said, suggestion = describe_unknown_key(
                str(part), unused, describe_model(model), alone=value[str(part)] is None
            )
            explained.append(ModelProblem(path=(*path, part), text=said, at_key=True))
            suggested.add(suggestion)
    for part, errors in groups.items():
        if part in fields and part in value:
            key = str(part)
            # the content of a key that the file leaves out is in its place
            is_written = value is written or (isinstance(written, dict) and key in written)
            explained += _explain(errors, fields[key].annotation, value[key], (*path, key) if is_written else path)
        elif part in fields and part not in suggested:
            explained.append(
                ModelProblem(
                    path=path,
                    text=replace(describe_missing_key(str(part), describe_model(model)), help=helps.get(str(part))),
                    at_key=True,
                )
            )
        elif part not in fields and part not in value:
            explained += _explain(errors, None, value, path)
    return [
        _add_key_help(problem, helps) if problem.path and problem.path[:-1] == path else problem
        for problem in explained
    ]


def list_written_keys(model: type[BaseModel]) -> list[str]:
    """Return the keys that a file may write for a mapping, with those of parts whose own key it leaves out."""
    keys: list[str] = []
    for key, field in map_keys_to_fields(model).items():
        inner = unwrap_hint(field.annotation)
        if not issubclass(model, ClosedModel) or key not in model.UNWRITTEN:
            keys.append(key)
        elif is_model(inner):
            keys += list_written_keys(inner)
    return keys


def _collect_key_help(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the help for keys of a mapping, and of parts whose own key a file leaves out."""
    if not issubclass(model, ClosedModel):
        return {}
    parts = [
        unwrap_hint(field.annotation) for key, field in map_keys_to_fields(model).items() if key in model.UNWRITTEN
    ]
    inner = [_collect_key_help(part) for part in parts if is_model(part)]
    return {**model.KEY_HELP, **{key: text for helps in inner for key, text in helps.items()}}


def _add_key_help(problem: ModelProblem, helps: Mapping[str, str]) -> ModelProblem:
    """Return the problem of a key or its value with the help of its model; a similar value is the better help."""
    known = helps.get(str(problem.path[-1]))
    is_helped = problem.text.code == "unknown-value" and problem.text.help is not None
    return problem if known is None or is_helped else replace(problem, text=replace(problem.text, help=known))


def _explain_part(errors: list[_Error], hint: Any, value: Data, path: DataPath, part: int | str) -> list[ModelProblem]:
    """Explain errors about an entry of a mapping or list; about the value itself if it has no such entry."""
    if isinstance(value, dict) and isinstance(part, str) and part in value:
        explained = [
            ModelProblem(path=(*path, part), text=describe_error(error.details, None, part, path), at_key=True)
            for error in errors
            if error.tail[:1] == (_KEY_MARK,)
        ]
        rest = [error for error in errors if error.tail[:1] != (_KEY_MARK,)]
        return explained + _explain(rest, get_part_hint(hint, part), value[part], (*path, part))
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return _explain(errors, get_part_hint(hint, part), value[part], (*path, part))
    return _explain(errors, hint, value, path)


def _explain_union(
    groups: dict[int | str, list[_Error]], members: tuple[Any, ...], value: Data, path: DataPath
) -> list[ModelProblem]:
    """Explain errors about the option that fits best, or state that none fits."""
    labels = [str(label) for label in groups]
    # If pydantic tried every option, use its order; names would not distinguish two lists.
    hints = members if len(members) == len(labels) else [find_union_option(members, label) for label in labels]
    tried = list(zip(hints, groups.values(), strict=True))
    fitting = [
        (hint, errors)
        for hint, errors in tried
        if not any(not error.tail and is_misfit(error.details, value) for error in errors)
    ]
    if fitting:
        outcomes = [_explain(errors, hint, value, path) for hint, errors in fitting]
        return min(outcomes, key=lambda outcome: (len(outcome), all(item.text.help is None for item in outcome)))
    misfits = [(unwrap_hint(hint), error.details) for hint, errors in tried for error in errors if not error.tail]
    return [
        ModelProblem(path=path, text=describe_misfits(misfits, value, path), at_key=isinstance(value, (dict, list)))
    ]


def _explain_tag(error: _Error, members: tuple[Any, ...], value: Data, path: DataPath) -> ModelProblem:
    """Explain a union whose option cannot be determined from the value."""
    if not isinstance(value, dict):
        return ModelProblem(path=path, text=describe_wrong_type("a mapping", value, path))
    discriminator = error.context["discriminator"]
    # Pydantic puts a key in quotes and a function not.
    key = discriminator.strip("'") if discriminator.startswith("'") else None
    known = list(dict.fromkeys(tag for hint in members for tag in list_tags(hint, key)))
    if key is not None and key in value:
        return ModelProblem(path=(*path, key), text=describe_unknown_value(value[key], known, (*path, key)))
    for written in islice(value, _KEYS_COMPARED):
        said, near = describe_unknown_key(written, known if key is None else [key], "this mapping")
        if near is not None:
            return ModelProblem(path=(*path, written), text=said, at_key=True)
    said = describe_missing_tag(known) if key is None else describe_missing_key(key, "this mapping", known)
    return ModelProblem(path=path, text=said, at_key=True)


def unwrap_hint(hint: Any) -> Any:
    """Return a hint without wrappers that do not change the place of its parts: Annotated, aliases, NewType, Optional,
    root models."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif isinstance(hint, NewType):
            hint = hint.__supertype__
        elif hasattr(hint, "__value__"):
            hint = hint.__value__
        elif isinstance(hint, type) and issubclass(hint, RootModel):
            hint = hint.model_fields["root"].annotation
        elif _is_union(hint) and len(_list_union_members(hint)) == 1:
            hint = _list_union_members(hint)[0]
        else:
            return hint


def is_model(hint: Any) -> TypeGuard[type[BaseModel]]:
    """Return whether a bare hint is a model with keys."""
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def map_keys_to_fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the keys that a file uses for them."""
    return {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in model.model_fields.items()
    }


def list_union_options(hint: Any) -> tuple[Any, ...]:
    """Return the members of a bare union except None; empty for other hints."""
    return _list_union_members(hint) if _is_union(hint) else ()


def find_union_option(members: tuple[Any, ...], label: str) -> Any:
    """Return the member of a union that pydantic calls `label`, by its tag or name; None if there is none."""
    for hint in members:
        if label in list_tags(hint) or getattr(unwrap_hint(hint), "__name__", None) == label:
            return hint
    return None


def list_tags(hint: Any, discriminator: str | None = None) -> tuple[str, ...]:
    """Return the tags that select an option of a union.

    Args:
        hint: The option.
        discriminator: The key whose literal is the tag; if None, literals of any key count.

    Returns:
        Its Tag, or the literals of its discriminating key.
    """
    if get_origin(hint) is Annotated:
        named = tuple(item.tag for item in hint.__metadata__ if isinstance(item, Tag))
        if named:
            return named
    model = unwrap_hint(hint)
    if not is_model(model):
        return tuple(tag for inner in list_union_options(model) for tag in list_tags(inner, discriminator))
    return tuple(
        str(value)
        for key, field in map_keys_to_fields(model).items()
        if discriminator in (None, key)
        for value in list_allowed_values(field.annotation)
    )


def list_allowed_values(hint: Any) -> tuple[Any, ...]:
    """Return the values that a literal or an enumeration allows; empty for other hints."""
    hint = unwrap_hint(hint)
    if get_origin(hint) is Literal:
        return tuple(value.value if isinstance(value, Enum) else value for value in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()


def get_part_hint(hint: Any, part: str | int) -> Any:
    """Return the hint of an entry of a bare mapping, list or tuple hint; None if unknown."""
    origin, arguments = get_origin(hint), get_args(hint)
    if not isinstance(origin, type) or not arguments:
        return None
    if issubclass(origin, Mapping):
        return arguments[-1]
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return arguments[part] if isinstance(part, int) and part < len(arguments) else None
    return arguments[0] if issubclass(origin, Collection) else None


def describe_model(model: type[BaseModel]) -> str:
    """Return what messages call a model, from the name of its class: `PayTable` becomes `a pay table`.

    The operand of an operator that has a main part is next to it in a file, and called by the operator.
    """
    if issubclass(model, ClosedModel) and model.UNWRITTEN and not issubclass(model, AbbreviatedModel):
        return "this operator"
    words = " ".join(_CAMEL.findall(model.__name__)).lower() or "mapping"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, types.UnionType)


def _list_union_members(hint: Any) -> tuple[Any, ...]:
    return tuple(item for item in get_args(hint) if item is not type(None))
