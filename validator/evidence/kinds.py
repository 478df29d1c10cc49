"""The kinds of event a hand log may record, by name. Rule files name them too; importing this costs nothing."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "announce",
    "fault",
    "remedy",
    "count",
    "wager",
    "withdraw",
    "pay",
    "collect",
    "return",
    "tuck",
    "decide",
    "misdeal",
    "turn-down",
    "collect-cards",
    "reveal",
    "deal",
    "expose",
    "shuffle",
    "cut",
]
