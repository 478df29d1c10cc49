"""What a round tells of: a kind of event that does not occur may not have happened, or not be recorded.

A kind that always stands at a place may be recorded at some places and not at others; of cards dealt the order may not
be recorded. So what is not recorded
is a set of parts of kinds, a bit each; any other kind is a part by itself.
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
"""The part that says in which packets and turn cards were dealt, which a log may leave out that lists them."""


def _parts(kind: str) -> list[str]:
    """The names of the parts of a kind."""
    if not RULES["place"].required[KIND[kind]]:
        return [kind]
    places = [f"{kind}/{place}" for place, may in zip(PLACES, PERMITTED["place"][KIND[kind]], strict=False) if may]
    return [*places, DEAL_ORDER] if kind == "deal" else places


_PARTS: dict[str, list[str]] = {kind: _parts(kind) for kind in KINDS}
_BIT: dict[str, int] = {name: 1 << bit for bit, name in enumerate(part for parts in _PARTS.values() for part in parts)}
BITS: dict[str, int] = _BIT | {kind: sum(_BIT[part] for part in parts) for kind, parts in _PARTS.items()}
"""The bits of every kind, and of every part of one, in a mask of 64."""
NAMES: tuple[str, ...] = tuple(BITS)
"""All that a log may declare as not recorded."""

KINDS_OF_PLAY = ("wager", "decide", "deal", "reveal", "discard", "draw")
"""The kinds of event that the play of a hand consists of."""


def mask_of(names: Iterable[str]) -> int:
    """The mask of some kinds and parts of kinds."""
    found = 0
    for name in names:
        found |= BITS[name]
    return found


@lru_cache(maxsize=1024)
def names_in(mask: int) -> tuple[str, ...]:
    """The fewest names that a mask may be written with, in the order of the kinds."""
    found: list[str] = []
    for kind, parts in _PARTS.items():
        found += [kind] if mask & BITS[kind] == BITS[kind] else [part for part in parts if mask & BITS[part]]
    return tuple(found)


def mask_at(kinds: Iterable[str], place: str | None = None) -> int:
    """The mask of some kinds, with `place` of what stands there of those that always stand at a place."""
    return mask_of(
        part for kind in kinds for part in _PARTS[kind] if place is None or part in (kind, f"{kind}/{place}")
    )


def told(batch: Batch, mask: int) -> Flags:
    """bool[rounds]: the round was recorded event by event, all that is in the mask included."""
    return batch.recorded & ((batch.unrecorded & np.uint64(mask)) == 0)


def tells(batch: Batch, *kinds: str, place: str | None = None) -> Flags:
    """bool[rounds]: the round was recorded event by event, these kinds included, with `place` as far as they stand
    there."""
    return told(batch, mask_at(kinds, place))


def records_play_alone(batch: Batch) -> Flags:
    """Return the rounds that record acts of play, that there was no misdeal, and nothing else, as hand histories do.

    Returns: bool[rounds].
    """
    misdeal = BITS["misdeal"]
    others = mask_of(kind for kind in KINDS if kind not in KINDS_OF_PLAY) & ~misdeal
    return (batch.unrecorded & np.uint64(others | misdeal)) == np.uint64(others)
