"""End of a round between players: hands shown or conceded, rake taken, pots divided.

The engine that checks pots also provides their amounts, their winners and the rake, once the round is recorded that
far.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT
from validator.engine.betting.replay import replay_betting
from validator.engine.core.kleene import NO, YES
from validator.engine.pots.pot_shares import SettledPots, is_winning, pot_division, settle_pots
from validator.engine.pots.rake import bound_rake_due, take_from_main_pot_first
from validator.engine.pots.split_pots import NetPots, share_one_pot
from validator.simulate.procedure.steps import record_rounds
from validator.simulate.table.chance import RandomStream
from validator.simulate.table.house import SimulatedHouse
from validator.simulate.table.records import RoundEnd, SimulatedRound, SimulatedSeat
from validator.simulate.table.view import RoundView


def divide_pots(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Play the showdowns, then rake, award or return the stakes."""
    before = RoundView(house, rounds)
    record_rounds(house, rounds, rng, view=before)
    view = before.reopen_with_events()
    _show_hands(view, rng)
    record_rounds(house, rounds, rng, view=before)
    view = view.reopen_with_events()
    made, shared = settle_pots(view.scope), pot_division(view.scope)
    # If the rules leave open who gets odd chips, divide the pots to the last minor unit.
    chips = shared.chips if shared.chips.unit else replace(shared.chips, unit=1)
    rake, _, known = bound_rake_due(view.scope, made.pots, made.uncalled_bets)
    rake = np.where(known, rake, 0)
    left = made.pots.amount - take_from_main_pot_first(made.pots, rake[made.pots.round])
    net = NetPots(least=left, most=left, by_rule=left, is_rake_known=np.ones(len(left), np.bool_))
    wins = {seat for seat, yes in zip(view.seats, (is_winning(view.scope) == YES).tolist(), strict=True) if yes}
    for at, (round_, taken) in enumerate(zip(rounds, rake.tolist(), strict=True)):
        round_.required_ending.rake, round_.required_ending.divided = taken, True
        # Return uncalled bets, and all stakes of dead rounds.
        if round_.is_dead:
            stakes = [(seat, name, stake) for seat in round_.seats for (name, _), stake in seat.stakes.items()]
            round_.required_ending.returned = [(seat, name, stake.amount) for seat, name, stake in stakes]
        else:
            round_.required_ending.winning, round_.required_ending.returned = (
                wins.intersection(round_.seats),
                _return_uncalled(view, made, at),
            )
    for number in range(int(made.pots.count.max(initial=0))):
        chosen = np.flatnonzero(made.pots.number == number)
        share = share_one_pot(made.pots, net, shared.contests, chips, chosen).by_rule
        rows, at_hand = np.nonzero(share > 0)
        hands = made.pots.round[chosen[at_hand]]
        seats = made.contributions.seats[rows, hands].tolist()
        for seat, hand, amount in zip(seats, hands.tolist(), share[rows, at_hand].tolist(), strict=True):
            if not rounds[hand].is_dead:
                rounds[hand].end.awards.append((view.seats[seat], number, amount))
    for round_ in rounds:
        count_chips(round_)


def _show_hands(view: RoundView, rng: RandomStream) -> None:
    """Let every remaining seat show its hand in turn; a seat that has lost may concede."""
    house, play, rank = view.house, replay_betting(view.scope), _rank_seats(view)
    is_betting_over = (
        play.snapshots.seat_to_act[play.end_index] == ABSENT
    ).tolist()  # nobody concedes while betting continues
    won = dict(zip(view.seats, is_winning(view.scope).tolist(), strict=True))
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
        round_.ending = RoundEnd(
            showing_seats={*remaining} - concedes,
            conceding_seats=concedes,
            rank={seat: rank[seat] for seat in round_.seats},
        )


def _rank_seats(view: RoundView) -> dict[SimulatedSeat, int]:
    """Return the order of seats at the showdown, clockwise from the first."""
    steps = (view.house.find_habit(step).from_ for step in view.house.course if "reveal" in step.events)
    return view.rank_seats(*next((first for first in steps if isinstance(first, list)), ()))


def _return_uncalled(view: RoundView, made: SettledPots, at: int) -> list[tuple[SimulatedSeat, str, int]]:
    """Return the uncalled amount of a round, from bets first, then from forced bets."""
    prepared, left, returned = view.house.prepared, int(made.uncalled_bets.amount[at]), []
    forced = [bet.wager for bet in reversed(prepared.betting.forced) if bet.counts != "apart"]
    seat = view.seats[made.contributions.seats[made.uncalled_bets.row[at], at]]
    for name in dict.fromkeys([prepared.pots.uncalled, *forced]):
        amount = min(left, seat.staked_on(name))
        left -= amount
        returned += [(seat, name, amount)] if amount else []
    return returned


def count_chips(round_: SimulatedRound) -> None:
    """Set the winnings of every seat, and the chips that it then has."""
    for seat in round_.seats:
        seat.won = sum(amount for who, _, amount in round_.required_ending.awards if who is seat)
        returned = sum(amount for who, _, amount in round_.required_ending.returned if who is seat)
        seat.stack_after = max(seat.chips - seat.staked + returned + seat.won, 0)
