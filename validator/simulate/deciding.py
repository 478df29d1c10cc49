"""What seats decide once they have their cards, and the wagers that go with it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.opening import amounts, followed, place_tips, with_stakes
from validator.simulate.rounds import OWN, TIP, Rounds, scope_of, seats_where

UNDECIDED = ABSENT


def decide(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with the decisions of all seats, the wagers they place, and tips on those.

    A seat follows the first habit that fits it and comes up. One to which a decision is open that places a
    wager must decide, be that wager on offer or not; any other may do without.
    """
    scope = scope_of(house, rounds)
    seats = len(rounds.round)
    is_open: dict[str, Flags] = {}
    pressed = np.zeros(seats, np.bool_)
    for name, decision in house.game.decisions.items():
        may = seats_where(scope, decision.open_to)
        pressed |= may & (decision.places is not None)
        is_open[name] = may & (decision.places is None or house.offer(decision.places) is not None)
    chosen = np.full(seats, UNDECIDED, np.int64)
    for habit in house.simulation.habits:
        fits = is_open[habit.decision] & seats_where(scope, habit.when) & happens(rng, seats, habit.chance)
        chosen[fits & (chosen == UNDECIDED)] = house.decisions.index(habit.decision)
    anything = _any_open(house, is_open, seats, rng)
    chosen = np.where((chosen == UNDECIDED) & pressed, anything, chosen)
    rounds = with_decisions(house, rounds, chosen, rng)
    placing = tuple(one.places for one in house.game.decisions.values() if one.places is not None)
    return place_tips(house, rounds, tuple(dict.fromkeys(placing)), rng)


def _any_open(house: House, is_open: dict[str, Flags], seats: int, rng: np.random.Generator) -> Ints:
    """One of the open decisions for every seat, each as likely as the other; UNDECIDED where none is."""
    if not is_open:
        return np.full(seats, UNDECIDED, np.int64)
    table = np.stack(list(is_open.values()))
    weight = np.where(table, rng.integers(1, 2**31, table.shape), 0)
    return np.where(table.any(axis=0), weight.argmax(axis=0), UNDECIDED)


def with_decisions(house: House, rounds: Rounds, chosen: Ints, rng: np.random.Generator) -> Rounds:
    """The rounds with these decisions (int64[seats], UNDECIDED for none). Seats that decide otherwise than
    before place the wagers of their decision, and no other's."""
    changed = chosen != rounds.decision
    rounds = replace(rounds, decision=chosen.astype(np.int32))
    for name in dict.fromkeys(one.places for one in house.game.decisions.values() if one.places is not None):
        takes = [house.decisions.index(key) for key, one in house.game.decisions.items() if one.places == name]
        placed = np.isin(chosen, takes)
        line = house.names.index(name)
        due = followed(house, rounds, name)
        if due is None:
            due = amounts(house, name, len(chosen), rng)
        own, tip = rounds.amount[line]
        rounds = with_stakes(house, rounds, name, OWN, np.where(changed, placed * due, own))
        rounds = with_stakes(house, rounds, name, TIP, np.where(changed & ~placed, 0, tip))
    return rounds
