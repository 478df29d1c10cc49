"""Rounds in which something is done with cards or chips that is not, or cannot be, done in their game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from validator.arrays import Flags, distinct
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.consistency.known_game import KnownGame
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND, KINDS

ACTS = ("tuck", "discard", "draw", "award", "rake", "pay", "collect", "withdraw")
"""The kinds of event in which cards or chips are moved in some games and not in others."""
_ACT = np.isin(KINDS, ACTS)
"""bool[kinds]: whether a kind is one of them."""
_CUT = KIND["cut"]


def strange_acts(batch: Batch, games: Coded, known: Mapping[str, KnownGame]) -> Iterator[tuple[int, str]]:
    """Rounds with acts of which the rules of their game know nothing, so that they cannot say what follows, or with
    cuts of more cards than there are; an act a reason. `games` are those of the rounds; `known` is asked only where a
    round has any of `ACTS`, or a cut that tells how many cards were lifted."""
    events = batch.events
    acts = np.flatnonzero(_ACT[events.kind] | ((events.kind == _CUT) & (events.amount > 0)))
    game = games.codes[events.round[acts]]
    for code in distinct(game).tolist():
        rules = known[games.names[code]]
        may, cut = _known_at(rules.acts), events.kind[acts] == _CUT
        strange = np.where(cut, events.amount[acts] > rules.cards, ~may[events.kind[acts], events.place[acts]])
        for event in acts[(game == code) & strange].tolist():
            index, kind = int(events.round[event]), events.kind[event]
            number = event - int(np.searchsorted(events.round, index)) + 1
            where = f" of the place `{PLACES[events.place[event]]}`" if may[kind].any() else ""
            unknown = f"event {number} is a `{KINDS[kind]}`{where}, of which the rules of the game know nothing"
            lifted = f"event {number} lifts {events.amount[event]} of {rules.cards} cards in the cut"
            yield index, lifted if kind == _CUT else unknown


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
