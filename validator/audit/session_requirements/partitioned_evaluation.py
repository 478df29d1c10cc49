"""Evaluation of the sessions of a document, a few tables at a time, with the columns that each requirement needs.

Requirements on a round and its previous rounds need many columns of every seat. They are evaluated over runs of rounds:
they depend on nothing before the opening of the table, nor before a missing round. All other requirements need few
columns. They are evaluated over whole sessions, because they may depend on rounds long ago. For a table with many
rounds, days are evaluated together up to an opening: nothing depends on rounds before an opening.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import Ints, find_distinct
from fairdeal.validator.audit.session_requirements import session_evaluation
from fairdeal.validator.audit.sessions.ordered_rounds import GAPS_LISTED, build_sessions, order_rounds
from fairdeal.validator.audit.sessions.play_order import PlayOrder
from fairdeal.validator.audit.sessions.row_spool import Partition, RowSpool
from fairdeal.validator.audit.sessions.session_rows import SessionRows
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.results.results import TableSession
from fairdeal.validator.rules.requirement_model import Requirement

_Evaluator = Callable[..., Iterator[session_evaluation.SessionVerdict]]
"""Function that evaluates sessions as `evaluate_sessions`, with its last arguments bound."""

ROUNDS_PER_RUN = 20_000
"""Number of rounds of a run, if the table opens or rounds are missing that often."""


def evaluate_by_tables(
    prepared: CompiledGame,
    spool: RowSpool,
    *,
    version: int = 0,
    certain: session_evaluation.CertainFailures | None = None,
) -> Iterator[tuple[Iterable[TableSession], Iterable[session_evaluation.SessionVerdict]]]:
    """Yield sessions with the verdicts on their rounds, for every few tables or every run.

    The order is that of casinos, tables and play. Each item must be consumed before the next.

    Args:
        version: as in `evaluate_sessions`.
        certain: as in `evaluate_sessions`.
    """
    evaluate = partial(session_evaluation.evaluate_sessions, version=version, certain=certain)
    rest: Partition | None = None
    parts: list[TableSession] = []
    for partition in spool.partition_by_tables():
        if rest is not None:
            rest.extend(partition)
        complete, rest = (
            _split_at_last_opening(spool, rest or partition) if partition.continues else (rest or partition, None)
        )
        if complete is None:
            continue
        for sessions, verdicts in _evaluate_partition(prepared, spool, complete, evaluate):
            if parts or rest is not None:  # parts of one session
                parts += sessions
                yield (), verdicts
            else:
                yield sessions, verdicts
        if parts and rest is None:
            yield (_join_sessions(parts),), ()
            parts = []


def _split_at_last_opening(spool: RowSpool, partition: Partition) -> tuple[Partition | None, Partition]:
    """Split a partition of one table that continues in the next partition.

    Returns:
        The rounds before the last opening of the table, None if it did not open; and the other rounds.
    """
    order = order_rounds([_select_columns(rows, (), seats=False) for rows in partition]).order
    opens = np.flatnonzero(order.opening & (order.gap == 0))
    if not opens.any():
        return None, partition
    place, done = _places_in_play(order), 0

    def choose(rows: SessionRows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        return [np.flatnonzero(here < opens[-1]), np.flatnonzero(here >= opens[-1])]

    complete, rest = spool.split(partition, choose, 2)
    return complete, rest


def _join_sessions(parts: Sequence[TableSession]) -> TableSession:
    """Join the parts of a session, each of which begins with an opening of the table."""
    gaps = tuple(gap for part in parts for gap in part.gaps)
    return replace(
        parts[0],
        last=parts[-1].last,
        ends=parts[-1].ends,
        rounds=sum(part.rounds for part in parts),
        openings=sum(part.openings for part in parts),
        gaps=gaps[:GAPS_LISTED],
        gaps_found=sum(part.gaps_found for part in parts),
    )


def _evaluate_partition(
    prepared: CompiledGame, spool: RowSpool, partition: Partition, evaluate: _Evaluator
) -> Iterator[tuple[Iterable[TableSession], Iterable[session_evaluation.SessionVerdict]]]:
    requirements = session_evaluation.select_session_requirements(prepared.regulation.requirements)
    if partition.rounds <= ROUNDS_PER_RUN:
        rounds = order_rounds(list(partition))
        yield build_sessions(prepared.regulation.id, rounds), evaluate(prepared, rounds)
        return
    in_pairs = [
        requirement
        for requirement in requirements
        if requirement.check.operator == "succession" and requirement.check.operand.deck is None
    ]
    others = [requirement for requirement in requirements if requirement not in in_pairs]
    rounds = order_rounds([_select_columns(rows, others, seats=False) for rows in partition])
    yield build_sessions(prepared.regulation.id, rounds), evaluate(prepared, rounds, others)
    if in_pairs:
        order = rounds.order
        del rounds
        yield from (
            ((), verdicts) for verdicts in _evaluate_runs(prepared, spool, partition, in_pairs, order, evaluate)
        )


def _select_columns(rows: SessionRows, requirements: Sequence[Requirement], *, seats: bool) -> SessionRows:
    return rows.restrict({requirement.requirement for requirement in requirements}, seats=seats)


def _places_in_play(order: PlayOrder) -> Ints:
    """Return the place in the order of play of each round as it was given.

    Returns:
        int64[rounds].
    """
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    return place


def _starts_of_runs(order: PlayOrder) -> Ints:
    """Return the places at which runs begin: rounds that do not depend on earlier ones.

    Returns:
        int64[runs].
    """
    independent = np.flatnonzero(order.first | order.opening | (order.gap != 0))
    starts = [0]
    while starts[-1] + ROUNDS_PER_RUN < len(order):
        within = np.searchsorted(independent, [starts[-1], starts[-1] + ROUNDS_PER_RUN], side="right")
        after = within[1] - 1 if within[1] > within[0] else within[1]
        if after >= len(independent):
            break
        starts.append(int(independent[after]))
    return np.array(starts, np.int64)


def _evaluate_runs(
    prepared: CompiledGame,
    spool: RowSpool,
    partition: Partition,
    requirements: Sequence[Requirement],
    order: PlayOrder,
    evaluate: _Evaluator,
) -> Iterator[Iterable[session_evaluation.SessionVerdict]]:
    place, starts, done = _places_in_play(order), _starts_of_runs(order), 0

    def choose(rows: SessionRows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        # The last round of a run is also in the next run, as its previous round.
        run, run_after = (np.searchsorted(starts, at, side="right") - 1 for at in (here, here + 1))
        chosen = [np.zeros(0, np.int64)] * len(starts)
        for number in find_distinct(np.concatenate([run, run_after])).tolist():
            chosen[number] = np.flatnonzero((run == number) | (run_after == number))
        return chosen

    for run, rows in enumerate(spool.split(partition, choose, len(starts))):
        previous = 1 if run else 0
        order_of_run = order.cut(
            int(starts[run]) - previous, int(starts[run + 1]) if run + 1 < len(starts) else len(order)
        )
        rounds = order_rounds([_select_columns(part, requirements, seats=True) for part in rows], order_of_run)
        yield evaluate(prepared, rounds, requirements, before=previous)
