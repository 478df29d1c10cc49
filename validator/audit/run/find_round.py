"""Search for one round in a log."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select
from validator.evidence.readers.open_log import HandLog


def find_round(
    log: HandLog, round_: str, games: Collection[str], *, casino: str | None = None, table: str | None = None
) -> Batch | None:
    """Return the first round with an id as a batch of its own, or None.

    Args:
        casino: casino of the round, if it matters.
        table: table of the round, if it matters.

    Raises:
        InputError: If the log cannot be read.
    """
    for block in log.blocks():
        for batch in block.decode(games).batches:
            if round_ not in batch.round:
                continue
            chosen = np.array([id_ == round_ for id_ in batch.round])
            for column, name in ((batch.casino, casino), (batch.table, table)):
                if name is not None:
                    chosen &= column.among([name])
            if chosen.any():
                return select(batch, np.arange(len(batch)) == np.argmax(chosen))
    return None
