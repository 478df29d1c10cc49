"""Warnings about placeholder texts, and about evidence of examples that no example uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.cautions.caution import Caution
from validator.rules.core.regulation import Regulation
from validator.text.trees.tree import Data, Path, Tree

_PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME)\b|(?i:lorem ipsum)|^([.]{3,}|…)$")
_BASE_KEYS = frozenset({"base", "under"})


def unwritten(tree: Tree) -> Iterator[Caution]:
    """Yield a warning for every text of a file that is a placeholder, such as TODO."""
    for path, value in _walk(tree.data):
        if isinstance(value, str) and _PLACEHOLDER.search(value):
            yield Caution(
                code="placeholder-text",
                at=path,
                severity="warning",
                message="this text is a placeholder",
                help="replace it: readers of a report see it as it is",
            )


def idle_readings(regulation: Regulation, examples: Tree) -> Iterator[Caution]:
    """Yield warnings about readings that an example chooses as the document already does."""
    adopted = {name: reading.adopted for name, reading in regulation.readings.items()}
    for path, value in _walk(examples.data):
        if len(path) == 4 and path[0] == "examples" and path[2] == "readings" and adopted.get(str(path[3])) == value:
            yield Caution(
                code="redundant",
                at=path,
                severity="warning",
                message=f"{path[3]} is read as {value} even without this",
                help="name the other option that the example should show, or remove this",
            )


def unused_bases(bases: Tree, examples: Sequence[Tree]) -> Iterator[Caution]:
    """Yield warnings about submissions and rounds in the file of bases that no example starts from."""
    used = {
        value
        for tree in (bases, *examples)
        for path, value in _walk(tree.data)
        if path and path[-1] in _BASE_KEYS and isinstance(value, str)
    }
    for kind in ("submissions", "rounds"):
        bases_of_kind = bases.data.get(kind) if isinstance(bases.data, dict) else None
        for name in bases_of_kind if isinstance(bases_of_kind, dict) else ():
            if name not in used:
                yield Caution(
                    code="unused",
                    at=(kind, name),
                    severity="warning",
                    message=f"no example starts from {name}",
                    help="name it as `base` of an example, or as `under` of a file of examples; otherwise remove it",
                )


def _walk(data: Data) -> Iterator[tuple[Path, Data]]:
    pending: list[tuple[Path, Data]] = [((), data)]
    while pending:
        path, value = pending.pop()
        yield path, value
        if isinstance(value, dict):
            pending.extend([((*path, key), item) for key, item in value.items()][::-1])
        elif isinstance(value, list):
            pending.extend([((*path, index), item) for index, item in enumerate(value)][::-1])
