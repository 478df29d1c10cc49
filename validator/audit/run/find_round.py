"""Finding one round in a log."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select
from validator.evidence.readers.open_log import HandLog


def find_round(
    log: HandLog, round_: str, games: Collection[str], *, casino: str | None = None, table: str | None = None
) -> Batch | None:
    """The first round of that id, of a casino and at a table where they are named, as a batch of its own, or None.

    Raises InputError for an unreadable log.
    """
    for block in log.blocks():
        for batch in block.decode(games).batches:
            if round_ not in batch.round:
                continue
            chosen = np.array([one == round_ for one in batch.round])
            for column, name in ((batch.casino, casino), (batch.table, table)):
                if name is not None:
                    chosen &= column.among([name])
            if chosen.any():
                return select(batch, np.arange(len(batch)) == np.argmax(chosen))
    return None
