"""Readings of meters, per round."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact


@cached_fact
def read_meter(scope: EvaluationContext, meter: str, at: Literal["opening", "shown", "closing"]) -> tuple[Ints, Flags]:
    """Return the reading of a meter in each round, and whether it is known.

    Returns:
        int64[rounds], in minor units; bool[rounds].
    """
    meters = scope.batch.meters
    values = np.full(scope.count_items("round"), ABSENT, np.int64)
    ours = np.flatnonzero(meters.meter.codes == meters.meter.code(meter))
    values[meters.round[ours]] = getattr(meters, at)[ours]
    return values, values != ABSENT
