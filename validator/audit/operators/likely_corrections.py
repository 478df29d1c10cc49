"""Corrections of one event that may explain everything that fails in a round among players.

They start from what the findings are about: the events and seats they name, and the sums that are missing or left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Ints
from validator.cards.cards import UNKNOWN
from validator.engine.betting.replay import as_it_stood
from validator.engine.core.context import Scope, fact
from validator.engine.pots.contributions_to_pots import per_round
from validator.engine.pots.expected_stacks import chips_left
from validator.engine.pots.received import UNTOLD, amounts_of
from validator.engine.seats.seat_order import seating
from validator.evidence.columns.corrected_rounds import Correction, Value
from validator.evidence.handlog.event_values import AT_PLAYER, PLACES
from validator.evidence.handlog.events import KIND

_DECIDE, _DEAL = KIND["decide"], KIND["deal"]
_OF_CHIPS = tuple(
    KIND[kind] for kind in ("wager", "decide", "award", "return", "rake", "drop", "chips-in", "chips-out")
)
_AT_COMMUNITY = PLACES.index("community")
_PAID_OUT = (KIND["award"], KIND["return"])
_NOTHING: dict[str, Value] = {
    **dict.fromkeys(("seat", "place", "face", "by", "means", "pot", "chips", "amount"), ABSENT),
    **dict.fromkeys(("wager", "decision", "what", "deck", "positions"), ""),
    "tip": 0,
}
_MOST_AMOUNTS, _MOST_SUSPECTS, _MOST_EVENTS = 4, 6, 120
_PASSES, _PUTS = ("fold", "check"), ("call", "bet", "raise", "complete", "bring-in")


class Failures(Struct, frozen=True, kw_only=True):
    """What fails in a round: events and seats of the batch that findings name, and sums of money in minor units."""

    round: int
    events: Sequence[int]
    seats: Sequence[int]
    sums: Sequence[int]


class Sums(Struct, frozen=True, kw_only=True):
    """Chips that the events do not account for, in minor units."""

    seat: Ints
    """By how much the chips of each seat are more than its events explain; below 0 less; 0 where that is not known."""
    pots: Ints
    """By how much more was put in than awarded, raked and returned, in each round."""
    rake: Ints
    """By how much more was raked than dropped, in each round."""


@fact
def unexplained_sums(scope: Scope) -> Sums:
    """Return the chips that the events of each seat and round do not account for."""
    seats, events = scope.batch.seats, scope.batch.events
    least, most = chips_left(scope)
    told = (least == most) & (seats.stack_after != ABSENT)
    gap = np.where(told, seats.stack_after - np.where(told, least, 0), 0)

    def total(kind: str) -> Ints:
        found = np.zeros(len(scope.batch), np.int64)
        chosen = np.flatnonzero(events.kind == KIND[kind])
        np.add.at(found, events.round[chosen], np.maximum(events.amount[chosen], 0))
        return found

    put = np.zeros(len(seats.round), np.int64)
    np.add.at(put, scope.batch.stakes.seat, scope.batch.stakes.amount)
    came = [np.where((got := amounts_of(scope, kind)) == UNTOLD, 0, got) for kind in ("award", "return")]
    rake = total("rake")
    return Sums(seat=gap, pots=per_round(scope, put - sum(came)) - rake, rake=rake - total("drop"))


def likely_corrections(scope: Scope, failures: Failures) -> Iterator[list[Correction]]:
    """Yield corrections of a round in stages: those of each stage are tried before those of the next are made."""
    first, end = scope.batch.events.offsets[failures.round : failures.round + 2].tolist()
    if 0 < end - first <= _MOST_EVENTS:
        round_ = _Round(scope, failures, first, end)
        yield list(_unlike(round_.changes()))
        yield list(_unlike(round_.moves()))


def _unlike(corrections: Iterator[Correction]) -> Iterator[Correction]:
    seen = set()
    for item in corrections:
        key = item.order, item.changed, tuple(item.values.items()), item.hides_cards
        if key not in seen:
            seen.add(key)
            yield item


class _Round:
    """A round and what may be corrected in it."""

    def __init__(self, scope: Scope, failures: Failures, first: int, end: int) -> None:
        batch = scope.batch
        self._scope, self._events, self._failures = scope, batch.events, failures
        self._all = tuple(range(first, end))
        self._first, self._end = first, end
        kinds = self._events.kind
        chips = [event for event in self._all if kinds[event] in _OF_CHIPS and self._events.amount[event] > 0]
        self._of_chips = sorted(chips, key=lambda event: _OF_CHIPS.index(kinds[event]))
        named = sorted({*failures.events})[:_MOST_SUSPECTS]
        self._suspects = named
        near = {at for event in named for at in (event - 1, event, event + 1)}
        self._near = sorted((near | {*self._acts_before(named)}) & {*self._all})
        sums = unexplained_sums(scope)
        own = range(*batch.seats.offsets[failures.round : failures.round + 2].tolist())
        self._gaps = {seat: int(sums.seat[seat]) for seat in own if sums.seat[seat]}
        listed = [
            *(abs(gap) for gap in self._gaps.values()),
            *(abs(int(of_all[failures.round])) for of_all in (sums.pots, sums.rake)),
            *(abs(item) for item in failures.sums),
        ]
        self._amounts = [amount for amount in dict.fromkeys(listed) if amount][:_MOST_AMOUNTS]
        rows = seating(scope).seats[:, failures.round]
        self._at_row = [int(seat) for seat in rows if seat >= 0]
        self._seats = [*dict.fromkeys([*self._gaps, *failures.seats])]
        self._words: dict[str, str] = {}
        for name, decision in scope.prepared.game.decisions.items():
            if decision.kind is not None:
                self._words.setdefault(decision.kind, name)

    def _acts_before(self, events: Sequence[int]) -> Iterator[int]:
        """Yield the decisions that the seats of some events took last before them."""
        kinds, seats = self._events.kind, self._events.seat
        for event in events:
            same = (at for at in range(event - 1, self._first - 1, -1) if seats[at] == seats[event] != ABSENT)
            yield from [at for at in same if kinds[at] == _DECIDE][:1]

    # Changes

    def changes(self) -> Iterator[Correction]:
        """Yield the round with one event left out, added, or with another amount, seat, word or card."""
        yield from self._acts()
        yield from self._other_words()
        yield from self._other_amounts()
        yield from self._sums_missing()
        for event in dict.fromkeys([*self._near, *self._repeated(), *self._of_chips]):
            yield self._edit(tuple(other for other in self._all if other != event), event)
        yield from self._other_seats()
        yield from self._cards_missing()
        for event in self._suspects:
            if self._events.cards_row[event] >= 0:
                yield self._replaced(event, {}, hides_cards=True)

    def _repeated(self) -> Iterator[int]:
        """Yield the events that name cards which an event before them dealt."""
        hands, seen = self._events.hands, set[int]()
        for event in self._all:
            if self._events.kind[event] == _DEAL and (row := int(self._events.cards_row[event])) >= 0:
                cards = {*hands.cards[row, : hands.count[row]].tolist()} - {UNKNOWN}
                if cards & seen:
                    yield event
                seen |= cards

    def _edit(
        self,
        order: tuple[int, ...],
        event: int,
        changed: int = ABSENT,
        values: Mapping[str, Value] | None = None,
        *,
        seat: int = ABSENT,
        hides_cards: bool = False,
        stacks_follow: bool = False,
    ) -> Correction:
        return Correction(
            round=self._failures.round,
            order=order,
            changed=changed,
            values=values or {},
            event=event,
            seat=int(self._events.seat[event]) if seat == ABSENT and event < self._end else seat,
            hides_cards=hides_cards,
            stacks_follow=stacks_follow,
        )

    def _replaced(
        self, event: int, values: Mapping[str, Value], *, hides_cards: bool = False, stacks_follow: bool = False
    ) -> Correction:
        place = event - self._first
        return self._edit(self._all, event, place, values, hides_cards=hides_cards, stacks_follow=stacks_follow)

    def _added(self, before: int, copied: int, values: Mapping[str, Value]) -> Correction:
        place = before - self._first
        order = (*self._all[:place], copied, *self._all[place:])
        return self._edit(order, before, place, values, seat=int(values.get("seat", ABSENT)))

    def _due_at(self, event: int) -> list[int]:
        """Return the seats that may have been due to act ahead of an event."""
        due = int(as_play(self._scope)[event])
        rows = seating(self._scope).seats[:, self._failures.round]
        return [] if due == ABSENT else [int(rows[due])]

    def _acts(self) -> Iterator[Correction]:
        """Yield the round with one act more, of who was due or has too few chips."""
        template = self._plain()
        if template is None:
            return
        for event in self._near:
            due = self._due_at(event)
            for seat in dict.fromkeys([*due, *(seat for seat, gap in self._gaps.items() if gap < 0)]):
                base = _NOTHING | {"kind": _DECIDE, "seat": seat}
                if seat in due:
                    for kind in _PASSES:
                        if kind in self._words:
                            yield self._added(event, template, base | {"decision": self._words[kind], "amount": 0})
                gap = -self._gaps.get(seat, 0)
                for amount in [gap] if gap > 0 else self._amounts if seat in due else []:
                    for kind in _PUTS:
                        if kind in self._words:
                            values = base | {"decision": self._words[kind], "amount": amount}
                            yield self._added(event, template, values)

    def _other_words(self) -> Iterator[Correction]:
        for event in self._near:
            if self._events.kind[event] == _DECIDE:
                said = self._events.decision.text(event)
                for word in self._words.values():
                    if word != said:
                        yield self._replaced(event, {"decision": word})

    def _other_amounts(self) -> Iterator[Correction]:
        for event in self._of_chips:
            had, seat = int(self._events.amount[event]), int(self._events.seat[event])
            fitting = [abs(self._gaps[seat])] if seat in self._gaps else self._amounts
            for amount in fitting:
                for way in (1, -1):
                    if had + way * amount > 0:
                        values: dict[str, Value] = {"amount": had + way * amount}
                        yield self._replaced(event, values)
                        if self._events.kind[event] in _PAID_OUT:
                            yield self._replaced(event, values, stacks_follow=True)

    def _plain(self) -> int | None:
        """Return an event without cards, which an added event copies."""
        return next((event for event in self._all if self._events.cards_row[event] < 0), None)

    def _sums_missing(self) -> Iterator[Correction]:
        """Yield the round with chips more that were awarded, returned, raked, dropped or put in by force."""
        plain = self._plain()
        if plain is None:
            return
        kinds = self._events.kind
        awards = [event for event in self._all if kinds[event] == KIND["award"]]
        forced = [event for event in self._all if kinds[event] == KIND["wager"]]
        cards = [event for event in self._all if kinds[event] == _DEAL]
        ahead = awards[0] if awards else self._end
        game = self._scope.prepared.game
        bets = game.betting.wager if game.betting is not None else ""
        for amount in self._amounts:
            new = _NOTHING | {"amount": amount}
            yield self._added(ahead, plain, new | {"kind": KIND["rake"], "pot": 0})
            yield self._added(self._end, plain, new | {"kind": KIND["drop"]})
        for seat, gap in self._gaps.items():
            new = _NOTHING | {"amount": abs(gap), "seat": seat}
            if gap > 0:
                for pot in range(2):
                    yield self._added(ahead, plain, new | {"kind": KIND["award"], "pot": pot})
                for line in self._scope.prepared.pots.lines:
                    yield self._added(ahead, plain, new | {"kind": KIND["return"], "wager": line})
                continue
            for line in self._scope.prepared.pots.lines:
                if line != bets:
                    for place in dict.fromkeys([*forced[:2], *(cards[:1] or [self._end])]):
                        yield self._added(place, plain, new | {"kind": KIND["wager"], "wager": line})

    def _cards_missing(self) -> Iterator[Correction]:
        """Yield the round with cards more on the table, whose faces nobody recorded."""
        kinds, places = self._events.kind, self._events.place
        shared = [event for event in self._all if kinds[event] == _DEAL and places[event] != AT_PLAYER]
        board = [event for event in shared if places[event] == _AT_COMMUNITY]
        packets = {int(self._events.hands.count[self._events.cards_row[event]]): event for event in board}
        for copied in packets.values():
            for event in dict.fromkeys([*(event + 1 for event in shared), *self._near]):
                place = event - self._first
                order = (*self._all[:place], copied, *self._all[place:])
                yield self._edit(order, event, place, {}, hides_cards=True)

    def _other_seats(self) -> Iterator[Correction]:
        for event in dict.fromkeys([*self._suspects, *self._of_chips]):
            had = int(self._events.seat[event])
            if had == ABSENT:
                continue
            likely = self._at_row if event in self._suspects else self._seats
            for seat in likely:
                if seat != had:
                    yield self._replaced(event, {"seat": seat})

    # Moves

    def moves(self) -> Iterator[Correction]:
        """Yield the round with one event elsewhere, or with two in each other's place."""
        for event in self._near:
            rest = [other for other in self._all if other != event]
            for place in range(len(self._all)):
                order = (*rest[:place], event, *rest[place:])
                if order != self._all:
                    yield self._edit(order, event)
        for event in self._suspects:
            for other in self._all:
                swapped = {event: other, other: event}
                if other != event:
                    yield self._edit(tuple(swapped.get(at, at) for at in self._all), event)


@fact
def as_play(scope: Scope) -> Ints:
    """Return the row that was due to act at each event, as the betting stood."""
    return as_it_stood(scope).due.astype(np.int64)
