"""Decoding of a table of rounds to batches, as strictly as lines of JSON, in whole columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints8, Ints16, list_owners, look_up
from fairdeal.validator.evidence import event_kinds, round_record
from fairdeal.validator.evidence.arrow import arrow_columns
from fairdeal.validator.evidence.arrow.arrow_schema import PRECISIONS, build_arrow_schema, check_schema
from fairdeal.validator.evidence.assembly import DecodedBlock, assemble_batches
from fairdeal.validator.evidence.columns import log_draft, recorded_events
from fairdeal.validator.evidence.columns.round_batch import (
    MOMENT,
    CodedColumn,
    CodeTable,
    Stakes,
    merge_stakes,
    no_names,
    translate_codes,
)
from fairdeal.validator.evidence.jsonl.line_errors import (
    CURRENCY_EXPECTED,
    LOW_EXPECTED,
    POSITIONS_EXPECTED,
    SELECTION_EXPECTED,
    VALUE_EXPECTED,
)
from fairdeal.validator.evidence.log_events import FIELD_CHOICES, KIND_CODES, KINDS
from fairdeal.validator.text.diagnostics import quote


def read_contexts(fields: arrow_columns.TableFields) -> CodedColumn:
    """Return the contexts of all rounds as texts. Faults are the same as in a line of JSON."""
    array = fields.array("context")
    if array.null_count == len(array):
        return no_names(len(array))
    names: dict[str, int] = {}
    codes = np.full(len(array), ABSENT, np.int32)
    for row, value in enumerate(_list_values(array)):
        if value is None:
            continue
        try:
            text = _encode_value(value)
        except (msgspec.ValidationError, UnicodeError) as error:
            fields.grain.wrong.note(row, f"at `$.context`: {error}")
        else:
            codes[row] = names.setdefault(text, len(names))
    return CodedColumn(codes=codes, names=tuple(names))


def _list_values(array: pa.Array) -> list[Any]:
    """Return the context of every round as a Python value: a mapping, a list of pairs, or the error of a garbled
    text."""
    try:
        values: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        values = [_read_value(array[row]) for row in range(len(array))]
    return values


def _read_value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return error


def _encode_value(value: Any) -> str:
    """Return the text of a context. Raises ValidationError if it is malformed, UnicodeError if it is garbled."""
    return round_record.encode_context(msgspec.convert(_list_entries(value), round_record.Context))


def _list_entries(value: Any) -> dict[Any, Any]:
    """Return the recorded entries of a map or a struct. Raises ValidationError if a key occurs twice, UnicodeError if
    the map is garbled."""
    if isinstance(value, UnicodeError):
        raise value
    pairs = value.items() if isinstance(value, dict) else value
    recorded = [(key, item) for key, item in pairs if item is not None]
    entries = dict(recorded)
    if len(entries) < len(recorded):
        raise msgspec.ValidationError("a key occurs twice")
    return entries


_GROUPS = tuple(recorded_events.EVENT_FIELDS[at : at + 8] for at in range(0, len(recorded_events.EVENT_FIELDS), 8))
"""Fields in groups of eight, one bit each, as bytes are translated fastest."""


def _bytes_by_kind(fields: tuple[str, ...], rule: Callable[[str], Flags]) -> bytes:
    """Return a byte for each kind, with the bits of the fields for which the rule holds."""
    bits = sum(rule(field).astype(np.uint8) << bit for bit, field in enumerate(fields))
    return np.resize(bits, 256).astype(np.uint8).tobytes()


_REQUIRED = [_bytes_by_kind(half, lambda field: recorded_events.FIELD_RULES[field].required) for half in _GROUPS]
_POSSIBLE = [_bytes_by_kind(half, lambda field: recorded_events.FIELD_RULES[field].has) for half in _GROUPS]


def _refused_choices(field: str) -> bytes:
    impossible = ~recorded_events.PERMITTED_CHOICES[field][:, :-1] & recorded_events.FIELD_RULES[field].has[:, None]
    table = np.zeros(256, np.uint8)
    table[: len(KINDS)] = (impossible << np.arange(impossible.shape[1])).sum(axis=1)
    return table.tobytes()


_REFUSED = {field: _refused_choices(field) for field in FIELD_CHOICES}
"""For each kind, a byte with the bits of the codes that it may not have in a field."""
_BIT_OF_CODE = bytes(1 << code if code < 8 else 0 for code in range(256))


def read_event_columns(
    grain: log_draft.RowLevel, entries: pa.StructArray, counts: Ints, schema: pa.DataType
) -> log_draft.EventColumns:
    """Return the columns of all events.

    Refused are unknown kinds, fields that a kind does not have, missing required fields, and malformed or out-of-bounds
    values.

    Args:
        grain: the level of the events.
        entries: the events.
        counts: the number of events of each round, int64[rounds].
        schema: the type of an event.
    """
    table_fields = arrow_columns.TableFields(grain, entries, schema)
    table_fields.require("event")
    kind = np.maximum(table_fields.choice("event", KINDS), 0).astype(np.uint8)  # a refused kind is read as any kind
    chosen = {
        field: table_fields.choice(recorded_events.FIELD_KEYS.get(field, field), closed)
        for field, closed in FIELD_CHOICES.items()
    }
    named = {field: table_fields.text(field, event_kinds.LONGEST_NAME) for field in recorded_events.TEXT_FIELDS}
    if named["positions"].names:
        misfit = _find_misfits(named["positions"], event_kinds.POSITIONS_PATTERN)
        grain.refuse(misfit, "positions", POSITIONS_EXPECTED)
    _refuse_values(grain, kind, named["value"])
    seat = table_fields.integers("seat", 1, event_kinds.HIGHEST_SEAT).astype(np.int8)
    amount = table_fields.integers("amount")
    pot = table_fields.integers("pot", 0, event_kinds.MOST_POTS).astype(np.int8)
    chips = table_fields.integers("chips", 1, event_kinds.MOST_CHIPS).astype(np.int16)
    split_to = table_fields.integers("to", 1, event_kinds.HIGHEST_SEAT).astype(np.int16)
    is_split = kind == KIND_CODES["split"]
    grain.refuse((split_to >= 0) & ~is_split, "to", "only an event `split` has this key")
    grain.refuse((chips >= 0) & is_split, "chips", "an event `split` has no such key")
    chips = np.where(is_split, split_to, chips)
    cards = table_fields.array("cards")
    present = {field: codes >= 0 for field, codes in chosen.items()}
    present |= {field: column.codes >= 0 for field, column in named.items()}
    present |= {"seat": seat >= 0, "amount": amount >= 0, "pot": pot >= 0, "chips": chips >= 0}
    present |= {"cards": ~arrow_columns.is_null(cards), "tip": ~arrow_columns.is_null(table_fields.array("tip"))}
    _refuse_misfits(grain, kind, present)
    for field, codes in chosen.items():
        refused = (_translate(kind, _REFUSED[field]) & _translate(codes, _BIT_OF_CODE)) != 0
        grain.refuse(
            refused, recorded_events.FIELD_KEYS.get(field, field), "this value is not allowed for this kind of event"
        )

    bearing, decoded = arrow_columns.read_recorded_hands(cards)
    malformed = np.zeros(len(kind), np.bool_)
    malformed[bearing[~decoded.well_formed]] = True
    grain.refuse(malformed, "cards", lambda event: log_draft.explain_bad_hand(arrow_columns.read_text_at(cards, event)))
    cards_row = np.full(len(kind), ABSENT, np.int32)
    cards_row[bearing] = np.arange(len(bearing), dtype=np.int32)
    return log_draft.EventColumns(
        counts=counts,
        kind=kind,
        seat=seat,
        place=chosen["place"],
        face=chosen["face"],
        by=chosen["by"],
        means=chosen["means"],
        wager=named["wager"],
        tip=table_fields.flags("tip"),
        amount=amount,
        decision=named["decision"],
        what=named["what"],
        deck=named["deck"],
        positions=named["positions"],
        value=named["value"],
        pot=pot,
        chips=chips,
        cards_row=cards_row,
        hands=decoded.hands,
    )


def _refuse_values(grain: log_draft.RowLevel, kind: Codes, value: CodedColumn) -> None:
    """Refuse malformed values of outcomes, selections of stakes, and Low Hands."""
    if not value.names:
        return
    is_outcome, is_set = kind == KIND_CODES["outcome"], kind == KIND_CODES["set"]
    for pattern, chosen, expected in (
        (event_kinds.VALUE_PATTERN, is_outcome, VALUE_EXPECTED),
        (event_kinds.SELECTION_PATTERN, ~is_outcome & ~is_set, SELECTION_EXPECTED),
        (event_kinds.LOW_PATTERN, is_set, LOW_EXPECTED),
    ):
        grain.refuse(_find_misfits(value, pattern) & chosen, "value", expected)


def _find_misfits(column: CodedColumn, pattern: str) -> Flags:
    """Return whether each recorded text of a column does not match a pattern."""
    return np.array([*(re.match(pattern, name) is None for name in column.names), False])[column.codes]


def _refuse_misfits(grain: log_draft.RowLevel, kind: Codes, present: dict[str, Flags]) -> None:
    """Refuse events with a field that their kind does not have, or without a required one."""
    for half, required, possible in zip(_GROUPS, _REQUIRED, _POSSIBLE, strict=True):
        bits = np.zeros(len(kind), np.uint8)
        for bit, field in enumerate(half):
            bits |= present[field].view(np.uint8) << np.uint8(bit)
        surplus, lacking = bits & ~_translate(kind, possible), ~bits & _translate(kind, required)
        for marked, fault in ((surplus, "has no key"), (lacking, "must have the key")):
            for bit, field in enumerate(half) if marked.any() else ():
                reasons = [
                    f"an event `{name}` {fault} `{recorded_events.FIELD_KEYS.get(field, field)}`" for name in KINDS
                ]
                grain.refuse((marked >> np.uint8(bit) & 1) != 0, "", _choose_reason(reasons, kind))


def _choose_reason(reasons: list[str], kind: Codes) -> Callable[[int], str]:
    return lambda event: reasons[kind[event]]


def _translate(codes: Codes | Ints8, table: bytes) -> Codes:
    return np.frombuffer(codes.tobytes().translate(table), np.uint8)


_SCHEMA = build_arrow_schema()
_SEAT = _SCHEMA.field("seats").type.value_type
_WAGER = _SEAT.field("wagers").type.value_type
_BONUS = _SEAT.field("bonuses").type.value_type
_METER = _SCHEMA.field("meters").type.value_type
_EVENT = _SCHEMA.field("events").type.value_type
_MASKS = np.array([recorded_events.KIND_BITS[name] for name in recorded_events.KIND_NAMES], np.uint64)
_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}
_MINUTE = 60_000_000
_DAY = 1440 * _MINUTE
_FIRST_TIME = np.datetime64("0001-01-01", "us").astype(np.int64)
_END_OF_TIME = np.datetime64("10000-01-01", "us").astype(np.int64)


def batches_from_arrow(
    table: pa.Table, *, known_games: Collection[str] | None = None, file: str = "table", first_row: int = 1
) -> DecodedBlock:
    """Decode the rows of a table, which are numbered from `first_row`.

    Every row is in a batch or quarantined, for the same reasons as a line of JSON. Without `known_games`, any game is
    accepted. Raises InputError if the columns are not those of a hand log.
    """
    check_schema(table.schema, file)
    if not table.num_rows:
        return DecodedBlock(batches=(), quarantined=(), read=0)
    wrong = log_draft.BadRounds()
    fields = arrow_columns.TableFields(log_draft.RowLevel(wrong), table, _SCHEMA)
    draft = _read_draft(fields, file, first_row)
    precision = fields.choice("time-precision", PRECISIONS)
    dated = np.where(precision < 0, MOMENT, precision).astype(np.uint8)
    games = draft.game.names if known_games is None else known_games
    batches, quarantined = assemble_batches(draft, wrong, games)
    quarantined.sort(key=lambda entry: entry.line)
    return DecodedBlock(
        batches=tuple(replace(batch, dated=dated[batch.line - first_row]) for batch in batches),
        quarantined=tuple(quarantined),
        read=table.num_rows,
    )


def _read_draft(fields: arrow_columns.TableFields, file: str, first_row: int) -> log_draft.LogDraft:
    grain = fields.grain
    for field in ("round", "table", "time", "game", "seats"):
        fields.require(field)
    names = tuple(name or "" for name in arrow_columns.list_texts(fields.array("round")))
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    grain.refuse(
        (lengths == 0) | (lengths > round_record.LONGEST_ID),
        "round",
        f"expected text of 1 to {round_record.LONGEST_ID} characters",
    )
    events = fields.lists("events", round_record.MOST_EVENTS)
    time, offset = _read_times(fields)
    seat_columns, stakes = _read_seats(fields)
    return log_draft.LogDraft(
        file=file,
        line=np.arange(first_row, first_row + len(names), dtype=np.int64),
        round=names,
        game=fields.text("game", round_record.LONGEST_ID),
        table=fields.text("table", round_record.LONGEST_ID),
        casino=fields.text("casino", round_record.LONGEST_ID),
        time=time,
        offset=offset,
        number=fields.integers("number", 1, round_record.MOST_ROUNDS).astype(np.int32),
        deck=fields.text("deck", event_kinds.LONGEST_NAME),
        button=fields.integers("button", 1, event_kinds.HIGHEST_SEAT).astype(np.int8),
        small_bet=fields.integers("small-bet"),
        big_bet=fields.integers("big-bet"),
        after=fields.text("after", round_record.LONGEST_ID),
        complete=fields.answers("complete") != 0,
        dealer=fields.hands("dealer"),
        dealer_discarded=fields.hands("dealer-discarded"),
        dealer_drawn=fields.hands("dealer-drawn"),
        community=fields.hands("community"),
        community_discarded=fields.hands("community-discarded"),
        outcomes=_read_outcomes(fields),
        meters=_read_meters(fields),
        seats=seat_columns,
        stakes=stakes,
        events=read_event_columns(grain.nested_list("events", events.counts), events.entries, events.counts, _EVENT),
        recorded=~events.absent,
        unrecorded=_read_unrecorded(fields),
        currency=_read_currency(fields),
        context=read_contexts(fields),
    )


def _read_times(fields: arrow_columns.TableFields) -> tuple[Ints, Ints16]:
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


def _read_utc_offsets(fields: arrow_columns.TableFields, ahead: Ints16, *, zoned: bool) -> Ints16:
    """Return minutes ahead of UTC as stated in a column of its own; `ahead` are those of the time zone, if any.

    Returns: int16[n].
    """
    stated = fields.text("utc-offset", event_kinds.LONGEST_NAME)
    if not stated.names:
        return ahead
    if zoned:
        fields.grain.refuse(stated.codes >= 0, "utc-offset", "`time` already has a time zone")
        return ahead
    sound = [re.fullmatch(round_record.UTC_OFFSET, name) is not None for name in stated.names]
    fields.grain.refuse(~np.array([*sound, True])[stated.codes], "utc-offset", "expected an offset such as `-07:00`")
    texts_ = [name if good else "Z" for name, good in zip(stated.names, sound, strict=True)]
    return look_up(log_draft.parse_utc_offsets(texts_), stated.codes, 0)


def _read_microseconds(array: pa.Array) -> Ints:
    """Return microseconds, limited to the largest and least numbers; finer fractions are dropped.

    Returns: int64[n].
    """
    counted, unit = arrow_columns.read_ticks(array), array.type.unit
    if unit == "ns":
        return counted // 1000
    most = np.iinfo(np.int64).max // _MICROSECONDS[unit]
    return counted.clip(-most, most) * _MICROSECONDS[unit]


def _read_currency(fields: arrow_columns.TableFields) -> CodedColumn:
    column = fields.text("currency", event_kinds.LONGEST_NAME)
    odd = np.array([*(re.match(round_record.CURRENCY_PATTERN, name) is None for name in column.names), False])
    if odd.any():
        fields.grain.refuse(odd[column.codes], "currency", CURRENCY_EXPECTED)
    return column


def _read_unrecorded(fields: arrow_columns.TableFields) -> Bits64:
    """Return the bits of all listed kinds.

    Returns: uint64[rounds].
    """
    lists = fields.lists("unrecorded", round_record.MOST_UNRECORDED)
    named = arrow_columns.read_choices(lists.entries, recorded_events.KIND_NAMES)
    known = (named >= 0) & (named < len(recorded_events.KIND_NAMES))
    fields.grain.nested_list("unrecorded", lists.counts).refuse(
        named == len(recorded_events.KIND_NAMES),
        "",
        lambda row: f"unknown value {quote(arrow_columns.read_text_at(lists.entries, row))}",
    )
    masks = np.zeros(len(lists.counts), np.uint64)
    rounds = np.repeat(np.arange(len(masks)), lists.counts)
    np.bitwise_or.at(masks, rounds[known], _MASKS[named[known]])
    return masks


def _read_seats(fields: arrow_columns.TableFields) -> tuple[log_draft.SeatColumns, Stakes]:
    lists = fields.lists("seats", round_record.MOST_SEATS)
    grain = fields.grain.nested_list("seats", lists.counts)
    seats = arrow_columns.TableFields(grain, lists.entries, _SEAT)
    seats.require("seat")
    seats.require("wagers")
    columns = log_draft.SeatColumns(
        counts=lists.counts,
        number=np.maximum(seats.integers("seat", 1, event_kinds.HIGHEST_SEAT), 0).astype(np.int16),
        player=seats.text("player", round_record.LONGEST_ID),
        decision=seats.text("decision", event_kinds.LONGEST_NAME),
        hands=seats.hands("cards"),
        discarded=seats.hands("discarded"),
        drawn=seats.hands("drawn"),
        stack=seats.integers("stack"),
        stack_after=seats.integers("stack-after"),
        won=seats.integers("won"),
        playing=seats.answers("playing") != 0,
        split_of=seats.integers("split-of", 1, event_kinds.HIGHEST_SEAT).astype(np.int16),
    )
    return columns, _read_stakes(
        grain, seats.lists("wagers", round_record.MOST_STAKES), seats.lists("bonuses", round_record.MOST_STAKES)
    )


def _read_outcomes(fields: arrow_columns.TableFields) -> log_draft.OutcomeColumns:
    array = fields.array("outcomes")
    results: list[dict[str, str]] = [{}] * len(array)
    if array.null_count < len(array):
        results = []
        for row, value in enumerate(_list_values(array)):
            try:
                results.append({} if value is None else _read_results(value))
            except (msgspec.ValidationError, UnicodeError) as error:
                fields.grain.wrong.note(row, f"at `$.outcomes`: {error}")
                results.append({})
    names, values = CodeTable(), CodeTable()
    name = np.array([names[key] for listed in results for key in listed], np.int32)
    value_codes = np.array([values[value] for listed in results for value in listed.values()], np.int32)
    return log_draft.OutcomeColumns(
        counts=np.array([len(listed) for listed in results], np.int64),
        name=CodedColumn(codes=name, names=names.names),
        value=CodedColumn(codes=value_codes, names=values.names),
    )


def _read_results(value: Any) -> dict[str, str]:
    return msgspec.convert(_list_entries(value), round_record.Results)


def _read_meters(fields: arrow_columns.TableFields) -> log_draft.MeterColumns:
    lists = fields.lists("meters", round_record.MOST_METERS)
    meters = arrow_columns.TableFields(fields.grain.nested_list("meters", lists.counts), lists.entries, _METER)
    meters.require("meter")
    return log_draft.MeterColumns(
        counts=lists.counts,
        meter=meters.text("meter", event_kinds.LONGEST_NAME),
        opening=meters.integers("opening"),
        shown=meters.integers("shown"),
        closing=meters.integers("closing"),
    )


def _read_stakes(
    seats: log_draft.RowLevel, wagers: arrow_columns.ListColumn, bonuses: arrow_columns.ListColumn
) -> Stakes:
    staked = arrow_columns.TableFields(seats.nested_list("wagers", wagers.counts), wagers.entries, _WAGER)
    for field in ("wager", "amount"):
        staked.require(field)
    on = staked.text("selection", event_kinds.LONGEST_NAME)
    if on.names:
        staked.grain.refuse(_find_misfits(on, event_kinds.SELECTION_PATTERN), "selection", SELECTION_EXPECTED)
    stakes = Stakes(
        seat=list_owners(wagers.counts),
        wager=staked.text("wager", event_kinds.LONGEST_NAME),
        selection=on,
        tip=staked.flags("tip"),
        bonus=np.zeros(len(wagers.entries), np.bool_),
        amount=staked.integers("amount"),
        brought=staked.integers("brought"),
        paid=staked.integers("paid"),
        taken=staked.integers("taken"),
        claimed=staked.answers("claimed"),
    )
    awarded = arrow_columns.TableFields(seats.nested_list("bonuses", bonuses.counts), bonuses.entries, _BONUS)
    awarded.require("bonus")
    codes, names = translate_codes(awarded.text("bonus", event_kinds.LONGEST_NAME), stakes.wager)
    return merge_stakes(
        stakes,
        Stakes(
            seat=list_owners(bonuses.counts),
            wager=CodedColumn(codes=codes, names=names),
            selection=CodedColumn(codes=np.full(len(codes), ABSENT, np.int32), names=on.names),
            tip=awarded.flags("tip"),
            bonus=np.ones(len(bonuses.entries), np.bool_),
            amount=np.zeros(len(bonuses.entries), np.int64),
            brought=np.full(len(bonuses.entries), ABSENT, np.int64),
            paid=awarded.integers("paid"),
            taken=np.full(len(bonuses.entries), ABSENT, np.int64),
            claimed=np.full(len(bonuses.entries), ABSENT, np.int8),
        ),
    )
