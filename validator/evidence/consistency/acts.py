"""Rounds with an act on cards or chips that their game does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from validator.arrays import Flags, distinct
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.consistency.known_game import KnownGame
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND, KINDS

ACTS = ("tuck", "discard", "draw", "award", "rake", "pay", "collect", "withdraw")
"""Kinds of event that move cards or chips in some games and not in others."""
_ACT = np.isin(KINDS, ACTS)
"""True for the kinds in `GAME_SPECIFIC_KINDS`, bool[kinds]."""
_CUT = KIND["cut"]


def strange_acts(batch: Batch, games: Coded, known: Mapping[str, KnownGame]) -> Iterator[tuple[int, str]]:
    """Yield the rounds with acts that the rules of their game do not provide for, or with cuts of more cards than are
    in play.

    Args:
        batch: the rounds.
        games: the game of each round.
        known: rules by game, read only for rounds with one of `GAME_SPECIFIC_KINDS`, or a cut of a recorded number of
            cards.

    Yields: index of the round and the reason, one for each act.
    """
    events = batch.events
    acts = np.flatnonzero(_ACT[events.kind] | ((events.kind == _CUT) & (events.amount > 0)))
    game = games.codes[events.round[acts]]
    for code in distinct(game).tolist():
        rules = known[games.names[code]]
        may, cut = _tabulate_known(rules.acts), events.kind[acts] == _CUT
        strange = np.where(cut, events.amount[acts] > rules.cards, ~may[events.kind[acts], events.place[acts]])
        for event in acts[(game == code) & strange].tolist():
            index, kind = int(events.round[event]), events.kind[event]
            number = event - int(np.searchsorted(events.round, index)) + 1
            where = f" at the place `{PLACES[events.place[event]]}`" if may[kind].any() else ""
            unknown = f"event {number} is a `{KINDS[kind]}`{where}, which the rules of the game do not provide for"
            lifted = f"event {number} cuts {events.amount[event]} cards, but only {rules.cards} are in play"
            yield index, lifted if kind == _CUT else unknown


def _tabulate_known(known: Collection[str]) -> Flags:
    """Return whether a kind is known at each place; the last column is for no place.

    Returns: bool[kinds, places + 1].
    """
    may = np.zeros((len(KINDS), len(PLACES) + 1), np.bool_)
    for name in known:
        kind, _, place = name.partition("/")
        if place:
            may[KIND[kind], [PLACES.index(place), -1]] = True
        else:
            may[KIND[kind]] = True
    return may
