"""Conditions on what an event itself shows."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints, Ints32, Tri, distinct
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.deal_checks.arranged_cards import lies_arranged
from validator.engine.deal_checks.beside_events import also_in, dealt_next, on_a_wager
from validator.engine.deal_checks.dealing_order import order_recorded
from validator.engine.timeline.event_decks import happened_to
from validator.engine.timeline.step_events import doers
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.verbal_declarations import as_declared
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KIND
from validator.language.operands import EventHas
from validator.language.refs import DECLARED

Item = TypeVar("Item", bound=np.generic)


def event_shows(scope: Scope, operand: EventHas, items: Ints | None = None) -> Tri:
    """Return whether each event shows everything that an operand requires; unknown if its record omits something.

    Args:
        items: int64[n], the events; None for all.
    """

    def select(column: NDArray[Item]) -> NDArray[Item]:
        return column if items is None else column.take(items)

    events = scope.batch.events
    chosen = np.arange(len(events.kind)) if items is None else items
    parts: list[Tri] = []
    if operand.by is not None:
        by = select(doers(scope))
        parts.append(kleene.where_known(by == ACTORS.index(operand.by), by != ABSENT))
    for column, choices, wanted in ((events.face, FACES, operand.face), (events.place, PLACES, operand.place)):
        if wanted is not None:
            codes = select(column)
            parts.append(kleene.where_known(codes == choices.index(wanted), codes != ABSENT))
    if operand.in_ is not None:
        means = select(events.means)
        fits = np.isin(means, [MEANS.index(name) for name in operand.in_])
        parts.append(kleene.where_known(fits, means != ABSENT))
    if operand.also_in is not None:
        parts.append(select(also_in(scope, tuple(operand.also_in))))
    if operand.dealt_next is not None:
        parts.append(dealt_next(scope, chosen))
    if operand.positions is not None:
        parts.append(select(_is_at_positions(scope, {str(spot) for spot in operand.positions})))
    if operand.stage is not None:
        stages = [stage.stage for stage in scope.prepared.game.deal.stages]
        wanted_stages = [stages.index(name) for name in operand.stage]
        parts.append(kleene.known(np.isin(select(stage_of_events(scope)), wanted_stages)))
    if operand.number is not None:
        amount = select(events.amount)
        parts.append(kleene.where_known(amount == operand.number, amount != ABSENT))
    if operand.decision is not None:
        parts.append(select(_is_wanted_decision(scope, operand.decision)))
    if operand.deck is not None:
        parts.append(happened_to(scope, operand.deck, chosen))
    if operand.wager is not None:
        parts.append(on_a_wager(scope, operand.wager, chosen))
    if operand.cards is not None or operand.arranged_as is not None:
        rows = select(events.cards_row)
        shown = rows != ABSENT
        if operand.cards is not None:
            count = np.where(shown, _select_rows(events.hands.count, rows), ABSENT)
            parts.append(kleene.where_known(count == operand.cards, shown & select(_is_one_motion(scope))))
        if operand.arranged_as is not None:
            kinds = tuple(distinct(select(events.kind)).tolist())
            parts.append(select(lies_arranged(scope, operand.arranged_as, kinds)))
    if parts:
        return kleene.every(parts)
    return kleene.constant(YES, scope.length("event") if items is None else len(items))


def _is_wanted_decision(scope: Scope, wanted: list[str]) -> Tri:
    """Return whether the decision of each event is one of those wanted, or the declared one."""
    decision = scope.batch.events.decision
    named = kleene.where_known(decision.among(set(wanted) - {DECLARED}), decision.codes != ABSENT)
    return kleene.some([named, as_declared(scope)]) if DECLARED in wanted else named


def _is_at_positions(scope: Scope, wanted: set[str]) -> Tri:
    """Return whether all cards of each event were at wanted positions.

    Each card has its own position: with more cards than stated positions, some were at none that is wanted.
    """
    events = scope.batch.events
    names = events.positions.names
    among = events.positions.among([spots for spots in names if wanted.issuperset(spots)])
    stated = np.array([len(spots) for spots in names] + [ABSENT])[events.positions.codes]
    shown = events.cards_row != ABSENT
    cards = np.where(shown, _select_rows(events.hands.count, events.cards_row), 0)
    return kleene.where_known(among & (cards <= stated), events.positions.codes != ABSENT)


def _is_one_motion(scope: Scope) -> Flags:
    """Return whether the cards of each event were moved in one motion.

    The log may list dealt cards in packets of any size.
    """
    events = scope.batch.events
    return (events.kind != KIND["deal"]) | order_recorded(scope).take(events.round)


def _select_rows(values: NDArray[Any], rows: Ints32) -> NDArray[Any]:
    """Return values by row; any value if the row is ABSENT."""
    return values[rows] if len(values) else np.zeros(len(rows), values.dtype)
