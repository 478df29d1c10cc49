"""Codes, text and columns of cards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.cards.card_codes import (
    NO_CARD,
    UNKNOWN,
    decode_columns,
    describe_card,
    encode_column,
    format_cards,
    has_duplicates,
    parse_cards,
)

codes = st.integers(0, 51) | st.just(UNKNOWN)
hands = st.lists(codes, max_size=7)
# Texts that are often hands, often nearly, sometimes anything (lone surrogates and characters that
# some encodings turn into a question mark included).
texts = st.one_of(
    hands.map(format_cards),
    st.text("A2T9cdhs?1 ", max_size=16),
    st.text(st.characters(), max_size=8),
    st.tuples(hands.map(format_cards), st.characters()).map("".join),
)


def test_the_codes_are_the_documented_ones() -> None:
    assert parse_cards("2c2d2h2s3c") == (0, 1, 2, 3, 4)
    assert parse_cards("TcJdQhKsAs") == (32, 37, 42, 47, 51)
    assert parse_cards("??") == (UNKNOWN,)
    assert parse_cards("") == ()
    assert format_cards([50, 0, UNKNOWN]) == "Ah2c??"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "As1d",
            "card 2 ('1d', at character 3) is not a card: its rank must be one of 23456789TJQKA, "
            "or the card Jk for the joker, or ?? if unknown",
        ),
        ("AsKx", "card 2 ('Kx', at character 3) is not a card: its suit must be one of cdhs"),
        ("AS", "card 1 ('AS', at character 1) is not a card: its suit must be one of cdhs"),
        ("10c", "card 1 ('10', at character 1) is not a card: the rank ten is written T"),
        (
            "AsK",
            "card 2 ('K', at character 3) is cut short: a card is two characters, rank and suit, as in As or Td",
        ),
        (
            "?s",
            "card 1 ('?s', at character 1) is not a card: its rank must be one of 23456789TJQKA, "
            "or the card Jk for the joker, or ?? if unknown",
        ),
    ],
)
def test_a_wrong_card_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_cards(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("code", [53, NO_CARD, -1, 256])
def test_only_cards_can_be_written(code: int) -> None:
    with pytest.raises(ValueError, match=f"^{code} is not the code of a card$"):
        format_cards([0, code])


def test_words() -> None:
    assert [describe_card(code) for code in (0, 51, 32, UNKNOWN, NO_CARD, -1)] == [
        "two of clubs",
        "ace of spades",
        "ten of clubs",
        "unknown card",
        "unknown card",
        "unknown card",
    ]


@given(hands)
def test_text_and_codes_round_trip(hand: list[int]) -> None:
    assert list(parse_cards(format_cards(hand))) == hand


@given(st.lists(st.none() | texts, max_size=12), st.integers(0, 6))
def test_a_column_is_decoded_as_its_rows_are(column: list[str | None], width: int) -> None:
    cards, counts, well_formed = decode_columns(column, width)
    assert cards.shape == (len(column), width)
    assert [part.dtype.name for part in (cards, counts, well_formed)] == ["uint8", "int16", "bool"]
    for text, row, count, good in zip(column, cards.tolist(), counts, well_formed, strict=True):
        hand: tuple[int, ...] | None
        try:
            hand = parse_cards(text or "")
        except ValueError:
            hand = None
        if hand is None or len(hand) > width:
            assert (row, count, bool(good)) == ([NO_CARD] * width, 0, False)
        else:
            expected = [*hand, *[NO_CARD] * (width - len(hand))]
            assert (row, count, bool(good)) == (expected, -1 if text is None else len(hand), True)


def test_a_character_outside_ascii_is_never_an_unknown_card() -> None:
    for character in ("ÿ", "€", "😀", "\ud800", "A\u0301"):
        _, counts, well_formed = decode_columns([character * 2, "As??", None], 4)
        assert counts.tolist() == [0, 2, -1]
        assert well_formed.tolist() == [False, True, True]


@pytest.mark.parametrize("width", [-1, 32768])
def test_a_width_that_counts_cannot_hold_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match="a row holds 0 to 32767 cards"):
        decode_columns(["As"], width)


@given(st.lists(hands, max_size=8))
def test_columns_round_trip(rows: list[list[int]]) -> None:
    column = [format_cards(row) for row in rows]
    assert encode_column(decode_columns(column, 7).cards) == column


@pytest.mark.parametrize("row", [[NO_CARD, 0], [0, NO_CARD, 0], [53, NO_CARD], [253, 0]])
def test_a_row_with_a_gap_or_a_stray_code_is_not_written(row: list[int]) -> None:
    with pytest.raises(ValueError, match="a row must hold card codes"):
        encode_column(np.array([row], np.uint8))


@given(
    st.integers(0, 9).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([0, 1, 50, 51, NO_CARD, UNKNOWN]), min_size=width, max_size=width),
            min_size=1,
            max_size=6,
        )
    ),
    st.integers(1, 4),
)
def test_duplicates_counts_known_cards(rows: list[list[int]], copies: int) -> None:
    found = has_duplicates(np.array(rows, np.uint8), copies)
    counted = [any(number > copies for code, number in Counter(row).items() if code < 52) for row in rows]
    assert found.tolist() == counted


def test_duplicates_finds_a_pair_anywhere_in_a_long_row() -> None:
    width = 23
    pairs = [(first, second) for first in range(width) for second in range(first)]
    rows = np.tile(np.arange(width, dtype=np.uint8), (len(pairs), 1))
    for row, (first, second) in zip(rows, pairs, strict=True):
        row[first] = row[second]
    assert has_duplicates(rows, 1).all()
    assert not has_duplicates(rows, 2).any()
