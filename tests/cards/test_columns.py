"""The exchanges sort every row."""

from __future__ import annotations

import numpy as np
import pytest

from fairdeal.validator.cards.card_codes import sort_columns


@pytest.mark.parametrize("width", range(13))
def test_every_row_of_zeros_and_ones_is_sorted(width: int) -> None:
    # Exchanges that sort all rows of zeros and ones sort every row.
    numbers = np.arange(2**width)
    rows = (numbers[:, None] >> np.arange(width) & 1).astype(np.uint8)
    assert np.array_equal(sort_columns(rows).T, np.sort(rows, axis=1))


@pytest.mark.parametrize("width", [17, 31, 52, 100])
def test_wide_rows_are_sorted_and_left_as_they_were(width: int) -> None:
    rows = np.random.default_rng(width).integers(0, 256, (200, width), dtype=np.uint8)
    before = rows.copy()
    assert np.array_equal(sort_columns(rows).T, np.sort(rows, axis=1))
    assert (rows == before).all()


def test_a_single_row_is_left_as_it_was() -> None:
    rows = np.array([[3, 1, 2]], np.uint8)
    assert sort_columns(rows).tolist() == [[1], [2], [3]]
    assert rows.tolist() == [[3, 1, 2]]
