"""The JSON Schema of a round, compared with the reader."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings

from tests.evidence.generate import generate_among_players, generate_exchanges, rounds
from tests.evidence.strategies import line, records
from tests.evidence.test_decode import REASONS, decode
from tests.facade.evidence import KINDS, build_round_schema

SCHEMA = build_round_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"]
    assert SCHEMA["$id"]
    assert build_round_schema() == SCHEMA
    assert list(SCHEMA["$defs"]) == sorted(SCHEMA["$defs"])


def test_every_part_is_closed_and_described() -> None:
    parts = [SCHEMA, *(part for part in SCHEMA["$defs"].values() if "properties" in part)]
    assert all(part["additionalProperties"] is False for part in parts)
    assert all(part["description"] for part in parts)
    kinds = [part["properties"]["event"]["enum"] for part in parts if "event" in part["properties"]]
    assert sorted(kind for each in kinds for kind in each) == sorted(KINDS)


def test_nothing_but_json_schema_stands_in_it() -> None:
    assert "discriminator" not in json.dumps(SCHEMA)


@given(records())
@settings(max_examples=20)
def test_it_accepts_what_the_reader_accepts(record: dict[str, Any]) -> None:
    VALIDATOR.validate(record)


def test_it_accepts_whatever_mutation_the_reader_accepts() -> None:
    rng = random.Random(11)
    accepted = refused = 0
    values: list[Any] = [
        None,
        0,
        1,
        -1,
        99,
        100,
        10**12 + 1,
        1.0,
        True,
        "",
        "AsKd",
        "player",
        "deal",
        [],
        {},
        "2026-03-01T12:00:00Z",
    ]
    for record in [*rounds(2, seats=1), *generate_exchanges(2, seats=1), *generate_among_players(4, seats=2)] * 12:
        mutated = json.loads(json.dumps(record))
        for _ in range(rng.randint(1, 2)):
            found = mutated
            while isinstance(found, dict | list) and found:
                parent, key = found, rng.choice(list(found) if isinstance(found, dict) else range(len(found)))
                found = parent[key]
                if rng.random() < 0.2:
                    break
            if rng.random() < 0.2:
                del parent[key]
            else:
                parent[key] = rng.choice(values)
        decoded = decode(line(mutated))
        by_schema = VALIDATOR.is_valid(mutated)
        if decoded.batches:
            assert by_schema, mutated
            accepted += 1
        refused += not by_schema
    assert accepted > 5
    assert refused > 30


SAYS_NOT = ("is listed twice", "lists `", "more than 64 wagers", "no rules are known", "names seat", "occurs twice",
            "no such day", "contradicts itself", "longer than 1 MiB")  # fmt: skip


@pytest.mark.parametrize(
    ("bad", "reason"), [(bad, reason) for bad, _, reason in REASONS], ids=[reason for _, _, reason in REASONS]
)
def test_it_refuses_what_the_reader_refuses_where_it_can(bad: bytes, reason: str) -> None:
    try:
        value = msgspec.json.decode(bad)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return  # no JSON at all
    assert VALIDATOR.is_valid(value) == any(part in reason for part in SAYS_NOT)
