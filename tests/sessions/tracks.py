"""Tracks drawn at random, and thinned: some rounds taken out, as if their records had been lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from fairdeal.validator.audit.sessions.carried_results import Track, build_table_tracks
from fairdeal.validator.audit.sessions.play_order import PlayOrder, build_play_order

MINUTE = 60_000_000


def order_of(numbers: Sequence[int], minutes: Sequence[int] | None = None) -> PlayOrder:
    """Build the order of one table's rounds with these numbers, -1 for none, a minute apart or at given minutes."""
    count = len(numbers)
    times = np.array(minutes if minutes is not None else range(count), np.int64) * MINUTE
    return build_play_order(
        casino=np.full(count, -1, np.int32),
        table=np.zeros(count, np.int32),
        time=times,
        number=np.array(numbers, np.int32),
        ties=(),
    )


def track_of(numbers: Sequence[int], minutes: Sequence[int] | None = None) -> Track:
    """Build the track of one table."""
    return build_table_tracks(order_of(numbers, minutes))


def draw_kept(count: int) -> st.SearchStrategy[list[int]]:
    """Draw the indices of the rounds that are kept: at least one."""
    return st.lists(st.integers(0, count - 1), min_size=1, unique=True).map(sorted)
