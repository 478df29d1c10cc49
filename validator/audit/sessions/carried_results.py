"""Tracks of single tables or decks, and results that rounds hand on along them, such as a point.

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

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints32, make_offsets
from fairdeal.validator.audit.sessions.play_order import ANY_NUMBER, PlayOrder, build_play_order
from fairdeal.validator.audit.sessions.session_rows import concatenate_coded, concatenate_column
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts import outcome_values
from fairdeal.validator.evidence.columns.log_draft import convert_to_utc, hash_column, hash_texts
from fairdeal.validator.evidence.columns.round_batch import Batch, CodedColumn


class Track(Struct, frozen=True, kw_only=True):
    """Items of one or more tracks. Each item is a round as one table or deck sees it. All arrays are parallel."""

    places: Ints
    """Place of the round in the order of play."""
    first: Flags
    """True for the first item of a track."""
    opening: Flags
    """True if the table opened between the previous item and this one, as in `Order`."""
    gap: Ints
    """Number of rounds missing between the previous item and this one, as in `Order`."""
    opened: Ints
    """Place of the first round after that opening; ABSENT without an opening."""
    in_play: Flags
    """True if the round uses the deck, and for tables."""
    deck: Ints32
    """Code of the deck; ABSENT if it has no name or is not known."""

    def __len__(self) -> int:
        return len(self.places)


def build_table_tracks(order: PlayOrder) -> Track:
    """Build the tracks of tables: every round in the order of play, one track for each session."""
    rounds = len(order)
    at = np.arange(rounds, dtype=np.int64)
    return Track(
        places=at,
        first=order.first,
        opening=order.opening,
        gap=order.gap,
        opened=np.where(order.opening, at, ABSENT),
        in_play=np.ones(rounds, bool),
        deck=np.full(rounds, ABSENT, np.int32),
    )


def build_deck_tracks(
    order: PlayOrder,
    *,
    deck: Ints32,
    named_at: Ints,
    named: Ints32,
    unrecorded: Flags,
    ends: Flags | None = None,
    any_deck: Flags | None = None,
) -> Track:
    """Build the tracks of decks: the rounds that use each deck, and those in which something else happens to it.

    If no round between two openings names a deck, the table has one deck. Otherwise, a round that names no deck may use
    any of them: it has a track of its own, and in the tracks of the decks it counts as an unknown round.

    Args:
        deck: int32[rounds] in the order of play, code of the deck in play; ABSENT if a round names none.
        named_at: rounds, in the order of play, whose events name another deck.
        named: codes of these decks.
        unrecorded: bool[rounds], whether unrecorded events may have happened to any deck.
        ends: bool[rounds], whether the record is incomplete, so that events may have followed.
        any_deck: bool[rounds], whether an event happened to a deck that is not known.
    """
    rounds = len(order)
    stretch = order.number_stretches()
    names = np.zeros(int(stretch[-1]) + 1 if rounds else 0, bool)
    names[stretch[deck != ABSENT]] = True
    names[stretch[named_at]] = True
    doubtful = (deck == ABSENT) & names[stretch]
    if any_deck is not None and any_deck.any():
        added_at, added = _expand_to_all_decks(stretch, deck, named_at, named, np.flatnonzero(any_deck))
        named_at, named = np.concatenate([named_at, added_at]), np.concatenate([named, added])

    items_at = np.concatenate([np.arange(rounds), named_at])
    items_deck = np.concatenate([deck, named])
    items_played = np.concatenate([np.ones(rounds, bool), np.zeros(len(named_at), bool)])
    elsewhere = items_played | (items_deck != deck[items_at])
    items_at, items_deck, items_played = items_at[elsewhere], items_deck[elsewhere], items_played[elsewhere]
    is_alone = items_played & doubtful[items_at]
    # Rounds with a track of their own follow all other tracks between two openings.
    own = np.where(is_alone, np.int64(1) << 40, items_deck.astype(np.int64))
    by_track = np.lexsort((~items_played, items_at, own, stretch[items_at]))
    at, own, is_played = items_at[by_track], own[by_track], items_played[by_track]
    is_alone, codes = is_alone[by_track], items_deck[by_track]
    if len(at):
        repeated = np.zeros(len(at), bool)
        repeated[1:] = (at[1:] == at[:-1]) & (own[1:] == own[:-1])
        keep = ~repeated
        at, own, is_played, is_alone, codes = at[keep], own[keep], is_played[keep], is_alone[keep], codes[keep]

    first = np.ones(len(at), bool)
    first[1:] = (stretch[at[1:]] != stretch[at[:-1]]) | (own[1:] != own[:-1]) | is_alone[1:]
    is_unrecorded = unrecorded | doubtful
    ends = np.zeros(rounds, bool) if ends is None else ends
    return _build_track(
        order, at=at, first=first, alone=is_alone, in_play=is_played, deck=codes, dark=is_unrecorded, ends=ends
    )


def _expand_to_all_decks(stretch: Ints, deck: Ints32, named_at: Ints, named: Ints32, at: Ints) -> tuple[Ints, Ints32]:
    """Pair rounds with every deck that is named between the same openings."""
    codes = max(int(deck.max(initial=ABSENT)), int(named.max(initial=ABSENT))) + 1
    is_present = np.zeros((int(stretch[-1]) + 1, codes), bool)
    is_named = deck != ABSENT
    is_present[stretch[is_named], deck[is_named]] = True
    is_present[stretch[named_at], named] = True
    rows, decks = np.nonzero(is_present[stretch[at]])
    return at[rows], decks.astype(np.int32)


def _build_track(
    order: PlayOrder,
    *,
    at: Ints,
    first: Flags,
    alone: Flags,
    in_play: Flags,
    deck: Ints32,
    dark: Flags,
    ends: Flags,
) -> Track:
    """Build the track of items; openings and gaps of the rounds in between are summed."""
    places = np.arange(len(order), dtype=np.int64)
    began = np.maximum.accumulate(np.where(order.first, places, 0)) if len(order) else places
    opened = np.maximum.accumulate(np.where(order.opening, places, ABSENT)) if len(order) else places
    opened = np.where(opened >= began, opened, ABSENT)
    missing = make_offsets(np.maximum(order.gap, 0))
    unknown = make_offsets((order.gap == ANY_NUMBER) & ~order.first)
    unseen, behind = make_offsets(dark), make_offsets(ends)

    # `start` is the first round after the previous item, or the last opening since.
    before = np.where(first, ABSENT, np.roll(at, 1))
    opening = (opened[at] != ABSENT) & (opened[at] > before) if len(at) else np.zeros(0, bool)
    opening &= ~alone
    start = np.where(opening, opened[at], before + 1)
    unseen_from = np.where(opening, opened[at], before)
    nothing_known = first & ~opening
    start, unseen_from = np.where(nothing_known, at, start), np.where(nothing_known, at, unseen_from)
    known = missing[at + 1] - missing[start]
    any_ = (unknown[at + 1] - unknown[start] > 0) | (unseen[at + 1] - unseen[unseen_from] > 0)
    any_ |= behind[at] - behind[unseen_from] > 0
    return Track(
        places=at,
        first=first,
        opening=opening,
        gap=np.where(nothing_known | any_, np.int64(ANY_NUMBER), known),
        opened=np.where(opening, opened[at], ABSENT),
        in_play=in_play,
        deck=deck,
    )


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
    scope, transitions = EvaluationContext(batch, prepared, None), outcome_values.compile_transitions(prepared)
    drawn, following = outcome_values.number_combinations(scope, transitions.drawn), None
    if outcome_values.list_other_operators(prepared):
        following, drawn = np.unique(outcome_values.follow_every_state(prepared, batch).T, axis=1, return_inverse=True)
    return CarriedRows(
        document=batch.game,
        file=batch.file,
        casino=batch.casino,
        table=batch.table,
        time=convert_to_utc(batch.time, batch.offset),
        number=batch.number,
        line=batch.line.astype(np.int64),
        name=hash_texts(batch.round),
        after=hash_column(batch.after),
        drawn=drawn.reshape(-1).astype(np.int64),
        stated=outcome_values.number_combinations(scope, transitions.carried),
        following=following,
    )


def find_carried_states(
    rows: Iterable[CarriedRows], get_game: Callable[[str], CompiledGame]
) -> dict[str, dict[str, outcome_values.StatesOfLog]]:
    """Return the state with which each round begins, by document and log.

    Args:
        rows: rows of all logs.
        get_game: returns the compiled rules of a document.
    """
    ordered = sorted(rows, key=lambda part: part.document)
    return {
        document: dict(_find_states_of_logs([*parts], outcome_values.compile_transitions(get_game(document))))
        for document, parts in groupby(ordered, key=lambda part: part.document)
    }


def _find_states_of_logs(
    parts: Sequence[CarriedRows], transitions: outcome_values.Transitions
) -> Iterator[tuple[str, outcome_values.StatesOfLog]]:
    casino, table, file = (
        concatenate_coded([getattr(part, name) for part in parts]) for name in ("casino", "table", "file")
    )
    transitions, parts = _join_transitions(transitions, parts)
    line, drawn, stated, name, after, time, number = (
        concatenate_column(parts, column) for column in ("line", "drawn", "stated", "name", "after", "time", "number")
    )
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
        yield log, outcome_values.StatesOfLog(line=line[own], state=states[own])


def _join_transitions(
    transitions: outcome_values.Transitions, parts: Sequence[CarriedRows]
) -> tuple[outcome_values.Transitions, Sequence[CarriedRows]]:
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


def follow_states(transitions: outcome_values.Transitions, order: PlayOrder, drawn: Ints, stated: Ints) -> Ints:
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
