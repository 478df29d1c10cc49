"""Seats with the bank: players against whom the other players of a round win and lose."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Ints, Truths
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.outcome_values import outcome_values


@cached_fact
def banking_seats(scope: EvaluationContext, outcome: str) -> Ints:
    """Return the seat of each round whose number is the value of an outcome; ABSENT if there is none.

    Returns:
        int64[rounds].
    """
    seats, found = scope.batch.seats, np.full(len(scope.batch), ABSENT, np.int64)
    own = np.flatnonzero(is_banking_seat(scope, outcome) == YES)
    found[seats.round[own]] = own
    return found


@cached_fact
def is_banking_seat(scope: EvaluationContext, outcome: str) -> Truths:
    """Return whether the value of an outcome is the number of each seat.

    Returns:
        uint8[seats].
    """
    value, seats = outcome_values(scope, outcome)[scope.batch.seats.round], scope.batch.seats
    numbers = np.array(
        [ABSENT if number is None else number for number in (*scope.compiled_game.outcomes[outcome].numbers, None)]
    )
    return kleene.where_known(numbers[value] == seats.number, value != ABSENT)


@cached_fact
def is_house_banking(scope: EvaluationContext, wager: str) -> Truths:
    """Return whether stakes on a wager, or a bonus, are against the house; no if a seat of the round has the bank.

    Returns:
        uint8[rounds].
    """
    offered = scope.compiled_game.game.wagers.get(wager)
    if offered is None or offered.against is None:
        return kleene.constant(YES, len(scope.batch))
    outcome = offered.against.seat
    numbers = scope.compiled_game.outcomes[outcome].numbers
    found = np.array([*(YES if number is None else UNKNOWN for number in numbers), UNKNOWN], np.uint8)
    return np.where(banking_seats(scope, outcome) != ABSENT, np.uint8(NO), found[outcome_values(scope, outcome)])


def take_of_banker(scope: EvaluationContext, outcome: str, values: Ints) -> Ints:
    """Return for each seat the value of the seat with the bank; ABSENT in rounds without such a seat.

    Args:
        scope: the rounds.
        outcome: the outcome that is the number of the seat.
        values: int[seats].
    """
    return np.append(values, ABSENT)[banking_seats(scope, outcome)][scope.batch.seats.round]
