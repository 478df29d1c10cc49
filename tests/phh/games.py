"""What the tests call things, and reading hands as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from validator.evidence.phh.acts import Acts
from validator.evidence.phh.record import line_of
from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.text import pieces, tables

CARD_ROOM = Terms(
    game="card-room",
    antes="ante",
    blinds=("small-blind", "big-blind"),
    straddle="straddle",
    dead="dead-blind",
    bets="bets",
    fold="fold",
    check="check",
    call="call",
    bet="bet",
    raise_="raise",
    concede="concede",
)
VARIANTS = {"NT": CARD_ROOM, "FT": CARD_ROOM}

Record = dict[str, Any]


def record(text: str, *, file: str = "hand.phh") -> Record:
    """The record of text that is one hand. Raises HandRefused."""
    found: Record = json.loads(line_of(tables(text.encode()), VARIANTS, Acts(), file=file, name=""))
    return found


def records(text: bytes, *, file: str) -> Iterator[Record | HandRefused]:
    """Every hand of a text, or why it cannot be read."""
    acts = Acts()
    for piece in pieces(text, 1):
        found = tables(piece.text)
        for name, hand in {"": found}.items() if "variant" in found else found.items():
            try:
                yield json.loads(line_of(hand, VARIANTS, acts, file=file, name=name))
            except HandRefused as refused:
                yield refused


def decisions(of: Record) -> list[Record]:
    """The decisions of a record, in order."""
    return [event for event in of["events"] if event["event"] == "decide"]
