"""Bodies of patterns with values in their holes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from validator.rulebook.vocabulary.pattern_model import ITEM, MARK, REPEATED, Pattern
from validator.text.trees.tree import Data, Path

BODIES = ("check", "fault")
"""The keys of a pattern whose values have holes."""
MAX_PARTS = 10_000
"""Values that one instance of a pattern may come to."""
_ABSENT = object()


class Argument(Struct, frozen=True, kw_only=True):
    """The value of a parameter, and where it stands in the file: nowhere, where the instance leaves it out."""

    value: Data
    at: Path | None


class Body(Struct, frozen=True, kw_only=True):
    """A body with values in its holes. `sources` has every part that came of the pattern, None, or of a parameter, with
    the place of its value in the file, None where the instance leaves it out."""

    data: Data
    sources: Mapping[Path, Path | None]


def filled(body: Data, arguments: Mapping[str, Argument]) -> Body:
    """The body of a pattern with the values of its parameters put in; what an absent one stands for is left out.

    Raises ValueError where it comes to more than `MAX_PARTS` values, as lists that are gone through within lists may.
    """
    sources: dict[Path, Path | None] = {}
    sizes = {name: sum(1 for _ in _places(one.value)) for name, one in arguments.items()}
    parts = 0

    def counted(more: int) -> None:
        nonlocal parts
        parts += more
        if parts > MAX_PARTS:
            raise ValueError(f"it comes to more than {MAX_PARTS:,} values")

    def fill(part: Data, known: Mapping[str, Argument], here: Path) -> Any:
        counted(1)
        name = marked(part)
        if name is not None:
            if name not in known:
                return _ABSENT
            counted(sizes[name] if known[name] is arguments[name] else 1)
            return put(known[name], here)
        sources[here] = None
        if isinstance(part, dict):
            inner = {key: fill(value, known, (*here, key)) for key, value in part.items()}
            return {key: value for key, value in inner.items() if value is not _ABSENT}
        if isinstance(part, list):
            items: list[Data] = []
            for item, own in (one for entry in part for one in _repeated(entry, known)):
                value = fill(item, own, (*here, len(items)))
                items += [] if value is _ABSENT else [value]
            return items
        return part

    def put(argument: Argument, here: Path) -> Data:
        if argument.at is None:
            sources.update({(*here, *path): None for path in _places(argument.value)})
        else:
            sources[here] = argument.at
        return argument.value

    return Body(data=fill(body, arguments, ()), sources=sources)


def marked(part: Data) -> str | None:
    """The parameter whose value a part of a body stands for, None where it is no mark."""
    return str(part[MARK]) if isinstance(part, dict) and set(part) == {MARK} else None


def sample(pattern: Pattern) -> dict[str, Data]:
    """The bodies of a pattern with something in every hole."""
    arguments = {key: Argument(value=one.sample, at=None) for key, one in pattern.parameters.items()}
    return {key: filled(body, arguments).data for key in BODIES if (body := getattr(pattern, key)) is not None}


def _places(value: Data, here: Path = ()) -> Iterator[Path]:
    """The places of a value and of all within it."""
    yield here
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(item, (*here, key))


def _repeated(item: Data, arguments: Mapping[str, Argument]) -> Iterator[tuple[Data, Mapping[str, Argument]]]:
    """An item of a list as often as it stands there, each time with what its marks stand for."""
    if not isinstance(item, dict) or REPEATED not in item:
        yield item, arguments
        return
    name = str(item[REPEATED])
    argument = arguments.get(name)
    if argument is not None and isinstance(argument.value, list):
        for number, one in enumerate(argument.value):
            at = None if argument.at is None else (*argument.at, number)
            yield item.get(ITEM), {**arguments, name: Argument(value=one, at=at)}
