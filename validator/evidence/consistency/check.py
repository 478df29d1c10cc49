"""Rounds whose events and summary cannot both be true.

Such a record says nothing that could be judged, so it is set aside. Nothing is compared with a kind of event
that the log declares as not recorded, nor with what the summary leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.columns.tables import translated
from validator.evidence.consistency.cards import cards
from validator.evidence.consistency.chips import chips
from validator.evidence.consistency.money import amounts
from validator.evidence.consistency.order import order
from validator.evidence.consistency.places import Places
from validator.evidence.handlog.event_values import NO_DECISION
from validator.evidence.handlog.events import KIND
from validator.text.visible import quoted


def contradictions(batch: Batch, bonuses: Callable[[], Collection[str]] = frozenset) -> list[tuple[int, str]]:
    """Rounds that contradict themselves, by index in ascending order, each with the first reason found.

    Compared are: the cards dealt and drawn at each place, in order, and its discards, in any order, with those of
    the summary; discards, and cards that something is done with, with what lies at the place then; wagers placed less
    wagers withdrawn with the stakes; what was paid and collected with what the summary says was paid and taken; what
    was given back with what was left of the stake or could be put back; what went in with decisions with the stakes of
    the seat, and what pots awarded with what it won; the last decision of a seat, or none where others decide, with
    the seat's decision; wins that were declared with those the summary says were; and events with those that must
    have come before them.

    Args:
        bonuses: tells the names of payments without a stake; of one that the summary does not list, events may tell.
    """
    found: dict[int, str] = {}
    summary = Places(batch)
    for reasons in (
        cards(batch, summary),
        amounts(batch, bonuses),
        chips(batch),
        _decisions(batch),
        _claims(batch),
        order(batch),
    ):
        for index, reason in reasons:
            found.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(found.items())


def _decisions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    decision_of, names = translated(events.decision, seats.decision)
    decisions = np.flatnonzero((events.kind == KIND["decide"]) & (events.seat >= 0))
    last = np.full(len(seats.round), -1, np.int64)
    np.maximum.at(last, events.seat[decisions], decisions)
    in_round = np.zeros(len(batch), bool)  # whether events of it tell of any decision
    in_round[events.round[decisions]] = True
    decided = (seats.decision.codes >= 0) & (tells(batch, "decide") & in_round)[seats.round]
    silent = decided & (last < 0) & (seats.decision.codes != seats.decision.code(NO_DECISION))
    for seat in np.flatnonzero(silent).tolist():
        summary = quoted(seats.decision.text(seat) or "")
        yield int(seats.round[seat]), f"seat {seats.number[seat]} decides {summary}, but nothing by its events"
    told = np.flatnonzero(decided & (last >= 0))
    for seat in told[decision_of[last[told]] != seats.decision.codes[told]].tolist():
        summary, event = quoted(seats.decision.text(seat) or ""), quoted(names[decision_of[last[seat]]])
        yield int(seats.round[seat]), f"seat {seats.number[seat]} decides {summary}, but {event} by its events"


def _claims(batch: Batch) -> Iterator[tuple[int, str]]:
    """Wins that the summary and the events do not agree were declared. A tip is declared with its wager."""
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    own = np.flatnonzero((stakes.claimed >= 0) & ~stakes.tip)
    own = own[tells(batch, "claim")[seats.round[stakes.seat[own]]]]
    if not len(own):
        return
    claims = np.flatnonzero(events.kind == KIND["claim"])
    wager_of, names = translated(events.wager, stakes.wager)
    declared = np.isin(
        stakes.seat[own].astype(np.int64) * len(names) + stakes.wager.codes[own],
        events.seat[claims].astype(np.int64) * len(names) + wager_of[claims],
    )
    for stake in own[declared != (stakes.claimed[own] > 0)].tolist():
        seat = int(stakes.seat[stake])
        summary, events_say = ("is", "is not") if stakes.claimed[stake] else ("is not", "is")
        reason = f"{quoted(stakes.wager.text(stake) or '')} {summary} claimed, but {events_say} by its events"
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {reason}"
