"""Decoding of a table of rounds to batches, as strictly as lines of JSON, in whole columns."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits64, Ints, Ints16
from validator.evidence.arrow.context import contexts
from validator.evidence.arrow.events import event_columns
from validator.evidence.arrow.fields import Fields
from validator.evidence.arrow.schema import PRECISIONS, check_schema, to_arrow_schema
from validator.evidence.arrow.to_numpy import Listed, choices, text_at, texts, ticks
from validator.evidence.assembly.assemble import Decoded, assemble
from validator.evidence.columns.batch import MOMENT, Coded, Stakes
from validator.evidence.columns.draft import Draft, MeterColumns, SeatColumns, Wrong
from validator.evidence.columns.recorded_kinds import BITS, NAMES
from validator.evidence.columns.row_origin import Grain
from validator.evidence.columns.tables import interleaved, translated
from validator.evidence.columns.times import offsets
from validator.evidence.handlog.event_values import HIGHEST_SEAT, LONGEST_NAME
from validator.evidence.handlog.record import (
    CURRENCY_PATTERN,
    LONGEST_ID,
    MOST_EVENTS,
    MOST_METERS,
    MOST_ROUNDS,
    MOST_SEATS,
    MOST_STAKES,
    MOST_UNRECORDED,
    UTC_OFFSET,
)
from validator.evidence.jsonl.records.diagnostics import CURRENCY
from validator.text.visible import quoted

_SCHEMA = to_arrow_schema()
_SEAT = _SCHEMA.field("seats").type.value_type
_WAGER = _SEAT.field("wagers").type.value_type
_BONUS = _SEAT.field("bonuses").type.value_type
_METER = _SCHEMA.field("meters").type.value_type
_EVENT = _SCHEMA.field("events").type.value_type
_MASKS = np.array([BITS[name] for name in NAMES], np.uint64)
_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}
_MINUTE = 60_000_000
_DAY = 1440 * _MINUTE
_FIRST_TIME = np.datetime64("0001-01-01", "us").astype(np.int64)
_END_OF_TIME = np.datetime64("10000-01-01", "us").astype(np.int64)


def batches_from_arrow(
    table: pa.Table, *, known_games: Collection[str] | None = None, file: str = "table", first_row: int = 1
) -> Decoded:
    """Decode the rows of a table, which are numbered from `first_row`.

    Every row is in a batch or quarantined, for the same reasons as a line of JSON. Without `known_games`, any game is
    accepted. Raises InputError if the columns are not those of a hand log.
    """
    check_schema(table.schema, file)
    if not table.num_rows:
        return Decoded(batches=(), quarantined=(), read=0)
    wrong = Wrong()
    fields = Fields(Grain(wrong), table, _SCHEMA)
    draft = _read_draft(fields, file, first_row)
    precision = fields.choice("time-precision", PRECISIONS)
    dated = np.where(precision < 0, MOMENT, precision).astype(np.uint8)
    games = draft.game.names if known_games is None else known_games
    batches, quarantined = assemble(draft, wrong, games)
    quarantined.sort(key=lambda entry: entry.line)
    return Decoded(
        batches=tuple(replace(batch, dated=dated[batch.line - first_row]) for batch in batches),
        quarantined=tuple(quarantined),
        read=table.num_rows,
    )


def _read_draft(fields: Fields, file: str, first_row: int) -> Draft:
    grain = fields.grain
    for field in ("round", "table", "time", "game", "seats"):
        fields.required(field)
    names = tuple(name or "" for name in texts(fields.array("round")))
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    grain.refuse((lengths == 0) | (lengths > LONGEST_ID), "round", f"expected text of 1 to {LONGEST_ID} characters")
    events = fields.lists("events", MOST_EVENTS)
    time, offset = _read_times(fields)
    seat_columns, stakes = _read_seats(fields)
    return Draft(
        file=file,
        line=np.arange(first_row, first_row + len(names), dtype=np.int64),
        round=names,
        game=fields.text("game", LONGEST_ID),
        table=fields.text("table", LONGEST_ID),
        casino=fields.text("casino", LONGEST_ID),
        time=time,
        offset=offset,
        number=fields.integers("number", 1, MOST_ROUNDS).astype(np.int32),
        deck=fields.text("deck", LONGEST_NAME),
        button=fields.integers("button", 1, HIGHEST_SEAT).astype(np.int8),
        small_bet=fields.integers("small-bet"),
        big_bet=fields.integers("big-bet"),
        after=fields.text("after", LONGEST_ID),
        complete=fields.answers("complete") != 0,
        dealer=fields.hands("dealer"),
        dealer_discarded=fields.hands("dealer-discarded"),
        dealer_drawn=fields.hands("dealer-drawn"),
        community=fields.hands("community"),
        community_discarded=fields.hands("community-discarded"),
        meters=_read_meters(fields),
        seats=seat_columns,
        stakes=stakes,
        events=event_columns(grain.listed("events", events.counts), events.entries, events.counts, _EVENT),
        recorded=~events.absent,
        unrecorded=_read_unrecorded(fields),
        currency=_read_currency(fields),
        context=contexts(fields),
    )


def _read_times(fields: Fields) -> tuple[Ints, Ints16]:
    """Return microseconds by the clock of the log (of its time zone, if any), and the minutes by which that clock is
    ahead of UTC."""
    array = fields.array("time")
    times = local_times = _read_microseconds(array)
    # A time far outside the calendar has no time by the clock either.
    outside = (times < _FIRST_TIME - _DAY) | (times >= _END_OF_TIME + _DAY)
    if array.type.tz is not None:
        import pyarrow.compute as pc  # noqa: PLC0415 - as slow to import as the rest of pyarrow

        local_times = _read_microseconds(pc.local_timestamp(array))
    outside |= (local_times < _FIRST_TIME) | (local_times >= _END_OF_TIME)
    # A local time that overflows its unit wraps around.
    outside |= np.abs(np.where(outside, 0, local_times - times)) > _DAY
    fields.grain.refuse(outside, "time", "expected a time in the years 1 to 9999")
    ahead = np.where(outside, 0, (local_times - times) // _MINUTE).astype(np.int16)
    return np.where(outside, 0, local_times), _read_utc_offsets(fields, ahead, zoned=array.type.tz is not None)


def _read_utc_offsets(fields: Fields, ahead: Ints16, *, zoned: bool) -> Ints16:
    """Return minutes ahead of UTC as stated in a column of its own; `ahead` are those of the time zone, if any.

    Returns: int16[n].
    """
    stated = fields.text("utc-offset", LONGEST_NAME)
    if not stated.names:
        return ahead
    if zoned:
        fields.grain.refuse(stated.codes >= 0, "utc-offset", "`time` already has a time zone")
        return ahead
    sound = [re.fullmatch(UTC_OFFSET, name) is not None for name in stated.names]
    fields.grain.refuse(~np.array([*sound, True])[stated.codes], "utc-offset", "expected an offset such as `-07:00`")
    texts_ = [name if good else "Z" for name, good in zip(stated.names, sound, strict=True)]
    return np.append(offsets(texts_), np.int16(0))[stated.codes]


def _read_microseconds(array: pa.Array) -> Ints:
    """Return microseconds, limited to the largest and least numbers; finer fractions are dropped.

    Returns: int64[n].
    """
    counted, unit = ticks(array), array.type.unit
    if unit == "ns":
        return counted // 1000
    most = np.iinfo(np.int64).max // _MICROSECONDS[unit]
    return counted.clip(-most, most) * _MICROSECONDS[unit]


def _read_currency(fields: Fields) -> Coded:
    column = fields.text("currency", LONGEST_NAME)
    odd = np.array([*(re.match(CURRENCY_PATTERN, name) is None for name in column.names), False])
    if odd.any():
        fields.grain.refuse(odd[column.codes], "currency", CURRENCY)
    return column


def _read_unrecorded(fields: Fields) -> Bits64:
    """Return the bits of all listed kinds.

    Returns: uint64[rounds].
    """
    lists = fields.lists("unrecorded", MOST_UNRECORDED)
    named = choices(lists.entries, NAMES)
    known = (named >= 0) & (named < len(NAMES))
    fields.grain.listed("unrecorded", lists.counts).refuse(
        named == len(NAMES), "", lambda row: f"unknown value {quoted(text_at(lists.entries, row))}"
    )
    masks = np.zeros(len(lists.counts), np.uint64)
    rounds = np.repeat(np.arange(len(masks)), lists.counts)
    np.bitwise_or.at(masks, rounds[known], _MASKS[named[known]])
    return masks


def _read_seats(fields: Fields) -> tuple[SeatColumns, Stakes]:
    lists = fields.lists("seats", MOST_SEATS)
    grain = fields.grain.listed("seats", lists.counts)
    seats = Fields(grain, lists.entries, _SEAT)
    seats.required("seat")
    seats.required("wagers")
    columns = SeatColumns(
        counts=lists.counts,
        number=np.maximum(seats.integers("seat", 1, HIGHEST_SEAT), 0).astype(np.int8),
        player=seats.text("player", LONGEST_ID),
        decision=seats.text("decision", LONGEST_NAME),
        hands=seats.hands("cards"),
        discarded=seats.hands("discarded"),
        drawn=seats.hands("drawn"),
        stack=seats.integers("stack"),
        stack_after=seats.integers("stack-after"),
        won=seats.integers("won"),
        playing=seats.answers("playing") != 0,
    )
    return columns, _read_stakes(grain, seats.lists("wagers", MOST_STAKES), seats.lists("bonuses", MOST_STAKES))


def _read_meters(fields: Fields) -> MeterColumns:
    lists = fields.lists("meters", MOST_METERS)
    meters = Fields(fields.grain.listed("meters", lists.counts), lists.entries, _METER)
    meters.required("meter")
    return MeterColumns(
        counts=lists.counts,
        meter=meters.text("meter", LONGEST_NAME),
        opening=meters.integers("opening"),
        shown=meters.integers("shown"),
        closing=meters.integers("closing"),
    )


def _read_stakes(seats: Grain, wagers: Listed, bonuses: Listed) -> Stakes:
    staked = Fields(seats.listed("wagers", wagers.counts), wagers.entries, _WAGER)
    for field in ("wager", "amount"):
        staked.required(field)
    stakes = Stakes(
        seat=_list_entry_rows(wagers.counts),
        wager=staked.text("wager", LONGEST_NAME),
        tip=staked.flags("tip"),
        bonus=np.zeros(len(wagers.entries), np.bool_),
        amount=staked.integers("amount"),
        paid=staked.integers("paid"),
        taken=staked.integers("taken"),
        claimed=staked.answers("claimed"),
    )
    awarded = Fields(seats.listed("bonuses", bonuses.counts), bonuses.entries, _BONUS)
    awarded.required("bonus")
    codes, names = translated(awarded.text("bonus", LONGEST_NAME), stakes.wager)
    return interleaved(
        stakes,
        Stakes(
            seat=_list_entry_rows(bonuses.counts),
            wager=Coded(codes=codes, names=names),
            tip=awarded.flags("tip"),
            bonus=np.ones(len(bonuses.entries), np.bool_),
            amount=np.zeros(len(bonuses.entries), np.int64),
            paid=awarded.integers("paid"),
            taken=np.full(len(bonuses.entries), ABSENT, np.int64),
            claimed=np.full(len(bonuses.entries), ABSENT, np.int8),
        ),
    )


def _list_entry_rows(counts: Ints) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the row of each entry of a column of lists.

    Returns: int32[entries].
    """
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)
