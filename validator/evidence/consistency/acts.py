"""Rounds in which something is done with cards or chips that is not done in their game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from validator.arrays import Flags, distinct
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND, KINDS

ACTS = ("tuck", "discard", "draw", "award", "rake", "pay", "collect", "withdraw")
"""The kinds of event in which cards or chips are moved in some games and not in others."""
_ACT = np.isin(KINDS, ACTS)
"""bool[kinds]: whether a kind is one of them."""


def strange_acts(batch: Batch, games: Coded, known: Mapping[str, Collection[str]]) -> Iterator[tuple[int, str]]:
    """Rounds with acts of which the rules of their game know nothing, so that they cannot say what follows; an act a
    reason. `games` are those of the rounds; `known` has the kinds of event that a game knows, each anywhere or, as in
    `discard/community`, at a place, and is asked only where a round has any of `ACTS`."""
    events = batch.events
    acts = np.flatnonzero(_ACT[events.kind])
    game = games.codes[events.round[acts]]
    for code in distinct(game).tolist():
        may = _known_at(known[games.names[code]])
        for event in acts[(game == code) & ~may[events.kind[acts], events.place[acts]]].tolist():
            index, kind = int(events.round[event]), events.kind[event]
            number = event - int(np.searchsorted(events.round, index)) + 1
            where = f" of the place `{PLACES[events.place[event]]}`" if may[kind].any() else ""
            yield index, f"event {number} is a `{KINDS[kind]}`{where}, of which the rules of the game know nothing"


def _known_at(known: Collection[str]) -> Flags:
    """bool[kinds, places + 1]: whether a kind is known at a place, or, in the end, at none."""
    may = np.zeros((len(KINDS), len(PLACES) + 1), np.bool_)
    for name in known:
        kind, _, place = name.partition("/")
        if place:
            may[KIND[kind], [PLACES.index(place), -1]] = True
        else:
            may[KIND[kind]] = True
    return may
