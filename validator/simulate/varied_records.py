"""Variety of lawful rounds.

Irregularities and tips are frequent, motions and orders are free where the rules leave them open, players come and go,
and records stop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from fairdeal.validator.evidence.columns.batch import Batch
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedHand, SimulatedRound, SimulatedSeat
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse
from fairdeal.validator.simulate.varied_motions import MOTIONS, MotionContext, OpenOrder, change_open_order

_MOST_MOTIONS = 4
_STOPS = 150
"""Number of varied rounds in a thousand whose record stops."""
_MOVES = 500
"""Number of varied rounds in a thousand that record who came and who left."""


def vary_house(house: SimulatedHouse, percent: int) -> SimulatedHouse:
    """Return a copy of a house with more irregularities and tips.

    Args:
        house: the house.
        percent: percentage of rounds that are varied. About a third of those have an irregularity, and each miscount
            that the rules define is about as frequent as all others together.
    """
    simulation, chances, share = house.simulation, house.simulation.chances, percent * 10
    if not share:
        return house
    total = sum(mishap.chance for mishap in simulation.irregular_occurrences)
    occurrences = [
        mishap.model_copy(update={"chance": max(mishap.chance * share // (3 * total), mishap.chance)})
        if mishap.operator == "chance" and total
        else mishap
        for mishap in simulation.occurrences
    ]
    defined = [miscount.place for miscount in house.game.irregularities.miscounts]
    # A round has many hands of players, and one of any other place.
    miscounts = {
        place: max(chances.miscounts.get(place, 0), share // (40 if place == "player" else 10)) for place in defined
    }
    more = {"tip": max(chances.tip, share // 2), "miscounts": {**chances.miscounts, **miscounts}}
    return replace(
        house,
        simulation=simulation.model_copy(
            update={"chances": chances.model_copy(update=more), "occurrences": occurrences}
        ),
    )


class RecordVariety:
    """Variety of the records of a run, from batch to batch."""

    def __init__(self, house: SimulatedHouse, percent: int) -> None:
        self._house, self._share = house, percent * 10
        self._order = OpenOrder(house.prepared)
        self._seated = dict[int, dict[int, int]]()

    def vary(self, view: RoundView, rng: RandomStream) -> Batch:
        """Vary a share of the rounds of a batch, and return them as they are recorded.

        Rounds with a planted fault stay as they are.
        """
        self._order.read_steps(view)
        context = MotionContext(view, self._order, rng)
        for round_ in view.rounds:
            is_varied = rng.happens(self._share)
            if is_varied and not round_.planted:
                self._vary_round(round_, context, rng)
            self._seated[round_.table] = {seat.number: seat.player for seat in round_.seats if _is_served(seat)}
        return RoundView(self._house, view.rounds, events=True).scope.batch

    def _vary_round(self, round_: SimulatedRound, context: MotionContext, rng: RandomStream) -> None:
        if context.against_house and rng.happens(500):
            change_open_order(context, round_)
        for motion in rng.choices(MOTIONS, k=rng.randint(1, _MOST_MOTIONS)):
            motion(context, round_)
        if self._house.game.betting is None and rng.happens(_MOVES):
            self._record_moves(round_)
        if rng.happens(_STOPS):
            stop_record(self._house, round_, rng.randint(0, len(round_.events)))

    def _record_moves(self, round_: SimulatedRound) -> None:
        """Record the players who came since the previous round, then those who left: the table is never empty."""
        before = self._seated.get(round_.table)
        if before is None:
            return
        here = {seat.number: seat for seat in round_.seats}
        came = [SimulatedEvent("arrive", seat=seat) for number, seat in here.items() if number not in before]
        gone = [SimulatedSeat(number=number, player=player) for number, player in before.items() if number not in here]
        round_.seats = sorted([*round_.seats, *gone], key=lambda seat: seat.number)
        round_.events[:0] = [*came, *(SimulatedEvent("leave", seat=seat) for seat in gone)]


def _is_served(seat: SimulatedSeat) -> bool:
    return seat.hand.cards is not None or bool(seat.stakes)


def stop_record(house: SimulatedHouse, round_: SimulatedRound, count: int) -> None:
    """Let the record of a round stop after its first events: its summary states what they have shown."""
    events = round_.events[:count]
    round_.events, round_.is_complete, round_.meters = events, False, {}
    of_seat = defaultdict[SimulatedSeat | None, list[SimulatedEvent]](list)
    for event in events:
        of_seat[event.seat].append(event)
    for place in ("dealer", "community"):
        hand = round_.dealer if place == "dealer" else round_.community
        _stop_hand(hand, [event for event in of_seat[None] if event.place == place])
    round_.seats = [seat for seat in round_.seats if seat in of_seat]
    for seat in round_.seats:
        _stop_seat(house, seat, of_seat[seat])


def _stop_hand(hand: SimulatedHand, events: Sequence[SimulatedEvent]) -> None:
    """Limit a hand to the cards that events have dealt, discarded and drawn."""
    for kind, field in (("deal", "cards"), ("discard", "discarded"), ("draw", "drawn")):
        cards = [card for event in events if event.kind == kind for card in event.cards or ()]
        if getattr(hand, field) is not None:
            setattr(hand, field, cards or None)


def _stop_seat(house: SimulatedHouse, seat: SimulatedSeat, events: Sequence[SimulatedEvent]) -> None:
    """Limit a seat to what its events have shown. Nothing is known of the outcome."""
    _stop_hand(seat.hand, events)
    seat.stack_after = seat.won = None
    decisions = [event.decision for event in events if event.kind == "decide"]
    if house.game.betting is None:
        seat.decision = decisions[-1] if decisions else None
    line = None if house.game.betting is None else house.game.betting.wager
    placed = defaultdict[tuple[str, bool], int](int)
    for event in events:
        if event.kind in ("wager", "withdraw") and event.wager is not None:
            placed[event.wager, event.tip] += (event.amount or 0) * (1 if event.kind == "wager" else -1)
        elif event.kind == "decide" and line is not None:
            placed[line, False] += event.amount or 0
    seat.stakes = {key: stake for key, stake in seat.stakes.items() if placed[key]}
    for key, stake in seat.stakes.items():
        stake.amount = placed[key]
    claimed = {event.wager for event in events if event.kind == "claim"}
    seat.claims = {name: True for name in seat.claims if name in claimed}
