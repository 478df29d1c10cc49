"""Outcome of a session requirement, whatever its operator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import Ints, Statuses, Truths
from validator.audit.sessions.play_order import PlayOrder
from validator.audit.sessions.rounds_in_order import OrderedRounds
from validator.audit.sessions.timelines import Track, build_deck_tracks, build_table_tracks
from validator.audit.statuses.status_codes import NOT_APPLICABLE, PASS, FindingDetails
from validator.engine.core.kleene import NO, YES, constant
from validator.rules.model.requirement import Requirement


class SessionFailures(Struct, frozen=True, kw_only=True):
    """Failures of a session requirement. All arrays are parallel."""

    places: Ints
    """Round in which each failure became certain, in the order of play."""
    rounds: Ints
    """Number of rounds that each failure covers."""
    describe_failure: Callable[[int], FindingDetails]
    """Function that describes a failure by its index."""


class SessionOutcome(Struct, frozen=True, kw_only=True):
    """Status of all rounds, with failures and gaps."""

    status_codes: Statuses
    """Status code of each round, in the order of play."""
    failures: SessionFailures
    """Failures."""
    describe_gap: Callable[[int], FindingDetails]
    """Function that describes the missing evidence of a round."""


def find_applicable_rounds(rounds: OrderedRounds, requirement: Requirement) -> Truths:
    """Return whether a requirement applies to each round, and is in force there.

    Returns:
        uint8[rounds].
    """
    name = requirement.requirement
    applies = rounds.column(name, "applies")
    assert applies is not None
    in_force = rounds.column(name, "in-force")
    result: Truths = applies if in_force is None else np.where(in_force, applies, np.uint8(NO))
    return result


def read_truth(rounds: OrderedRounds, requirement: Requirement, name: str) -> Truths:
    """Return a truth column of a requirement; YES without such a column.

    Returns:
        uint8[rounds].
    """
    column = rounds.column(requirement.requirement, name)
    return constant(YES, len(rounds)) if column is None else column


def build_track(rounds: OrderedRounds, names: frozenset[str], *, decks: bool, order: PlayOrder | None = None) -> Track:
    """Build the track of the tables, or of their decks, for a requirement that uses these steps.

    Args:
        order: replaces the order of the rounds.
    """
    order = rounds.order if order is None else order
    if not decks:
        return build_table_tracks(order)
    at, named = rounds.list_named_decks()
    is_unrecorded = np.array([bool(sequence.unrecorded & names) for sequence in rounds.sequences], bool)[
        rounds.sequence_index
    ]
    is_incomplete = np.array([sequence.breaks_off for sequence in rounds.sequences], bool)[rounds.sequence_index]
    any_deck = np.array([sequence.has_any_deck for sequence in rounds.sequences], bool)[rounds.sequence_index]
    return build_deck_tracks(
        order,
        deck=rounds.deck.codes,
        named_at=at,
        named=named,
        unrecorded=is_unrecorded,
        ends=is_incomplete,
        any_deck=any_deck,
    )


def combine_per_round(rounds: int, track: Track, statuses: Statuses) -> Statuses:
    """Return the highest status code of each round's items.

    Returns:
        uint8[rounds].
    """
    result = np.full(rounds, NOT_APPLICABLE, np.uint8)
    for mark in range(PASS, int(statuses.max(initial=NOT_APPLICABLE)) + 1):
        result[track.places[statuses == mark]] = mark
    return result
