"""Results that rounds hand on to each other, such as a point, over all logs.

A first pass over the logs keeps a few numbers of every round of a game with such results. From them the audit finds the
state with which each round begins. It then checks the rounds as if the log had stated it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.audit.sessions.play_order import PlayOrder, build_play_order
from fairdeal.validator.audit.sessions.session_rows import concatenate_coded
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.carried_outcomes import (
    StatesOfLog,
    Transitions,
    compile_transitions,
    follow_every_state,
    list_other_operators,
    number_combinations,
)
from fairdeal.validator.evidence.columns.batch import Batch, CodedColumn
from fairdeal.validator.evidence.columns.relations import hash_column, hash_texts

_MICROSECONDS_PER_MINUTE = 60_000_000


class CarriedRows(Struct, frozen=True, kw_only=True):
    """Rounds of one game, reduced to what decides the carried results. Arrays have one entry for each round."""

    document: str
    file: CodedColumn
    casino: CodedColumn
    table: CodedColumn
    time: NDArray[np.int64]
    """Time in microseconds UTC."""
    number: NDArray[np.int32]
    """Number of the round, as in `Batch`."""
    line: NDArray[np.int64]
    """Line of the log."""
    name: NDArray[np.uint64]
    """Hash of the id of the round."""
    after: NDArray[np.uint64]
    """Hash of the id of the previous round that it names; 0 for none."""
    drawn: NDArray[np.int64]
    """Number of the draw, a column of the transitions; ABSENT if it is not known."""
    stated: NDArray[np.int64]
    """Number of the state that the log states; ABSENT if it states none."""
    following: NDArray[np.int64] | None = None
    """Transitions of these rounds, int64[states, draws], if more than results decides them; None for those of the
    game."""


def build_carried_rows(prepared: CompiledGame, batch: Batch) -> CarriedRows:
    """Return the rows of a batch."""
    scope, transitions = EvaluationContext(batch, prepared, None), compile_transitions(prepared)
    drawn, following = number_combinations(scope, transitions.drawn), None
    if list_other_operators(prepared):
        following, drawn = np.unique(follow_every_state(prepared, batch).T, axis=1, return_inverse=True)
    return CarriedRows(
        document=batch.game,
        file=batch.file,
        casino=batch.casino,
        table=batch.table,
        time=batch.time - _MICROSECONDS_PER_MINUTE * batch.offset.astype(np.int64),
        number=batch.number,
        line=batch.line.astype(np.int64),
        name=hash_texts(batch.round),
        after=hash_column(batch.after),
        drawn=drawn.reshape(-1).astype(np.int64),
        stated=number_combinations(scope, transitions.carried),
        following=following,
    )


def find_carried_states(
    rows: Iterable[CarriedRows], get_game: Callable[[str], CompiledGame]
) -> dict[str, dict[str, StatesOfLog]]:
    """Return the state with which each round begins, by document and log.

    Args:
        rows: rows of all logs.
        get_game: returns the compiled rules of a document.
    """
    ordered = sorted(rows, key=lambda part: part.document)
    return {
        document: dict(_find_states_of_logs([*parts], compile_transitions(get_game(document))))
        for document, parts in groupby(ordered, key=lambda part: part.document)
    }


def _find_states_of_logs(parts: Sequence[CarriedRows], transitions: Transitions) -> Iterator[tuple[str, StatesOfLog]]:
    casino, table, file = (
        concatenate_coded([getattr(part, name) for part in parts]) for name in ("casino", "table", "file")
    )
    line = np.concatenate([part.line for part in parts])
    transitions, parts = _join_transitions(transitions, parts)
    drawn, stated = (np.concatenate([getattr(part, name) for part in parts]) for name in ("drawn", "stated"))
    name, after = (np.concatenate([getattr(part, name) for part in parts]) for name in ("name", "after"))
    time, number = (np.concatenate([getattr(part, name) for part in parts]) for name in ("time", "number"))
    # A round that is recorded twice in the same way is one round.
    keys = [casino.codes, table.codes, time, number, name.view(np.int64), after.view(np.int64), drawn, stated]
    _, first, of_row = np.unique(
        np.stack([key.astype(np.int64) for key in keys], axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = build_play_order(
        casino=casino.codes[first],
        table=table.codes[first],
        time=time[first],
        number=number[first],
        ties=(file.codes[first].astype(np.int64), line[first]),
        name=name[first],
        after=after[first],
    )
    states = np.full(len(first), ABSENT, np.int64)
    states[order.rows] = follow_states(transitions, order, drawn[first][order.rows], stated[first][order.rows])
    states = states[of_row.reshape(-1)]
    for code, log in enumerate(file.names):
        own = np.flatnonzero(file.codes == code)
        own = own[np.argsort(line[own], kind="stable")]
        yield log, StatesOfLog(line=line[own], state=states[own])


def _join_transitions(
    transitions: Transitions, parts: Sequence[CarriedRows]
) -> tuple[Transitions, Sequence[CarriedRows]]:
    """Return the transitions of all parts in one table, and the parts with the numbers of their draws in it."""
    tables = [part.following for part in parts if part.following is not None]
    if not tables:
        return transitions, parts
    following, number = np.unique(np.concatenate(tables, axis=1), axis=1, return_inverse=True)
    first = np.cumsum([0, *(table.shape[1] for table in tables)])
    joined = [
        replace(part, drawn=number.reshape(-1)[at + part.drawn]) for at, part in zip(first[:-1], parts, strict=True)
    ]
    return replace(transitions, following=following), joined


def follow_states(transitions: Transitions, order: PlayOrder, drawn: Ints, stated: Ints) -> Ints:
    """Return the state with which each round begins; ABSENT if several are possible.

    A table opens with state 0. After a gap every state is possible, and after a round without its draw every state that
    may follow. What a round states counts.

    Args:
        transitions: the states that follow each other.
        order: the rounds in the order of play.
        drawn: draw of each round in that order; ABSENT if it is not known.
        stated: state that each round states; ABSENT if it states none.
    """
    every = frozenset(range(transitions.states))
    follow = [
        [every if state == ABSENT else frozenset({state}) for state in row] for row in transitions.following.tolist()
    ]
    follow_any = [frozenset({state}).union(*row) for state, row in enumerate(follow)]
    possible, states = every, list[int]()
    opens, gaps = (order.opening & (order.gap == 0)).tolist(), (order.gap != 0).tolist()
    for opening, gap, draw, said in zip(opens, gaps, drawn.tolist(), stated.tolist(), strict=True):
        if said != ABSENT or opening:
            possible = frozenset({max(said, 0)})
        elif gap:
            possible = every
        states.append(next(iter(possible)) if len(possible) == 1 else ABSENT)
        if len(possible) == 1 and draw != ABSENT:
            possible = follow[states[-1]][draw]
        else:
            following = (follow_any[state] if draw == ABSENT else follow[state][draw] for state in possible)
            possible = frozenset().union(*following)
    return np.array(states, np.int64)
