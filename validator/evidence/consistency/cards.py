"""Rounds whose events and summary state different cards."""

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
    """Yield the rounds with contradictions about cards, by kind of reason.

    The checks are: cards dealt or drawn at a place against the summary, in order; discards against the summary, in any
    order; discards against the cards of the place; cards handled at a place where they are not.
    """
    listed = summary.lot(batch.seats.hands, batch.dealer, batch.community)
    by_event = by_events(batch, summary, "deal")
    # If remedies are not recorded, dealt cards may have been discarded at once.
    put_aside = ~tells(batch, "remedy")[summary.round] & (by_event.sizes() > listed.sizes())
    comparable = by_event._replace(known=by_event.known & ~put_aside)
    yield from _find_differing(summary, listed, comparable, DEALT)
    dealt, nothing = either(listed, by_event), no_hands(len(batch))
    drawn = Lot(np.zeros(0, np.int64), np.zeros(0, np.uint8), summary.tells(batch, "draw"))
    if _may_exchange(batch):
        drawn_by_event = by_events(batch, summary, "draw")
        listed = summary.lot(batch.seats.drawn, batch.dealer_drawn, nothing)
        yield from _find_differing(summary, listed, drawn_by_event, DRAWN)
        drawn = either(listed, drawn_by_event)
        discarded_by_event = by_events(batch, summary, "discard")
        listed = summary.lot(batch.seats.discarded, batch.dealer_discarded, batch.community_discarded)
        yield from _find_other_discards(summary, listed, discarded_by_event)
        yield from _find_strange_discards(summary, either(listed, discarded_by_event), dealt, drawn)
    yield from out_of_reach(batch, summary, dealt, drawn)


def _may_exchange(batch: Batch) -> bool:
    """Return whether any round may have discards or drawn cards."""
    lists = (
        batch.seats.discarded,
        batch.seats.drawn,
        batch.dealer_discarded,
        batch.dealer_drawn,
        batch.community_discarded,
    )
    return bool(_EXCHANGING[batch.events.kind].any()) or any((hands.count >= 0).any() for hands in lists)


def _find_differing(summary: Places, listed: Lot, by_event: Lot, wording: Wording) -> Reasons:
    """Yield the places whose cards in the events differ, card by card, from those in the summary."""
    both = listed.known & by_event.known
    alike = listed.sizes() == by_event.sizes()
    wrong = both & ~alike
    comparable = alike[listed.owner]
    in_summary, in_events = listed.cards[comparable], by_event.at(alike)
    differs = (in_summary != in_events) & (in_summary != UNKNOWN) & (in_events != UNKNOWN)
    wrong[listed.owner[comparable][differs]] = True
    return _describe_differences(summary, wrong & both, listed, by_event, wording)


def _describe_differences(summary: Places, wrong: Flags, listed: Lot, by_event: Lot, wording: Wording) -> Reasons:
    for place in np.flatnonzero(wrong).tolist():
        in_summary, in_events = listed.text(place) or "none", by_event.text(place) or "none"
        reason = f"{summary.words(place, wording)} {in_summary}, but the events {wording.verb} {in_events}"
        yield int(summary.round[place]), reason


def _find_other_discards(summary: Places, listed: Lot, by_event: Lot) -> Reasons:
    """Yield the places whose discards in the events differ from those in the summary, in any order."""
    wrong = (listed.sizes() != by_event.sizes()) | (lacking(by_event, listed) > unknown(listed))
    return _describe_differences(summary, wrong & listed.known & by_event.known, listed, by_event, DISCARDED)


def _find_strange_discards(summary: Places, discarded: Lot, dealt: Lot, drawn: Lot) -> Reasons:
    """Yield the places that discard cards which they were not dealt and did not draw."""
    had = together(dealt, drawn)
    wrong = (discarded.sizes() > had.sizes()) | (lacking(discarded, had) > unknown(had))
    for place in np.flatnonzero(wrong & had.known).tolist():
        reason = f"{summary.words(place, DISCARDED)} {discarded.text(place)}"
        yield int(summary.round[place]), f"{reason}, but {summary.words(place, DEALT)} {had_text(place, dealt, drawn)}"
