"""End of a round between players: hands shown or conceded, rake taken, pots divided.

The engine that checks pots also provides their amounts, their winners and the rake, once the round is recorded that
far.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT
from validator.engine.betting.replay import betting_of
from validator.engine.core.kleene import NO, YES
from validator.engine.pots.pot_shares import Settled, division, settled, winning
from validator.engine.pots.rake import main_pot_first, rake_due
from validator.engine.pots.split_pots import Net, one_pot
from validator.simulate.procedure.steps import record
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Ending, Round, Seat
from validator.simulate.table.view import View


def divide_pots(house: House, rounds: list[Round], rng: Luck) -> None:
    """Play the showdowns, then rake, award or return the stakes."""
    before = View(house, rounds)
    record(house, rounds, rng, view=before)
    view = before.retold()
    _show_hands(view, rng)
    record(house, rounds, rng, view=before)
    view = view.retold()
    made, shared = settled(view.scope), division(view.scope)
    # If the rules leave open who gets odd chips, divide the pots to the last minor unit.
    chips = shared.chips if shared.chips.unit else replace(shared.chips, unit=1)
    rake, _, known = rake_due(view.scope, made.pots, made.free)
    rake = np.where(known, rake, 0)
    left = made.pots.amount - main_pot_first(made.pots, rake[made.pots.hand])
    net = Net(least=left, most=left, ruled=left, told=np.ones(len(left), np.bool_))
    wins = {seat for seat, yes in zip(view.seats, (winning(view.scope) == YES).tolist(), strict=True) if yes}
    for at, (round_, taken) in enumerate(zip(rounds, rake.tolist(), strict=True)):
        round_.end.rake, round_.end.divided = taken, True
        # Return uncalled bets, and all stakes of dead rounds.
        if round_.is_dead:
            stakes = [(seat, name, stake) for seat in round_.seats for (name, _), stake in seat.stakes.items()]
            round_.end.returned = [(seat, name, stake.amount) for seat, name, stake in stakes]
        else:
            round_.end.winning, round_.end.returned = wins.intersection(round_.seats), _return_uncalled(view, made, at)
    for number in range(int(made.pots.count.max(initial=0))):
        chosen = np.flatnonzero(made.pots.number == number)
        share = one_pot(made.pots, net, shared.contests, chips, chosen).ruled
        rows, at_hand = np.nonzero(share > 0)
        hands = made.pots.hand[chosen[at_hand]]
        seats = made.put.seats[rows, hands].tolist()
        for seat, hand, amount in zip(seats, hands.tolist(), share[rows, at_hand].tolist(), strict=True):
            if not rounds[hand].is_dead:
                rounds[hand].end.awards.append((view.seats[seat], number, amount))
    for round_ in rounds:
        count_chips(round_)


def _show_hands(view: View, rng: Luck) -> None:
    """Let every remaining seat show its hand in turn; a seat that has lost may concede."""
    house, play, rank = view.house, betting_of(view.scope), _rank_seats(view)
    is_betting_over = (play.states.due[play.ends] == ABSENT).tolist()  # nobody concedes while betting continues
    won = dict(zip(view.seats, winning(view.scope).tolist(), strict=True))
    habits = [
        (habit.chance, view.seats_where(habit.when))
        for habit in house.simulation.habits
        if house.game.decisions[habit.decision].kind == "concede"
    ]
    for round_, betting_over in zip(view.rounds, is_betting_over, strict=True):
        remaining = [seat for seat in round_.seats if seat.playing and not seat.folded]
        if len(remaining) < 2 or round_.is_dead:
            remaining = []
        gives_up = {seat for chance, fits in habits for seat in remaining if rng.happens(chance) and seat in fits}
        concedes = {seat for seat in gives_up if betting_over and won[seat] == NO}
        round_.ending = Ending(
            shows={*remaining} - concedes, concedes=concedes, rank={seat: rank[seat] for seat in round_.seats}
        )


def _rank_seats(view: View) -> dict[Seat, int]:
    """Return the order of seats at the showdown, clockwise from the first."""
    steps = (view.house.habit(step).from_ for step in view.house.course if "reveal" in step.events)
    return view.ranks(*next((first for first in steps if isinstance(first, list)), ()))


def _return_uncalled(view: View, made: Settled, at: int) -> list[tuple[Seat, str, int]]:
    """Return the uncalled amount of a round, from bets first, then from forced bets."""
    prepared, left, returned = view.house.prepared, int(made.free.amount[at]), []
    forced = [bet.wager for bet in reversed(prepared.betting.forced) if bet.counts != "apart"]
    seat = view.seats[made.put.seats[made.free.row[at], at]]
    for name in dict.fromkeys([prepared.pots.uncalled, *forced]):
        amount = min(left, seat.on(name))
        left -= amount
        returned += [(seat, name, amount)] if amount else []
    return returned


def count_chips(round_: Round) -> None:
    """Set the winnings of every seat, and the chips that it then has."""
    for seat in round_.seats:
        seat.won = sum(amount for who, _, amount in round_.end.awards if who is seat)
        returned = sum(amount for who, _, amount in round_.end.returned if who is seat)
        seat.stack_after = max(seat.chips - seat.staked + returned + seat.won, 0)
