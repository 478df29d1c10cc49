"""Order of dealing if the number of an outcome decides which place is served first."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints16, Ints32
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.evidence.handlog.event_kinds import PLACES
from fairdeal.validator.rules.deal_model import DealingWay, FirstByOutcome

_DEALER = PLACES.index("dealer")


def find_first_place(scope: EvaluationContext, first_by: FirstByOutcome) -> tuple[Ints, Flags]:
    """Return the place that an outcome makes the first in each round, 0 for the dealer's, and whether it is known.

    Returns:
        int64[rounds], bool[rounds].
    """
    values = outcome_values(scope, first_by.outcome)
    numbers = [number or ABSENT for number in scope.compiled_game.outcomes[first_by.outcome].numbers]
    number = np.array([*numbers, ABSENT], np.int64)[values]
    return (number - 1) % first_by.places, number > 0


def expect_packets_in_ring(
    scope: EvaluationContext, first_by: FirstByOutcome, way: DealingWay, counted: Flags
) -> tuple[Ints, Ints32, Ints16]:
    """Return the packets due in every round, as `dealing_order.expected_packets`.

    All places of a pass follow each other round the table, from the first place on.
    """
    seats, rounds = scope.batch.seats, scope.count_items("round")
    first, _ = find_first_place(scope, first_by)
    served = np.flatnonzero(counted[: len(seats.round)])
    dealers = np.flatnonzero(counted[len(seats.round) :].reshape(rounds, len(PLACES))[:, _DEALER])
    owner = np.concatenate([seats.round[served], dealers]).astype(np.int64)
    place = np.concatenate([served, np.full(len(dealers), len(seats.round) + _DEALER)])
    number = np.concatenate([seats.number[served].astype(np.int64), np.zeros(len(dealers), np.int64)])
    rank = (number - first[owner]) % first_by.places
    columns = []
    repetitions = [deal_pass for deal_pass in way.passes for _ in range(deal_pass.times)]
    for turn, deal_pass in enumerate(repetitions):
        ours = np.flatnonzero(np.where(place < len(seats.round), "player" in deal_pass.to, "dealer" in deal_pass.to))
        size = np.full(len(ours), deal_pass.each)
        columns.append((owner[ours], np.full(len(ours), turn), rank[ours], place[ours], size))
    owners, turns, ranks, places, sizes = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.lexsort((ranks, turns, owners))
    start = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=rounds))])
    # A last entry matches no packet.
    return start, np.append(places[order], ABSENT).astype(np.int32), np.append(sizes[order], 0).astype(np.int16)
