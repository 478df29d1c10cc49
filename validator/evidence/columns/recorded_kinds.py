"""Kinds of event that each round records.

A kind without events may not have happened, or may not be recorded. A kind that always names a place may be recorded at
some places only, and the order of dealing may be unrecorded. A mask of 64 bits holds one bit for each such part of a
kind; any other kind is one part.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from validator.arrays import Flags
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.event_fields import PERMITTED, RULES
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND, KINDS

DEAL_ORDER = "deal/order"
"""Part for the packets and the order in which cards were dealt; a log may list the cards without it."""


def _list_parts(kind: str) -> list[str]:
    """List the names of the parts of a kind."""
    if not RULES["place"].required[KIND[kind]]:
        return [kind]
    places = [f"{kind}/{place}" for place, may in zip(PLACES, PERMITTED["place"][KIND[kind]], strict=False) if may]
    return [*places, DEAL_ORDER] if kind == "deal" else places


_PARTS_OF_KIND: dict[str, list[str]] = {kind: _list_parts(kind) for kind in KINDS}
_BIT: dict[str, int] = {
    name: 1 << bit for bit, name in enumerate(part for parts in _PARTS_OF_KIND.values() for part in parts)
}
BITS: dict[str, int] = _BIT | {kind: sum(_BIT[part] for part in parts) for kind, parts in _PARTS_OF_KIND.items()}
"""Bits of every kind, and of every part of a kind, in a mask."""
NAMES: tuple[str, ...] = tuple(BITS)
"""Names that a log may declare as not recorded."""

KINDS_OF_PLAY = ("wager", "decide", "deal", "reveal", "discard", "draw")
"""Kinds of event that make up the play of a hand."""


def mask_of(names: Iterable[str]) -> int:
    """Return the mask of some kinds and parts of kinds."""
    mask = 0
    for name in names:
        mask |= BITS[name]
    return mask


@lru_cache(maxsize=1024)
def names_in(mask: int) -> tuple[str, ...]:
    """Return the shortest list of names for a mask, in the order of the kinds."""
    names: list[str] = []
    for kind, parts in _PARTS_OF_KIND.items():
        names += [kind] if mask & BITS[kind] == BITS[kind] else [part for part in parts if mask & BITS[part]]
    return tuple(names)


def mask_at(kinds: Iterable[str], place: str | None = None) -> int:
    """Return the mask of some kinds. With a `place`, kinds that always name a place count at that place only."""
    return mask_of(
        part for kind in kinds for part in _PARTS_OF_KIND[kind] if place is None or part in (kind, f"{kind}/{place}")
    )


def told(batch: Batch, mask: int) -> Flags:
    """Return whether each round was recorded event by event, including every part of a mask.

    Returns: bool[rounds].
    """
    return batch.recorded & ((batch.unrecorded & np.uint64(mask)) == 0)


def tells(batch: Batch, *kinds: str, place: str | None = None) -> Flags:
    """Return whether each round was recorded event by event, including some kinds (with `place`: at that place).

    Returns: bool[rounds].
    """
    return told(batch, mask_at(kinds, place))


def records_play_alone(batch: Batch) -> Flags:
    """Return whether each round records acts of play and the absence of a misdeal, and nothing else, as hand histories
    do.

    Returns: bool[rounds].
    """
    misdeal = BITS["misdeal"]
    others = mask_of(kind for kind in KINDS if kind not in KINDS_OF_PLAY) & ~misdeal
    return (batch.unrecorded & np.uint64(others | misdeal)) == np.uint64(others)
