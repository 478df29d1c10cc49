"""The kinds of event a hand log may record, by name. Rule files name them too; importing this costs nothing."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "shuffle",
    "cut",
    "wager",
    "withdraw",
    "announce",
    "deal",
    "expose",
    "turn-down",
    "decide",
    "tuck",
    "reveal",
    "collect",
    "pay",
    "return",
    "collect-cards",
    "misdeal",
    "fault",
    "remedy",
    "count",
]
