"""The end of a round between players: hands shown or given up, the rake taken, the pots divided.

What the pots come to, who wins them and what the rake is due is asked of the machinery that judges it, as soon as the
round is told as far as that.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.actions_recorded import betting_in
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.pots.contributions_to_pots import pots_in
from validator.engine.pots.pot_shares import Settled, division, settled, winning
from validator.engine.pots.rake import main_pot_first, rake_due
from validator.engine.pots.split_pots import Net, one_pot
from validator.engine.seats.seat_order import seating
from validator.engine.turns.predicates import where
from validator.simulate.acting import contending
from validator.simulate.bets import Amounts, Ending
from validator.simulate.draws import happens
from validator.simulate.exchange_steps import course
from validator.simulate.house import House
from validator.simulate.irregularities import dead_rounds
from validator.simulate.posting import staked_by
from validator.simulate.rounds import OWN, Rounds, batch_of, seats_where
from validator.simulate.telling import tell


def divide_pots(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with their showdowns, and with all that was put in raked, awarded or given back."""
    scope = _told(house, rounds, rng)
    rounds = replace(rounds, ending=_shown(house, rounds, scope, rng))
    scope = _told(house, rounds, rng)
    made = settled(scope)
    rake, _, told = rake_due(scope, made.pots, made.free)
    return replace(rounds, ending=_divided(house, rounds, scope, np.where(told, rake, 0)))


def divide_again(house: House, rounds: Rounds, rake: Ints, rng: np.random.Generator) -> Rounds:
    """The rounds with their pots divided anew, less another rake (int64[rounds])."""
    assert rounds.ending is not None
    undone = replace(rounds.ending, won=np.full_like(rounds.ending.won, ABSENT))
    undecided = replace(rounds, ending=undone)
    return replace(rounds, ending=_divided(house, undecided, _told(house, undecided, rng), rake))


def _told(house: House, rounds: Rounds, rng: np.random.Generator) -> Scope:
    """The rounds with the events told so far, opened for questions."""
    return Scope(batch_of(house, rounds, tell(house, rounds, rng)), house.prepared, house.configuration)


def nothing(seats: int) -> Amounts:
    """Amounts of nobody."""
    none = np.zeros(0, np.int64)
    return Amounts(seat=none, of=none, amount=none)


def _shown(house: House, rounds: Rounds, scope: Scope, rng: np.random.Generator) -> Ending:
    """The showdown: every seat that is left shows its hand in turn; who has lost may give it up."""
    seats = len(rounds.round)
    left = contending(rounds)
    several = np.bincount(rounds.round, left, len(rounds)) > 1
    play = betting_of(scope)
    over = play.states.due[play.ends] == ABSENT  # while there is betting nobody gives up a pot
    there = left & (several & ~dead_rounds(house, rounds))[rounds.round]
    gives_up = np.zeros(seats, np.bool_)
    for habit in house.simulation.habits:
        if house.game.decisions[habit.decision].kind == "concede":
            gives_up |= seats_where(scope, habit.when) & happens(rng, seats, habit.chance)
    concedes = there & gives_up & over[rounds.round] & (winning(scope) == NO)
    return Ending(
        shows=there & ~concedes,
        concedes=concedes,
        rank=_ranks(house, scope),
        rake=np.zeros(len(rounds), np.int64),
        returned=nothing(seats),
        awards=nothing(seats),
        winning=np.zeros(seats, np.bool_),
        won=np.full(seats, ABSENT, np.int64),
        stack_after=np.full(seats, ABSENT, np.int64),
    )


def _ranks(house: House, scope: Scope) -> Ints:
    """int64[seats]: the place of each seat at the showdown, clockwise from who begins."""
    habits = [house.simulation.steps.get(step.step) for step in course(house.game) if "reveal" in step.events]
    first = next((one.from_ for one in habits if one is not None and isinstance(one.from_, list)), [])
    seats = seating(scope)
    begins = np.full(len(scope.batch), ABSENT, np.int8)
    for name in first:
        begins = np.where(begins == ABSENT, where(scope, name)[0], begins).astype(np.int8)
    count = np.maximum(seats.count, 1).astype(np.int64)
    owner = scope.batch.seats.round
    ranks: Ints = (seats.row - np.maximum(begins, 0)[owner].astype(np.int64)) % count[owner]
    return ranks


def _divided(house: House, rounds: Rounds, scope: Scope, rake: Ints) -> Ending:
    assert rounds.ending is not None
    made, shared = settled(scope), division(scope)
    # Where the rules leave open who gets what is left over, they divide pots as far as money can be divided.
    chips = shared.chips if shared.chips.unit else replace(shared.chips, unit=1)
    taken = main_pot_first(made.pots, rake[made.pots.hand])
    left = made.pots.amount - taken
    net = Net(least=left, most=left, ruled=left, told=np.ones(len(left), np.bool_))
    parts: list[tuple[Ints, Ints, Ints]] = []
    for number in range(int(made.pots.count.max(initial=0))):
        chosen = np.flatnonzero(made.pots.number == number)
        share = one_pot(made.pots, net, shared.contests, chips, chosen).ruled
        row, at = np.nonzero(share > 0)
        seat = made.put.seats[row, made.pots.hand[chosen[at]]].astype(np.int64)
        parts.append((seat, np.full(len(seat), number), share[row, at]))
    none, dead = np.zeros(0, np.int64), dead_rounds(house, rounds)[rounds.round]
    seat, pot, amount = (np.concatenate([none, *(part[at] for part in parts)]) for at in range(3))
    stands = ~dead[seat]
    seat, pot, amount = seat[stands], pot[stands], amount[stands]
    returned = _given_back(rounds, _returned(house, rounds, made), dead)
    won, back = np.zeros(len(rounds.round), np.int64), np.zeros(len(rounds.round), np.int64)
    np.add.at(won, seat, amount)
    np.add.at(back, returned.seat, returned.amount)
    return replace(
        rounds.ending,
        rake=rake,
        returned=returned,
        awards=Amounts(seat=seat, of=pot, amount=amount),
        winning=(winning(scope) == YES) & ~dead,
        won=won,
        stack_after=np.maximum(rounds.stack - staked_by(house, rounds) + back + won, 0),
    )


def _given_back(rounds: Rounds, uncalled: Amounts, dead: Flags) -> Amounts:
    """What is given back: what nobody called, and all that was staked by the seats of dead rounds (bool[seats])."""
    line, seat = np.nonzero((rounds.amount[:, OWN] > 0) & dead)
    kept = ~dead[uncalled.seat]
    return Amounts(
        seat=np.concatenate([uncalled.seat[kept], seat]),
        of=np.concatenate([uncalled.of[kept], line]),
        amount=np.concatenate([uncalled.amount[kept], rounds.amount[line, OWN, seat]]),
    )


def _returned(house: House, rounds: Rounds, made: Settled) -> Amounts:
    """What nobody called, given back of the bets first, then of what was forced."""
    owned = np.flatnonzero(made.free.amount)
    seat = made.put.seats[made.free.row[owned], owned].astype(np.int64)
    left = made.free.amount[owned]
    betting = betting_in(house.game)
    forced = [one.wager for one in reversed(betting.forced) if one.counts != "apart"]
    parts: list[tuple[Ints, Ints, Ints]] = []
    for name in dict.fromkeys([pots_in(house.game).uncalled, *forced]):
        line = house.names.index(name)
        back = np.minimum(left, rounds.amount[line, OWN, seat])
        some = back > 0
        parts.append((seat[some], np.full(int(some.sum()), line), back[some]))
        left = left - back
    of_seat, lines, amounts = (np.concatenate([part[at] for part in parts]) for at in range(3))
    return Amounts(seat=of_seat, of=lines, amount=amounts)
