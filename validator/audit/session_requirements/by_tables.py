"""Evaluation of the sessions of a document, a few tables at a time, with only the columns that each requirement needs.

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

from validator.arrays import Ints, distinct
from validator.audit.session_requirements.certain_failures import CertainFailures
from validator.audit.session_requirements.judge import SessionVerdict, judge_sessions
from validator.audit.session_requirements.summarise_rounds import spanning
from validator.audit.sessions.coverage import GAPS_LISTED, sessions_of
from validator.audit.sessions.play_order import Order
from validator.audit.sessions.rounds_in_order import gathered
from validator.audit.sessions.session_rows import Rows
from validator.audit.sessions.spill import Pile, Shelf
from validator.engine.compiled.game import Prepared
from validator.results.subject import Session
from validator.rules.model.requirement import Requirement

_Evaluator = Callable[..., Iterator[SessionVerdict]]
"""Function that evaluates sessions as `evaluate_sessions`, with its last arguments bound."""

A_RUN = 20_000
"""Number of rounds of a run, if the table opens or rounds are missing that often."""


def judged_by_tables(
    prepared: Prepared, spool: Shelf, *, version: int = 0, certain: CertainFailures | None = None
) -> Iterator[tuple[Iterable[Session], Iterable[SessionVerdict]]]:
    """Yield sessions with the verdicts on their rounds, for every few tables or every run.

    The order is that of casinos, tables and play. Each item must be consumed before the next.

    Args:
        version: as in `evaluate_sessions`.
        certain: as in `evaluate_sessions`.
    """
    evaluate = partial(judge_sessions, version=version, certain=certain)
    rest: Pile | None = None
    parts: list[Session] = []
    for partition in spool.by_tables():
        if rest is not None:
            rest.add(partition)
        complete, rest = (
            _split_at_last_opening(spool, rest or partition) if partition.goes_on else (rest or partition, None)
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


def _split_at_last_opening(spool: Shelf, partition: Pile) -> tuple[Pile | None, Pile]:
    """Split a partition of one table that continues in the next partition.

    Returns:
        The rounds before the last opening of the table, None if it did not open; and the other rounds.
    """
    order = gathered([_select_columns(rows, (), seats=False) for rows in partition]).order
    opens = np.flatnonzero(order.opening & (order.gap == 0))
    if not opens.any():
        return None, partition
    place, done = _places_in_play(order), 0

    def choose(rows: Rows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        return [np.flatnonzero(here < opens[-1]), np.flatnonzero(here >= opens[-1])]

    complete, rest = spool.parted(partition, choose, 2)
    return complete, rest


def _join_sessions(parts: Sequence[Session]) -> Session:
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
    prepared: Prepared, spool: Shelf, partition: Pile, evaluate: _Evaluator
) -> Iterator[tuple[Iterable[Session], Iterable[SessionVerdict]]]:
    requirements = spanning(prepared.regulation.requirements)
    if partition.rounds <= A_RUN:
        rounds = gathered(list(partition))
        yield sessions_of(prepared.regulation.id, rounds), evaluate(prepared, rounds)
        return
    in_pairs = [
        requirement
        for requirement in requirements
        if requirement.check.operator == "succession" and requirement.check.operand.deck is None
    ]
    others = [requirement for requirement in requirements if requirement not in in_pairs]
    rounds = gathered([_select_columns(rows, others, seats=False) for rows in partition])
    yield sessions_of(prepared.regulation.id, rounds), evaluate(prepared, rounds, others)
    if in_pairs:
        order = rounds.order
        del rounds
        yield from (
            ((), verdicts) for verdicts in _evaluate_runs(prepared, spool, partition, in_pairs, order, evaluate)
        )


def _select_columns(rows: Rows, requirements: Sequence[Requirement], *, seats: bool) -> Rows:
    return rows.of({requirement.requirement for requirement in requirements}, seats=seats)


def _places_in_play(order: Order) -> Ints:
    """Return the place in the order of play of each round as it was given.

    Returns:
        int64[rounds].
    """
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    return place


def _starts_of_runs(order: Order) -> Ints:
    """Return the places at which runs begin: rounds that do not depend on earlier ones.

    Returns:
        int64[runs].
    """
    independent = np.flatnonzero(order.first | order.opening | (order.gap != 0))
    starts = [0]
    while starts[-1] + A_RUN < len(order):
        within = np.searchsorted(independent, [starts[-1], starts[-1] + A_RUN], side="right")
        after = within[1] - 1 if within[1] > within[0] else within[1]
        if after >= len(independent):
            break
        starts.append(int(independent[after]))
    return np.array(starts, np.int64)


def _evaluate_runs(
    prepared: Prepared,
    spool: Shelf,
    partition: Pile,
    requirements: Sequence[Requirement],
    order: Order,
    evaluate: _Evaluator,
) -> Iterator[Iterable[SessionVerdict]]:
    place, starts, done = _places_in_play(order), _starts_of_runs(order), 0

    def choose(rows: Rows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        # The last round of a run is also in the next run, as its previous round.
        run, run_after = (np.searchsorted(starts, at, side="right") - 1 for at in (here, here + 1))
        chosen = [np.zeros(0, np.int64)] * len(starts)
        for number in distinct(np.concatenate([run, run_after])).tolist():
            chosen[number] = np.flatnonzero((run == number) | (run_after == number))
        return chosen

    for run, rows in enumerate(spool.parted(partition, choose, len(starts))):
        previous = 1 if run else 0
        order_of_run = order.between(
            int(starts[run]) - previous, int(starts[run + 1]) if run + 1 < len(starts) else len(order)
        )
        rounds = gathered([_select_columns(part, requirements, seats=True) for part in rows], order_of_run)
        yield evaluate(prepared, rounds, requirements, before=previous)
