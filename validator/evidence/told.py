"""What a round tells of: a kind of event that does not occur may not have happened, or not be recorded."""

from __future__ import annotations

import numpy as np

from validator.evidence.columns import Batch, Flags
from validator.evidence.events import KIND


def tells(batch: Batch, *kinds: str) -> Flags:
    """bool[rounds]: the round was recorded event by event, these kinds included."""
    mask = np.uint32(sum(1 << KIND[kind] for kind in kinds))
    return batch.recorded & ((batch.unrecorded & mask) == 0)
