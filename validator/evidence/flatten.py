"""Decoded records to columns: a few passes at C speed over all rounds, seats, stakes and events at once.

Nothing here runs Python code for a single event; that is what makes a log of millions of events bearable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from validator.cards.cards import parse_cards
from validator.evidence.columns import ABSENT, Hands, Ints, Stakes
from validator.evidence.draft import Draft, EventColumns, SeatColumns, Wrong, place_of
from validator.evidence.events import KIND
from validator.evidence.extract import EventPool, Extractor, Names
from validator.evidence.hands import decode_texts
from validator.evidence.handlog import BonusRecord, RoundRecord, SeatRecord, WagerRecord


_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
"""Where digits stand in `2026-03-01T12:00:00`."""
_THOUSANDS, _TENS = np.array([1000, 100, 10, 1]), np.array([10, 1])


class Flattened(NamedTuple):
    """Columns of some records; the rounds among them whose cards or time are malformed; and how many keys
    stand in the records, nested ones included."""

    draft: Draft
    wrong: Wrong
    keys: int


def flatten(records: Sequence[RoundRecord], *, file: str, lines: Sequence[int]) -> Flattened:
    """Columns of `records`, which stand at the 1-based `lines` of `file`."""
    take, wrong = Extractor(), Wrong()
    wagers, decisions = Names(), Names()
    seat_lists = take.required(records, "seats")
    event_lists = take.optional(records, "events")
    unrecorded = take.optional(records, "unrecorded")
    take.keys += sum(annotations is not None for annotations in take.optional(records, "annotations"))
    draft = Draft(
        file=file,
        line=np.array(lines, np.int64),
        round=tuple(take.required(records, "round")),
        game=take.named(records, "game"),
        table=take.named(records, "table"),
        casino=take.named(records, "casino"),
        time=_local_times(take.required(records, "time"), wrong),
        dealer=_hands(take.optional(records, "dealer"), wrong, lambda row: (row, "the dealer's cards")),
        community=_hands(take.optional(records, "community"), wrong, lambda row: (row, "the community cards")),
        seats=_seats(take, seat_lists, decisions, wrong),
        stakes=_stakes(take, list(chain.from_iterable(seat_lists)), wagers),
        events=_events(take, [events or () for events in event_lists], wagers, decisions, wrong),
        recorded=np.array([events is not None for events in event_lists], np.bool_),
        unrecorded=np.array([_mask(tuple(kinds)) if kinds else 0 for kinds in unrecorded], np.uint32),
    )
    return Flattened(draft, wrong, take.keys)


def _counts(lists: Sequence[Sequence[object]]) -> Ints:
    return np.fromiter(map(len, lists), np.int64, len(lists))


@lru_cache(maxsize=256)
def _mask(kinds: tuple[str, ...]) -> int:
    return sum(1 << KIND[kind] for kind in set(kinds))


def _local_times(texts: Sequence[str], wrong: Wrong) -> Ints:
    """Microseconds since 1970 by the clock that wrote the texts, which follow `TIME_PATTERN`."""
    stamps = np.frombuffer("".join([text[:19] for text in texts]).encode("ascii"), np.uint8).reshape(-1, 19)
    digits = stamps[:, _DIGITS].astype(np.int64) - ord("0")
    year, month, day = digits[:, :4] @ _THOUSANDS, digits[:, 4:6] @ _TENS, digits[:, 6:8] @ _TENS
    hour, minute, second = digits[:, 8:10] @ _TENS, digits[:, 10:12] @ _TENS, digits[:, 12:] @ _TENS
    months = 12 * (year - 1970) + month - 1
    first, following = (_first_day(months), _first_day(months + 1))
    exists = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= following - first)
    for index in np.flatnonzero(~exists).tolist():
        wrong.note(index, f"at `$.time`: there is no such day as {texts[index][:10]}")
    seconds = (((first + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000 + np.array([_fraction(text) for text in texts], np.int64)


def _first_day(months: Ints) -> Ints:
    """Days from 1970-01-01 to the first of a month, given months since January 1970."""
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _fraction(text: str) -> int:
    """Microseconds after the full second; finer digits are dropped."""
    if text[19] != ".":
        return 0
    return int(text[20:].rstrip("Z").partition("+")[0].partition("-")[0][:6].ljust(6, "0"))


def _hands(texts: Sequence[str | None], wrong: Wrong, place: Callable[[int], tuple[int, str]]) -> Hands:
    """A column of hands; `place` says to which round a row belongs and whose cards they are."""
    decoded = decode_texts(texts)
    for row in np.flatnonzero(~decoded.well_formed).tolist():
        found, whose = place(row)
        try:
            parse_cards(texts[row] or "")
        except ValueError as error:
            wrong.note(found, f"{whose}: {error}")
    return decoded.hands


def _seats(take: Extractor, lists: Sequence[list[SeatRecord]], decisions: Names, wrong: Wrong) -> SeatColumns:
    seats = list(chain.from_iterable(lists))
    counts = _counts(lists)

    def place(row: int) -> tuple[int, str]:
        return place_of(row, counts)[0], f"the cards of seat {seats[row].seat}"

    return SeatColumns(
        counts=counts,
        number=take.seats(seats),
        player=take.named(seats, "player"),
        decision=decisions.column(take.codes(seats, "decision", decisions)),
        hands=_hands(take.optional(seats, "cards"), wrong, place),
    )


def _stakes(take: Extractor, seats: Sequence[SeatRecord], names: Names) -> Stakes:
    wager_lists = take.required(seats, "wagers")
    bonus_lists = [bonuses or () for bonuses in take.optional(seats, "bonuses")]
    wagers: list[WagerRecord] = list(chain.from_iterable(wager_lists))
    bonuses: list[BonusRecord] = list(chain.from_iterable(bonus_lists))
    each = np.arange(len(seats), dtype=np.int32)
    seat = np.concatenate([np.repeat(each, _counts(wager_lists)), np.repeat(each, _counts(bonus_lists))])
    codes = np.concatenate([take.codes(wagers, "wager", names), take.codes(bonuses, "bonus", names)])
    nothing = np.zeros(len(bonuses), np.int64)
    order = np.argsort(seat, kind="stable")
    return Stakes(
        seat=seat[order],
        wager=names.column(codes[order]),
        tip=np.concatenate([take.flags(wagers, "tip"), take.flags(bonuses, "tip")])[order],
        bonus=order >= len(wagers),
        amount=np.concatenate([take.amounts(wagers, "amount"), nothing])[order],
        paid=np.concatenate([take.amounts(wagers, "paid"), take.amounts(bonuses, "paid")])[order],
        taken=np.concatenate([take.amounts(wagers, "taken"), nothing + ABSENT])[order],
    )


def _events(
    take: Extractor, lists: Sequence[Sequence[object]], wagers: Names, decisions: Names, wrong: Wrong
) -> EventColumns:
    counts = _counts(lists)
    pool = EventPool(take, list(chain.from_iterable(lists)))
    at, texts = pool.texts("cards")
    what = Names()

    def place(row: int) -> tuple[int, str]:
        found, number = place_of(int(at[row]), counts)
        return found, f"the cards of event {number}"

    cards_row = np.full(len(pool.kind), ABSENT, np.int32)
    cards_row[at] = np.arange(len(at), dtype=np.int32)
    return EventColumns(
        counts=counts,
        kind=pool.kind,
        seat=pool.seats(),
        place=pool.choices("place"),
        face=pool.choices("face"),
        by=pool.choices("by"),
        wager=wagers.column(pool.codes("wager", wagers)),
        tip=pool.flags("tip"),
        amount=pool.amounts("amount"),
        decision=decisions.column(pool.codes("decision", decisions)),
        what=what.column(pool.codes("what", what)),
        cards_row=cards_row,
        hands=_hands(texts, wrong, place),
    )
