"""Relations as wholes: rows chosen, columns laid end to end, codes of one column put in terms of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Flags, Ints, Ints32
from validator.evidence.columns.batch import Coded, Stakes

Relation = TypeVar("Relation", bound=Struct)


def rows(relation: Relation, chosen: Flags | Ints, **given: object) -> Relation:
    """A relation (a struct of columns) with the rows that `chosen` marks or lists, save for the columns that
    are given anew. What is not a column stays as it is."""
    cut = {name: _cut(getattr(relation, name), chosen) for name in relation.__struct_fields__ if name not in given}
    return replace(relation, **cut, **given)


def _cut(column: Any, chosen: Flags | Ints) -> Any:
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, tuple):
        return tuple(np.array(column, np.object_)[chosen].tolist())
    if isinstance(column, Coded):
        return Coded(codes=column.codes[chosen], names=column.names)
    return rows(column, chosen) if isinstance(column, Struct) else column[chosen]


def end_to_end(parts: Sequence[Relation]) -> Relation:
    """Relations of one kind as one. Columns of text must have been coded with one set of names, which only
    grew from part to part. Raises `IndexError` where there are no parts."""
    joined: Relation = _joined(parts)
    return joined


def _joined(parts: Sequence[Any]) -> Any:
    last = parts[-1]
    if len(parts) == 1 or isinstance(last, str):
        return last
    if isinstance(last, tuple):
        return tuple([value for part in parts for value in part])
    if isinstance(last, Coded):
        return Coded(codes=np.concatenate([part.codes for part in parts]), names=last.names)
    if not isinstance(last, Struct):
        return np.concatenate(parts)
    joined = {name: _joined([getattr(each, name) for each in parts]) for name in last.__struct_fields__}
    return replace(last, **joined)


def interleaved(wagers: Stakes, bonuses: Stakes) -> Stakes:
    """The stakes of every seat together, wagers before bonuses. Names as for `end_to_end`."""
    if not len(bonuses.seat):
        return wagers
    both = end_to_end([wagers, bonuses])
    return rows(both, np.argsort(both.seat, kind="stable"))


def translated(column: Coded, target: Coded) -> tuple[Ints32, tuple[str, ...]]:
    """int32[n]: the codes of a column as another would have them; and the names of those codes.

    Names the other does not have follow its own. ABSENT stays ABSENT.
    """
    if column.names == target.names[: len(column.names)]:
        return column.codes, target.names
    codes = {name: code for code, name in enumerate(target.names)}
    table = [codes.setdefault(name, len(codes)) for name in column.names]
    return np.array([*table, -1], np.int32)[column.codes], tuple(codes)
