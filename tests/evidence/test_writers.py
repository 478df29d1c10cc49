"""Logs written and read back."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.evidence.arrow import parquet_writer
from fairdeal.validator.evidence.arrow.parquet_writer import write_parquet
from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.log_writers import open_log_writer, write_jsonl
from tests.evidence.generate import GAME, generate_exchanges, lines, rounds
from tests.evidence.plain import plain_batch, plain_batches
from tests.evidence.strategies import line, records
from tests.facade.evidence import (
    Batch,
    HandLog,
    build_arrow_schema,
    build_round_schema,
    decode_lines,
    to_lines,
    to_table,
)

VALIDATOR = jsonschema.Draft202012Validator(build_round_schema())


def batch_of(given_records: list[dict[str, Any]]) -> Batch:
    text = b"\n".join(map(line, given_records))
    decoded = decode_lines(text, file="log", first_line=1, known_games={"some-game"})
    (batch,) = decoded.batches
    return batch


def read(path: Path) -> list[Batch]:
    found: list[Batch] = []
    for block in HandLog(str(path)).blocks():
        decoded = block.decode({"some-game"})
        assert decoded.quarantined == ()
        found += decoded.batches
    return found


some_rounds = st.lists(records(games=("some-game",)), min_size=1, max_size=4)


@given(some_rounds)
@settings(max_examples=15)
def test_lines_written_are_read_as_the_same_batch(given_records: list[dict[str, Any]]) -> None:
    batch = batch_of(given_records)
    text = to_lines(batch)
    decoded = decode_lines(text, file="log", first_line=1, known_games={"some-game"})
    assert decoded.quarantined == ()
    assert plain_batches(decoded.batches) == plain_batches([batch])
    for written in text.splitlines():
        VALIDATOR.validate(json.loads(written))
    assert to_lines(decoded.batches[0]) == text


@given(some_rounds)
@settings(max_examples=15)
def test_tables_are_read_as_the_same_batch(given_records: list[dict[str, Any]]) -> None:
    batch = batch_of(given_records)
    decoded = batches_from_arrow(to_table(batch))
    assert decoded.quarantined == ()
    assert plain_batches(decoded.batches) == plain_batches([batch])
    assert decoded.batches[0].line.tolist() == list(range(1, len(batch) + 1))
    assert to_table(decoded.batches[0]).equals(to_table(batch))


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def test_files_of_every_kind_hold_the_same(tmp_path: Path, suffix: str) -> None:
    batch = batch_of([*rounds(50), *generate_exchanges(10)])
    path = tmp_path / f"log.{suffix}"
    for _ in range(2):
        with open_log_writer(str(path)) as log:
            log.write(batch)
            log.write(batch, [["a/requirement"]] * len(batch))
        written = path.read_bytes()
    assert path.read_bytes() == written
    twice = [plain for read_part in read(path) for plain in plain_batch(read_part)]
    assert twice == plain_batch(batch) * 2
    starts = {"jsonl": b'{"round"', "jsonl.gz": b"\x1f\x8b", "jsonl.zst": b"\x28\xb5\x2f\xfd", "parquet": b"PAR1"}
    assert written.startswith(starts[suffix])


def test_the_same_bytes_whenever_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(list(rounds(5)))
    contents = set()
    for name, clock in (("a", 1e9), ("b", 2e9)):
        monkeypatch.setattr("time.time", lambda clock=clock: clock)
        path = tmp_path / name / "log.jsonl.gz"
        path.parent.mkdir()
        with open_log_writer(str(path)) as log:
            log.write(batch)
        contents.add(path.read_bytes())
    assert len(contents) == 1
    assert gzip.decompress(contents.pop()) == to_lines(batch)


def test_row_groups_do_not_depend_on_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_writer, "ROUNDS_A_GROUP", 40)
    given_records = list(rounds(100, seats=1))
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    write_parquet([batch_of(given_records)], str(whole))
    write_parquet([batch_of(given_records[at : at + 7]) for at in range(0, 100, 7)], str(cut))
    assert whole.read_bytes() == cut.read_bytes()
    metadata = pq.ParquetFile(whole).metadata
    assert [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)] == [40, 40, 20]
    assert pq.ParquetFile(whole).schema_arrow.equals(build_arrow_schema())


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(list(rounds(2)))
    stream = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(stream))
    with open_log_writer("-") as log:
        log.write(batch)
    assert stream.getvalue() == to_lines(batch)


def test_a_stream() -> None:
    batch = batch_of(list(rounds(3)))
    stream = io.BytesIO()
    write_jsonl([batch, batch], stream)
    assert stream.getvalue() == to_lines(batch) * 2


PLANTED = [["some/requirement"], [], ['q"uote', "b"]]


def test_what_was_planted_is_carried_in_lines() -> None:
    batch = batch_of(list(rounds(3)))
    found = [json.loads(text).get("annotations") for text in to_lines(batch, PLANTED).splitlines()]
    assert found == [{"planted": ["some/requirement"]}, None, {"planted": ['q"uote', "b"]}]
    decoded = decode_lines(to_lines(batch, PLANTED), file="log", first_line=1, known_games={GAME})
    assert plain_batches(decoded.batches) == plain_batches([batch])


def test_what_was_planted_is_carried_in_tables() -> None:
    batch = batch_of(list(rounds(3)))
    found = to_table(batch, PLANTED)
    annotated = [{"planted": PLANTED[0]}, None, {"planted": PLANTED[2]}]
    assert found["annotations"].to_pylist() == annotated
    assert plain_batches(batches_from_arrow(found).batches) == plain_batches([batch])


def test_planted_must_be_one_entry_a_round() -> None:
    batch = batch_of(list(rounds(3)))
    for write in (to_lines, to_table):
        with pytest.raises(ValueError, match="2 entries for 3 rounds"):
            write(batch, PLANTED[:2])


def test_a_line_is_as_a_person_would_write_it() -> None:
    record = {
        "round": "T1-1",
        "casino": "Casino",
        "table": "T1",
        "time": "2026-03-01T12:00:00.25+02:00",
        "game": "some-game",
        "number": 3,
        "deck": "red",
        "meters": [{"meter": "shared", "shown": 0}, {"meter": "own", "opening": 5, "closing": 7}],
        "dealer-discarded": "",
        "community": "2c3c4c5c6c",
        "community-discarded": "2c3c??",
        "seats": [
            {
                "seat": 1,
                "player": "P1",
                "cards": "AsKd",
                "discarded": "Kd",
                "drawn": "Th",
                "decision": "play",
                "wagers": [
                    {"wager": "main", "amount": 5, "paid": 5, "taken": 0, "claimed": True},
                    {"wager": "main", "amount": 1, "tip": True, "claimed": False},
                ],
                "bonuses": [{"bonus": "extra", "paid": 7}],
            }
        ],
        "dealer": "",
        "events": [
            {"event": "count", "what": "stub", "number": 5},
            {"event": "cut", "number": 20, "deck": "red"},
            {"event": "announce", "what": "hand", "amount": 700},
            {"event": "discard", "place": "community", "positions": "125"},
            {"event": "reveal", "place": "player", "seat": 1, "cards": "AsTh"},
            {"event": "wager", "in": "coupon", "seat": 1, "wager": "main", "amount": 5},
            {"event": "claim", "seat": 1, "wager": "main"},
        ],
        "unrecorded": ["wager", "deal", "pay", "draw", "discard"],
    }
    (text,) = to_lines(batch_of([record])).splitlines()
    assert text.decode() == (
        '{"round":"T1-1","casino":"Casino","table":"T1","time":"2026-03-01T12:00:00.250000+02:00","game":"some-game",'
        '"number":3,"deck":"red",'
        '"seats":[{"seat":1,"player":"P1","cards":"AsKd","discarded":"Kd","drawn":"Th","decision":"play","wagers":['
        '{"wager":"main","amount":5,"paid":5,"taken":0,"claimed":true},'
        '{"wager":"main","amount":1,"tip":true,"claimed":false}],'
        '"bonuses":[{"bonus":"extra","paid":7}]}],"dealer":"","dealer-discarded":"",'
        '"community":"2c3c4c5c6c","community-discarded":"2c3c??",'
        '"meters":[{"meter":"shared","shown":0},{"meter":"own","opening":5,"closing":7}],'
        '"events":[{"event":"count","what":"stub","number":5},'
        '{"event":"cut","deck":"red","number":20},'
        '{"event":"announce","amount":700,"what":"hand"},'
        '{"event":"discard","place":"community","positions":"125"},'
        '{"event":"reveal","place":"player","seat":1,"cards":"AsTh"},'
        '{"event":"wager","seat":1,"in":"coupon","wager":"main","amount":5},'
        '{"event":"claim","seat":1,"wager":"main"}],'
        '"unrecorded":["wager","pay","discard","draw","deal"]}'
    )


def test_a_line_of_play_among_players_is_as_a_person_would_write_it() -> None:
    record = {
        "round": "H2",
        "table": "P1",
        "time": "2026-03-01T12:00:00Z",
        "game": "some-game",
        "after": "H1",
        "complete": False,
        "button": 3,
        "big-bet": 400,
        "small-bet": 200,
        "seats": [
            {"seat": 1, "won": 450, "stack-after": 1100, "stack": 1000, "wagers": [{"wager": "bets", "amount": 350}]},
            {"seat": 3, "playing": False, "wagers": []},
        ],
        "events": [
            {"event": "chips-in", "seat": 1, "amount": 1000},
            {"event": "declare", "seat": 1, "decision": "raise", "amount": 350},
            {"event": "tender", "seat": 1, "amount": 350, "what": "pushed", "chips": 4},
            {"event": "decide", "seat": 1, "amount": 350, "decision": "raise"},
            {"event": "fault", "what": "wrong-start", "seat": 3, "place": "player", "cards": "??As"},
            {"event": "rake", "amount": 20, "pot": 0},
            {"event": "award", "seat": 1, "pot": 1, "amount": 450},
            {"event": "drop", "amount": 20},
        ],
        "unrecorded": ["deal/burn", "reveal/burn", "reveal/player", "reveal/dealer", "reveal/community", "deal/player"],
    }
    (text,) = to_lines(batch_of([record])).splitlines()
    assert text.decode() == (
        '{"round":"H2","table":"P1","time":"2026-03-01T12:00:00Z","game":"some-game",'
        '"button":3,"small-bet":200,"big-bet":400,"after":"H1","complete":false,'
        '"seats":[{"seat":1,"stack":1000,"stack-after":1100,"won":450,"wagers":[{"wager":"bets","amount":350}],'
        '"bonuses":[]},{"seat":3,"playing":false,"wagers":[],"bonuses":[]}],'
        '"events":[{"event":"chips-in","seat":1,"amount":1000},'
        '{"event":"declare","seat":1,"amount":350,"decision":"raise"},'
        '{"event":"tender","seat":1,"amount":350,"what":"pushed","chips":4},'
        '{"event":"decide","seat":1,"amount":350,"decision":"raise"},'
        '{"event":"fault","place":"player","seat":3,"cards":"??As","what":"wrong-start"},'
        '{"event":"rake","amount":20,"pot":0},'
        '{"event":"award","seat":1,"amount":450,"pot":1},'
        '{"event":"drop","amount":20}],'
        '"unrecorded":["reveal","deal/player","deal/burn"]}'
    )


def test_zstandard_frames_can_be_joined(tmp_path: Path) -> None:
    text = b"\n".join(lines(4)) + b"\n"
    path = tmp_path / "log"
    path.write_bytes(zstandard.compress(text) + zstandard.compress(text))
    assert sum(len(batch) for batch in read(path)) == 8
