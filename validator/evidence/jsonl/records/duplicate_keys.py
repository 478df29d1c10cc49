"""Keys that stand twice in one object of a line.

The decoder takes the last and says nothing. Looking into every object would cost more than decoding it, but
counting is cheap: outside of text a line has as many colons as keys, so where the colons of some lines are
just the keys of their records and the colons of their text, no key stands twice. Only where the count differs
is each line looked into.
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
    """Whether a key may stand twice in some object of these texts.

    `keys` is how many keys were found in them. The colons of their strings are those of the columns, and
    `colons` besides; cards have none, or are found malformed.
    """
    joined = b"".join(texts)
    # An escaped colon is one in the string, but none in the text: it could make up for a key.
    return b"\\" in joined or joined.count(b":") != keys + colons + sum(map(_colons, columns))


def colons_in(records: Sequence[RoundRecord]) -> int:
    """Colons in the strings of records that no column of text holds."""
    found = sum([record.time.count(":") + record.round.count(":") for record in records])
    found += sum([written(record.context).count(":") - len(record.context) for record in records if record.context])
    return found + sum(
        [name.count(":") for record in records if record.annotations for name in record.annotations.planted]
    )


def _colons(column: Coded) -> int:
    if len(column.names) > len(column.codes):
        return sum([column.names[code].count(":") for code in column.codes.tolist() if code >= 0])
    table = np.array([*(name.count(":") for name in column.names), 0], np.int64)
    return int(table[column.codes].sum()) if table.any() else 0


def doubled_keys(lines: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """Index of each line in which a key stands twice, and the first such key."""
    for index, line in enumerate(lines):
        try:
            json.loads(line, object_pairs_hook=_distinct)
        except _DoubledError as error:
            yield index, error.key


class _DoubledError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise _DoubledError(key)
        keys.add(key)
