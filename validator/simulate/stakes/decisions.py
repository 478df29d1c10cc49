"""What seats decide once they have their cards, the wagers that go with it, and the wins that they declare."""

from __future__ import annotations

from random import Random

from validator.engine.payouts.settlement import settle_as_a_house
from validator.simulate.stakes.opening_wagers import amount_of, place_tips
from validator.simulate.table.chance import happens
from validator.simulate.table.house import House
from validator.simulate.table.records import Round, Seat
from validator.simulate.table.view import View

_ALWAYS = 1000


def decide(house: House, rounds: list[Round], rng: Random) -> None:
    """The decisions of all seats, the wagers they place, and tips on those.

    A seat follows the first habit that fits it and comes up. One to which a decision is open that places a
    wager must decide, be that wager on offer or not; any other may do without.
    """
    view, decisions = View(house, rounds), house.game.decisions
    may = {name: view.seats_where(one.open_to) for name, one in decisions.items()}
    pressed = set[Seat]().union(*(may[name] for name, one in decisions.items() if one.places is not None))
    offered = [name for name, one in decisions.items() if one.places is None or house.offer(one.places) is not None]
    habits = [
        (habit, may[habit.decision] & view.seats_where(habit.when) if habit.decision in offered else set[Seat]())
        for habit in house.simulation.habits
    ]
    for seat in view.seats:
        chosen = (habit.decision for habit, fits in habits if happens(rng, habit.chance) and seat in fits)
        decision, is_open = next(chosen, None), [name for name in offered if seat in may[name]]
        if decision is None and seat in pressed and is_open:
            decision = rng.choice(is_open)
        take_decision(house, seat, decision, rng)
    placing = [one.places for one in decisions.values() if one.places is not None]
    place_tips(house, rounds, list(dict.fromkeys(placing)), rng)


def take_decision(house: House, seat: Seat, decision: str | None, rng: Random) -> None:
    """A seat decides this, or nothing: it places the wager of its decision, and no other's."""
    if decision == seat.decision:
        return
    seat.decision = decision
    own = house.game.decisions.get(decision or "")
    for name in dict.fromkeys(one.places for one in house.game.decisions.values() if one.places is not None):
        placed = own is not None and own.places == name
        seat.put(name, amount_of(house, seat, name, rng) if placed else 0)
        if not placed:
            seat.put(name, 0, tip=True)


def claim(house: House, rounds: list[Round], rng: Random) -> None:
    """The wins that seats declare: of those that would be paid if they did, most do."""
    for name in house.claimable:
        placed = [seat for one in rounds for seat in one.seats if seat.on(name)]
        for seat in placed:
            seat.claims[name] = True
        view = View(house, rounds)
        line = settle_as_a_house(view.scope)[name]
        paid = (line.due_paid[0] > 0) & ~line.tip & line.settled
        wins = {view.seats[at] for at in line.seat[paid].tolist()}
        for seat in placed:
            declared = happens(rng, house.simulation.chances.claims.get(name, _ALWAYS))
            seat.claims[name] = declared and seat in wins
