"""Events of a step that say something else than they should."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Coded, Events, Hands
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.rules.model.faults import Alter


def altered(events: Events, alter: Alter, found: Ints) -> tuple[Events, Flags]:
    """The events, those `found` (int64[m]) altered; and bool[m], which of them differ from before."""
    changed = np.zeros(len(found), np.bool_)
    columns: dict[str, Any] = {}
    fixed = {
        "face": None if alter.face is None else FACES.index(alter.face),
        "by": None if alter.by is None else ACTORS.index(alter.by),
        "means": None if alter.in_ is None else MEANS.index(alter.in_),
        "place": None if alter.place is None else PLACES.index(alter.place),
        "amount": alter.number,
        "pot": alter.pot,
    }
    for name, value in fixed.items():
        if value is not None:
            column = getattr(events, name).copy()
            changed |= column[found] != value
            column[found] = value
            columns[name] = column
    for name, text in (("what", alter.what), ("positions", alter.spots)):
        if text is not None:
            columns[name] = _reworded(getattr(events, name), text, found)
            changed |= columns[name].codes[found] != getattr(events, name).codes[found]
    if alter.deck is not None:
        codes = events.deck.codes.copy()
        codes[found] = ABSENT
        columns["deck"] = Coded(codes=codes, names=events.deck.names)
        changed |= events.deck.codes[found] != ABSENT
    if alter.cards is not None:
        change = _reversed if alter.cards == "reversed" else _fewer
        columns["hands"], differs = change(events.hands, events.cards_row[found])
        changed |= differs
    return replace(events, **columns), changed


def _reworded(column: Coded, text: str, found: Ints) -> Coded:
    codes = column.codes.copy()
    codes[found] = column.names.index(text)
    return Coded(codes=codes, names=column.names)


def _reversed(hands: Hands, rows: Ints32) -> tuple[Hands, Flags]:
    """The cards of these rows in the opposite order, and where that makes a difference of ranks."""
    count, width = hands.count[rows], hands.cards.shape[1]
    at = np.where(np.arange(width) < count[:, None], count[:, None] - 1 - np.arange(width), np.arange(width))
    turned = np.take_along_axis(hands.cards[rows], at, axis=1)
    differs: Flags = ((turned >> 2) != (hands.cards[rows] >> 2)).any(axis=1)
    cards = hands.cards.copy()
    cards[rows] = turned
    return replace(hands, cards=cards), differs


def _fewer(hands: Hands, rows: Ints32) -> tuple[Hands, Flags]:
    """The cards of these rows without the last one, and where any are left."""
    differs: Flags = hands.count[rows] > 1
    ours = rows[differs]
    cards, count = hands.cards.copy(), hands.count.copy()
    count[ours] -= 1
    cards[ours, count[ours]] = NO_CARD
    return Hands(cards=cards, count=count), differs
