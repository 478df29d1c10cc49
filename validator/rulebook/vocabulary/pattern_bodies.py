"""Bodies of patterns filled with values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from validator.rulebook.vocabulary.pattern_model import ITEM, MARK, REPEATED, Pattern
from validator.text.trees.tree import Data, Path

BODIES = ("check", "fault")
"""Keys of a pattern whose values contain placeholders."""
MAX_PARTS = 10_000
"""Maximum number of values of one filled body."""
_OMITTED = object()


class Argument(Struct, frozen=True, kw_only=True):
    """The value of a parameter."""

    value: Data
    """The value."""
    at: Path | None
    """Place of the value in the file; None if the instance omits the parameter."""


class Body(Struct, frozen=True, kw_only=True):
    """A body filled with values."""

    data: Data
    """The filled body."""
    sources: Mapping[Path, Path | None]
    """For each part, the place in the file of the value that supplies it; None for parts of the pattern and defaults.
    """


def filled(body: Data, arguments: Mapping[str, Argument]) -> Body:
    """Fill the body of a pattern with the values of its parameters; parts of an omitted parameter are left out.

    Raises ValueError if the result has more than `MAX_PARTS` values, which nested repetitions may cause.
    """
    sources: dict[Path, Path | None] = {}
    sizes = {name: sum(1 for _ in _list_places(argument.value)) for name, argument in arguments.items()}
    parts = 0

    def count(more: int) -> None:
        nonlocal parts
        parts += more
        if parts > MAX_PARTS:
            raise ValueError(f"it has more than {MAX_PARTS:,} values")

    def fill(part: Data, arguments_here: Mapping[str, Argument], here: Path) -> Any:
        count(1)
        name = marked(part)
        if name is not None:
            if name not in arguments_here:
                return _OMITTED
            count(sizes[name] if arguments_here[name] is arguments[name] else 1)
            return insert(arguments_here[name], here)
        sources[here] = None
        if isinstance(part, dict):
            inner = {key: fill(value, arguments_here, (*here, key)) for key, value in part.items()}
            return {key: value for key, value in inner.items() if value is not _OMITTED}
        if isinstance(part, list):
            items: list[Data] = []
            for item, own in (expansion for entry in part for expansion in _expand_repetition(entry, arguments_here)):
                value = fill(item, own, (*here, len(items)))
                items += [] if value is _OMITTED else [value]
            return items
        return part

    def insert(argument: Argument, here: Path) -> Data:
        if argument.at is None:
            sources.update({(*here, *path): None for path in _list_places(argument.value)})
        else:
            sources[here] = argument.at
        return argument.value

    return Body(data=fill(body, arguments, ()), sources=sources)


def marked(part: Data) -> str | None:
    """Return the parameter that a part of a body is a placeholder for; None for other parts."""
    return str(part[MARK]) if isinstance(part, dict) and set(part) == {MARK} else None


def sample(pattern: Pattern) -> dict[str, Data]:
    """Build the bodies of a pattern with a sample value in every placeholder."""
    arguments = {key: Argument(value=parameter.sample, at=None) for key, parameter in pattern.parameters.items()}
    return {key: filled(body, arguments).data for key in BODIES if (body := getattr(pattern, key)) is not None}


def _list_places(value: Data, here: Path = ()) -> Iterator[Path]:
    """Yield the places of a value and of everything within it."""
    yield here
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _list_places(item, (*here, key))


def _expand_repetition(item: Data, arguments: Mapping[str, Argument]) -> Iterator[tuple[Data, Mapping[str, Argument]]]:
    """Yield an item of a list once for each repetition, with the arguments that apply to it."""
    if not isinstance(item, dict) or REPEATED not in item:
        yield item, arguments
        return
    name = str(item[REPEATED])
    argument = arguments.get(name)
    if argument is not None and isinstance(argument.value, list):
        for number, value in enumerate(argument.value):
            at = None if argument.at is None else (*argument.at, number)
            yield item.get(ITEM), {**arguments, name: Argument(value=value, at=at)}
