"""Names that the tests use, and functions that read hands as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fairdeal.validator.evidence.poker.hand_recorder import PokerVocabulary, UnreadableHandError
from fairdeal.validator.evidence.poker.phh_blocks import parse_tables, split_hands
from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache, convert_hand

CARD_ROOM = PokerVocabulary(
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
    """Read text that is one hand as a record. Raises UnreadableHandError."""
    found: Record = json.loads(
        convert_hand(parse_tables(text.encode()), VARIANTS, PhhActionCache(), file=file, name="")
    )
    return found


def records(text: bytes, *, file: str) -> Iterator[Record | UnreadableHandError]:
    """Yield every hand of a text, or the reason why it cannot be read."""
    acts = PhhActionCache()
    for piece in split_hands(text, 1):
        found = parse_tables(piece.text)
        for name, hand in {"": found}.items() if "variant" in found else found.items():
            try:
                yield json.loads(convert_hand(hand, VARIANTS, acts, file=file, name=name))
            except UnreadableHandError as refused:
                yield refused


def decisions(of: Record) -> list[Record]:
    """Return the decisions of a record, in order."""
    return [event for event in of["events"] if event["event"] == "decide"]
