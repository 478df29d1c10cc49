"""Seats, chips and wagers of simulated rounds: placing, decisions, and claims of wins."""

from __future__ import annotations

from collections.abc import Sequence

from validator.engine.payouts.settlement import settle_line_definitely
from validator.simulate.table.chance import RandomStream
from validator.simulate.table.house import SimulatedHouse
from validator.simulate.table.records import SimulatedRound, SimulatedSeat
from validator.simulate.table.view import RoundView

_EVEN_CHANCE = 500
_ALWAYS = 1000
_STEPS = 100
"""Largest number of units by which a stake exceeds the minimum."""
_MOST_IN_TIPS = 5
"""Largest number of units in a tip."""


def take_seats(house: SimulatedHouse, count: int, rng: RandomStream) -> list[SimulatedRound]:
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
        rounds.append(
            SimulatedRound(
                seats=[SimulatedSeat(number=at, player=who) for at, who in zip(numbers, players, strict=True)]
            )
        )
    return rounds


def place_opening_wagers(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Place at least one of the independent wagers for every seat, then wagers that need others."""
    wagers, chances = house.game.wagers, house.simulation.chances.wagers
    free = [name for name in house.opening_wagers if wagers[name].needs is None and wagers[name].of is None]
    seats = [seat for round_ in rounds for seat in round_.seats]
    for seat in seats:
        placed = [name for name in free if rng.happens(chances.get(name, _EVEN_CHANCE))]
        for name in placed or [rng.choice(free)]:
            seat.set_stake(name, choose_stake(house, seat, name, rng))
    for name in [opening for opening in house.opening_wagers if opening not in free]:
        able = RoundView(house, rounds).seats_where(wagers[name].needs)
        for seat in seats:
            if rng.happens(chances.get(name, _EVEN_CHANCE)) and seat in able:
                seat.set_stake(name, choose_stake(house, seat, name, rng))
    place_tips(house, rounds, house.opening_wagers, rng)


def bring_chips(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
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


def post_forced_bets(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Put in what is forced before anybody acts, within the chips of each seat. Uses no random numbers.

    Raises ValueError if the house has posted no minimum for it.
    """
    for forced in house.simulation.forced:
        offer = house.find_offer(forced.wager)
        # A position may depend on earlier forced bets.
        for seat in RoundView(house, rounds).seats_where(forced.when):
            if offer is None or not offer.minimum:
                raise ValueError(
                    f"the submission posts no minimum for `{forced.wager}`, the amount that players put in"
                )
            seat.set_stake(forced.wager, min(offer.minimum, seat.chips - seat.staked))


def choose_stake(house: SimulatedHouse, seat: SimulatedSeat, name: str, rng: RandomStream) -> int:
    """Return the stake of a seat: the multiple of another wager, or a multiple of the unit within the posted limits."""
    wager, offer, unit = house.game.wagers[name], house.find_offer(name), house.wager_unit
    if wager.amount is not None and wager.of is not None:
        return wager.amount * seat.staked_on(wager.of)
    least = unit if offer is None or offer.minimum is None else max(offer.minimum, 1)
    most = least + _STEPS * unit
    if offer is not None and offer.maximum is not None:
        most = min(most, offer.maximum)
    low, high = -(-least // unit), most // unit
    return rng.randint(low, high) * unit if low <= high else least


def place_tips(house: SimulatedHouse, rounds: list[SimulatedRound], names: Sequence[str], rng: RandomStream) -> None:
    """Place tips on some wagers, where the rules and the house allow them.

    The condition on tips is evaluated after they are placed, because it may depend on the amount.
    """
    for name in names:
        tip, offer = house.game.wagers[name].tip, house.find_offer(name)
        if tip is not None and offer is not None and offer.tips:
            for seat in [seat for round_ in rounds for seat in round_.seats]:
                placed = rng.happens(house.simulation.chances.tip)
                seat.set_stake(name, rng.randint(1, _MOST_IN_TIPS) * house.tip_unit if placed else 0, tip=True)
            view = RoundView(house, rounds)
            for seat in {*view.seats} - view.seats_where(tip):
                seat.set_stake(name, 0, tip=True)


def make_decisions(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Make the decisions of all seats, with the wagers that they place and tips on those.

    A seat follows the first habit that fits and occurs. A seat that may take a decision with a wager must decide
    something; others need not.
    """
    view, decisions = RoundView(house, rounds), house.game.decisions
    open_to = {name: view.seats_where(decision.open_to) for name, decision in decisions.items()}
    must_decide = set[SimulatedSeat]().union(
        *(open_to[name] for name, decision in decisions.items() if decision.places is not None)
    )
    offered_decisions = [
        name
        for name, decision in decisions.items()
        if decision.places is None or house.find_offer(decision.places) is not None
    ]
    habits = [
        (
            habit,
            open_to[habit.decision] & view.seats_where(habit.when)
            if habit.decision in offered_decisions
            else set[SimulatedSeat](),
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


def take_decision(house: SimulatedHouse, seat: SimulatedSeat, decision: str | None, rng: RandomStream) -> None:
    """Let a seat decide this, or nothing: it places the wager of its decision and of no other."""
    if decision == seat.decision:
        return
    seat.decision = decision
    own = house.game.decisions.get(decision or "")
    placed_by_decisions = [other.places for other in house.game.decisions.values() if other.places is not None]
    for name in dict.fromkeys(placed_by_decisions):
        placed = own is not None and own.places == name
        seat.set_stake(name, choose_stake(house, seat, name, rng) if placed else 0)
        if not placed:
            seat.set_stake(name, 0, tip=True)


def claim_wins(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Record the wins that seats claim: most of those that would be paid."""
    for name in house.claimable_wagers:
        placed = [seat for round_ in rounds for seat in round_.seats if seat.staked_on(name)]
        for seat in placed:
            seat.claims[name] = True
        view = RoundView(house, rounds)
        line = settle_line_definitely(view.scope, name)
        paid = (line.due_paid[0] > 0) & ~line.tip & line.is_settled
        wins = {view.seats[at] for at in line.seat[paid].tolist()}
        for seat in placed:
            declared = rng.happens(house.simulation.chances.claims.get(name, _ALWAYS))
            seat.claims[name] = declared and seat in wins
