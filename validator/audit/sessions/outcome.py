"""How a session requirement came out, whatever its operator."""

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
    """Failures: `places` is int64[lapses], the round in which each came true, in the order of play; `rounds` int64,
    how many it stands for; `told` tells of one by its index."""

    places: Ints
    rounds: Ints
    told: Callable[[int], Told]


class Outcome(Struct, frozen=True, kw_only=True):
    """Marks of all rounds in the order of play, uint8[rounds]; the failures; and `gap`, which tells what the
    evidence does not show of a round."""

    marks: Statuses
    lapses: Lapses
    gap: Callable[[int], Told]


def asked_of(rounds: Gathered, requirement: Requirement) -> Tri:
    """uint8[rounds]: whether a requirement speaks of each round, and is in force there."""
    name = requirement.requirement
    applies = rounds.column(name, "applies")
    assert applies is not None
    in_force = rounds.column(name, "in-force")
    found: Tri = applies if in_force is None else np.where(in_force, applies, np.uint8(NO))
    return found


def shown(rounds: Gathered, requirement: Requirement, name: str) -> Tri:
    """uint8[rounds]: a truth that rows show of a requirement; yes where nothing was asked."""
    found = rounds.column(requirement.requirement, name)
    return constant(YES, len(rounds)) if found is None else found


def track_of(rounds: Gathered, names: frozenset[str], *, decks: bool, order: Order | None = None) -> Track:
    """Return the track of the tables, or of their decks, for a requirement that looks at these steps; `order` replaces
    the order of the rounds."""
    order = rounds.order if order is None else order
    if not decks:
        return of_tables(order)
    at, named = rounds.decks_named()
    dark = np.array([bool(word.unrecorded & names) for word in rounds.words], bool)[rounds.word]
    ends = np.array([word.breaks_off for word in rounds.words], bool)[rounds.word]
    any_deck = np.array([word.of_any_deck for word in rounds.words], bool)[rounds.word]
    return of_decks(order, deck=rounds.deck.codes, named_at=at, named=named, dark=dark, ends=ends, any_deck=any_deck)


def per_round(rounds: int, track: Track, marks: Statuses) -> Statuses:
    """uint8[rounds]: the weightiest mark of each round's items."""
    found = np.full(rounds, NOT_APPLICABLE, np.uint8)
    for mark in range(PASS, int(marks.max(initial=NOT_APPLICABLE)) + 1):
        found[track.at[marks == mark]] = mark
    return found
