"""Context that the licensee adds to a round: kept from lines and tables alike, refused if malformed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.round_record import decode_context
from tests.evidence.generate import GAME, rounds
from tests.facade.evidence import decode_lines, to_table

NOTED = {"dealer": "Ann: 3", "shift": 2, "video": "cam-7/12:30:05"}


def decode_contexts(*contexts: object) -> DecodedBlock:
    lines = [
        json.dumps({**record, "context": each}) for record, each in zip(rounds(9, seats=1), contexts, strict=False)
    ]
    return decode_lines("\n".join(lines).encode(), file="log", first_line=1, known_games={GAME})


def read_reason(context: object) -> str:
    (bad,) = decode_contexts(NOTED, context, NOTED).quarantined
    assert bad.line == 2
    return bad.reason


def test_a_context_is_kept_whatever_its_keys() -> None:
    found = decode_contexts(NOTED, None, {}, {"shift": 2, "video": "cam-7/12:30:05", "dealer": "Ann: 3"})
    assert not found.quarantined
    (batch,) = found.batches
    texts = [batch.context.text(index) for index in range(4)]
    assert [decode_context(text) for text in texts] == [{**NOTED, "shift": "2"}, {}, {}, {**NOTED, "shift": "2"}]
    assert texts[0] == texts[3]


@pytest.mark.parametrize(
    ("context", "says"),
    [
        ({"Dealer": "Ann"}, "up to 50 lower-case letters"),
        ({"x" * 51: "Ann"}, "up to 50 lower-case letters"),
        ({"dealer": ""}, "must not be empty"),
        ({"dealer": "x" * 201}, "must not be longer than 200 characters"),
        ({"dealer": {"name": "Ann"}}, "expected a whole number or text, found a mapping"),
        ({f"k{number}": 1 for number in range(21)}, "must not have more than 20 keys"),
        ("Ann", "expected a mapping or null, found text"),
    ],
)
def test_what_is_no_context_is_set_aside_by_itself(context: object, says: str) -> None:
    assert says in read_reason(context)


def test_a_key_that_stands_twice_is_found_in_a_context_too() -> None:
    lines = [json.dumps({**record, "context": NOTED}) for record in rounds(3, seats=1)]
    lines[1] = lines[1].replace('"shift": 2', '"shift": 2, "shift": 3')
    found = decode_lines("\n".join(lines).encode(), file="log", first_line=1, known_games={GAME})
    assert [(bad.line, bad.reason) for bad in found.quarantined] == [(2, "the key `shift` occurs twice in one object")]


def in_table(column: pa.Array) -> DecodedBlock:
    (batch,) = decode_contexts(NOTED, NOTED).batches
    table = to_table(batch)
    at = table.schema.get_field_index("context")
    return batches_from_arrow(table.set_column(at, "context", column), known_games={GAME})


@pytest.mark.parametrize(
    "kind", [pa.struct([("dealer", pa.string()), ("shift", pa.int32())]), pa.map_("string", "string")]
)
def test_a_table_may_have_a_struct_or_a_map(kind: pa.DataType) -> None:
    value: Mapping[str, Any] = (
        {"dealer": "Ann", "shift": 2} if pa.types.is_struct(kind) else {"dealer": "Ann", "shift": "2"}
    )
    found = in_table(pa.array([value if pa.types.is_struct(kind) else list(value.items()), None], kind))
    assert not found.quarantined
    (batch,) = found.batches
    assert [decode_context(batch.context.text(index)) for index in range(2)] == [{"dealer": "Ann", "shift": "2"}, {}]


def test_rows_with_bad_contexts_are_set_aside() -> None:
    twice = pa.array([[("dealer", "Ann")], [("dealer", "Ann"), ("dealer", "Bob")]], pa.map_("string", "string"))
    (bad,) = in_table(twice).quarantined
    assert (bad.line, bad.reason) == (2, "at `$.context`: a key occurs twice")
    texts = pa.array(["Ann", "x" * 201])
    (bad,) = in_table(pa.StructArray.from_arrays([texts], ["dealer"])).quarantined
    assert bad.line == 2


def test_a_currency_is_a_code() -> None:
    lines = [
        json.dumps({**record, "currency": each})
        for record, each in zip(rounds(2, seats=1), ("USD", "usd"), strict=True)
    ]
    found = decode_lines("\n".join(lines).encode(), file="log", first_line=1, known_games={GAME})
    (bad,) = found.quarantined
    assert bad.reason == "at `$.currency`: expected a code of ISO 4217, such as `USD`"
    assert found.batches[0].currency.text(0) == "USD"
