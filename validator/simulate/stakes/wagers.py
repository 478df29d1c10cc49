"""Seats, chips and wagers of simulated rounds: placing, decisions, and claims of wins."""

from __future__ import annotations

from collections.abc import Sequence

from validator.engine.payouts.settlement import line_of_a_house
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Round, Seat
from validator.simulate.table.view import View

_EVEN_CHANCE = 500
_ALWAYS = 1000
_STEPS = 100
"""Largest number of units by which a stake exceeds the minimum."""
_MOST_IN_TIPS = 5
"""Largest number of units in a tip."""


def take_seats(house: House, count: int, rng: Luck) -> list[Round]:
    """Return rounds with seats taken and other positions empty. At times a player has adjacent seats, where the
    house allows it."""
    allowed, chance = max(house.submission.hands_per_player or 1, 1), house.simulation.chances.second_hand
    rounds = []
    for _ in range(count):
        numbers = sorted(rng.sample(range(1, house.positions + 1), rng.randint(*house.seats)))
        players: list[int] = []
        for number in numbers:
            another = players and rng.happens(chance) and players.count(players[-1]) < allowed
            players.append(players[-1] if another else number)
        rounds.append(Round(seats=[Seat(number=at, player=who) for at, who in zip(numbers, players, strict=True)]))
    return rounds


def place_opening_wagers(house: House, rounds: list[Round], rng: Luck) -> None:
    """Place at least one of the independent wagers for every seat, then wagers that need others."""
    wagers, chances = house.game.wagers, house.simulation.chances.wagers
    free = [name for name in house.openings if wagers[name].needs is None and wagers[name].of is None]
    seats = [seat for round_ in rounds for seat in round_.seats]
    for seat in seats:
        placed = [name for name in free if rng.happens(chances.get(name, _EVEN_CHANCE))]
        for name in placed or [rng.choice(free)]:
            seat.put(name, amount_of(house, seat, name, rng))
    for name in [opening for opening in house.openings if opening not in free]:
        able = View(house, rounds).seats_where(wagers[name].needs)
        for seat in seats:
            if rng.happens(chances.get(name, _EVEN_CHANCE)) and seat in able:
                seat.put(name, amount_of(house, seat, name, rng))
    place_tips(house, rounds, house.openings, rng)


def bring_chips(house: House, rounds: list[Round], rng: Luck) -> None:
    """Place the button at a seat, and give every seat chips in multiples of the unit."""
    stacks, unit = house.stacks, house.wager_unit
    low, high = max(-(-stacks.least // unit), 1), max(stacks.most // unit, 1)
    for round_ in rounds:
        round_.button, short = rng.choice(round_.seats).number, rng.happens(stacks.short)
        for seat in round_.seats:
            units = rng.randint(low, max(low, high))
            if short:  # uniform number of binary digits, so that small stacks are as likely as large ones
                units = max(units >> rng.randrange(max(high.bit_length(), 1)), 1)
            seat.stack = units * unit


def post(house: House, rounds: list[Round], rng: Luck) -> None:
    """Put in what is forced before anybody acts, within the chips of each seat. Uses no random numbers.

    Raises ValueError if the house has posted no minimum for it.
    """
    for forced in house.simulation.forced:
        offer = house.offer(forced.wager)
        # A position may depend on earlier forced bets.
        for seat in View(house, rounds).seats_where(forced.when):
            if offer is None or not offer.minimum:
                raise ValueError(
                    f"the submission posts no minimum for `{forced.wager}`, the amount that players put in"
                )
            seat.put(forced.wager, min(offer.minimum, seat.chips - seat.staked))


def amount_of(house: House, seat: Seat, name: str, rng: Luck) -> int:
    """Return the stake of a seat: the multiple of another wager, or a multiple of the unit within the posted limits."""
    wager, offer, unit = house.game.wagers[name], house.offer(name), house.wager_unit
    if wager.amount is not None and wager.of is not None:
        return wager.amount * seat.on(wager.of)
    least = unit if offer is None or offer.minimum is None else max(offer.minimum, 1)
    most = least + _STEPS * unit
    if offer is not None and offer.maximum is not None:
        most = min(most, offer.maximum)
    low, high = -(-least // unit), most // unit
    return rng.randint(low, high) * unit if low <= high else least


def place_tips(house: House, rounds: list[Round], names: Sequence[str], rng: Luck) -> None:
    """Place tips on some wagers, where the rules and the house allow them.

    The condition on tips is evaluated after they are placed, because it may depend on the amount.
    """
    for name in names:
        tip, offer = house.game.wagers[name].tip, house.offer(name)
        if tip is not None and offer is not None and offer.tips:
            for seat in [seat for round_ in rounds for seat in round_.seats]:
                placed = rng.happens(house.simulation.chances.tip)
                seat.put(name, rng.randint(1, _MOST_IN_TIPS) * house.tip_unit if placed else 0, tip=True)
            view = View(house, rounds)
            for seat in {*view.seats} - view.seats_where(tip):
                seat.put(name, 0, tip=True)


def decide(house: House, rounds: list[Round], rng: Luck) -> None:
    """Make the decisions of all seats, with the wagers that they place and tips on those.

    A seat follows the first habit that fits and occurs. A seat that may take a decision with a wager must decide
    something; others need not.
    """
    view, decisions = View(house, rounds), house.game.decisions
    open_to = {name: view.seats_where(decision.open_to) for name, decision in decisions.items()}
    must_decide = set[Seat]().union(
        *(open_to[name] for name, decision in decisions.items() if decision.places is not None)
    )
    offered_decisions = [
        name
        for name, decision in decisions.items()
        if decision.places is None or house.offer(decision.places) is not None
    ]
    habits = [
        (
            habit,
            open_to[habit.decision] & view.seats_where(habit.when)
            if habit.decision in offered_decisions
            else set[Seat](),
        )
        for habit in house.simulation.habits
    ]
    for seat in view.seats:
        chosen = (habit.decision for habit, fits in habits if rng.happens(habit.chance) and seat in fits)
        decision, is_open = next(chosen, None), [name for name in offered_decisions if seat in open_to[name]]
        if decision is None and seat in must_decide and is_open:
            decision = rng.choice(is_open)
        take_decision(house, seat, decision, rng)
    placing = [decision.places for decision in decisions.values() if decision.places is not None]
    place_tips(house, rounds, list(dict.fromkeys(placing)), rng)


def take_decision(house: House, seat: Seat, decision: str | None, rng: Luck) -> None:
    """Let a seat decide this, or nothing: it places the wager of its decision and of no other."""
    if decision == seat.decision:
        return
    seat.decision = decision
    own = house.game.decisions.get(decision or "")
    placed_by_decisions = [other.places for other in house.game.decisions.values() if other.places is not None]
    for name in dict.fromkeys(placed_by_decisions):
        placed = own is not None and own.places == name
        seat.put(name, amount_of(house, seat, name, rng) if placed else 0)
        if not placed:
            seat.put(name, 0, tip=True)


def claim(house: House, rounds: list[Round], rng: Luck) -> None:
    """Record the wins that seats claim: most of those that would be paid."""
    for name in house.claimable:
        placed = [seat for round_ in rounds for seat in round_.seats if seat.on(name)]
        for seat in placed:
            seat.claims[name] = True
        view = View(house, rounds)
        line = line_of_a_house(view.scope, name)
        paid = (line.due_paid[0] > 0) & ~line.tip & line.settled
        wins = {view.seats[at] for at in line.seat[paid].tolist()}
        for seat in placed:
            declared = rng.happens(house.simulation.chances.claims.get(name, _ALWAYS))
            seat.claims[name] = declared and seat in wins
