"""Outcome of a session requirement, whatever its operator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import Ints, Statuses, Tri
from validator.audit.sessions.play_order import Order
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.timelines import Track, of_decks, of_tables
from validator.audit.statuses.status_codes import NOT_APPLICABLE, PASS, Told
from validator.engine.core.kleene import NO, YES, constant
from validator.rules.model.requirement import Requirement


class Lapses(Struct, frozen=True, kw_only=True):
    """Failures of a session requirement. All arrays are parallel."""

    places: Ints
    """Round in which each failure became certain, in the order of play."""
    rounds: Ints
    """Number of rounds that each failure covers."""
    told: Callable[[int], Told]
    """Function that describes a failure by its index."""


class Outcome(Struct, frozen=True, kw_only=True):
    """Status of all rounds, with failures and gaps."""

    marks: Statuses
    """Status code of each round, in the order of play."""
    lapses: Lapses
    """Failures."""
    gap: Callable[[int], Told]
    """Function that describes the missing evidence of a round."""


def asked_of(rounds: Gathered, requirement: Requirement) -> Tri:
    """Return whether a requirement applies to each round, and is in force there.

    Returns:
        uint8[rounds].
    """
    name = requirement.requirement
    applies = rounds.column(name, "applies")
    assert applies is not None
    in_force = rounds.column(name, "in-force")
    result: Tri = applies if in_force is None else np.where(in_force, applies, np.uint8(NO))
    return result


def shown(rounds: Gathered, requirement: Requirement, name: str) -> Tri:
    """Return a truth column of a requirement; YES without such a column.

    Returns:
        uint8[rounds].
    """
    column = rounds.column(requirement.requirement, name)
    return constant(YES, len(rounds)) if column is None else column


def track_of(rounds: Gathered, names: frozenset[str], *, decks: bool, order: Order | None = None) -> Track:
    """Build the track of the tables, or of their decks, for a requirement that uses these steps.

    Args:
        order: replaces the order of the rounds.
    """
    order = rounds.order if order is None else order
    if not decks:
        return of_tables(order)
    at, named = rounds.decks_named()
    is_unrecorded = np.array([bool(sequence.unrecorded & names) for sequence in rounds.words], bool)[rounds.word]
    is_incomplete = np.array([sequence.breaks_off for sequence in rounds.words], bool)[rounds.word]
    any_deck = np.array([sequence.of_any_deck for sequence in rounds.words], bool)[rounds.word]
    return of_decks(
        order,
        deck=rounds.deck.codes,
        named_at=at,
        named=named,
        unrecorded=is_unrecorded,
        ends=is_incomplete,
        any_deck=any_deck,
    )


def per_round(rounds: int, track: Track, statuses: Statuses) -> Statuses:
    """Return the highest status code of each round's items.

    Returns:
        uint8[rounds].
    """
    result = np.full(rounds, NOT_APPLICABLE, np.uint8)
    for mark in range(PASS, int(statuses.max(initial=NOT_APPLICABLE)) + 1):
        result[track.at[statuses == mark]] = mark
    return result
