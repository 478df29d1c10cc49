"""Simulated rounds that continue each other: stakes that stay on the table, and results that are carried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fairdeal.validator.engine.facts.carried_outcomes import follow_results
from fairdeal.validator.simulate.round_records import SimulatedRound, SimulatedSeat, SimulatedStake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import SimulatedHouse

ROUNDS_OF_TABLE = 16
"""Number of rounds until a table opens anew."""
WARM_UP_ROUNDS = 6
"""Number of rounds that a table plays before rounds that are recorded alone: 1 to as many precede each."""

PlayRounds = Callable[[list[SimulatedRound]], object]
"""Function that plays rounds until they are settled."""


def carries_rounds(house: SimulatedHouse) -> bool:
    """Return whether rounds of a house depend on earlier rounds."""
    return bool(house.game.carried_outcomes) or any(map(house.find_offer, house.game.staying_wagers))


def leaves_stake(house: SimulatedHouse, stake: SimulatedStake) -> bool:
    """Return whether a settled stake stays on the table."""
    cases = house.game.settlement.cases
    return stake.case is not None and stake.case < len(cases) and cases[stake.case].due.leaves_stake


def open_table(house: SimulatedHouse, rounds: Sequence[SimulatedRound]) -> None:
    """Set the carried results of rounds with which a table opens."""
    for round_ in rounds:
        round_.outcomes = {name: house.prepared.outcomes[name].values[0] for name in house.game.carried_outcomes}


def continue_rounds(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[SimulatedRound]:
    """Return the rounds after others: the same players, with the stakes and the results that these leave."""
    following = list[SimulatedRound]()
    for round_, outcomes in zip(before, _carry_outcomes(house, before), strict=True):
        seats = [SimulatedSeat(number=seat.number, player=seat.player) for seat in round_.seats]
        following.append(SimulatedRound(seats=seats, outcomes=outcomes))
        for seat, earlier in zip(seats, round_.seats, strict=True):
            for (name, tip, on), stake in earlier.stakes.items():
                if leaves_stake(house, stake):
                    key = (name, tip, on or _find_new_selection(house, name, round_))
                    lying = seat.stakes.setdefault(key, SimulatedStake())
                    lying.amount = lying.brought = lying.amount + stake.amount
    return following


def _find_new_selection(house: SimulatedHouse, name: str, before: SimulatedRound) -> str | None:
    """Return the selection that a stake gets when it stays; None if its wager has none."""
    selection = house.prepared.selections.get(name)
    if selection is None:
        return None
    outcome = house.prepared.outcomes[selection.outcome]
    value = outcome.number_of_text[before.outcomes[selection.outcome]]
    return str(outcome.numbers[value]) if selection.by == "total" else outcome.values[value]


def _carry_outcomes(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[dict[str, str]]:
    """Return the carried results with which the next rounds begin."""
    carried, outcomes = house.game.carried_outcomes, house.prepared.outcomes
    if not carried:
        return [{} for _ in before]
    states = np.maximum(follow_results(RoundView(house, before, events=True).scope), 0)
    values = np.unravel_index(states, [len(outcomes[name].values) for name in carried])
    texts = [
        [outcomes[name].values[value] for value in column.tolist()]
        for name, column in zip(carried, values, strict=True)
    ]
    return [dict(zip(carried, row, strict=True)) for row in zip(*texts, strict=True)]


def play_tables(
    house: SimulatedHouse, count: int, take_seats: Callable[[int], list[SimulatedRound]], play: PlayRounds
) -> list[SimulatedRound]:
    """Play rounds table by table. The tables take turns, and each opens anew after some rounds.

    Args:
        house: the house.
        count: number of rounds.
        take_seats: returns a number of rounds with players.
        play: plays rounds until they are recorded.
    """
    tables, rounds = len(house.tables), dict[int, SimulatedRound]()
    for turn in range(ROUNDS_OF_TABLE):
        places = [at for at in range(count) if at // tables % ROUNDS_OF_TABLE == turn]
        if turn == 0:
            begun = take_seats(len(places))
            open_table(house, begun)
        else:
            begun = continue_rounds(house, [rounds[at - tables] for at in places])
        for round_ in begun:
            round_.count = turn + 1
        play(begun)
        rounds.update(zip(places, begun, strict=True))
    return [rounds[at] for at in range(count)]


def begin_in_play(house: SimulatedHouse, rounds: list[SimulatedRound], play: PlayRounds) -> list[SimulatedRound]:
    """Return as many rounds that begin in the middle of play: each follows some rounds that are not recorded.

    Some tables are played, and each gives a beginning after every one of its rounds: to play as many tables as rounds
    are wanted would take several times as long.
    """
    wanted = len(rounds)
    played, begun = rounds[: -(-wanted // WARM_UP_ROUNDS)], list[list[SimulatedRound]]()
    open_table(house, played)
    for _ in range(WARM_UP_ROUNDS):
        play(played)
        following = continue_rounds(house, [*played, *played])
        begun.append(following[: len(played)])
        played = following[len(played) :]
    return [round_ for table in zip(*begun, strict=True) for round_ in table][:wanted]
