"""The end of a round between players: hands shown or given up, the rake taken, the pots divided.

What the pots come to, who wins them and what the rake is due is asked of the machinery that judges it, as soon as the
round is told as far as that.
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
    """The showdowns, and all that was put in raked, awarded or given back."""
    before = View(house, rounds)
    record(house, rounds, rng, view=before)
    view = before.retold()
    _show_hands(view, rng)
    record(house, rounds, rng, view=before)
    view = view.retold()
    made, shared = settled(view.scope), division(view.scope)
    # Where the rules leave open who gets what is left over, they divide pots as far as money can be divided.
    chips = shared.chips if shared.chips.unit else replace(shared.chips, unit=1)
    rake, _, known = rake_due(view.scope, made.pots, made.free)
    rake = np.where(known, rake, 0)
    left = made.pots.amount - main_pot_first(made.pots, rake[made.pots.hand])
    net = Net(least=left, most=left, ruled=left, told=np.ones(len(left), np.bool_))
    wins = {seat for seat, yes in zip(view.seats, (winning(view.scope) == YES).tolist(), strict=True) if yes}
    for at, (round_, taken) in enumerate(zip(rounds, rake.tolist(), strict=True)):
        round_.end.rake, round_.end.divided = taken, True
        # What nobody called is given back, and all that was staked in dead rounds.
        if round_.is_dead:
            stakes = [(seat, name, stake) for seat in round_.seats for (name, _), stake in seat.stakes.items()]
            round_.end.returned = [(seat, name, stake.amount) for seat, name, stake in stakes]
        else:
            round_.end.winning, round_.end.returned = wins.intersection(round_.seats), _uncalled(view, made, at)
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
    """Every seat that is left shows its hand in turn; who has lost may give it up."""
    house, play, rank = view.house, betting_of(view.scope), _ranks(view)
    over = (play.states.due[play.ends] == ABSENT).tolist()  # while there is betting nobody gives up a pot
    won = dict(zip(view.seats, winning(view.scope).tolist(), strict=True))
    habits = [
        (habit.chance, view.seats_where(habit.when))
        for habit in house.simulation.habits
        if house.game.decisions[habit.decision].kind == "concede"
    ]
    for round_, betting_over in zip(view.rounds, over, strict=True):
        left = [seat for seat in round_.seats if seat.playing and not seat.folded]
        if len(left) < 2 or round_.is_dead:
            left = []
        gives_up = {seat for chance, fits in habits for seat in left if rng.happens(chance) and seat in fits}
        concedes = {seat for seat in gives_up if betting_over and won[seat] == NO}
        round_.ending = Ending(
            shows={*left} - concedes, concedes=concedes, rank={seat: rank[seat] for seat in round_.seats}
        )


def _ranks(view: View) -> dict[Seat, int]:
    """The place of each seat at the showdown, clockwise from who begins."""
    steps = (view.house.habit(step).from_ for step in view.house.course if "reveal" in step.events)
    return view.ranks(*next((first for first in steps if isinstance(first, list)), ()))


def _uncalled(view: View, made: Settled, at: int) -> list[tuple[Seat, str, int]]:
    """What nobody called in a round, given back of the bets first, then of what was forced."""
    prepared, left, found = view.house.prepared, int(made.free.amount[at]), []
    forced = [bet.wager for bet in reversed(prepared.betting.forced) if bet.counts != "apart"]
    seat = view.seats[made.put.seats[made.free.row[at], at]]
    for name in dict.fromkeys([prepared.pots.uncalled, *forced]):
        back = min(left, seat.on(name))
        left -= back
        found += [(seat, name, back)] if back else []
    return found


def count_chips(one: Round) -> None:
    """What every seat has won, and the chips it then has."""
    for seat in one.seats:
        seat.won = sum(amount for who, _, amount in one.end.awards if who is seat)
        back = sum(amount for who, _, amount in one.end.returned if who is seat)
        seat.stack_after = max(seat.chips - seat.staked + back + seat.won, 0)
