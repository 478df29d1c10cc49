"""The kinds of event and their fields, compared with the format written down by hand."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.evidence.columns.recorded_events import (
    EVENT_FIELDS,
    FIELD_KEYS,
    FIELD_RULES,
    KIND_BITS,
    KIND_NAMES,
    PERMITTED_CHOICES,
    STATES_NUMBER,
    TEXT_FIELDS,
    decode_mask,
    make_mask,
    make_mask_at,
)
from fairdeal.validator.evidence.event_kinds import (
    ACTORS,
    AT_PLAYER,
    FACES,
    MEANS,
    PLACES,
    EventKind,
    EventPart,
)
from fairdeal.validator.evidence.log_events import EVENT_TYPES, FIELD_CHOICES, KIND_CODES, KINDS, AnyEvent
from tests.evidence.plain import DIVIDED

# kind: required fields, optional fields
FORMAT = {
    "shuffle": ("", "by deck"),
    "cut": ("", "by deck number"),
    "deck": ("what", "deck by face"),
    "device": ("what", "by seat"),
    "wager": ("seat wager amount", "tip in selection"),
    "withdraw": ("seat wager amount", "tip selection"),
    "claim": ("seat wager", ""),
    "leave": ("seat", ""),
    "arrive": ("seat", ""),
    "announce": ("what", "by seat amount"),
    "outcome": ("what value", "by"),
    "deal": ("place cards", "seat face by"),
    "discard": ("place", "seat cards face positions"),
    "draw": ("place cards", "seat face by"),
    "expose": ("place cards", "seat by"),
    "turn-down": ("place", "seat cards"),
    "declare": ("seat decision", "amount"),
    "decide": ("seat decision", "amount"),
    "tender": ("seat amount", "chips what"),
    "split": ("seat to", "cards"),
    "set": ("place high low", "seat"),
    "award": ("seat pot amount", ""),
    "rake": ("amount", "pot"),
    "drop": ("amount", ""),
    "chips-in": ("seat amount", ""),
    "chips-out": ("seat amount", ""),
    "tuck": ("seat wager", ""),
    "reveal": ("place cards", "seat"),
    "collect": ("seat wager amount", "tip selection"),
    "pay": ("seat wager amount", "tip selection"),
    "return": ("seat wager amount", "tip selection"),
    "collect-cards": ("place", "seat cards what"),
    "misdeal": ("place", "seat"),
    "fault": ("what", "place seat cards deck"),
    "remedy": ("what", "place seat cards"),
    "count": ("what number", "by deck"),
}
ANYBODY = "dealer player machine floorperson supervisor"
BY = {
    "shuffle": "dealer machine",
    "cut": ANYBODY,
    "deck": ANYBODY,
    "device": ANYBODY,
    "announce": ANYBODY,
    "count": ANYBODY,
    "outcome": ANYBODY,
    "deal": "dealer machine",
    "draw": "dealer machine",
    "expose": ANYBODY,
}
ANYWHERE = "player dealer community burn table deck"
PLACED = {
    "misdeal": "player dealer table",
    "set": "player dealer",
    "discard": "player dealer community deck",
    "fault": ANYWHERE,
    "remedy": ANYWHERE,
}
COLUMNS = {
    "number": "amount",
    "to": "chips",
    "in": "means",
    "selection": "value",
    "high": "cards",
    "low": "value",
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
    "deck": "red",
    "positions": "125",
    "in": "chips",
    "pot": 0,
    "chips": 2,
    "to": 2,
    "value": "34",
    "selection": "17 20",
    "high": "As",
    "low": "Ks",
}
DECODER = msgspec.json.Decoder(AnyEvent)


def is_accepted(event: dict[str, object]) -> bool:
    try:
        DECODER.decode(msgspec.json.encode(event))
    except msgspec.ValidationError:
        return False
    return True


def test_the_kinds_are_those_of_the_format() -> None:
    assert set(KINDS) == set(FORMAT)
    assert get_args(EventKind) == KINDS
    assert set(get_args(EventPart)) == {name for name in KIND_NAMES if "/" in name}
    assert {name: KINDS[code] for name, code in KIND_CODES.items()} == {name: name for name in KINDS}


@pytest.mark.parametrize("kind", FORMAT)
def test_a_kind_has_exactly_its_fields(kind: str) -> None:
    required, optional = (part.split() for part in FORMAT[kind])
    least: dict[str, object] = {"event": kind, **{field: VALUES[field] for field in required}}
    assert is_accepted(least)
    for field in required:
        assert not is_accepted({key: value for key, value in least.items() if key != field})
        assert not is_accepted({**least, field: None})
    for field in VALUES.keys() - set(required):
        assert is_accepted({**least, field: VALUES[field]}) == (field in optional)
        assert is_accepted({**least, field: None}) == (field in optional)


@pytest.mark.parametrize("kind", [kind for kind in FORMAT if "place" in " ".join(FORMAT[kind])])
def test_places(kind: str) -> None:
    least = {"event": kind, **{field: VALUES[field] for field in FORMAT[kind][0].split()}}
    places = {place for place in (*PLACES, "elsewhere") if is_accepted({**least, "place": place})}
    assert places == set(PLACED.get(kind, "player dealer community burn").split())


@pytest.mark.parametrize(
    ("positions", "good"),
    [("1", True), ("125", True), ("123456789", True), ("9", True), ("", False), ("0", False), ("21", False),
     ("11", False), ("1 2", False), ("1\n", False), (12, False)],
)  # fmt: skip
def test_positions_rise(positions: object, good: bool) -> None:
    assert is_accepted({"event": "discard", "place": "dealer", "positions": positions}) == good


@pytest.mark.parametrize("kind", BY)
def test_who_may_do_it(kind: str) -> None:
    least = {"event": kind, **{field: VALUES[field] for field in FORMAT[kind][0].split()}}
    assert {by for by in (*ACTORS, "ghost") if is_accepted({**least, "by": by})} == set(BY[kind].split())


def test_rules_and_permissions_are_those_of_the_structs() -> None:
    assert set(EVENT_FIELDS) == {COLUMNS.get(field, field) for field in VALUES}
    assert len(EVENT_FIELDS) <= 16  # flagged in two bytes by the reader of tables
    assert set(TEXT_FIELDS) < set(EVENT_FIELDS)
    assert {
        column: key for key, column in COLUMNS.items() if column not in ("amount", "value", "chips", "cards")
    } == FIELD_KEYS
    assert {kind for code, kind in enumerate(KINDS) if STATES_NUMBER[code]} == {"count", "cut"}
    for code, kind in enumerate(KINDS):
        required, optional = ({COLUMNS.get(field, field) for field in part.split()} for part in FORMAT[kind])
        assert {field for field in EVENT_FIELDS if FIELD_RULES[field].required[code]} == required
        assert {field for field in EVENT_FIELDS if FIELD_RULES[field].has[code]} == required | optional
        by = {ACTORS[index] for index in np.flatnonzero(PERMITTED_CHOICES["by"][code, :-1])}
        assert by == set(BY.get(kind, "").split())
        assert [table[code, -1] for table in PERMITTED_CHOICES.values()] == [
            field not in required for field in FIELD_CHOICES
        ]


def test_runs_cover_the_kinds_that_have_a_field() -> None:
    for field, rule in FIELD_RULES.items():
        covered = np.zeros(len(KINDS), np.bool_)
        for first, end, required in rule.runs:
            assert (rule.required[first:end] == required).all()
            assert not covered[first:end].any()
            covered[first:end] = True
        assert (covered == rule.has).all(), field


@pytest.mark.parametrize(
    ("field", "least", "most"), [("pot", 0, 99), ("chips", 1, 10_000), ("amount", 0, 10**12), ("seat", 1, 99)]
)
def test_bounds_of_numbers(field: str, least: int, most: int) -> None:
    event = {"event": "tender" if field == "chips" else "award", "seat": 1, "amount": 1}
    event |= {} if field == "chips" else {"pot": 0}
    assert [is_accepted({**event, field: number}) for number in (least - 1, least, most, most + 1)] == [
        False, True, True, False,
    ]  # fmt: skip


def test_every_part_of_a_kind_has_a_bit_of_its_own() -> None:
    parts = [f"{kind}/{place}" for kind, places in DIVIDED.items() for place in places]
    whole = [kind for kind in KINDS if kind not in DIVIDED]
    assert set(KIND_NAMES) == {*parts, *KINDS}
    assert sorted(KIND_BITS[name] for name in (*parts, *whole)) == [1 << bit for bit in range(len(parts) + len(whole))]
    assert max(KIND_BITS.values()) < 1 << 64
    for kind, places in DIVIDED.items():
        assert KIND_BITS[kind] == sum(KIND_BITS[f"{kind}/{place}"] for place in places)


@given(st.sets(st.sampled_from(KIND_NAMES)))
def test_a_mask_is_written_with_the_fewest_names(names: set[str]) -> None:
    found = decode_mask(make_mask(names))
    assert make_mask(found) == make_mask(names)
    assert len(found) <= len(names)
    assert len(found) == len(set(found))
    assert list(found) == sorted(found, key=lambda name: KIND_CODES[name.partition("/")[0]])


def test_a_mask_at_a_place_has_what_stands_there() -> None:
    assert decode_mask(make_mask_at(["deal"])) == ("deal",)
    assert decode_mask(make_mask_at(["deal"], "burn")) == ("deal/burn",)
    assert decode_mask(make_mask_at(["deal", "misdeal", "discard"], "burn")) == ("deal/burn",)
    assert decode_mask(make_mask_at(["fault", "shuffle"], "player")) == ("fault", "shuffle")


def test_closed_lists() -> None:
    assert PLACES[AT_PLAYER] == "player"
    assert FACES == ("down", "up")
    assert MEANS == ("chips", "plaques", "coupon", "cash", "words")
    assert [kind.__struct_config__.tag for kind in EVENT_TYPES] == list(KINDS)
