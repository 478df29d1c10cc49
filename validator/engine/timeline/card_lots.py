"""Subjects of events: what a word of an event says it is about, or which of a player's cards were collected."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Flags, Ints, Truths
from validator.engine.acts.event_cards import card_bits, collect_named_faces, count_named_cards
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.columns.recorded_kinds import is_recorded
from validator.evidence.handlog.event_values import COLLECTED_LOTS
from validator.evidence.handlog.events import KIND_CODES


def is_about(scope: EvaluationContext, what: str, chosen: Ints) -> Truths:
    """Return whether events are about a subject.

    Unknown where an event does not state it. The faces of collected cards decide which of LOTS they are.

    Returns:
        uint8[m].
    """
    events = scope.batch.events
    codes = events.what.codes.take(chosen)
    result = kleene.where_known(codes == events.what.code(what), codes != ABSENT)
    silent = np.flatnonzero((codes == ABSENT) & (events.kind.take(chosen) == KIND_CODES["collect-cards"]))
    if len(silent) and what in COLLECTED_LOTS:
        result[silent] = _is_lot(scope, what, chosen.take(silent))
    return result


def _is_lot(scope: EvaluationContext, lot: str, chosen: Ints) -> Truths:
    """Return whether the cards that events at seats name are one of LOTS.

    A seat that discarded nothing has a hand only. Otherwise the result is unknown if an event names no cards or cards
    of both lots, or if a face or a discard is unknown.

    Returns:
        uint8[m].
    """
    seats = scope.batch.events.seat.take(chosen)
    aside, drawn_cards, known, nothing = _collect_discards(scope)
    named, (size, recorded) = collect_named_faces(scope, chosen), count_named_cards(scope, chosen)
    recorded = recorded & (size > 0) & (np.bitwise_count(named) == size) & (seats != ABSENT) & known[seats]
    discarded = aside[seats]
    fits = {"hand": (named & discarded) == 0, "discards": (named & ~discarded | named & drawn_cards[seats]) == 0}
    yes, no = fits[lot], fits["discards" if lot == "hand" else "hand"]
    of_a_hand = (seats != ABSENT) & nothing[seats]
    is_lot = recorded & yes & ~of_a_hand | of_a_hand & (lot == "hand")
    return kleene.from_yes_no(is_lot, recorded & no & ~of_a_hand | of_a_hand & (lot != "hand"))


@cached_fact
def _collect_discards(scope: EvaluationContext) -> tuple[Bits64, Bits64, Flags, Flags]:
    """Return what each seat discarded and drew.

    Returns:
        uint64[seats] twice, the discarded and the drawn cards as sets; bool[seats] twice, whether all discards are
        known, and whether there are none.
    """
    seats, events = scope.batch.seats, scope.batch.events
    aside = card_bits(seats.discarded.cards)
    chosen = np.flatnonzero((events.kind == KIND_CODES["discard"]) & (events.seat != ABSENT))
    np.bitwise_or.at(aside, events.seat[chosen], collect_named_faces(scope, chosen))
    listed = seats.discarded.count != ABSENT
    known = listed | is_recorded(scope.batch, "discard", place="player")[seats.round]
    discards = np.zeros(len(listed), bool)
    discards[events.seat[chosen]] = True
    nothing = np.where(listed, seats.discarded.count == 0, known & ~discards)
    return aside, card_bits(seats.drawn.cards), known, nothing
