"""Rounds whose events and summary cannot both be true.

Such a record says nothing that could be judged, so it is set aside. Nothing is compared with a kind of event
that the log declares as not recorded, nor with what the summary leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.cards.cards import UNKNOWN, format_cards
from validator.evidence.columns import Batch, Flags, Ints
from validator.evidence.events import KIND, KINDS, PLACES, WIDEST_HAND
from validator.evidence.relations import translated

_DENSE = 1 << 16
"""So many cells are always worth a table; beyond, only while most are in use."""

_WITH_AMOUNT = np.isin(KINDS, ("wager", "withdraw", "pay", "collect"))
"""bool[kinds]: the kinds of event whose amounts add up to something in the summary."""


def contradictions(batch: Batch) -> list[tuple[int, str]]:
    """Rounds that contradict themselves, by index in ascending order, each with the first reason found.

    Compared are: the cards dealt to each place, in order, with the cards of the summary; wagers placed less
    wagers withdrawn with the stakes; the last decision of a seat with the seat's decision; what was paid and
    collected with what the summary says was paid and taken.
    """
    found: dict[int, str] = {}
    for check in (_cards, _amounts, _decisions):
        for index, reason in check(batch):
            found.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(found.items())


def _told(batch: Batch, *kinds: str) -> Flags:
    """bool[rounds]: the round was recorded event by event, these kinds included."""
    mask = np.uint32(sum(1 << KIND[kind] for kind in kinds))
    return batch.recorded & ((batch.unrecorded & mask) == 0)


def _cards(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats, rounds = batch.events, len(batch.seats.round), len(batch)
    places = [batch.seats.hands, batch.dealer, batch.community]
    round_of = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
    shown = np.concatenate([hands.cards for hands in places])
    expected = np.concatenate([hands.count for hands in places])

    deals = np.flatnonzero(events.kind == KIND["deal"])
    first_place = np.full(len(PLACES), -1, np.int64)  # of the places above, burnt cards having none
    first_place[[PLACES.index("dealer"), PLACES.index("community")]] = seats, seats + rounds
    first = first_place[events.place[deals]]
    place = np.where(first >= 0, first + events.round[deals], events.seat[deals])
    deals, place = deals[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    deals, place = deals[in_order], place[in_order]

    rows = events.cards_row[deals]
    counts = events.hands.count[rows].astype(np.int64)
    dealt = np.bincount(place, counts, len(round_of)).astype(np.int64)
    start = np.cumsum(dealt) - dealt
    cards = events.hands.cards[rows][np.arange(WIDEST_HAND) < counts[:, None]]
    owner = np.repeat(place, counts)
    position = np.arange(len(owner)) - np.repeat(start, dealt)
    fits = position < expected[owner]
    other = shown[owner[fits], position[fits]]
    differs = (cards[fits] != other) & (cards[fits] != UNKNOWN) & (other != UNKNOWN)

    wrong = dealt != expected
    wrong[owner[fits][differs]] = True
    wrong &= (expected >= 0) & _told(batch, "deal")[round_of]
    for found in np.flatnonzero(wrong).tolist():
        whose = "the dealer's cards are" if found < seats + rounds else "the community cards are"
        if found < seats:
            whose = f"the cards of seat {batch.seats.number[found]} are"
        summary = format_cards(shown[found, : expected[found]]) or "none"
        dealing = format_cards(cards[start[found] : start[found] + dealt[found]]) or "none"
        yield int(round_of[found]), f"{whose} {summary}, but its events deal {dealing}"


def _decisions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    decision_of, names = translated(events.decision, seats.decision)
    decisions = np.flatnonzero((events.kind == KIND["decide"]) & (events.seat >= 0))
    last = np.full(len(seats.round), -1, np.int64)
    np.maximum.at(last, events.seat[decisions], decisions)
    decided = np.flatnonzero((last >= 0) & (seats.decision.codes >= 0) & _told(batch, "decide")[seats.round])
    for seat in decided[decision_of[last[decided]] != seats.decision.codes[decided]].tolist():
        summary, told = seats.decision.text(seat), names[decision_of[last[seat]]]
        yield int(seats.round[seat]), f"seat {seats.number[seat]} decides `{summary}`, but by its events `{told}`"


class _Ledger:
    """Cells to add amounts up in: one for every seat, wager and tip that a stake or an event may name.

    `stake` and `event` are the cells of the stakes and of the events `at`; `seat`, `wager` and `tip` say
    what a cell is for.
    """

    __slots__ = ("at", "event", "names", "seat", "size", "stake", "tip", "wager")

    def __init__(self, batch: Batch, at: Ints) -> None:
        events, stakes = batch.events, batch.stakes
        wager_of, self.names = translated(events.wager, stakes.wager)
        self.at = at
        seat = np.concatenate([stakes.seat, events.seat[at]]).astype(np.int64)
        wager = np.concatenate([stakes.wager.codes, wager_of[at]])
        tip = np.concatenate([stakes.tip, events.tip[at]])
        keys = (seat * len(self.names) + wager) * 2 + tip
        top = int(keys.max(initial=-1)) + 1
        used: Ints = np.arange(top)
        if top > _DENSE + 4 * len(keys):
            used, keys = np.unique(keys, return_inverse=True)
        self.size = len(used)
        self.stake, self.event = keys[: len(stakes.seat)], keys[len(stakes.seat) :]
        named, self.tip = np.divmod(used, 2)
        self.seat, self.wager = np.divmod(named, max(len(self.names), 1))

    def total(self, cells: Ints, amounts: Ints) -> Ints:
        """int64[cells]: amounts added up. Exact, since no sum comes near the 2**53 that a float can hold."""
        return np.bincount(cells, amounts, self.size).astype(np.int64)


def _amounts(batch: Batch) -> Iterator[tuple[int, str]]:
    events, stakes = batch.events, batch.stakes
    ledger = _Ledger(batch, np.flatnonzero(_WITH_AMOUNT[events.kind] & (events.seat >= 0)))
    kind, amount = events.kind[ledger.at], events.amount[ledger.at]

    def happened(name: str) -> Ints:
        chosen = kind == KIND[name]
        return ledger.total(ledger.event[chosen], amount[chosen])

    staked = happened("wager") - happened("withdraw")
    for kinds, by_events, column, counted, what in (
        (("wager", "withdraw"), staked, stakes.amount, ~stakes.bonus, "staked"),
        (("pay",), happened("pay"), stakes.paid, np.ones(len(stakes.seat), np.bool_), "paid"),
        (("collect",), happened("collect"), stakes.taken, ~stakes.bonus, "taken"),
    ):
        summary = ledger.total(ledger.stake[counted], column[counted])
        wrong = summary != by_events
        wrong[ledger.stake[counted & (column < 0)]] = False
        wrong &= _told(batch, *kinds)[batch.seats.round[ledger.seat]]
        for cell in np.flatnonzero(wrong).tolist():
            seat, tip = int(ledger.seat[cell]), "tip on " if ledger.tip[cell] else ""
            line = f"{tip}`{ledger.names[ledger.wager[cell]]}`"
            yield (
                int(batch.seats.round[seat]),
                f"seat {batch.seats.number[seat]}, {line}: {summary[cell]} {what}, but {by_events[cell]} by its events",
            )
