"""Events of a table, with the fields of each kind checked for all events at once."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints8
from validator.evidence.arrow.fields import Fields
from validator.evidence.arrow.to_numpy import absent, recorded_hands, text_at
from validator.evidence.columns.draft import EventColumns
from validator.evidence.columns.row_origin import Grain, what_is_wrong
from validator.evidence.handlog.event_fields import CHOICES, FIELDS, KEYS, PERMITTED, RULES, TEXTS
from validator.evidence.handlog.event_values import HIGHEST_SEAT, LONGEST_NAME, MOST_CHIPS, MOST_POTS, POSITIONS_PATTERN
from validator.evidence.handlog.events import KINDS
from validator.evidence.jsonl.records.diagnostics import RISING

_HALVES = (FIELDS[:8], FIELDS[8:])
"""Fields in groups of eight, one bit each, as bytes are translated fastest."""


def _bytes_by_kind(fields: tuple[str, ...], rule: Callable[[str], Flags]) -> bytes:
    """Return a byte for each kind, with the bits of the fields for which the rule holds."""
    bits = sum(rule(field).astype(np.uint8) << bit for bit, field in enumerate(fields))
    return np.resize(bits, 256).astype(np.uint8).tobytes()


_REQUIRED = [_bytes_by_kind(half, lambda field: RULES[field].required) for half in _HALVES]
_POSSIBLE = [_bytes_by_kind(half, lambda field: RULES[field].has) for half in _HALVES]


def _refused_choices(field: str) -> bytes:
    impossible = ~PERMITTED[field][:, :-1] & RULES[field].has[:, None]
    table = np.zeros(256, np.uint8)
    table[: len(KINDS)] = (impossible << np.arange(impossible.shape[1])).sum(axis=1)
    return table.tobytes()


_REFUSED = {field: _refused_choices(field) for field in CHOICES}
"""For each kind, a byte with the bits of the codes that it may not have in a field."""
_BIT_OF_CODE = bytes(1 << code if code < 8 else 0 for code in range(256))


def event_columns(grain: Grain, entries: pa.StructArray, counts: Ints, schema: pa.DataType) -> EventColumns:
    """Return the columns of all events.

    Refused are unknown kinds, fields that a kind does not have, missing required fields, and malformed or out-of-bounds
    values.

    Args:
        grain: the level of the events.
        entries: the events.
        counts: the number of events of each round, int64[rounds].
        schema: the type of an event.
    """
    table_fields = Fields(grain, entries, schema)
    table_fields.required("event")
    kind = np.maximum(table_fields.choice("event", KINDS), 0).astype(np.uint8)  # a refused kind is read as any kind
    chosen = {field: table_fields.choice(KEYS.get(field, field), closed) for field, closed in CHOICES.items()}
    named = {field: table_fields.text(field, LONGEST_NAME) for field in TEXTS}
    unordered = [re.match(POSITIONS_PATTERN, name) is None for name in named["positions"].names]
    if any(unordered):
        misfit = np.array([*unordered, False])[named["positions"].codes]
        grain.refuse(misfit, "positions", RISING)
    seat = table_fields.integers("seat", 1, HIGHEST_SEAT).astype(np.int8)
    amount = table_fields.integers("amount")
    pot = table_fields.integers("pot", 0, MOST_POTS).astype(np.int8)
    chips = table_fields.integers("chips", 1, MOST_CHIPS).astype(np.int16)
    cards = table_fields.array("cards")
    present = {field: codes >= 0 for field, codes in chosen.items()}
    present |= {field: column.codes >= 0 for field, column in named.items()}
    present |= {"seat": seat >= 0, "amount": amount >= 0, "pot": pot >= 0, "chips": chips >= 0}
    present |= {"cards": ~absent(cards), "tip": ~absent(table_fields.array("tip"))}
    _refuse_misfits(grain, kind, present)
    for field, codes in chosen.items():
        refused = (_translate(kind, _REFUSED[field]) & _translate(codes, _BIT_OF_CODE)) != 0
        grain.refuse(refused, KEYS.get(field, field), "this value is not allowed for this kind of event")

    bearing, decoded = recorded_hands(cards)
    malformed = np.zeros(len(kind), np.bool_)
    malformed[bearing[~decoded.well_formed]] = True
    grain.refuse(malformed, "cards", lambda event: what_is_wrong(text_at(cards, event)))
    cards_row = np.full(len(kind), ABSENT, np.int32)
    cards_row[bearing] = np.arange(len(bearing), dtype=np.int32)
    return EventColumns(
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
        pot=pot,
        chips=chips,
        cards_row=cards_row,
        hands=decoded.hands,
    )


def _refuse_misfits(grain: Grain, kind: Codes, present: dict[str, Flags]) -> None:
    """Refuse events with a field that their kind does not have, or without a required one."""
    for half, required, possible in zip(_HALVES, _REQUIRED, _POSSIBLE, strict=True):
        bits = np.zeros(len(kind), np.uint8)
        for bit, field in enumerate(half):
            bits |= present[field].view(np.uint8) << np.uint8(bit)
        surplus, lacking = bits & ~_translate(kind, possible), ~bits & _translate(kind, required)
        for marked, fault in ((surplus, "has no key"), (lacking, "must have the key")):
            for bit, field in enumerate(half) if marked.any() else ():
                reasons = [f"an event `{name}` {fault} `{KEYS.get(field, field)}`" for name in KINDS]
                grain.refuse((marked >> np.uint8(bit) & 1) != 0, "", _choose_reason(reasons, kind))


def _choose_reason(reasons: list[str], kind: Codes) -> Callable[[int], str]:
    return lambda event: reasons[kind[event]]


def _translate(codes: Codes | Ints8, table: bytes) -> Codes:
    return np.frombuffer(codes.tobytes().translate(table), np.uint8)
