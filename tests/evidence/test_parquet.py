"""Logs in Parquet: the same rounds as in JSON, and the same strictness."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.evidence.arrow import parquet_reader
from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.assembly import DecodedBlock
from tests.evidence.generate import GAME, generate_among_players, generate_exchanges, rounds
from tests.evidence.plain import plain_batches, plain_record
from tests.evidence.strategies import GAMES, line, records
from tests.facade.evidence import HandLog, build_arrow_schema, decode_lines
from tests.facade.text import InputError

Record = dict[str, Any]
SCHEMA = build_arrow_schema()


def row(record: Record) -> Record:
    """Return a record as a row of a table."""
    found: Record = copy.deepcopy(record)
    found["time"] = datetime.fromisoformat(record["time"]).replace(tzinfo=None)
    for event in found.get("events") or ():
        if event and "number" in event:
            event["amount"] = event.pop("number")
    if found.get("context") is not None:
        found["context"] = [(key, str(value)) for key, value in found["context"].items()]
    return found


def table(given_records: list[Record], schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist(list(map(row, given_records)), schema=schema)


@given(st.lists(records(), max_size=5))
@settings(max_examples=20)
def test_tables_and_lines_give_the_same_batches(given_records: list[Record]) -> None:
    from_lines = decode_lines(b"\n".join(map(line, given_records)), file="f", first_line=1, known_games=set(GAMES))
    from_table = batches_from_arrow(table(given_records), file="f", known_games=set(GAMES))
    assert from_table.quarantined == ()
    assert from_table.read == len(given_records)
    assert [batch.game for batch in from_table.batches] == [batch.game for batch in from_lines.batches]
    assert plain_batches(from_table.batches) == plain_batches(from_lines.batches)


@given(st.lists(records(), min_size=1, max_size=5), st.data())
@settings(max_examples=20)
def test_slices_and_chunks_of_tables(given_records: list[Record], data: st.DataObject) -> None:
    whole = pa.concat_tables([table(given_records), table(given_records)])
    start = data.draw(st.integers(0, len(given_records)))
    found = batches_from_arrow(whole.slice(start), first_row=start + 1)
    expected = [*given_records, *given_records][start:]
    assert found.quarantined == ()
    assert list(plain_batches(found.batches).values()) == list(map(plain_record, expected))
    assert list(plain_batches(found.batches)) == list(range(start + 1, start + 1 + len(expected)))


def retype(kind: pa.DataType, types: dict[str, pa.DataType], large: bool) -> pa.DataType:
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, retype(field.type, types, large)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(retype(kind.key_type, types, large), retype(kind.item_type, types, large))
    if pa.types.is_list(kind):
        inner = retype(kind.value_type, types, large)
        return pa.large_list(inner) if large else pa.list_(inner)
    return types.get(str(kind), kind)


@pytest.mark.parametrize(
    ("types", "large"),
    [
        ({"string": pa.large_string(), "int8": pa.int64(), "timestamp[us]": pa.timestamp("ns")}, True),
        ({"string": pa.dictionary(pa.int8(), pa.string()), "int64": pa.uint64(), "int8": pa.uint8()}, False),
        ({"string": pa.string_view(), "int64": pa.int32(), "timestamp[us]": pa.timestamp("s")}, True),
        ({"timestamp[us]": pa.timestamp("ms", "UTC")}, False),
        ({"timestamp[us]": pa.timestamp("us", "+02:00")}, False),
    ],
)
def test_other_widths_of_the_same_types(types: dict[str, pa.DataType], large: bool) -> None:
    given_records = [*rounds(4), *generate_exchanges(4), *generate_among_players(8)]
    given_records[2]["dealer"] = given_records[2]["events"] = None
    given_records[2]["seats"][1]["cards"] = None
    schema = pa.schema([(field.name, retype(field.type, types, large)) for field in SCHEMA])
    rows = list(map(row, given_records))
    zone = types.get("timestamp[us]", SCHEMA.field("time").type).tz
    for each in rows if zone else ():
        each["time"] = each["time"].replace(tzinfo=timezone(timedelta(hours=2 if zone == "+02:00" else 0)))
    found = batches_from_arrow(pa.Table.from_pylist(rows, schema=schema))
    assert found.quarantined == ()
    assert list(plain_batches(found.batches).values()) == list(map(plain_record, given_records))


def test_columns_that_are_not_required_may_be_missing_or_without_type() -> None:
    record: Record = {"round": "r", "table": "t", "time": "2026-03-01T12:00:00Z", "game": "g"}
    record["seats"] = [{"seat": 1, "wagers": [{"wager": "w", "amount": 5}]}]
    wager = pa.struct([("wager", pa.string()), ("amount", pa.int64()), ("paid", pa.null())])
    seat = pa.struct([("seat", pa.int8()), ("wagers", pa.list_(wager))])
    schema = pa.schema(
        [
            ("seats", pa.list_(seat)),
            *((name, pa.string()) for name in ("game", "table", "round")),
            ("events", pa.null()),
            ("time", pa.timestamp("us")),
        ]
    )
    found = batches_from_arrow(table([record], schema))
    assert list(plain_batches(found.batches).values()) == [plain_record(record)]


def test_no_rows() -> None:
    assert batches_from_arrow(SCHEMA.empty_table()) == DecodedBlock(batches=(), quarantined=(), read=0)


def change_schema(path: str, kind: pa.DataType | None) -> pa.Schema:
    """Return the schema with a column of another type, without it, or with one more."""

    def alter(fields: list[pa.Field], names: list[str]) -> list[pa.Field]:
        name, *inner = names
        known = [field.name for field in fields]
        if name not in known and kind is not None:
            return [*fields, pa.field(name, kind)]
        found = []
        for field in fields:
            if field.name != name:
                found.append(field)
            elif inner:
                items = pa.struct(alter(list(field.type.value_type), inner))
                found.append(pa.field(name, pa.list_(items)))
            elif kind is not None:
                found.append(pa.field(name, kind))
        return found

    return pa.schema(alter(list(SCHEMA), path.split(".")))


@pytest.mark.parametrize(
    ("path", "kind", "code", "message"),
    [
        ("round", None, "missing-column", "there is no column `round`"),
        ("seats.wagers", None, "missing-column", "there is no column `seats.wagers`"),
        ("seats.wagers.amount", None, "missing-column", "there is no column `seats.wagers.amount`"),
        ("events.event", None, "missing-column", "there is no column `events.event`"),
        ("evnts", pa.string(), "unknown-column", "unknown column `evnts`"),
        ("events.number", pa.int64(), "unknown-column", "unknown column `events.number`"),
        ("round", pa.int64(), "wrong-type", "the column `round` holds int64"),
        ("round", pa.null(), "wrong-type", "the column `round` holds null"),
        ("time", pa.string(), "wrong-type", "the column `time` holds string"),
        ("seats.wagers.amount", pa.float64(), "wrong-type", "the column `seats.wagers.amount` holds double"),
        ("seats.wagers", pa.string(), "wrong-type", "the column `seats.wagers` holds string"),
        ("events", pa.list_(pa.string()), "wrong-type", "the column `events` holds string"),
        ("events.tip", pa.int8(), "wrong-type", "the column `events.tip` holds int8"),
        ("dealer", pa.binary(), "wrong-type", "the column `dealer` holds binary"),
        ("table", pa.dictionary(pa.int8(), pa.int8()), "wrong-type", "the column `table` holds dictionary"),
    ],
)
def test_columns_of_another_kind(path: str, kind: pa.DataType | None, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        batches_from_arrow(change_schema(path, kind).empty_table(), file="log.parquet")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.file) == (code, "log.parquet")
    assert diagnostic.message.startswith(message)


def test_a_near_miss_is_pointed_out_and_a_column_may_not_stand_twice() -> None:
    with pytest.raises(InputError) as caught:
        batches_from_arrow(pa.schema([*SCHEMA, pa.field("delaer", pa.string()), SCHEMA.field("round")]).empty_table())
    assert [(d.code, d.help) for d in caught.value.diagnostics] == [
        ("unknown-column", "did you mean `dealer`?"),
        ("column-twice", None),
    ]


LOOSE = {"unrecorded": ["wager", "deal", "pay", "collect"]}
LEAST: Record = {
    "round": "r",
    "table": "t",
    "time": "2026-03-01T12:00:00Z",
    "game": GAME,
    "seats": [{"seat": 2, "cards": "AsKd", "wagers": [{"wager": "main", "amount": 5}]}],
}


def seat(**changes: object) -> Record:
    return {**LEAST, "seats": [{**LEAST["seats"][0], **changes}]}


def events(*given_events: Record) -> Record:
    return {**LEAST, **LOOSE, "events": list(given_events)}


REASONS: list[tuple[Record, str]] = [
    ({**LEAST, "round": None}, "at `$.round`: a value is required here"),
    ({**LEAST, "round": ""}, "at `$.round`: expected text of 1 to 200 characters"),
    ({**LEAST, "table": "x" * 201}, "at `$.table`: expected text of 1 to 200 characters"),
    ({**LEAST, "game": "unheard"}, "no rules are known for the game `unheard`"),
    ({**LEAST, "dealer": "AsK"}, "at `$.dealer`: card 2 ('K', at character 3) is cut short"),
    ({**LEAST, "dealer": "As" * 13}, "at `$.dealer`: more cards than a hand can hold"),
    ({**LEAST, "seats": None}, "at `$.seats`: a value is required here"),
    ({**LEAST, "seats": [None]}, "at `$.seats[0]`: a value is required here"),
    ({**LEAST, "seats": [{"seat": n, "wagers": []} for n in range(1, 34)]}, "at `$.seats`: must not have more than 32"),
    ({**LEAST, "seats": LEAST["seats"] * 2}, "seat 2 is listed twice"),
    (seat(seat=None), "at `$.seats[0].seat`: a value is required here"),
    (seat(seat=0), "at `$.seats[0].seat`: expected a whole number from 1 to 99"),
    (seat(seat=-1), "at `$.seats[0].seat`: expected a whole number from 1 to 99"),
    (seat(seat=120), "at `$.seats[0].seat`: expected a whole number from 1 to 99"),
    (seat(player=""), "at `$.seats[0].player`: expected text of 1 to 200 characters"),
    (seat(cards="Xx"), "at `$.seats[0].cards`: card 1 ('Xx', at character 1) is not a card"),
    (seat(wagers=None), "at `$.seats[0].wagers`: a value is required here"),
    (seat(wagers=[None]), "at `$.seats[0].wagers[0]`: a value is required here"),
    (seat(wagers=[{"wager": None, "amount": 1}]), "at `$.seats[0].wagers[0].wager`: a value is required here"),
    (seat(wagers=[{"wager": "x" * 101, "amount": 1}]), "at `$.seats[0].wagers[0].wager`: expected text of 1 to 100"),
    (seat(wagers=[{"wager": "x", "amount": None}]), "at `$.seats[0].wagers[0].amount`: a value is required here"),
    (
        seat(wagers=[{"wager": "x", "amount": -1}]),
        "at `$.seats[0].wagers[0].amount`: expected a whole number from 0 to",
    ),
    (
        seat(wagers=[{"wager": "w", "amount": 1}, {"wager": "x", "amount": 1, "paid": 10**12 + 1}]),
        "at `$.seats[0].wagers[1].paid`: expected a whole number from 0 to 1000000000000",
    ),
    (seat(wagers=[{"wager": "x", "amount": 1}] * 2), "seat 2 lists `x` twice"),
    (seat(bonuses=[{"bonus": None}]), "at `$.seats[0].bonuses[0].bonus`: a value is required here"),
    (seat(bonuses=[None]), "at `$.seats[0].bonuses[0]`: a value is required here"),
    ({**LEAST, "number": 0}, "at `$.number`: expected a whole number from 1 to 1000000000"),
    ({**LEAST, "button": 0}, "at `$.button`: expected a whole number from 1 to 99"),
    ({**LEAST, "after": "x" * 201}, "at `$.after`: expected text of 1 to 200 characters"),
    (seat(stack=-2), "at `$.seats[0].stack`: expected a whole number from 0 to 1000000000000"),
    (seat(**{"stack-after": 10**13}), "at `$.seats[0].stack-after`: expected a whole number from 0 to 1000000000000"),
    (seat(won=-2), "at `$.seats[0].won`: expected a whole number from 0 to 1000000000000"),
    (events({"event": "award", "seat": 2, "amount": 1}), "at `$.events[0]`: an event `award` must have the key `pot`"),
    (
        events({"event": "pay", "seat": 2, "wager": "x", "amount": 1, "pot": 1}),
        "at `$.events[0]`: an event `pay` has no key `pot`",
    ),
    (events({"event": "rake", "amount": 1, "pot": 100}), "at `$.events[0].pot`: expected a whole number from 0 to 99"),
    (events({"event": "rake", "amount": 1, "chips": 1}), "at `$.events[0]`: an event `rake` has no key `chips`"),
    (
        events({"event": "tender", "seat": 2, "amount": 1, "chips": 10_001}),
        "at `$.events[0].chips`: expected a whole number from 1 to 10000",
    ),
    (
        events({"event": "fault", "what": "x", "place": "player"}),
        "event 1 (fault) has the place `player` but names no seat",
    ),
    ({**LEAST, "unrecorded": ["deal/deck"]}, "at `$.unrecorded[0]`: unknown value `deal/deck`"),
    ({**LEAST, "deck": "x" * 101}, "at `$.deck`: expected text of 1 to 100 characters"),
    ({**LEAST, "dealer-drawn": "Xx"}, "at `$.dealer-drawn`: card 1 ('Xx', at character 1) is not a card"),
    ({**LEAST, "community-discarded": "A"}, "at `$.community-discarded`: card 1 ('A', at character 1) is cut short"),
    (seat(discarded="AsK"), "at `$.seats[0].discarded`: card 2 ('K', at character 3) is cut short"),
    (seat(drawn="As" * 13), "at `$.seats[0].drawn`: more cards than a hand can hold"),
    ({**LEAST, "meters": [None]}, "at `$.meters[0]`: a value is required here"),
    ({**LEAST, "meters": [{"meter": None}]}, "at `$.meters[0].meter`: a value is required here"),
    (
        {**LEAST, "meters": [{"meter": "m", "closing": -1}]},
        "at `$.meters[0].closing`: expected a whole number from 0 to",
    ),
    ({**LEAST, "meters": [{"meter": "m"}] * 2}, "the meter `m` is listed twice"),
    ({**LEAST, "meters": [{"meter": str(n)} for n in range(33)]}, "at `$.meters`: must not have more than 32"),
    (
        events({"event": "discard", "place": "dealer", "positions": "21"}),
        "at `$.events[0].positions`: expected rising digits from 1 to 9, such as 125",
    ),
    (events({"event": "cut", "positions": "1"}), "at `$.events[0]`: an event `cut` has no key `positions`"),
    (events({"event": "cut", "in": "cash"}), "at `$.events[0]`: an event `cut` has no key `in`"),
    (events({"event": "remedy", "what": "x", "deck": "red"}), "at `$.events[0]`: an event `remedy` has no key `deck`"),
    (
        events({"event": "wager", "seat": 2, "wager": "x", "amount": 1, "in": "gold"}),
        "at `$.events[0].in`: unknown value `gold`",
    ),
    (events({"event": "draw", "place": "dealer"}), "at `$.events[0]`: an event `draw` must have the key `cards`"),
    (
        events({"event": "draw", "place": "deck", "cards": ""}),
        "at `$.events[0].place`: this value is not allowed for this kind of event",
    ),
    ({**LEAST, "unrecorded": ["shuffel"]}, "at `$.unrecorded[0]`: unknown value `shuffel`"),
    ({**LEAST, "unrecorded": ["tuck", None]}, "at `$.unrecorded[1]`: a value is required here"),
    (events({"event": "cut"}, None), "at `$.events[1]`: a value is required here"),  # type: ignore[arg-type]
    (events({"event": None}), "at `$.events[0].event`: a value is required here"),
    (events({"event": "dael"}), "at `$.events[0].event`: unknown value `dael`"),
    (
        events({"event": "cut"}, {"event": "tuck", "seat": 2}),
        "at `$.events[1]`: an event `tuck` must have the key `wager`",
    ),
    (events({"event": "tuck", "wager": "x"}), "at `$.events[0]`: an event `tuck` must have the key `seat`"),
    (events({"event": "decide", "seat": 2}), "at `$.events[0]`: an event `decide` must have the key `decision`"),
    (events({"event": "count", "what": "x"}), "at `$.events[0]`: an event `count` must have the key `amount`"),
    (events({"event": "announce"}), "at `$.events[0]`: an event `announce` must have the key `what`"),
    (events({"event": "deal", "cards": "As"}), "at `$.events[0]`: an event `deal` must have the key `place`"),
    (events({"event": "deal", "place": "dealer"}), "at `$.events[0]`: an event `deal` must have the key `cards`"),
    (events({"event": "cut", "tip": False}), "at `$.events[0]`: an event `cut` has no key `tip`"),
    (events({"event": "shuffle", "amount": 0}), "at `$.events[0]`: an event `shuffle` has no key `amount`"),
    (events({"event": "cut", "cards": ""}), "at `$.events[0]`: an event `cut` has no key `cards`"),
    (events({"event": "cut", "face": "up"}), "at `$.events[0]`: an event `cut` has no key `face`"),
    (
        events({"event": "shuffle", "by": "player"}),
        "at `$.events[0].by`: this value is not allowed for this kind of event",
    ),
    (
        events({"event": "misdeal", "place": "burn"}),
        "at `$.events[0].place`: this value is not allowed for this kind of event",
    ),
    (
        events({"event": "deal", "place": "table", "cards": "As"}),
        "at `$.events[0].place`: this value is not allowed for this kind of event",
    ),
    (events({"event": "cut", "by": "ghost"}), "at `$.events[0].by`: unknown value `ghost`"),
    (events({"event": "tuck", "seat": 3, "wager": "x"}), "event 1 names seat 3, which is not listed"),
    (events({"event": "tuck", "seat": 0, "wager": "x"}), "at `$.events[0].seat`: expected a whole number from 1 to 99"),
    (events({"event": "announce", "what": ""}), "at `$.events[0].what`: expected text of 1 to 100 characters"),
    (
        events({"event": "cut"}, {"event": "reveal", "place": "dealer", "cards": "AsX"}),
        "at `$.events[1].cards`: card 2 ('X', at character 3) is cut short",
    ),
    (
        events({"event": "reveal", "place": "player", "cards": "As"}),
        "event 1 (reveal) has the place `player` but names no seat",
    ),
    (events(*[{"event": "cut"}] * 2001), "at `$.events`: must not have more than 2000 entries"),
    (
        {**LEAST, "dealer": "As", "events": []},
        "the record contradicts itself: the cards of seat 2 are AsKd, but the events deal none",
    ),
]


@pytest.mark.parametrize(("bad", "reason"), REASONS, ids=[reason for _, reason in REASONS])
def test_every_reason(bad: Record, reason: str) -> None:
    schema = pa.schema([field.with_nullable(True) for field in SCHEMA])
    good = {**LEAST, **LOOSE, "events": [{"event": "reveal", "place": "dealer", "cards": "Kd"}, {"event": "cut"}]}
    found = batches_from_arrow(table([good, bad, good], schema), file="log", known_games={GAME})
    (entry,) = found.quarantined
    assert (entry.file, entry.line, entry.column) == ("log", 2, None)
    assert entry.reason.startswith(reason)
    assert plain_batches(found.batches) == {1: plain_record(good), 3: plain_record(good)}
    assert found.read == 3


def test_numbers_beyond_64_bits_with_a_sign() -> None:
    schema = pa.schema([(f.name, retype(f.type, {"int64": pa.uint64()}, large=False)) for f in SCHEMA])
    wagers = [[{"wager": "x", "amount": amount}] for amount in (1, 2**64 - 1, 2**63)]
    found = batches_from_arrow(table([seat(wagers=each) for each in wagers], schema), known_games={GAME})
    assert [entry.line for entry in found.quarantined] == [2, 3]


def test_a_time_no_calendar_has() -> None:
    whole = table([LEAST, LEAST])
    for value in (-(2**62), 2**62):
        times = pa.array([0, value], pa.int64()).cast(pa.timestamp("us"))
        found = batches_from_arrow(whole.set_column(3, SCHEMA.field("time"), times), known_games={GAME})
        assert [(entry.line, entry.reason) for entry in found.quarantined] == [
            (2, "at `$.time`: expected a time in the years 1 to 9999")
        ]


def make_timed_table(kind: pa.DataType, *counted: int) -> pa.Table:
    """Rows at times that count so much in the unit of their type."""
    times = pa.array(counted, pa.int64()).cast(kind)
    return table([LEAST] * len(counted)).set_column(3, pa.field("time", kind), times)


@pytest.mark.parametrize("zone", [None, "-07:00", "America/Denver"])
@pytest.mark.parametrize(("unit", "round_"), [("s", 2**64 // 10**6), ("ms", 2**64 // 1000), ("us", 2**61)])
def test_a_time_beyond_the_calendar_is_not_taken_for_one_within(unit: str, round_: int, zone: str | None) -> None:
    """In microseconds most of these numbers would come round to a day of 1969 or 1970."""
    beyond = [round_, 2**60, -(2**60), 2**62 + 5, 2**63 - 1, -(2**63)]
    found = batches_from_arrow(make_timed_table(pa.timestamp(unit, zone), 0, *beyond), known_games={GAME})
    assert [entry.line for entry in found.quarantined] == [2, 3, 4, 5, 6, 7]


def test_nanoseconds_are_dropped_before_1970_too() -> None:
    """Times in JSON do the same with their digits: a round stays in the day its log says."""
    found = batches_from_arrow(make_timed_table(pa.timestamp("ns"), -1, -1500, 1500), known_games={GAME})
    times = [datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(1969, 12, 31, 23, 59, 59, 999_998)]
    times.append(datetime(1970, 1, 1, 0, 0, 0, 1))
    records = [{**LEAST, "time": f"{time.isoformat()}Z"} for time in times]
    assert list(plain_batches(found.batches).values()) == list(map(plain_record, records))


@pytest.mark.parametrize("zone", ["Mars/Phobos", "+99:99"])
def test_a_time_zone_nobody_knows(tmp_path: Path, zone: str) -> None:
    whole = make_timed_table(pa.timestamp("us", zone), 0)
    with pytest.raises(InputError) as caught:
        batches_from_arrow(whole, known_games={GAME})
    assert f"the column `time` has the unknown time zone `{zone}`" in caught.value.diagnostics[0].message
    pq.write_table(whole, tmp_path / "log.parquet")
    assert refusal(tmp_path / "log.parquet") == "unknown-time-zone"


@pytest.mark.parametrize("name", ["round", "table", "dealer"])
def test_text_that_is_not_utf_8(name: str) -> None:
    raw = pa.array([b"As", b"\xff\xfe", b"Kd"], pa.binary()).view(pa.string())
    index = SCHEMA.get_field_index(name)
    found = batches_from_arrow(table([LEAST] * 3).set_column(index, SCHEMA.field(name), raw), known_games={GAME})
    assert [entry.line for entry in found.quarantined] == [2]
    assert found.quarantined[0].reason.startswith(f"at `$.{name}`: ")


def test_events_that_are_not_utf_8() -> None:
    whole = table([events({"event": "cut"}), events({"event": "cut"})])
    kinds = pa.array([b"cut", b"\xff"], pa.binary()).view(pa.string())
    entry = pa.StructArray.from_arrays([kinds], ["event"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), entry)
    found = batches_from_arrow(whole.set_column(SCHEMA.get_field_index("events"), "events", lists), known_games={GAME})
    assert [entry.line for entry in found.quarantined] == [2]


def test_dictionaries_with_doubles_and_nulls() -> None:
    tables = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.int8()), pa.array(["a", "a", None]))
    whole = table([LEAST] * 4).set_column(2, "table", tables)
    found = batches_from_arrow(whole, known_games={GAME})
    assert [entry.line for entry in found.quarantined] == [3, 4]
    (batch,) = found.batches
    assert [batch.table.text(index) for index in range(2)] == ["a", "a"]
    assert batch.table.code("a") == batch.table.codes[1]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize(("name", "texts"), [("round", ["a", "b", None]), ("dealer", ["As", "Kd", None])])
def test_any_text_may_be_coded(name: str, texts: list[str | None], kind: pa.DataType) -> None:
    """Also where the names of the codes are views of text, as of categories in Polars, with a null among them."""
    whole = table([LEAST] * 4)
    for names in (texts, texts[:2]):
        given_texts = [names[0], names[1], names[0], names[-1]]
        codes = pa.array([0, 1, 0, len(names) - 1], pa.uint32())
        column = pa.DictionaryArray.from_arrays(codes, pa.array(names, pa.string()).cast(kind))
        coded = whole.set_column(SCHEMA.get_field_index(name), name, column)
        found = batches_from_arrow(coded, known_games={GAME})
        expected = [text for text in given_texts if text is not None or name == "dealer"]
        assert [record[name] for record in plain_batches(found.batches).values()] == expected
        assert len(found.quarantined) == 4 - len(expected)


def test_mutated_rows_never_take_a_neighbour_along() -> None:
    rng = random.Random(3)
    pristine = list(map(row, rounds(8, seats=2)))
    expected = {number: plain_record(record) for number, record in enumerate(rounds(8, seats=2), 1)}
    schema = pa.schema([field.with_nullable(True) for field in SCHEMA])
    for _ in range(120):
        rows = copy.deepcopy(pristine)
        touched = set(rng.sample(range(8), 2))
        for index in touched:
            found: Any = rows[index]
            while isinstance(found, dict | list) and found:
                parent, key = found, rng.choice(list(found) if isinstance(found, dict) else range(len(found)))
                found = parent[key]
            choices: dict[type, list[Any]] = {int: [0, 7, 127, None], str: ["", "AsKd", "deal", "player", "x", None]}
            parent[key] = rng.choice(choices.get(type(found), [None]))
        decoded = batches_from_arrow(pa.Table.from_pylist(rows, schema=schema), known_games={GAME})
        found_rows = plain_batches(decoded.batches)
        bad = {entry.line for entry in decoded.quarantined}
        assert len(found_rows) + len(bad) == decoded.read == 8
        assert not bad & set(found_rows)
        for number in set(expected) - {index + 1 for index in touched}:
            assert found_rows[number] == expected[number]


def read(path: Path) -> tuple[dict[int, Record], list[int]]:
    log = HandLog(str(path))
    # As another process receives them.
    decoded = [pickle.loads(pickle.dumps(block)).decode({GAME}) for block in log.blocks()]
    assert len(log.sha256()) == 64
    found = plain_batches(batch for each in decoded for batch in each.batches)
    assert sum(each.read for each in decoded) == len(found) + sum(len(each.quarantined) for each in decoded)
    return found, [entry.line for each in decoded for entry in each.quarantined]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of fewer than 6 rows are small, those of more than 8 large, and 4 rows are judged together."""
    monkeypatch.setattr(parquet_reader, "ROWS_AT_A_TIME", 4)
    monkeypatch.setattr(parquet_reader, "ROWS_A_BLOCK", 8)
    monkeypatch.setattr(parquet_reader, "FEW_ROWS", 6)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("group", [3, 7, 20, 1000])
@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"dictionary_pagesize_limit": 64}])
def test_files_of_any_groups(tmp_path: Path, group: int, options: Any) -> None:
    given_records = list(rounds(50, seats=2))
    given_records[20]["dealer"] = "Xx"
    path = tmp_path / "log"
    pq.write_table(table(given_records), path, row_group_size=group, **options)
    found, bad = read(path)
    assert bad == [21]
    expected = {number: plain_record(record) for number, record in enumerate(given_records, 1)}
    del expected[21]
    assert found == expected
    blocks = list(HandLog(str(path)).blocks())
    assert len(blocks) == {3: 13, 7: 7 + 1, 20: 5 + 5 + 3, 1000: 13}[group]
    assert 0 < sum(block.size for block in blocks) <= path.stat().st_size


@pytest.mark.usefixtures("small")
def test_a_small_group_without_neighbours_is_read_where_it_is_judged(tmp_path: Path) -> None:
    """Its rows would take twice the memory in the process that passes them on."""
    path = tmp_path / "log"
    pq.write_table(table(list(rounds(7 + 7 + 1, seats=2))), path, row_group_size=7)
    assert [type(block) for block in HandLog(str(path)).blocks()] == [parquet_reader.GroupRows] * 3


@pytest.mark.usefixtures("small")
def test_a_footer_and_each_row_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small groups, large ones and those between, one behind the other in one file."""
    path, given_records = tmp_path / "log", list(rounds(60, seats=2))
    sizes = [2, 3, 1, 7, 8, 6, 20, 9, 1, 3]
    with pq.ParquetWriter(path, SCHEMA) as writer:
        for end, size in zip(accumulate(sizes), sizes, strict=True):
            writer.write_table(table(given_records[end - size : end]))
    footers, rows_read = [], []

    class Watched(pq.ParquetFile):  # type: ignore[misc]  # pyarrow is not typed
        def __init__(self, *arguments: Any, **options: Any) -> None:
            footers.extend([1] * (options.get("metadata") is None))
            super().__init__(*arguments, **options)

        def iter_batches(self, *arguments: Any, **options: Any) -> Iterator[pa.RecordBatch]:
            for batch in super().iter_batches(*arguments, **options):
                rows_read.append(batch.num_rows)
                yield batch

    monkeypatch.setattr(pq, "ParquetFile", Watched)
    found, bad = read(path)
    assert (len(found), bad) == (60, [])
    assert (len(footers), sum(rows_read)) == (1, 60)
    assert max(rows_read) <= 4


@pytest.mark.parametrize("group", [2, 7, 1000])
def test_rounds_in_which_much_happens_are_judged_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int
) -> None:
    path = tmp_path / "log"
    most = []
    monkeypatch.setattr(parquet_reader, "ROWS_A_BLOCK", 8)
    monkeypatch.setattr(parquet_reader, "FEW_ROWS", 6)
    monkeypatch.setattr(parquet_reader, "VALUES_AT_A_TIME", 400)
    for seats in (1, 6):
        pq.write_table(table(list(rounds(40, seats=seats))), path, row_group_size=group)
        decoded = [block.decode({GAME}) for block in HandLog(str(path)).blocks()]
        assert sum(record.read for record in decoded) == 40
        most.append(max(len(batch) for record in decoded for batch in record.batches))
    assert most[1] < most[0]


@pytest.mark.usefixtures("small")
def test_a_file_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for seats in (1, 2):
        pq.write_table(table(list(rounds(7, seats=seats))), path)
        found, _ = read(path)
        assert [len(record["seats"]) for record in found.values()] == [seats] * 7


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("damaged", [0, 1, 2, 5])
def test_rows_before_a_damaged_group_count(tmp_path: Path, damaged: int) -> None:
    """Groups of 3, of which several are read together."""
    path = tmp_path / "log"
    pq.write_table(table(list(rounds(18, seats=2))), path, row_group_size=3)
    column = pq.ParquetFile(path).metadata.row_group(damaged).column(0)
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 30] = bytes(30)
    path.write_bytes(data)
    found: list[int] = []
    with pytest.raises(InputError, match=f"row group {damaged + 1} cannot be read"):
        for block in HandLog(str(path)).blocks():
            found += plain_batches(block.decode({GAME}).batches)
    assert found == list(range(1, 3 * damaged + 1))


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        for block in HandLog(str(path)).blocks():
            block.decode({GAME})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.file == str(path)
    return diagnostic.code


def test_files_that_are_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    path.write_bytes(b'{"round": "r"}\n')
    assert refusal(path) == "not-parquet"
    path.write_bytes(b"PAR1")
    assert refusal(path) == "not-parquet"
    path.write_bytes(b"")
    assert refusal(path) == "empty"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(InputError) as caught:
        list(HandLog(str(path)).blocks())
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {"missing-column", "unknown-column"}


def test_a_footer_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(table(list(rounds(20, seats=1))), path)
    size = int.from_bytes(path.read_bytes()[-8:-4], "little")
    monkeypatch.setattr(parquet_reader, "MAX_FOOTER_BYTES", size)
    assert len(read(path)[0]) == 20
    monkeypatch.setattr(parquet_reader, "MAX_FOOTER_BYTES", size - 1)
    assert refusal(path) == "too-large"


def test_files_cut_off_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(table(list(rounds(20, seats=1))), path)
    data = path.read_bytes()
    rng = random.Random(5)
    for length in rng.sample(range(4, len(data)), 20):
        path.write_bytes(data[:length])
        assert refusal(path) == "not-parquet"
    start = len(data) - int.from_bytes(data[-8:-4], "little") - 8
    for _ in range(30):
        damaged = bytearray(data)
        damaged[rng.randrange(4, start)] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(damaged))
        try:
            read(path)
        except InputError as error:
            assert {diagnostic.code for diagnostic in error.diagnostics} <= {"damaged", "not-parquet"}


def test_codes_without_a_name() -> None:
    codes = pa.array([0, 5, 0], pa.int8())
    tables = pa.DictionaryArray.from_arrays(codes, pa.array(["a"]), safe=False)
    found = batches_from_arrow(table([LEAST] * 3).set_column(2, "table", tables), known_games={GAME})
    assert [(entry.line, entry.reason) for entry in found.quarantined] == [(2, "at `$.table`: the text is not UTF-8")]


def test_below_a_null_there_may_be_anything() -> None:
    """Codes of no text, for one, as pyarrow itself writes them."""
    schema = pa.schema(
        [(f.name, retype(f.type, {"string": pa.dictionary(pa.int8(), pa.string())}, False)) for f in SCHEMA]
    )
    found = batches_from_arrow(table([{**LEAST, "seats": [*LEAST["seats"], None]}, LEAST], schema), known_games={GAME})
    assert [(entry.line, entry.reason) for entry in found.quarantined] == [
        (1, "at `$.seats[1]`: a value is required here")
    ]


def clocks(given_records: list[Record], said: str | None, zone: str | None = None) -> DecodedBlock:
    found = table(given_records)
    said_of_all = pa.array([said] * len(found), pa.string())
    found = found.set_column(found.column_names.index("utc-offset"), "utc-offset", said_of_all)
    if zone is not None:
        at = found.column_names.index("time")
        found = found.set_column(at, "time", found.column("time").cast(pa.timestamp("us", zone)))
    return batches_from_arrow(found, known_games={GAME})


def test_the_offset_from_utc_may_stand_in_a_column_of_its_own() -> None:
    for said, minutes in (("-07:00", -420), ("+05:45", 345), ("Z", 0), (None, 0)):
        (batch,) = clocks(list(rounds(2)), said).batches
        (plain,) = clocks(list(rounds(2)), None).batches
        assert batch.offset.tolist() == [minutes, minutes]
        assert batch.time.tolist() == plain.time.tolist()


@pytest.mark.parametrize("said", ["-7", "-07:00 ", "UTC", "+25:00", "\u221207:00"])
def test_what_is_no_offset_from_utc_is_refused(said: str) -> None:
    decoded = clocks(list(rounds(1)), said)
    assert decoded.batches == ()
    assert decoded.quarantined[0].reason == "at `$.utc-offset`: expected an offset such as `-07:00`"


def test_a_time_has_one_offset_from_utc() -> None:
    decoded = clocks(list(rounds(1)), "-07:00", zone="America/Denver")
    assert decoded.quarantined[0].reason == "at `$.utc-offset`: `time` already has a time zone"


@pytest.mark.parametrize(("said", "dated"), [("none", 0), ("day", 1), (None, 2)])
def test_how_much_of_the_time_is_told(said: str | None, dated: int) -> None:
    found = table(list(rounds(1)))
    found = found.set_column(
        found.column_names.index("time-precision"), "time-precision", pa.array([said], pa.string())
    )
    (batch,) = batches_from_arrow(found, known_games={GAME}).batches
    assert batch.dated.tolist() == [dated]
