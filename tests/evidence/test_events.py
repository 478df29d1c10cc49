"""The kinds of event and their fields, held against the format written down by hand."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest

from validator.evidence.events import (
    ACTORS,
    AT_PLAYER,
    CHOICES,
    FACES,
    FIELDS,
    KIND,
    KINDS,
    PERMITTED,
    PLACES,
    RULES,
    TYPES,
    AnyEvent,
)
from validator.evidence.kinds import Kind

# kind: required fields, optional fields
FORMAT = {
    "shuffle": ("", "by"),
    "cut": ("", "by"),
    "wager": ("seat wager amount", "tip"),
    "withdraw": ("seat wager amount", "tip"),
    "announce": ("what", ""),
    "deal": ("place cards", "seat face by"),
    "expose": ("place cards", "seat by"),
    "turn-down": ("place", "seat cards"),
    "decide": ("seat decision", ""),
    "tuck": ("seat wager", ""),
    "reveal": ("place cards", "seat"),
    "collect": ("seat wager amount", "tip"),
    "pay": ("seat wager amount", "tip"),
    "return": ("seat wager amount", "tip"),
    "collect-cards": ("place", "seat cards"),
    "misdeal": ("place", "seat"),
    "fault": ("what", ""),
    "remedy": ("what", ""),
    "count": ("what number", ""),
}
BY = {
    "shuffle": "dealer machine",
    "cut": "dealer player machine",
    "deal": "dealer machine",
    "expose": "dealer player machine",
}
VALUES = {
    "seat": 1,
    "wager": "w",
    "amount": 1,
    "number": 1,
    "tip": True,
    "what": "x",
    "place": "dealer",
    "cards": "As",
    "face": "up",
    "by": "dealer",
    "decision": "d",
}
DECODER = msgspec.json.Decoder(AnyEvent)


def accepted(event: dict[str, object]) -> bool:
    try:
        DECODER.decode(msgspec.json.encode(event))
    except msgspec.ValidationError:
        return False
    return True


def test_the_kinds_are_those_of_the_format() -> None:
    assert set(KINDS) == set(FORMAT)
    assert get_args(Kind) == KINDS
    assert {name: KINDS[code] for name, code in KIND.items()} == {name: name for name in KINDS}
    assert len(KINDS) <= 32  # one bit each in `unrecorded`


@pytest.mark.parametrize("kind", FORMAT)
def test_a_kind_has_exactly_its_fields(kind: str) -> None:
    required, optional = (part.split() for part in FORMAT[kind])
    least: dict[str, object] = {"event": kind, **{field: VALUES[field] for field in required}}
    assert accepted(least)
    for field in required:
        assert not accepted({key: value for key, value in least.items() if key != field})
        assert not accepted({**least, field: None})
    for field in VALUES.keys() - set(required):
        assert accepted({**least, field: VALUES[field]}) == (field in optional)
        assert accepted({**least, field: None}) == (field in optional)


@pytest.mark.parametrize("kind", [kind for kind in FORMAT if "place" in FORMAT[kind][0]])
def test_places(kind: str) -> None:
    least = {"event": kind, **{field: VALUES[field] for field in FORMAT[kind][0].split()}}
    places = {place for place in (*PLACES, "elsewhere") if accepted({**least, "place": place})}
    wanted = {"player", "dealer", "table"} if kind == "misdeal" else {"player", "dealer", "community", "burn"}
    assert places == wanted


@pytest.mark.parametrize("kind", BY)
def test_who_may_do_it(kind: str) -> None:
    least = {"event": kind, **{field: VALUES[field] for field in FORMAT[kind][0].split()}}
    assert {by for by in (*ACTORS, "ghost") if accepted({**least, "by": by})} == set(BY[kind].split())


def test_rules_and_permissions_are_those_of_the_structs() -> None:
    assert set(FIELDS) == {"amount" if field == "number" else field for field in VALUES}
    for code, kind in enumerate(KINDS):
        required, optional = (
            {"amount" if field == "number" else field for field in part.split()} for part in FORMAT[kind]
        )
        assert {field for field in FIELDS if RULES[field].required[code]} == required
        assert {field for field in FIELDS if RULES[field].has[code]} == required | optional
        by = {ACTORS[index] for index in np.flatnonzero(PERMITTED["by"][code, :-1])}
        assert by == set(BY.get(kind, "").split())
        assert [table[code, -1] for table in PERMITTED.values()] == [field not in required for field in CHOICES]


def test_runs_cover_the_kinds_that_have_a_field() -> None:
    for field, rule in RULES.items():
        covered = np.zeros(len(KINDS), np.bool_)
        for first, end, required in rule.runs:
            assert (rule.required[first:end] == required).all()
            assert not covered[first:end].any()
            covered[first:end] = True
        assert (covered == rule.has).all(), field


def test_closed_lists() -> None:
    assert PLACES[AT_PLAYER] == "player"
    assert FACES == ("down", "up")
    assert [kind.__struct_config__.tag for kind in TYPES] == list(KINDS)
