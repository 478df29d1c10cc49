"""Regular deals with given cards."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from validator.arrays import Codes
from validator.cards.cards import CARDS
from validator.engine.compiled.game import Prepared
from validator.language.terms import Place


def dealt(prepared: Prepared, held: Mapping[Place, Codes], count: int = 1) -> dict[Place, Codes]:
    """Return cards for every place: the given cards, and others of the deck where a place lacks some.

    Args:
        prepared: the game.
        held: given cards by place, uint8[n, k].
        count: number of deals if no cards are given.
    """
    count = len(next(iter(held.values()))) if held else count
    known = np.concatenate([np.zeros((count, 0), np.uint8), *held.values()], axis=1)
    free = np.ones((count, CARDS), bool)
    np.put_along_axis(free, known.astype(np.int64), False, axis=1)
    rest = np.argsort(~free, axis=1, kind="stable").astype(np.uint8)
    cards_by_place: dict[Place, Codes] = {}
    used = 0
    for place, wanted in prepared.game.deal.cards.items():
        cards = held.get(place, np.zeros((count, 0), np.uint8))
        lacking = max(wanted - cards.shape[1], 0)
        cards_by_place[place] = np.concatenate([cards, rest[:, used : used + lacking]], axis=1)
        used += lacking
    return cards_by_place
