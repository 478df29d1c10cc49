"""Rounds whose events and summary tell of different cards."""

from __future__ import annotations

import numpy as np

from validator.arrays import Flags
from validator.cards.cards import UNKNOWN
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.empty import no_hands
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.consistency.lying import out_of_reach
from validator.evidence.consistency.places import (
    DEALT,
    DISCARDED,
    DRAWN,
    Lot,
    Places,
    Reasons,
    Wording,
    by_events,
    either,
    had_text,
    lacking,
    together,
    unknown,
)
from validator.evidence.handlog.events import KINDS

_EXCHANGING = np.isin(KINDS, ("discard", "draw"))


def cards(batch: Batch, summary: Places) -> Reasons:
    """Cards dealt or drawn at a place that are not, in this order, those of the summary; discards that are not
    those of the summary; discards that the place did not have; and cards that something is done with where they do not
    lie then. By kind of reason, not by round."""
    listed = summary.lot(batch.seats.hands, batch.dealer, batch.community)
    told = by_events(batch, summary, "deal")
    # Where remedies are not recorded, cards that were dealt may have been put aside at once.
    put_aside = ~tells(batch, "remedy")[summary.round] & (told.sizes() > listed.sizes())
    comparable = told._replace(known=told.known & ~put_aside)
    yield from _differing(summary, listed, comparable, DEALT)
    dealt, nothing = either(listed, told), no_hands(len(batch))
    drawn = Lot(np.zeros(0, np.int64), np.zeros(0, np.uint8), summary.tells(batch, "draw"))
    if _exchanges(batch):
        told_drawn = by_events(batch, summary, "draw")
        listed = summary.lot(batch.seats.drawn, batch.dealer_drawn, nothing)
        yield from _differing(summary, listed, told_drawn, DRAWN)
        drawn = either(listed, told_drawn)
        told_discarded = by_events(batch, summary, "discard")
        listed = summary.lot(batch.seats.discarded, batch.dealer_discarded, batch.community_discarded)
        yield from _other_discards(summary, listed, told_discarded)
        yield from _strange_discards(summary, either(listed, told_discarded), dealt, drawn)
    yield from out_of_reach(batch, summary, dealt, drawn)


def _exchanges(batch: Batch) -> bool:
    """Whether any round may have discards or drawn cards."""
    lists = (
        batch.seats.discarded,
        batch.seats.drawn,
        batch.dealer_discarded,
        batch.dealer_drawn,
        batch.community_discarded,
    )
    return bool(_EXCHANGING[batch.events.kind].any()) or any((hands.count >= 0).any() for hands in lists)


def _differing(summary: Places, listed: Lot, told: Lot, wording: Wording) -> Reasons:
    """Places whose cards by the events are not, card by card, those of the summary."""
    both = listed.known & told.known
    alike = listed.sizes() == told.sizes()
    wrong = both & ~alike
    there = alike[listed.owner]
    ours, theirs = listed.cards[there], told.at(alike)
    differs = (ours != theirs) & (ours != UNKNOWN) & (theirs != UNKNOWN)
    wrong[listed.owner[there][differs]] = True
    return _refused(summary, wrong & both, listed, told, wording)


def _refused(summary: Places, wrong: Flags, listed: Lot, told: Lot, wording: Wording) -> Reasons:
    for place in np.flatnonzero(wrong).tolist():
        ours, theirs = listed.text(place) or "none", told.text(place) or "none"
        reason = f"{summary.words(place, wording)} {ours}, but its events {wording.verb} {theirs}"
        yield int(summary.round[place]), reason


def _other_discards(summary: Places, listed: Lot, told: Lot) -> Reasons:
    """Places whose discards by the events are not those of the summary, in whatever order."""
    wrong = (listed.sizes() != told.sizes()) | (lacking(told, listed) > unknown(listed))
    return _refused(summary, wrong & listed.known & told.known, listed, told, DISCARDED)


def _strange_discards(summary: Places, discarded: Lot, dealt: Lot, drawn: Lot) -> Reasons:
    """Places that discard what they were not dealt and did not draw."""
    had = together(dealt, drawn)
    wrong = (discarded.sizes() > had.sizes()) | (lacking(discarded, had) > unknown(had))
    for place in np.flatnonzero(wrong & had.known).tolist():
        reason = f"{summary.words(place, DISCARDED)} {discarded.text(place)}"
        yield int(summary.round[place]), f"{reason}, but {summary.words(place, DEALT)} {had_text(place, dealt, drawn)}"
