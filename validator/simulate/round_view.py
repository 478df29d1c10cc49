"""View of simulated rounds, as a batch of columns, through which the interpreter evaluates conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints, Ints32, list_owners, make_offsets
from fairdeal.validator.cards.card_codes import format_cards
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.timeline.step_events import certain_events
from fairdeal.validator.evidence.columns import round_batch
from fairdeal.validator.evidence.columns.recorded_events import make_mask
from fairdeal.validator.evidence.columns.round_batch import (
    MOMENT,
    Batch,
    CodedColumn,
    Events,
    Hands,
    Meters,
    Outcomes,
    Seats,
    Stakes,
)
from fairdeal.validator.evidence.event_kinds import HIGHEST_SEAT
from fairdeal.validator.evidence.log_events import FIELD_CHOICES, KINDS
from fairdeal.validator.evidence.round_record import encode_context
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedRound, SimulatedSeat
from fairdeal.validator.simulate.simulated_house import SimulatedHouse

_DAY = 86_400 * 10**6
_LISTED = {"kind": KINDS, **FIELD_CHOICES}


def build_simulated_batch(
    house: SimulatedHouse, rounds: Sequence[SimulatedRound], events: Events, *, held: bool = False
) -> Batch:
    """Return simulated rounds as a batch.

    Args:
        house: the house.
        rounds: the rounds.
        events: columns of their events.
        held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
    """
    count, seats = len(rounds), [seat for round_ in rounds for seat in round_.seats]
    time = np.array([round_.time for round_ in rounds], np.int64)
    return round_batch.build_relation(
        Batch,
        count,
        {"deck": house.decks},
        file=CodedColumn(codes=np.zeros(count, np.int32), names=("simulated",)),
        game=house.game.game,
        round=tuple([round_.name for round_ in rounds]),
        table=CodedColumn(codes=np.array([round_.table for round_ in rounds], np.int32), names=house.tables),
        casino=CodedColumn(codes=np.zeros(count, np.int32), names=(house.submission.licensee.name,)),
        day=(time // _DAY).astype(np.int32),
        time=time,
        dated=np.full(count, MOMENT, np.uint8),
        offset=np.zeros(count, np.int16),
        number=[round_.count for round_ in rounds],
        deck=[round_.deck_in_play for round_ in rounds],
        context=[encode_context(round_.notes) if round_.notes else None for round_ in rounds],
        complete=np.array([round_.is_complete for round_ in rounds], np.bool_),
        dealer=[round_.dealer.cards for round_ in rounds],
        dealer_discarded=[round_.dealer.discarded for round_ in rounds],
        dealer_drawn=[round_.dealer.drawn for round_ in rounds],
        community=[round_.community.cards for round_ in rounds],
        community_discarded=[round_.community.discarded for round_ in rounds],
        outcomes=round_batch.build_relation(
            Outcomes,
            sum(len(round_.outcomes) for round_ in rounds),
            name=[name for round_ in rounds for name in round_.outcomes],
            value=[value for round_ in rounds for value in round_.outcomes.values()],
            **_tie_to_rounds([len(round_.outcomes) for round_ in rounds]),
        ),
        meters=round_batch.build_relation(
            Meters,
            sum(len(round_.meters) for round_ in rounds),
            meter=[name for round_ in rounds for name in round_.meters],
            **_tie_to_rounds([len(round_.meters) for round_ in rounds]),
            **_collect_fields(
                [reading for round_ in rounds for reading in round_.meters.values()], "opening", "shown", "closing"
            ),
        ),
        seats=round_batch.build_relation(
            Seats,
            len(seats),
            player=[f"P{seat.player}" for seat in seats],
            split_of=[None if seat.split_of is None else seat.split_of.number for seat in seats],
            hands=[seat.cards_held if held else seat.hand.cards for seat in seats],
            discarded=[seat.hand.discarded for seat in seats],
            drawn=[seat.hand.drawn for seat in seats],
            **_tie_to_rounds([len(round_.seats) for round_ in rounds]),
            **_collect_fields(seats, "number", "decision", "stack", "stack_after", "won", "playing"),
        ),
        stakes=_collect_stakes(house, rounds, seats),
        events=events,
        recorded=np.ones(count, np.bool_),
        unrecorded=np.array([make_mask(round_.unrecorded) for round_ in rounds], np.uint64),
        **_collect_fields(rounds, "line", "button"),
    )


def _collect_fields(records: Sequence[object], *names: str) -> dict[str, list[Any]]:
    """Return fields of records, each with its values in all of them."""
    return {name: [*map(attrgetter(name), records)] for name in names}


def _collect_stakes(house: SimulatedHouse, rounds: Sequence[SimulatedRound], seats: Sequence[SimulatedSeat]) -> Stakes:
    """Return the stakes of wagers and bonuses, by seat in the order of the game, tips after the seat's own.

    The outcome is left out in games with pots, and where the record stops before it.
    """
    codes = round_batch.CodeTable(house.names)  # a fault may place a wager that the game does not have
    selections = round_batch.CodeTable(sorted({on for seat in seats for _, _, on in seat.stakes if on is not None}))
    entries = [
        (at, codes[name], selections[on], is_tip, stake.amount, stake.brought or ABSENT, stake.paid, stake.taken)
        for at, seat in enumerate(seats)
        for (name, is_tip, on), stake in seat.stakes.items()
        if stake.amount > 0 or stake.paid > 0
    ]
    entries.sort()
    owner, wager, on, tip, amount, brought, paid, taken = np.array(entries, np.int64).reshape(len(entries), 8).T
    names, is_tip = codes.names, tip > 0
    is_bonus = np.array([name in house.game.bonuses for name in names], np.bool_)[wager]
    claimed = np.full(len(entries), ABSENT, np.int8)
    if house.claimable_wagers:
        own = zip(owner.tolist(), wager.tolist(), is_tip.tolist(), strict=True)
        claims = [None if tip else seats[at].claims.get(names[code]) for at, code, tip in own]
        claimed = np.array([ABSENT if claim is None else claim for claim in claims], np.int8)
    complete = np.array([round_.is_complete for round_ in rounds for _ in round_.seats], np.bool_)
    is_open = np.full(len(entries), house.game.pots is not None) | ~complete[owner]
    return Stakes(
        seat=owner.astype(np.int32),
        wager=CodedColumn(codes=wager.astype(np.int32), names=names),
        selection=CodedColumn(codes=on.astype(np.int32), names=selections.names),
        tip=is_tip,
        bonus=is_bonus,
        amount=amount.copy(),
        brought=brought.copy(),
        paid=np.where(is_open, ABSENT, paid),
        taken=np.where(is_open | is_bonus, ABSENT, taken),
        claimed=claimed,
    )


_MANNER = (*_LISTED, "tip", "deck", "pot", "chips", "wager", "decision", "what", "positions", "value")
_manner_of = attrgetter(*_MANNER)
"""Returns the fields that many events share: all but the seat, the amount and the cards."""
_own_fields_of = attrgetter("seat", "amount", "cards")


class EventRows(Struct, frozen=True, kw_only=True):
    """Events row by row, as numbers; the fields that many events share are listed once."""

    manner: Ints
    """Index of the shared fields of each event, int64[n]."""
    seat: Ints32
    """Index of the seat; ABSENT for none, int32[n]."""
    amount: Ints
    """Amount; ABSENT for none, int64[n]."""
    hand: Ints
    """Row of the cards in `hands`; ABSENT for none, int64[n]."""
    hands: Hands
    """Cards of the events that have some."""


def read_events(
    events: Sequence[SimulatedEvent], index: Mapping[SimulatedSeat | None, int], manners: round_batch.CodeTable
) -> EventRows:
    """Return events as rows.

    Args:
        events: the events.
        index: number of each seat, and ABSENT for None.
        manners: numbers of the shared fields, which grow.
    """
    own_fields = zip(*map(_own_fields_of, events), strict=True) if events else ((), (), ())
    seats, amounts, cards = own_fields
    with_cards = np.array([held is not None for held in cards], np.bool_)
    return EventRows(
        manner=np.fromiter(map(manners.__getitem__, map(_manner_of, events)), np.int64, len(events)),
        seat=np.fromiter(map(index.__getitem__, seats), np.int32, len(events)),
        amount=np.array([ABSENT if amount is None else amount for amount in amounts], np.int64),
        hand=np.where(with_cards, np.cumsum(with_cards) - 1, ABSENT),
        hands=round_batch.build_hands([held for held in cards if held is not None]),
    )


def _merge_rows(known: EventRows, new: EventRows, rows: Ints) -> EventRows:
    """Return known and new events in a new order. `rows` are the known rows; ABSENT means the next new event."""
    is_new = rows == ABSENT
    chosen = np.where(is_new, len(known.manner) + np.cumsum(is_new) - 1, rows)
    new_hand = np.where(new.hand == ABSENT, ABSENT, new.hand + len(known.hands.count))
    hand = np.concatenate([known.hand, new_hand])[chosen]
    shown = hand[hand != ABSENT]
    return EventRows(
        manner=np.concatenate([known.manner, new.manner])[chosen],
        seat=np.concatenate([known.seat, new.seat])[chosen],
        amount=np.concatenate([known.amount, new.amount])[chosen],
        hand=np.where(hand == ABSENT, ABSENT, np.cumsum(hand != ABSENT) - 1),
        hands=round_batch.take_rows(round_batch.concatenate_relations([known.hands, new.hands]), shown),
    )


def _tabulate_manners(manners: Sequence[tuple[Any, ...]], decks: Sequence[str], wagers: Sequence[str]) -> Events:
    """Return one event with each of the shared fields, in columns."""
    return round_batch.build_relation(
        Events,
        len(manners),
        {**_LISTED, "deck": decks, "wager": wagers},
        **{name: [manner[at] for manner in manners] for at, name in enumerate(_MANNER)},
    )


@lru_cache(maxsize=128)  # while bets are played, the same few decisions are tabulated for each turn
def _tabulate_decisions(decisions: tuple[str, ...], decks: tuple[str, ...], wagers: tuple[str, ...]) -> Events:
    """Return one act with each decision, in columns; an empty text is an act that is not decided yet."""
    manners = [_manner_of(SimulatedEvent("decide", decision=decision or None)) for decision in decisions]
    return _tabulate_manners(manners, decks, wagers)


def _repeat_manners(shared: Events, chosen: Ints, rows: EventRows, owner: Ints32, rounds: int) -> Events:
    """Return rows of events with the chosen shared fields, as columns."""
    return round_batch.take_rows(
        shared,
        chosen,
        offsets=np.searchsorted(owner, np.arange(rounds + 1)).astype(np.int64),
        round=owner,
        seat=rows.seat,
        amount=rows.amount,
        cards_row=rows.hand.astype(np.int32),
        hands=rows.hands,
    )


def tabulate_rows(
    rows: EventRows, owner: Any, rounds: int, manners: round_batch.CodeTable, house: SimulatedHouse
) -> Events:
    """Return rows of events as columns.

    Args:
        rows: the rows.
        owner: round of each event, ascending, int32[n].
        rounds: number of rounds.
        manners: the shared fields by number. Their texts get codes in the order in which they occur.
        house: the house.
    """
    count = len(rows.manner)
    first = np.full(len(manners.names), count, np.int64)
    first[rows.manner[::-1]] = np.arange(count)[::-1]
    used = np.argsort(first, kind="stable")[: np.count_nonzero(first < count)]
    code = np.zeros(len(first), np.int64)
    code[used] = np.arange(len(used))
    occurring = [manners.names[number] for number in used.tolist()]
    shared = _tabulate_manners(occurring, house.decks, house.names)
    return _repeat_manners(shared, code[rows.manner], rows, owner, rounds)


def tabulate_acts(
    decisions: Sequence[str | None], owner: Ints32, seats: Ints32, rounds: int, house: SimulatedHouse
) -> Events:
    """Return decisions of seats as columns of events, one event each.

    Args:
        decisions: the decisions; None for an act that is not decided yet.
        owner: round of each decision, ascending.
        seats: index of the seat of each decision.
        rounds: number of rounds.
        house: the house.
    """
    codes = round_batch.CodeTable()
    chosen = np.array([codes[decision or ""] for decision in decisions], np.int64)
    shared = _tabulate_decisions(codes.names, house.decks, house.names)
    nothing = round_batch.no_numbers(len(decisions))
    rows = EventRows(manner=chosen, seat=seats, amount=nothing, hand=nothing, hands=round_batch.no_hands(0))
    return _repeat_manners(shared, chosen, rows, owner, rounds)


def _tie_to_rounds(sizes: Sequence[int]) -> dict[str, Any]:
    """Return the columns that assign rows of a relation to rounds, from the number of rows of each round."""
    counts = np.array(sizes, np.int64)
    return {"offsets": make_offsets(counts), "round": list_owners(counts)}


def _list_decisions(house: SimulatedHouse, round_: SimulatedRound) -> list[SimulatedEvent]:
    """Return the decisions of a round as events, in a game in which seats decide several times."""
    if len(house.decision_points) == 1:
        return []
    return [
        SimulatedEvent("decide", seat=seat, decision=decision) for seat in round_.seats for decision in seat.decisions
    ]


def list_set_events(round_: SimulatedRound) -> list[SimulatedEvent]:
    """Return the hands of a round that were set as events."""
    return [
        SimulatedEvent("set", seat=seat, place=place, cards=hand.high, value=format_cards(hand.low))
        for place in ("player", "dealer")
        for seat, hand in round_.list_hands_with_seats(place)
        if hand.high is not None and hand.low is not None
    ]


Row = TypeVar("Row")


class RoundView:
    """View of simulated rounds."""

    def __init__(
        self,
        house: SimulatedHouse,
        rounds: Sequence[SimulatedRound],
        *,
        events: bool = False,
        held: bool = False,
    ) -> None:
        """Open rounds.

        Args:
            house: the house.
            rounds: the rounds.
            events: whether all events are visible; otherwise only mishaps.
            held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
        """
        self.house, self.rounds = house, rounds
        self.round_of = {seat: round_ for round_ in rounds for seat in round_.seats}
        self.seats = [*self.round_of]
        self._index = {None: ABSENT} | {seat: number for number, seat in enumerate(self.seats)}
        self._manners = round_batch.CodeTable()
        events_by_round = [
            round_.events if events else [*round_.mishaps, *_list_decisions(house, round_), *list_set_events(round_)]
            for round_ in rounds
        ]
        self.events = [*chain.from_iterable(events_by_round)]
        self._event_rows = read_events(self.events, self._index, self._manners)
        batch = build_simulated_batch(house, rounds, self._tabulate_events(events_by_round), held=held)
        self.scope = EvaluationContext(batch, house.prepared, house.configuration)

    def _tabulate_events(self, events_by_round: Sequence[Sequence[SimulatedEvent]]) -> Events:
        owner = _tie_to_rounds([*map(len, events_by_round)])["round"]
        return tabulate_rows(self._event_rows, owner, len(self.rounds), self._manners, self.house)

    def reopen_with_events(self, altered: Iterable[SimulatedEvent] = ()) -> RoundView:
        """Open the same rounds with all their events, if nothing else has changed.

        Args:
            altered: events of this view that were changed in place. The rows of all others are kept.
        """
        view = copy(self)
        events_by_round = [round_.events for round_ in self.rounds]
        view.events = [*chain.from_iterable(events_by_round)]
        known = dict(zip(self.events, range(len(self.events)), strict=True))
        for event in altered:
            known.pop(event, None)
        rows = np.array([known.get(event, ABSENT) for event in view.events], np.int64)
        new = read_events(
            [view.events[at] for at in np.flatnonzero(rows == ABSENT).tolist()], self._index, self._manners
        )
        view._event_rows = _merge_rows(self._event_rows, new, rows)
        batch = replace(self.scope.batch, events=view._tabulate_events(events_by_round))
        view.scope = EvaluationContext(batch, self.house.prepared, self.house.configuration)
        return view

    def reopen_with_stakes(self) -> RoundView:
        """Open the same rounds with all their stakes, if nothing else has changed."""
        view = copy(self)
        batch = replace(self.scope.batch, stakes=_collect_stakes(self.house, self.rounds, self.seats))
        view.scope = EvaluationContext(batch, self.house.prepared, self.house.configuration)
        return view

    def list_seats_where(self, *conditions: Condition | None) -> list[SimulatedSeat]:
        """Return the seats for which all conditions certainly hold, in order; None holds for all."""
        return self._list(self.seats, "seat", conditions)

    def list_rounds_where(self, *conditions: Condition | None) -> list[SimulatedRound]:
        """Return the rounds for which all conditions certainly hold, in order; None holds for all."""
        return self._list(self.rounds, "round", conditions)

    def seats_where(self, *conditions: Condition | None) -> set[SimulatedSeat]:
        """Return the seats for which all conditions certainly hold; None holds for all."""
        return {*self.list_seats_where(*conditions)}

    def seats_at_any(self, conditions: Iterable[Condition | None]) -> set[SimulatedSeat]:
        """Return the seats for which one of some conditions certainly holds; None holds for all."""
        return set[SimulatedSeat]().union(*map(self.seats_where, conditions))

    def rounds_where(self, *conditions: Condition | None) -> set[SimulatedRound]:
        """Return the rounds for which all conditions certainly hold; None holds for all."""
        return {*self.list_rounds_where(*conditions)}

    def rounds_possibly_where(self, condition: Condition | None) -> set[SimulatedRound]:
        """Return the rounds in which a condition may hold, whatever their seats and events are."""
        return {self.rounds[at] for at in np.flatnonzero(self.scope.evaluate_whole_round(condition) != NO).tolist()}

    def _list(self, rows: Sequence[Row], grain: Grain, conditions: Sequence[Condition | None]) -> list[Row]:
        required = [condition for condition in conditions if condition is not None]
        if not required:
            return [*rows]
        holds = np.logical_and.reduce([self.scope.evaluate(condition, grain) == YES for condition in required])
        return [rows[at] for at in np.flatnonzero(holds).tolist()]

    def evaluate_quantity(self, quantity: Quantity, grain: Grain) -> list[int | None]:
        """Return a quantity of every seat or round; None if it is not known."""
        value, known = self.scope.evaluate_numbers(quantity, grain)
        return [number if is_known else None for number, is_known in zip(value.tolist(), known.tolist(), strict=True)]

    def find_step_events(self, step: str) -> dict[SimulatedRound, list[SimulatedEvent]]:
        """Return the events of a step in log order, for rounds that have any."""
        return self.scope.compute_once(("of step", step), lambda: self._collect_step_events(step))

    def _collect_step_events(self, step: str) -> dict[SimulatedRound, list[SimulatedEvent]]:
        events, rows = dict[SimulatedRound, list[SimulatedEvent]](), certain_events(self.scope, step)
        for at, owner in zip(rows.tolist(), self.scope.batch.events.round[rows].tolist(), strict=True):
            events.setdefault(self.rounds[owner], []).append(self.events[at])
        return events

    def rank_seats(self, *first: str) -> dict[SimulatedSeat, int]:
        """Return the rank of each seat in its round, in the order of service.

        Service begins at a side of the dealer, or at the first of some positions that a seat has. Otherwise it begins
        at the button.
        """
        return self.scope.compute_once(("ranks", first), lambda: self._rank_boxes(first))

    def _rank_boxes(self, first: Sequence[str]) -> dict[SimulatedSeat, int]:
        ranks = self._rank_seats(first)
        return {seat: ranks[seat if seat.split_of is None else seat.box] for seat in self.seats}

    def _rank_seats(self, first: Sequence[str]) -> dict[SimulatedSeat, int]:
        table = self.house.game.table
        if table is None or not table.positions.keys() >= {*first}:
            back = first == ("dealer-right",)
            return {seat: -seat.number if back else seat.number for seat in self.seats}
        begins, seats = np.full(len(self.rounds), ABSENT, np.int64), self.scope.batch.seats
        for name in first:
            begins = np.where(begins == ABSENT, find_position_rows(self.scope, name)[0], begins)
        leading = seat_layout(self.scope).seat_of_row[np.maximum(begins, 0), np.arange(len(self.rounds))]
        button = self.scope.batch.button.astype(np.int64)
        # Clockwise from the first seat that takes part, or from the button, where a seat may not take part.
        before = np.where(begins > 0, seats.number[leading] - 1, button)
        ranks = (seats.number - 1 - before[seats.round]) % (HIGHEST_SEAT + 1)
        return dict(zip(self.seats, ranks.tolist(), strict=True))
