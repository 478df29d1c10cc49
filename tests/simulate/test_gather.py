"""Rounds picked out of several batches: everything that belongs to a round goes along."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.evidence.generate import GAME, exchanging, rounds
from tests.evidence.plain import plain_batch
from tests.facade.evidence import Batch, decode_lines, select
from validator.simulate.gather import pick

EVERY = [*exchanging(4, seats=2), *rounds(3, seats=3), *exchanging(3, seed=1, seats=1)]


def whole() -> Batch:
    """All the rounds in one batch."""
    text = b"\n".join(json.dumps(record).encode() for record in EVERY)
    (batch,) = decode_lines(text, file="log", first_line=1, known_games={GAME}).batches
    return batch


@pytest.mark.parametrize("chosen", [[0], [9, 0, 5], [3, 2, 1], list(range(10)), [8, 6, 4, 2], []])
@pytest.mark.parametrize("cuts", [[], [4], [1, 4, 7]])
def test_the_picked_rounds_are_as_they_were(chosen: list[int], cuts: list[int]) -> None:
    batch = whole()
    part_of = np.searchsorted(cuts, np.arange(len(batch)), side="right")
    parts = [select(batch, part_of == part) for part in range(len(cuts) + 1)]
    picked = pick(parts, np.array(chosen, np.int64))
    assert plain_batch(picked) == [plain_batch(batch)[index] for index in chosen]
    assert picked.line.tolist() == [index + 1 for index in chosen]
