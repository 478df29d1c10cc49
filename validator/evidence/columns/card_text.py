"""Hands of a log, decoded from the texts of many hands at once to columns of card codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Ints
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN, format_cards
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import WIDEST_HAND

_BAD = 253
_SPACE = ord(" ")


def _build_pair_tables() -> tuple[Codes, NDArray[np.uint16]]:
    """Build the code of the card for two bytes, read as a little-endian number, and the inverse."""
    codes = np.full(65536, _BAD, np.uint8)
    pairs = np.zeros(256, np.uint16)
    for code in (*range(CARDS), UNKNOWN):
        pairs[code] = int.from_bytes(format_cards([code]).encode(), "little")
        codes[pairs[code]] = code
    return codes, pairs.astype("<u2")


_CODE_OF_PAIR, _PAIR_OF_CODE = _build_pair_tables()


class DecodedHands(NamedTuple):
    """Column of hands. A malformed row holds no cards."""

    hands: Hands
    """The hands, one row per text."""
    well_formed: Flags
    """False if the text is not a hand, bool[n]."""


def decode_texts(texts: Sequence[str | None]) -> DecodedHands:
    """Decode hands from a column of texts; None if the cards are not recorded."""
    try:
        return _decode_present(texts)  # type: ignore[arg-type]
    except TypeError:  # some text is None: cheaper to run into than to look for
        decoded = _decode_present([text or "" for text in texts])
        decoded.hands.count[[text is None for text in texts]] = ABSENT
        return decoded


def _decode_present(texts: Sequence[str]) -> DecodedHands:
    joined = np.frombuffer(" ".join(texts).encode("utf-8", "surrogatepass"), np.uint8)
    spaces = np.flatnonzero(joined == _SPACE)
    if len(spaces) == max(len(texts) - 1, 0):
        lengths = np.diff(spaces, prepend=-1, append=len(joined))[: len(texts)] - 1
        characters = joined[joined != _SPACE]
    else:  # some text has a space of its own
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        characters = np.frombuffer(b"".join(encoded), np.uint8)
    return decode_bytes(characters, lengths)


def decode_bytes(characters: Codes, lengths: Ints) -> DecodedHands:
    """Decode hands from rows of text end to end.

    Args:
        characters: the bytes of all rows.
        lengths: the number of bytes of each row, int64[n].
    """
    well_formed = (lengths % 2 == 0) & (lengths <= 2 * WIDEST_HAND)
    if not well_formed.all():
        characters = characters[np.repeat(well_formed, lengths)]
    codes = _CODE_OF_PAIR[np.ascontiguousarray(characters).view("<u2")]
    counts = np.where(well_formed, lengths // 2, 0)
    cards = np.full((len(lengths), WIDEST_HAND), NO_CARD, np.uint8)
    cards.reshape(-1)[places(np.arange(len(counts)), counts)] = codes
    if (codes == _BAD).any():
        wrong = (cards == _BAD).any(axis=1)
        cards[wrong], counts[wrong], well_formed[wrong] = NO_CARD, 0, False
    return DecodedHands(Hands(cards=cards, count=counts.astype(np.int16)), well_formed)


def places(rows: Ints, counts: Ints) -> Ints:
    """Return the indices of the first `counts` cards of some rows, in the cards of all rows end to end.

    Returns: int64[sum of counts].
    """
    start = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(rows * WIDEST_HAND - start, counts)


def encode_bytes(hands: Hands) -> tuple[Codes, Ints]:
    """Encode all hands end to end as bytes. Unrecorded hands have no bytes.

    Returns: the bytes, and the number of bytes of each hand, int64[n].
    """
    counts = np.maximum(hands.count, 0).astype(np.int64)
    cards = hands.cards.reshape(-1)[places(np.arange(len(counts)), counts)]
    return _PAIR_OF_CODE[cards].view(np.uint8), 2 * counts
