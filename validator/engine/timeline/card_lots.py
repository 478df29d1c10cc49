"""What events are about, by words; which of a player's cards were collected, by their faces where no word says it."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Flags, Ints, Tri
from validator.engine.acts.event_cards import as_faces, cards_told, faces_told
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import LOTS
from validator.evidence.handlog.events import KIND


def about(scope: Scope, what: str, chosen: Ints) -> Tri:
    """uint8[m]: whether some events are about this. UNKNOWN where an event does not say it; of collected cards the
    faces tell then which of LOTS they are."""
    events = scope.batch.events
    codes = events.what.codes.take(chosen)
    result = kleene.where_known(codes == events.what.code(what), codes != ABSENT)
    silent = np.flatnonzero((codes == ABSENT) & (events.kind.take(chosen) == KIND["collect-cards"]))
    if len(silent) and what in LOTS:
        result[silent] = _lot_named(scope, what, chosen.take(silent))
    return result


def _lot_named(scope: Scope, lot: str, chosen: Ints) -> Tri:
    """uint8[m]: whether the cards that some events at seats name are one of LOTS. Who has put nothing aside has a hand
    alone; else UNKNOWN where an event names none, or some of both, or a face is not known, or what is put aside."""
    seats = scope.batch.events.seat.take(chosen)
    aside, again, known, nothing = _put_aside(scope)
    named, (size, recorded) = faces_told(scope, chosen), cards_told(scope, chosen)
    recorded = recorded & (size > 0) & (np.bitwise_count(named) == size) & (seats != ABSENT) & known[seats]
    away = aside[seats]
    fits = {"hand": (named & away) == 0, "discards": (named & ~away | named & again[seats]) == 0}
    yes, no = fits[lot], fits["discards" if lot == "hand" else "hand"]
    of_a_hand = (seats != ABSENT) & nothing[seats]
    is_lot = recorded & yes & ~of_a_hand | of_a_hand & (lot == "hand")
    return kleene.decided(is_lot, recorded & no & ~of_a_hand | of_a_hand & (lot != "hand"))


@fact
def _put_aside(scope: Scope) -> tuple[Bits64, Bits64, Flags, Flags]:
    """uint64[seats]: the cards each seat has put aside, and those it has drawn, as sets; bool[seats] both: whether all
    that it has put aside is told, and whether that is nothing."""
    seats, events = scope.batch.seats, scope.batch.events
    aside = as_faces(seats.discarded.cards)
    chosen = np.flatnonzero((events.kind == KIND["discard"]) & (events.seat != ABSENT))
    np.bitwise_or.at(aside, events.seat[chosen], faces_told(scope, chosen))
    listed = seats.discarded.count != ABSENT
    known = listed | tells(scope.batch, "discard", place="player")[seats.round]
    discards = np.zeros(len(listed), bool)
    discards[events.seat[chosen]] = True
    nothing = np.where(listed, seats.discarded.count == 0, known & ~discards)
    return aside, as_faces(seats.drawn.cards), known, nothing
