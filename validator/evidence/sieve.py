"""Noting which rounds of a table are bad, from flags on their rows, seats, stakes or events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from validator.cards.cards import parse_cards
from validator.evidence.columns import Coded, Flags, Hands, Ints
from validator.evidence.draft import Wrong
from validator.evidence.hands import DecodedHands
from validator.text.visible import quoted
"""
"""
