"""Tables at which the rounds of a batch were played."""

from __future__ import annotations

import numpy as np

from validator.audit.outcome.subject import FAR, Tables
from validator.evidence.columns.batch import UNDATED as NO_DAY
from validator.evidence.columns.batch import Batch


def tables_in(batch: Batch) -> Tables:
    """Count the rounds of a batch at each table, with the first and last day."""
    casinos, tables = len(batch.casino.names) + 1, len(batch.table.names) + 1
    key = (batch.casino.codes.astype(np.int64) + 1) * tables + batch.table.codes + 1
    keys, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    assert casinos * tables < 1 << 62
    first, last = np.full(len(keys), FAR, np.int64), np.full(len(keys), -FAR, np.int64)
    np.minimum.at(first, inverse, np.where(batch.dated == NO_DAY, first[inverse], batch.day))
    np.maximum.at(last, inverse, np.where(batch.dated == NO_DAY, last[inverse], batch.day))
    return tuple(
        (
            None if place < tables else batch.casino.names[place // tables - 1],
            batch.table.names[place % tables - 1],
            rounds,
            begins,
            ends,
        )
        for place, rounds, begins, ends in zip(
            keys.tolist(), counts.tolist(), first.tolist(), last.tolist(), strict=True
        )
    )
