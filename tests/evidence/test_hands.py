"""Text to cards and back, against the readable way of doing it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.evidence.columns.log_draft import card_indices, decode_hand_texts, encode_hand_bytes
from tests.evidence.strategies import hands
from tests.facade.cards import decode_columns

anything = st.one_of(st.none(), hands, st.text(max_size=30), st.text("AKs?♠ 1", max_size=8))


@given(st.lists(anything, max_size=8))
def test_the_same_as_one_by_one(texts: list[str | None]) -> None:
    found = decode_hand_texts(texts)
    expected = decode_columns(texts, 12)
    assert found.well_formed.tolist() == expected.well_formed.tolist()
    assert found.hands.count.tolist() == expected.counts.tolist()
    assert found.hands.cards.tolist() == expected.cards.tolist()
    assert found.hands.cards.shape == (len(texts), 12)


@given(st.lists(st.one_of(st.none(), hands), max_size=8))
def test_written_back(texts: list[str | None]) -> None:
    characters, lengths = encode_hand_bytes(decode_hand_texts(texts).hands)
    assert characters.tobytes().decode() == "".join(text or "" for text in texts)
    assert lengths.tolist() == [len(text or "") for text in texts]


def test_places_of_the_first_cards_of_rows() -> None:
    assert card_indices(np.array([3, 0, 1]), np.array([2, 0, 1])).tolist() == [36, 37, 12]
