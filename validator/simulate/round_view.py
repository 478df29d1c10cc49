"""View of simulated rounds, as a batch of columns, through which the interpreter evaluates conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.timeline.step_events import certain_events
from fairdeal.validator.evidence.columns.batch import MOMENT, Batch, CodedColumn, Events, Meters, Seats, Stakes
from fairdeal.validator.evidence.columns.relations import CodeTable, build_hands, build_relation, take_rows
from fairdeal.validator.evidence.handlog.event_fields import FIELD_CHOICES
from fairdeal.validator.evidence.handlog.event_kinds import HIGHEST_SEAT
from fairdeal.validator.evidence.handlog.log_events import KINDS
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedRound, SimulatedSeat
from fairdeal.validator.simulate.simulated_house import SimulatedHouse

_DAY = 86_400 * 10**6
_LISTED = {"kind": KINDS, **FIELD_CHOICES}


def build_simulated_batch(
    house: SimulatedHouse, rounds: Sequence[SimulatedRound], *, events: bool = True, held: bool = False
) -> Batch:
    """Return simulated rounds as a batch.

    Args:
        house: the house.
        rounds: the rounds.
        events: whether the batch has all events; otherwise only the mishaps of the deal.
        held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
    """
    count, seats = len(rounds), [seat for round_ in rounds for seat in round_.seats]
    index = {seat: at for at, seat in enumerate(seats)}
    recorded = [round_.events if events else round_.mishaps for round_ in rounds]
    time = np.array([round_.time for round_ in rounds], np.int64)
    return build_relation(
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
        complete=np.array([round_.is_complete for round_ in rounds], np.bool_),
        dealer=[round_.dealer.cards for round_ in rounds],
        dealer_discarded=[round_.dealer.discarded for round_ in rounds],
        dealer_drawn=[round_.dealer.drawn for round_ in rounds],
        community=[round_.community.cards for round_ in rounds],
        community_discarded=[round_.community.discarded for round_ in rounds],
        meters=build_relation(
            Meters,
            sum(len(round_.meters) for round_ in rounds),
            meter=[name for round_ in rounds for name in round_.meters],
            **_tie_to_rounds([len(round_.meters) for round_ in rounds]),
            **_collect_fields(
                [reading for round_ in rounds for reading in round_.meters.values()], "opening", "shown", "closing"
            ),
        ),
        seats=build_relation(
            Seats,
            len(seats),
            player=[f"P{seat.player}" for seat in seats],
            hands=[seat.cards_held if held else seat.hand.cards for seat in seats],
            discarded=[seat.hand.discarded for seat in seats],
            drawn=[seat.hand.drawn for seat in seats],
            **_tie_to_rounds([len(round_.seats) for round_ in rounds]),
            **_collect_fields(seats, "number", "decision", "stack", "stack_after", "won", "playing"),
        ),
        stakes=_collect_stakes(house, rounds, seats),
        events=tabulate_events(
            [event for part in recorded for event in part],
            _tie_to_rounds([*map(len, recorded)])["round"],
            count,
            index,
            house,
        ),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint64),
        **_collect_fields(rounds, "line", "button"),
    )


def _collect_fields(records: Sequence[object], *names: str) -> dict[str, list[Any]]:
    """Return fields of records, each with its values in all of them."""
    return {name: [*map(attrgetter(name), records)] for name in names}


def _collect_stakes(house: SimulatedHouse, rounds: Sequence[SimulatedRound], seats: Sequence[SimulatedSeat]) -> Stakes:
    """Return the stakes of wagers and bonuses, by seat in the order of the game, tips after the seat's own.

    The outcome is left out in games with pots, and where the record stops before it.
    """
    bonuses, pooled = house.game.bonuses, house.game.pots is not None
    unsettled = [pooled or not round_.is_complete for round_ in rounds for _ in round_.seats]
    place = CodeTable([(name, tip) for name in house.names for tip in (False, True)])
    entries = [
        (at, place[line], *line, stake)
        for at, seat in enumerate(seats)
        for line, stake in seat.stakes.items()
        if stake.amount > 0 or stake.paid > 0
    ]
    entries.sort()
    owner, _, wager, is_tip, stakes = [[*column] for column in zip(*entries, strict=True)] or [[], [], [], [], []]
    is_bonus = [name in bonuses for name in wager]
    return build_relation(
        Stakes,
        len(entries),
        {"wager": house.names},
        seat=owner,
        wager=wager,
        tip=is_tip,
        bonus=is_bonus,
        amount=[stake.amount for stake in stakes],
        paid=[None if unsettled[at] else stake.paid for at, stake in zip(owner, stakes, strict=True)],
        taken=[
            None if bonus or unsettled[at] else stake.taken
            for at, bonus, stake in zip(owner, is_bonus, stakes, strict=True)
        ],
        claimed=[
            None if tip else seats[at].claims.get(name) for at, name, tip in zip(owner, wager, is_tip, strict=True)
        ],
    )


_MANNER = (*_LISTED, "tip", "deck", "pot", "chips", "wager", "decision", "what", "positions")
_manner_of = attrgetter(*_MANNER)
"""Returns the fields that many events share: all but the seat, the amount and the cards."""


def tabulate_events(
    events: Sequence[SimulatedEvent], owner: Any, rounds: int, index: Mapping[SimulatedSeat, int], house: SimulatedHouse
) -> Events:
    """Return events as columns.

    Args:
        events: the events.
        owner: round of each event, ascending, int32[n].
        rounds: number of rounds.
        index: number of each seat.
        house: the house.
    """
    manners = CodeTable()
    which = np.fromiter(map(manners.__getitem__, map(_manner_of, events)), np.int64, len(events))
    seats, cards = ([*map(attrgetter(name), events)] for name in ("seat", "cards"))
    with_cards = np.array([held is not None for held in cards], np.bool_)
    shared = build_relation(
        Events,
        len(manners.names),
        {**_LISTED, "deck": house.decks, "wager": house.names},
        **{name: [manner[at] for manner in manners.names] for at, name in enumerate(_MANNER)},
    )
    return take_rows(
        shared,
        which,
        offsets=np.searchsorted(owner, np.arange(rounds + 1)).astype(np.int64),
        round=owner,
        seat=np.array([ABSENT if seat is None else index[seat] for seat in seats], np.int32),
        amount=collect_amounts(events),
        cards_row=np.where(with_cards, np.cumsum(with_cards) - 1, ABSENT).astype(np.int32),
        hands=build_hands([held for held in cards if held is not None]),
    )


def collect_amounts(events: Sequence[SimulatedEvent]) -> Ints:
    """Return the amounts of events, ABSENT for an event without one."""
    amounts = map(attrgetter("amount"), events)
    return np.array([ABSENT if amount is None else amount for amount in amounts], np.int64)


def _tie_to_rounds(sizes: Sequence[int]) -> dict[str, Any]:
    """Return the columns that assign rows of a relation to rounds, from the number of rows of each round."""
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return {"offsets": np.cumsum([0, *sizes], dtype=np.int64), "round": owners}


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
        seated: Batch | None = None,
    ) -> None:
        """Open rounds.

        Args:
            house: the house.
            rounds: the rounds.
            events: whether all events are visible; otherwise only mishaps.
            held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
            seated: batch of the same rounds, whose columns are reused except for events.
        """
        self.house, self.rounds = house, rounds
        self.round_of = {seat: round_ for round_ in rounds for seat in round_.seats}
        self.seats = [*self.round_of]
        self.events = [event for round_ in rounds for event in (round_.events if events else round_.mishaps)]
        batch = (
            build_simulated_batch(house, rounds, events=events, held=held)
            if seated is None
            else replace(seated, events=self._tabulate_events())
        )
        self.scope = EvaluationContext(batch, house.prepared, house.configuration)

    def reopen_with_events(self) -> RoundView:
        """Open the same rounds with all their events, if nothing else has changed."""
        return RoundView(self.house, self.rounds, events=True, seated=self.scope.batch)

    def _tabulate_events(self) -> Events:
        index = {seat: at for at, seat in enumerate(self.seats)}
        owner = np.repeat(np.arange(len(self.rounds), dtype=np.int32), [len(round_.events) for round_ in self.rounds])
        return tabulate_events(self.events, owner, len(self.rounds), index, self.house)

    def seats_where(self, *conditions: Condition | None) -> set[SimulatedSeat]:
        """Return the seats for which all conditions certainly hold; None holds for all."""
        return self._select(self.seats, "seat", conditions)

    def rounds_where(self, *conditions: Condition | None) -> set[SimulatedRound]:
        """Return the rounds for which all conditions certainly hold; None holds for all."""
        return self._select(self.rounds, "round", conditions)

    def rounds_possibly_where(self, condition: Condition | None) -> set[SimulatedRound]:
        """Return the rounds in which a condition may hold, whatever their seats and events are."""
        return {self.rounds[at] for at in np.flatnonzero(self.scope.evaluate_whole_round(condition) != NO).tolist()}

    def _select(self, rows: Sequence[Row], grain: Grain, conditions: Sequence[Condition | None]) -> set[Row]:
        holds = np.ones(len(rows), np.bool_)
        for condition in conditions:
            if condition is not None:
                holds &= self.scope.evaluate(condition, grain) == YES
        return {rows[at] for at in np.flatnonzero(holds).tolist()}

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
        return self.scope.compute_once(("ranks", first), lambda: self._rank_seats(first))

    def _rank_seats(self, first: Sequence[str]) -> dict[SimulatedSeat, int]:
        table = self.house.game.table
        if table is None or not table.positions.keys() >= {*first}:
            back = first == ("dealer-right",)
            return {seat: -seat.number if back else seat.number for seat in self.seats}
        begins, seats = np.full(len(self.rounds), ABSENT, np.int64), self.scope.batch.seats
        for name in first:
            begins = np.where(begins == ABSENT, find_position_rows(self.scope, name)[0], begins)
        leading = seat_layout(self.scope).seat_of_row[np.maximum(begins, 0), np.arange(len(self.rounds))]
        button = 0 if table.counted_from == "dealer-left" else self.scope.batch.button.astype(np.int64)
        # Clockwise from the first seat that takes part, or from the button, where a seat may not take part.
        before = np.where(begins > 0, seats.number[leading] - 1, button)
        ranks = (seats.number - 1 - before[seats.round]) % (HIGHEST_SEAT + 1)
        return dict(zip(self.seats, ranks.tolist(), strict=True))
