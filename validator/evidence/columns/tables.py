"""Operations on whole relations: choose rows, concatenate, translate codes."""

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
    """Return a relation (a struct of columns) with the rows that `chosen` marks or lists.

    Columns in `given` replace those of the relation. Fields that are not columns stay as they are.
    """
    cut = {
        name: _cut_column(getattr(relation, name), chosen) for name in relation.__struct_fields__ if name not in given
    }
    return replace(relation, **cut, **given)


def _cut_column(column: Any, chosen: Flags | Ints) -> Any:
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, tuple):
        return tuple(np.array(column, np.object_)[chosen].tolist())
    if isinstance(column, Coded):
        return Coded(codes=column.codes[chosen], names=column.names)
    return rows(column, chosen) if isinstance(column, Struct) else column[chosen]


def end_to_end(parts: Sequence[Relation]) -> Relation:
    """Concatenate relations of one kind.

    Columns of text must share one set of names, which only grew from part to part. Raises IndexError if there are no
    parts.
    """
    joined: Relation = _join(parts)
    return joined


def _join(parts: Sequence[Any]) -> Any:
    last = parts[-1]
    if len(parts) == 1 or isinstance(last, str):
        return last
    if isinstance(last, tuple):
        return tuple([value for part in parts for value in part])
    if isinstance(last, Coded):
        return Coded(codes=np.concatenate([part.codes for part in parts]), names=last.names)
    if not isinstance(last, Struct):
        return np.concatenate(parts)
    joined = {name: _join([getattr(each, name) for each in parts]) for name in last.__struct_fields__}
    return replace(last, **joined)


def interleaved(wagers: Stakes, bonuses: Stakes) -> Stakes:
    """Merge the stakes of every seat, wagers before bonuses. Names as for `concatenate_relations`."""
    if not len(bonuses.seat):
        return wagers
    both = end_to_end([wagers, bonuses])
    return rows(both, np.argsort(both.seat, kind="stable"))


def translated(column: Coded, target: Coded) -> tuple[Ints32, tuple[str, ...]]:
    """Translate the codes of a column to those of another, and return the names of the new codes.

    Names that the other column lacks follow its own. ABSENT stays ABSENT.

    Returns: int32[n] and the names.
    """
    if column.names == target.names[: len(column.names)]:
        return column.codes, target.names
    codes = {name: code for code, name in enumerate(target.names)}
    table = [codes.setdefault(name, len(codes)) for name in column.names]
    return np.array([*table, -1], np.int32)[column.codes], tuple(codes)
