"""Rounds in which something is done with cards or chips that is not done in their game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from validator.arrays import distinct
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.handlog.events import KIND, KINDS

ACTS = ("tuck", "discard", "draw", "award", "rake", "pay", "collect", "withdraw")
"""The kinds of event in which cards or chips are moved in some games and not in others."""
_ACT = np.isin(KINDS, ACTS)
"""bool[kinds]: whether a kind is one of them."""


def strange_acts(batch: Batch, games: Coded, known: Mapping[str, Collection[str]]) -> Iterator[tuple[int, str]]:
    """Rounds with acts of which the rules of their game know nothing, so that they cannot say what follows; an act a
    reason. `games` are those of the rounds; `known` has the kinds of event that a game knows, and is asked only where
    a round has any of `ACTS`."""
    events = batch.events
    acts = np.flatnonzero(_ACT[events.kind])
    game = games.codes[events.round[acts]]
    for code in distinct(game).tolist():
        kinds = [KIND[kind] for kind in known[games.names[code]]]
        for event in acts[(game == code) & ~np.isin(events.kind[acts], kinds)].tolist():
            index, kind = int(events.round[event]), KINDS[events.kind[event]]
            number = event - int(np.searchsorted(events.round, index)) + 1
            yield index, f"event {number} is a `{kind}`, of which the rules of the game know nothing"
