"""Rounds whose events and summary contradict each other.

Such a record cannot be judged, so it is quarantined. Kinds of event that the log declares as not recorded are not
compared, nor anything that the summary leaves open.
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
    """Find the rounds that contradict themselves, by index in ascending order, each with the first reason found.

    The events are compared with the summary and with each other:
    - cards dealt and drawn at each place, in order, and discards, in any order;
    - discards and handled cards, with the cards at the place at that moment;
    - wagers placed less wagers withdrawn, with the stakes;
    - payments and collections, with the amounts paid and taken;
    - returned stakes, with the rest of the stake or the amount that could be returned;
    - chips put in with decisions, with the stakes of the seat, and awards of pots, with its winnings;
    - the last decision of a seat (none, if others decide), with the seat's decision;
    - declared wins, with those of the summary;
    - settlements, with the wagers that must come before them.

    Args:
        batch: the rounds.
        bonuses: returns the names of payments without a stake; events may pay a bonus that the summary does not list.
    """
    first_reasons: dict[int, str] = {}
    summary = Places(batch)
    for reasons in (
        cards(batch, summary),
        amounts(batch, bonuses),
        chips(batch),
        _find_decision_contradictions(batch),
        _find_claim_contradictions(batch),
        order(batch),
    ):
        for index, reason in reasons:
            first_reasons.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(first_reasons.items())


def _find_decision_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    decision_of, names = translated(events.decision, seats.decision)
    decisions = np.flatnonzero((events.kind == KIND["decide"]) & (events.seat >= 0))
    last = np.full(len(seats.round), -1, np.int64)
    np.maximum.at(last, events.seat[decisions], decisions)
    in_round = np.zeros(len(batch), bool)  # True if any event of the round is a decision
    in_round[events.round[decisions]] = True
    decided = (seats.decision.codes >= 0) & (tells(batch, "decide") & in_round)[seats.round]
    silent = decided & (last < 0) & (seats.decision.codes != seats.decision.code(NO_DECISION))
    for seat in np.flatnonzero(silent).tolist():
        summary = quoted(seats.decision.text(seat) or "")
        yield (
            int(seats.round[seat]),
            f"seat {seats.number[seat]} decides {summary} in the summary, but nothing in the events",
        )
    stated = np.flatnonzero(decided & (last >= 0))
    for seat in stated[decision_of[last[stated]] != seats.decision.codes[stated]].tolist():
        summary, event = quoted(seats.decision.text(seat) or ""), quoted(names[decision_of[last[seat]]])
        yield (
            int(seats.round[seat]),
            f"seat {seats.number[seat]} decides {summary} in the summary, but {event} in the events",
        )


def _find_claim_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    """Yield wins that are declared in the summary or in the events only. A tip is declared with its wager."""
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
        summary, by_event = ("is", "is not") if stakes.claimed[stake] else ("is not", "is")
        reason = (
            f"{quoted(stakes.wager.text(stake) or '')} {summary} claimed in the summary, but {by_event} in the events"
        )
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {reason}"
