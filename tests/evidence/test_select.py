"""Choosing rounds of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.evidence.columns.round_batch import select_rounds
from tests.evidence.plain import plain_batch
from tests.evidence.strategies import line, records
from tests.facade.evidence import decode_lines


@given(st.lists(records(games=("some-game",)), min_size=1, max_size=5), st.data())
@settings(max_examples=12)
def test_the_chosen_rounds_are_as_they_were(given_records: list[dict[str, Any]], data: st.DataObject) -> None:
    text = b"\n".join(map(line, given_records))
    (batch,) = decode_lines(text, file="log", first_line=1, known_games={"some-game"}).batches
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(batch), max_size=len(batch))), np.bool_)
    chosen = select_rounds(batch, keep)
    assert plain_batch(chosen) == [plain for plain, kept in zip(plain_batch(batch), keep, strict=True) if kept]
    assert chosen.line.tolist() == batch.line[keep].tolist()
    assert (chosen is batch) == bool(keep.all())
    rows = chosen.events.cards_row
    assert sorted(rows[rows >= 0].tolist()) == list(range(len(chosen.events.hands.count)))
