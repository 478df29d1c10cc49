"""Finding one round in a log."""

from __future__ import annotations

import numpy as np

from validator.evidence.columns import Batch
from validator.evidence.files import HandLog
from validator.evidence.select import select


def find_round(log: HandLog, round_: str, games: frozenset[str]) -> Batch | None:
    """The first round of that id as a batch of its own, or None. Raises InputError for an unreadable log."""
    for block in log.blocks():
        for batch in block.decode(games).batches:
            if round_ in batch.round:
                keep = np.zeros(len(batch), bool)
                keep[batch.round.index(round_)] = True
                return select(batch, keep)
    return None
