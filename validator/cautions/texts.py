"""Texts that were to be written later, and evidence of examples that no example starts from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.cautions.caution import Caution
from validator.rules.core.regulation import Regulation
from validator.text.trees.tree import Data, Path, Tree

_LATER = re.compile(r"\b(TODO|TBD|FIXME)\b|(?i:lorem ipsum)|^([.]{3,}|…)$")
_STARTS = frozenset({"base", "under"})


def unwritten(tree: Tree) -> Iterator[Caution]:
    """Texts of a file that stand for others which are still to be written."""
    for path, value in _walk(tree.data):
        if isinstance(value, str) and _LATER.search(value):
            yield Caution(
                code="unwritten",
                at=path,
                severity="warning",
                message="this text is still to be written",
                help="write it; readers of a report see it as it stands",
            )


def idle_readings(regulation: Regulation, examples: Tree) -> Iterator[Caution]:
    """Readings that an example chooses as the document does, so that it shows nothing of another option."""
    adopted = {name: reading.adopted for name, reading in regulation.readings.items()}
    for path, value in _walk(examples.data):
        if len(path) == 4 and path[0] == "examples" and path[2] == "readings" and adopted.get(str(path[3])) == value:
            yield Caution(
                code="says-nothing",
                at=path,
                severity="warning",
                message=f"{path[3]} is read as {value} without this",
                help="name the other option that the example is to show, or leave this out",
            )


def unused_bases(bases: Tree, examples: Sequence[Tree]) -> Iterator[Caution]:
    """Submissions and rounds of the file of bases that no example starts from."""
    started = {
        value
        for tree in (bases, *examples)
        for path, value in _walk(tree.data)
        if path and path[-1] in _STARTS and isinstance(value, str)
    }
    for kind in ("submissions", "rounds"):
        named = bases.data.get(kind) if isinstance(bases.data, dict) else None
        for name in named if isinstance(named, dict) else ():
            if name not in started:
                yield Caution(
                    code="unused",
                    at=(kind, name),
                    severity="warning",
                    message=f"no example starts from {name}",
                    help="name it as `base` of an example, or as `under` of a file of examples; or take it away",
                )


def _walk(data: Data) -> Iterator[tuple[Path, Data]]:
    waiting: list[tuple[Path, Data]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if isinstance(value, dict):
            waiting.extend([((*path, key), item) for key, item in value.items()][::-1])
        elif isinstance(value, list):
            waiting.extend([((*path, index), item) for index, item in enumerate(value)][::-1])
