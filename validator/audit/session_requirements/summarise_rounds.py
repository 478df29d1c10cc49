"""Conversion of a batch of rounds to the session rows that requirements on sessions use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags
from validator.audit.applicability.waivers import Permits
from validator.audit.operators.round_requirements import in_force_for
from validator.audit.sessions.events_per_round import journal_of
from validator.audit.sessions.seat_history import seats_of
from validator.audit.sessions.session_rows import Rows, Texts
from validator.engine.core.across import asks_for_seats, columns_of
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES, constant
from validator.evidence.columns.surrogate_ids import numbers_of, numbers_of_column
from validator.language.grains import Grain
from validator.results.statuses import Evidence
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import SuccessionCheck


def spanning(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements on sessions."""
    return tuple(requirement for requirement in requirements if requirement.evidence is Evidence.SESSION)


def rows_of(scope: Scope, permits: Permits, *, as_of: int | None = None) -> Rows:
    """Build the session rows of a batch.

    Args:
        as_of: day whose rules apply, in days since 1970-01-01; None for the day of each round.
    """
    batch = scope.batch
    requirements = spanning(scope.prepared.regulation.requirements)
    shows = {}
    seats_show = {}
    for requirement in requirements:
        columns = dict(_list_columns(scope, requirement))
        if by_player(requirement) and requirement.check.operand.each == "player":
            seats_show[requirement.requirement] = columns
            columns = {"applies": constant(YES, len(batch))}
        in_force = in_force_for(scope, requirement, as_of=as_of)
        if in_force is not None:
            columns["in-force"] = in_force
        shows[requirement.requirement] = columns
    return Rows(
        document=batch.game,
        file=batch.file,
        permits=permits,
        casino=batch.casino,
        table=batch.table,
        deck=batch.deck,
        time=batch.time,
        dated=batch.dated,
        offset=batch.offset,
        number=batch.number,
        line=batch.line,
        round=Texts(batch.round),
        name=numbers_of(batch.round),
        after=numbers_of_column(batch.after),
        seats=seats_of(scope) if any(by_player(requirement) for requirement in requirements) else None,
        journal=journal_of(scope, [requirement.check.operand for requirement in requirements]),
        shows=shows,
        seats_show=seats_show,
        versions=batch.versions,
    )


def _list_columns(scope: Scope, requirement: Requirement) -> Iterator[tuple[str, NDArray[Any]]]:
    check = requirement.check.operand
    if requirement.check.operator == "succession" and check.operator == "must":
        yield from _list_comparison_columns(scope, check)
        return
    yield "applies", scope.truth(check.when, "round")
    match requirement.check.operator:
        case "every":
            if check.counts is not None:
                yield "counts", scope.truth(check.counts, "round")
            if check.operator == "happens":
                yield "happened", scope.truth(check.happens, "round")
        case "succession" if check.deck == "same":
            yield "several-decks", _may_have_several_decks(scope)
        case "succession" if check.operator == "number":
            for name, quantity in (("of", check.number.of), ("bound", check.number.operand)):
                low, high = scope.bounds(quantity, "round")
                yield f"{name}-low", low
                yield f"{name}-high", high


def _may_have_several_decks(scope: Scope) -> Flags:
    """Return whether the table may have more than one deck: an event names its deck, or the submission states several.

    Returns:
        bool[rounds].
    """
    events = scope.batch.events
    has_named_deck = np.zeros(len(scope.batch), bool)
    has_named_deck[events.round[events.deck.codes != ABSENT]] = True
    stated = {} if scope.configuration is None else scope.configuration.data.get("deck") or {}
    return has_named_deck | any((stated.get(name) or 0) > 1 for name in ("decks", "kept"))


def by_player(requirement: Requirement) -> bool:
    """Return whether a requirement compares players from round to round."""
    return requirement.check.operator == "succession" and (
        requirement.check.operand.each == "player" or asks_for_seats(requirement.check.operand)
    )


def _list_comparison_columns(scope: Scope, check: SuccessionCheck) -> Iterator[tuple[str, NDArray[Any]]]:
    grain: Grain = "seat" if check.each == "player" else "round"
    if grain == "round":
        yield "applies", constant(YES, len(scope.batch))
    yield from columns_of(scope, check.must, grain, "must")
    if check.when is not None:
        yield from columns_of(scope, check.when, grain, "when")
