"""Values that libraries handle badly, in every field of records: each is judged or quarantined, and hides nothing."""

from __future__ import annotations

import copy
import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairdeal.validator.forms.form_entries import to_yaml
from tests.cli.helpers import list_failures
from tests.facade.commands import run
from tests.facade.demo import Record, demo_round
from tests.facade.text import InputError, Source, load_json, load_toml, load_yaml

JSON_VALUES = (
    *('""', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '"??"', '"AsAs"', f'"{"W" * 5_000}"', '"5000"'),
    *('"0000-01-01T00:00:00Z"', '"0001-01-01T00:00:00+14:00"', '"0001-01-01T00:00:00-14:00"'),
    *('"9999-12-31T23:59:59.999999999-23:59"', '"9999-12-31T23:59:59+23:59"', '"2016-12-31T23:59:60Z"'),
    *('"2026-02-29T00:00:00Z"', '"2026-02-28T24:00:00Z"', '"+10000-01-01T00:00:00Z"'),
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "9" * 5_000, "-0", "0.5", "1e3", "-1"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1000000000000", "1000000000001"),
    *(
        "null",
        "true",
        "[]",
        "{}",
        "[null]",
        '{"a":1,"a":2}',
        "[" * 3_000 + "]" * 3_000,
        '{"a":' * 3_000 + "1" + "}" * 3_000,
    ),
)
TOML_VALUES = (
    *("23:59:60", "2016-12-31T23:59:60Z", "0000-01-01", "0000-01-01T00:00:00Z", "9999-12-31", "0001-01-01", "00:00:00"),
    *(
        "9999-12-31T23:59:59.9999999999Z",
        "1979-05-27T00:00:00+24:00",
        "0001-01-01T00:00:00+23:59",
        "00:00:00.123456789",
    ),
    *(
        "24:00:00",
        "10000-01-01",
        "1979-02-30",
        "1979-05-27T00:00Z",
        "1e400",
        "-1e400",
        "1e99999999999",
        "1e-99999999999",
    ),
    *("9" * 5_000, "0x" + "f" * 5_000, "0b" + "1" * 9_999, "0." + "1" * 10_000, "1e-400", "nan", "-nan", "inf", "-inf"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-1", "0", "-0", "0.5", "0.005", "true"),
    *('""', '"\\ud800"', '"\\u0000"', '"\\U0010FFFF"', '"\\u202e"', f'"{"W" * 5_000}"', '"a\x00b"', "[]", "[[]]", "{}"),
    *('["p1 cbr 1e400"]', '["p1 cbr 0x10"]', f'["p1 cbr {"9" * 30}"]', '["p1 cbr .5"]', '["p1 cbr ."]', '["p99 f"]'),
    *("[nan, 1]", "[1e400, 1]", "[-1, -1]", "{a = 1, a = 2}", "[" * 400 + "]" * 400, "[" * 3_000 + "]" * 3_000),
)

HAND = {
    "variant": "'NT'",
    "ante_trimming_status": "true",
    "antes": "[0, 0]",
    "blinds_or_straddles": "[1, 2]",
    "min_bet": "2",
    "starting_stacks": "[100, 100]",
    "actions": "['d dh p1 KcKd', 'd dh p2 AcAd', 'p2 cc', 'p1 cc', 'd db 2c3d4h', 'p1 cbr 4', 'p2 f']",
    "finishing_stacks": "[102, 98]",
    "winnings": "[6, 0]",
    "hand": "'good'",
    "players": "['Bo', 'Ann']",
    "seats": "[1, 2]",
    "table": "'T'",
    "year": "2026",
    "month": "3",
    "day": "2",
    "time": "18:00:00",
}
OTHER_FIELDS = (
    "bring_in",
    "small_bet",
    "big_bet",
    "currency",
    "venue",
    "event",
    "time_zone",
    "level",
    "_own",
    "unknown",
)


def list_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all values of a record."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from list_places(part, (*path, key))


def spoil(record: Record, path: tuple[Any, ...], written: str) -> str:
    """Return a record as a line, with other text at a place."""
    found: Any = copy.deepcopy(record)
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = "@@"
    return json.dumps(found, ensure_ascii=False).replace('"@@"', written, 1)


def make_full_record() -> Record:
    """Return a record with a value in every field that the reader knows."""
    found = demo_round("hand-16")
    more = {"number": 3, "currency": "USD", "deck": "blue", "button": 1, "small-bet": 100, "big-bet": 200, "after": "x"}
    found |= {**more, "complete": True, "context": {"shift": "day", "n": 1}, "annotations": {"planted": ["x"]}}
    found["meters"] = [{"meter": "jackpot", "opening": 1, "shown": 2, "closing": 3}]
    found["seats"][0] |= {"stack": 100_000, "stack-after": 100_000, "won": 0, "playing": True}
    found["unrecorded"] = ["chips-in"]
    found["events"].append({"event": "count", "what": "deck", "number": 52})
    return found


def test_json_records_of_any_values_leave_their_neighbours_judged() -> None:
    good = demo_round("hand-16")
    lines = []
    for number, (path, written) in enumerate((p, v) for p in list_places(make_full_record()) for v in JSON_VALUES):
        lines.append(spoil({**make_full_record(), "round": f"bad-{number}"}, path, written))
        if not number % 50:
            lines.append(json.dumps({**good, "round": f"good-{number}", "table": "T2"}))
    Path("log.jsonl").write_text("\n".join(lines) + "\n", "utf-8", "surrogatepass")
    found = run("audit", "log.jsonl", "-o", "json")
    assert found.code == 1
    (log,) = found.results["provenance"]["inputs"]
    assert log["read"] == len(lines)
    expected = {f"good-{number}" for number in range(0, len(lines), 50) if f'"good-{number}"' in "".join(lines)}
    assert expected <= {
        name for name, requirement in list_failures(found.results) if requirement == "dealer-not-qualified"
    }


def written_hand(name: str, **fields: str) -> str:
    return f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in {**HAND, **fields}.items())


def test_hand_histories_of_any_values_leave_their_neighbours_judged() -> None:
    hands, good = [], []
    for number, (field, value) in enumerate((f, v) for f in (*HAND, *OTHER_FIELDS) for v in TOML_VALUES):
        hands.append(written_hand(f"bad{number}", **{field: value}))
        if not number % 50:
            good.append(f"good-{number}")
            hands.append(written_hand(f"g{number}", hand=f"'{good[-1]}'", table=f"'T{number}'"))
    Path("log.phhs").write_text("\n".join(hands), "utf-8")
    found = run("audit", "log.phhs", "-o", "json")
    assert found.code == 1
    (log,) = found.results["provenance"]["inputs"]
    assert log["read"] == len(hands)
    assert set(good) <= {
        name for name, requirement in list_failures(found.results) if requirement == "blinds-from-their-seats"
    }


@pytest.mark.parametrize(
    ("written", "said"),
    [("time = 23:59:60", "23:59:60"), ("time = 0000-01-01", "0000-01-01"), ("hand = 2016-12-31T23:59:60Z", "23:59:60")],
)
def test_a_time_that_the_calendar_lacks_sets_one_hand_aside(written: str, said: str) -> None:
    field, _, value = written.partition(" = ")
    hands = [written_hand("a", hand="'a'"), written_hand("b", **{field: value}), written_hand("c", hand="'c'")]
    Path("log.phhs").write_text("\n".join(hands), "utf-8")
    found = run("audit", "log.phhs", "-o", "json").results
    (aside,) = found["quarantined"]
    assert "\n".join(hands).splitlines()[aside["line"] - 1] == written
    assert aside["reason"].startswith("there is no such date or time as")
    assert said in aside["reason"]
    assert {name for name, _ in list_failures(found)} == {"a", "c"}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/Denver", "+14:00"])
def test_a_row_of_a_table_at_any_time_leaves_its_neighbours_judged(unit: str, zone: str | None) -> None:
    good = demo_round("hand-16")
    least, most = -(2**63), 2**63 - 1
    times = [least, least + 1, -(10**17), -62_135_596_801, 0, 253_402_300_800, 10**17, most - 1, most]
    if unit == "s":  # files hold seconds as thousandths
        times = [time for time in times if abs(time) < most // 1000]
    Path("log.jsonl").write_text("\n".join(json.dumps({**good, "round": f"r{n}"}) for n in range(len(times) + 1)))
    run("convert", "log.jsonl", "-o", "log.parquet")
    (part,) = Path().glob("log.parquet/**/rounds*.parquet") if Path("log.parquet").is_dir() else [Path("log.parquet")]
    table = pq.read_table(part)
    counted = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    column = pa.array([*times, 1_772_409_600 * counted], pa.int64()).cast(pa.timestamp(unit, zone))
    pq.write_table(table.set_column(table.schema.get_field_index("time"), "time", column), "x.parquet")
    found = run("audit", "x.parquet", "-o", "json")
    assert found.code == 1
    assert (f"r{len(times)}", "dealer-not-qualified") in list_failures(found.results)


def test_the_name_of_a_log_need_not_be_text() -> None:
    hand = written_hand("a").replace("hand = 'good'\n", "").replace("table = 'T'\n", "")
    Path(os.fsdecode(b"a\xff.phh")).write_text(hand.partition("\n")[2], "utf-8")
    Path(os.fsdecode(b"b\xfe.phhs")).write_text(written_hand("b"), "utf-8")
    for options in ((), ("--checkpoint", "kept")):
        found = run("audit", "a\udcff.phh", "b\udcfe.phhs", *options, "-o", "json")
        assert found.code == 1
        assert [log["checked"] for log in found.results["provenance"]["inputs"]] == [1, 1]


YAML_VALUES = (
    *("0000-01-01", "2026-02-30", "9999-12-31T23:59:60Z", "1e400", "9" * 5_000, "0x" + "f" * 5_000, "0o" + "7" * 9_000),
    *(
        "190:20:30",
        ".nan",
        "-.inf",
        "!!int x",
        "!!float 1_",
        "!!timestamp x",
        "!!binary ###",
        "&a [*a]",
        "<<",
        "%YAML 1",
    ),
    *('"\\ud800"', '"\\U00110000"', '"\\x00"', "[" * 3_000, "? " * 2_000, "- " * 3_000, "{a: " * 1_500, "!!set {a}"),
    *("0b" + "1" * 9_000, "1." + "1" * 9_000, "1e999999999", "2001-12-14t21:59:43.10-05:00", "!!python/object:x y"),
)


@pytest.mark.parametrize(
    ("load", "form", "values"),
    [
        (load_toml, "a = {}\n", TOML_VALUES),
        (load_json, '{{"a": {}}}', JSON_VALUES),
        (load_yaml, "a: {}\n", YAML_VALUES),
    ],
)
def test_texts_of_any_values_are_read_or_refused(
    load: Callable[[Source], object], form: str, values: tuple[str, ...]
) -> None:
    refused = 0
    for value in values:
        text = form.format(value)
        try:
            load(Source(name="x", data=text.encode(), text=text, sha256=""))
        except InputError as error:
            refused += 1
            assert error.diagnostics[0].message
    assert 0 < refused < len(values)


def test_a_text_that_looks_like_a_day_is_written_as_text() -> None:
    assert (to_yaml("2026-02-28"), to_yaml("2026-02-30")) == (datetime.date(2026, 2, 28), "2026-02-30")
