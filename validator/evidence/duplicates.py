"""Keys that stand twice in one object of a line.

The decoder takes the last and says nothing. Looking into every object would cost more than decoding it, but
counting is cheap: outside of text a line has as many colons as keys, so where the colons of some lines are
just the keys of their records and the colons of their text, no key stands twice. Only where the count differs
is each line looked into.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from validator.evidence.columns import Coded
from validator.evidence.draft import Draft
from validator.evidence.handlog import RoundRecord

_COLON = ord(":")


def doubled_keys(
    lines: Sequence[bytes], records: Sequence[RoundRecord], part: Draft, keys: int
) -> Iterator[tuple[int, str]]:
    """Index of each line in which a key stands twice, and the first such key.

    `records` were decoded from `lines`, `part` is their columns and `keys` the number of keys in them.
    """
    text = np.frombuffer(b"".join(lines), np.uint8)
    colons = int(np.count_nonzero(text == _COLON)) - keys
    colons -= sum([record.time.count(":") for record in records])
    if not colons or colons == _colons_in_text(records, part):
        return
    for index, line in enumerate(lines):
        try:
            json.loads(line, object_pairs_hook=_distinct)
        except _DoubledError as error:
            yield index, error.key


def _colons_in_text(records: Sequence[RoundRecord], part: Draft) -> int:
    """Colons in every text of the records but the time. (Cards have none, or are found malformed.)"""
    seats, events = part.seats, part.events
    named = (part.game, part.table, part.casino, seats.player, seats.decision, part.stakes.wager)
    found = sum(map(_colons, (*named, events.wager, events.decision, events.what)))
    found += sum([name.count(":") for name in part.round])
    found += sum([name.count(":") for record in records if record.annotations for name in record.annotations.planted])
    return found


def _colons(column: Coded) -> int:
    table = np.array([*(name.count(":") for name in column.names), 0], np.int64)
    return int(table[column.codes].sum())


class _DoubledError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def _distinct(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise _DoubledError(key)
        keys.add(key)
