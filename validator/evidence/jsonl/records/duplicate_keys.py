"""Detection of keys that occur twice in one object of a line.

The decoder silently takes the last of them. A look into every object would cost more than decoding, but counting is
cheap: outside of text, a line has one colon per key. If the colons of some lines equal the keys of their records plus
the colons of their text, no key occurs twice. Lines are examined one by one only if the counts differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from validator.evidence.columns.batch import Coded
from validator.evidence.handlog.context import written
from validator.evidence.handlog.record import RoundRecord


def may_be_doubled(texts: Sequence[bytes], columns: Iterable[Coded], *, keys: int, colons: int = 0) -> bool:
    """Return whether a key may occur twice in an object of some texts.

    Args:
        texts: the texts.
        columns: the columns of their strings. Cards have no colons, or are found malformed.
        keys: the number of keys found in the texts.
        colons: the number of colons in strings outside the columns.
    """
    joined = b"".join(texts)
    # An escaped colon counts in the string but not in the text, so it could hide a key.
    return b"\\" in joined or joined.count(b":") != keys + colons + sum(map(_count_column_colons, columns))


def colons_in(records: Sequence[RoundRecord]) -> int:
    """Count the colons in the strings of records that no column of text holds."""
    colons = sum([record.time.count(":") + record.round.count(":") for record in records])
    colons += sum([written(record.context).count(":") - len(record.context) for record in records if record.context])
    return colons + sum(
        [name.count(":") for record in records if record.annotations for name in record.annotations.planted]
    )


def _count_column_colons(column: Coded) -> int:
    if len(column.names) > len(column.codes):
        return sum([column.names[code].count(":") for code in column.codes.tolist() if code >= 0])
    table = np.array([*(name.count(":") for name in column.names), 0], np.int64)
    return int(table[column.codes].sum()) if table.any() else 0


def doubled_keys(lines: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the index of each line in which a key occurs twice, and the first such key."""
    for index, line in enumerate(lines):
        try:
            json.loads(line, object_pairs_hook=_check_distinct)
        except _DuplicateKeyError as error:
            yield index, error.key


class _DuplicateKeyError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _check_distinct(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise _DuplicateKeyError(key)
        keys.add(key)
