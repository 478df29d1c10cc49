"""The kinds of event a hand log may record, by name. Rule files name them too; importing this costs nothing."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "fault",
    "remedy",
    "deck",
    "device",
    "announce",
    "count",
    "wager",
    "withdraw",
    "pay",
    "collect",
    "return",
    "tuck",
    "claim",
    "decide",
    "leave",
    "arrive",
    "misdeal",
    "turn-down",
    "collect-cards",
    "reveal",
    "discard",
    "draw",
    "deal",
    "expose",
    "shuffle",
    "cut",
]
