"""Events of many rounds in the making: told step by step in any order, then put in the order of play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Ints, Ints32
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Coded, Events, Hands
from validator.evidence.handlog.event_values import WIDEST_HAND

PLACE_BITS, TURN_BITS, DETAIL_BITS = 10, 10, 12
_ORDER_BITS = 8 + PLACE_BITS + TURN_BITS + DETAIL_BITS


def order(step: Any, turn: Any = 0, place: Any = 0, detail: Any = 0) -> Any:
    """Where an event stands in its round, int64: by step, then by turn, place and detail, arrays or numbers.

    `step` is below 2**8, `turn` and `place` below 2**10, `detail` below 2**12.
    """
    first = np.int64(step) << PLACE_BITS | np.asarray(turn, np.int64)
    return (first << TURN_BITS | np.asarray(place, np.int64)) << DETAIL_BITS | np.asarray(detail, np.int64)


class Part(Struct, frozen=True, kw_only=True):
    """Some events of one kind. Columns are as in `Events`; a number stands for a column of it.

    `round` is int32[n], `order` int64[n] as `order` makes it. `cards` has a row an event, or is None where
    the events show none.
    """

    kind: int
    round: Ints32
    order: Any
    seat: Any = ABSENT
    place: Any = ABSENT
    face: Any = ABSENT
    by: Any = ABSENT
    means: Any = ABSENT
    wager: Any = ABSENT
    tip: Any = False
    amount: Any = ABSENT
    decision: Any = ABSENT
    what: Any = ABSENT
    deck: Any = ABSENT
    positions: Any = ABSENT
    pot: Any = ABSENT
    chips: Any = ABSENT
    cards: Hands | None = None


def of_one_card(cards: Codes) -> Hands:
    """Hands of one card each, uint8[n]."""
    rows = np.full((len(cards), WIDEST_HAND), NO_CARD, np.uint8)
    rows[:, 0] = cards
    return Hands(cards=rows, count=np.ones(len(cards), np.int16))


class Texts(Struct, frozen=True, kw_only=True):
    """What the columns of text in events are numbered by."""

    names: tuple[str, ...]
    decisions: tuple[str, ...]
    what: tuple[str, ...]
    decks: tuple[str, ...]
    spots: tuple[str, ...]


def in_order(parts: Sequence[Part], rounds: int, texts: Texts) -> Events:
    """The events of all parts, round by round, in the order of play. Ties keep the order of the parts."""
    lengths = [len(part.round) for part in parts]

    def joined(column: Callable[[Part], Any], dtype: type[np.generic]) -> NDArray[Any]:
        columns = [np.broadcast_to(column(part), n) for part, n in zip(parts, lengths, strict=True)]
        return np.concatenate(columns, dtype=dtype, casting="unsafe") if columns else np.zeros(0, dtype)

    round_ = joined(lambda part: part.round, np.int32)
    key = round_.astype(np.int64) << _ORDER_BITS | joined(lambda part: part.order, np.int64)
    sequence = np.argsort(key, kind="stable")
    round_ = round_[sequence]

    def column(take: Callable[[Part], Any], dtype: type[np.generic]) -> NDArray[Any]:
        return joined(take, dtype)[sequence]

    rows = _card_rows(parts, lengths)
    shown = [part.cards for part in parts if part.cards is not None]
    return Events(
        offsets=np.searchsorted(round_, np.arange(rounds + 1)).astype(np.int64),
        round=round_,
        kind=column(lambda part: part.kind, np.uint8),
        seat=column(lambda part: part.seat, np.int32),
        place=column(lambda part: part.place, np.int8),
        face=column(lambda part: part.face, np.int8),
        by=column(lambda part: part.by, np.int8),
        means=column(lambda part: part.means, np.int8),
        wager=Coded(codes=column(lambda part: part.wager, np.int32), names=texts.names),
        tip=column(lambda part: part.tip, np.bool_),
        amount=column(lambda part: part.amount, np.int64),
        decision=Coded(codes=column(lambda part: part.decision, np.int32), names=texts.decisions),
        what=Coded(codes=column(lambda part: part.what, np.int32), names=texts.what),
        deck=Coded(codes=column(lambda part: part.deck, np.int32), names=texts.decks),
        positions=Coded(codes=column(lambda part: part.positions, np.int32), names=texts.spots),
        pot=column(lambda part: part.pot, np.int8),
        chips=column(lambda part: part.chips, np.int16),
        cards_row=rows[sequence],
        hands=Hands(
            cards=np.concatenate([np.zeros((0, WIDEST_HAND), np.uint8), *(hands.cards for hands in shown)]),
            count=np.concatenate([np.zeros(0, np.int16), *(hands.count for hands in shown)]),
        ),
    )


def _card_rows(parts: Sequence[Part], lengths: Sequence[int]) -> Ints32:
    rows: list[Ints] = []
    start = 0
    for part, length in zip(parts, lengths, strict=True):
        if part.cards is None:
            rows.append(np.full(length, ABSENT, np.int64))
        else:
            rows.append(np.arange(start, start + length))
            start += length
    return (np.concatenate(rows) if rows else np.zeros(0, np.int64)).astype(np.int32)
