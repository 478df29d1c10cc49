"""Conditions on what an event itself shows."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints, Ints32, Truths, find_distinct
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import YES
from validator.engine.deal_checks.arranged_cards import is_arranged
from validator.engine.deal_checks.beside_events import are_dealt_next, has_wager_status, is_also_placed_in
from validator.engine.deal_checks.dealing_order import is_order_recorded
from validator.engine.timeline.event_decks import concerns_deck
from validator.engine.timeline.step_events import event_actors
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.verbal_declarations import is_as_declared
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KIND_CODES
from validator.language.operands import EventHas
from validator.language.refs import DECLARED

Item = TypeVar("Item", bound=np.generic)


def does_event_show(scope: EvaluationContext, operand: EventHas, items: Ints | None = None) -> Truths:
    """Return whether each event shows everything that an operand requires; unknown if its record omits something.

    Args:
        items: int64[n], the events; None for all.
    """

    def select(column: NDArray[Item]) -> NDArray[Item]:
        return column if items is None else column.take(items)

    events = scope.batch.events
    chosen = np.arange(len(events.kind)) if items is None else items
    parts: list[Truths] = []
    if operand.by is not None:
        by = select(event_actors(scope))
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
        parts.append(select(is_also_placed_in(scope, tuple(operand.also_in))))
    if operand.dealt_next is not None:
        parts.append(are_dealt_next(scope, chosen))
    if operand.positions is not None:
        parts.append(select(_is_at_positions(scope, {str(spot) for spot in operand.positions})))
    if operand.stage is not None:
        stages = [stage.stage for stage in scope.compiled_game.game.deal.stages]
        wanted_stages = [stages.index(name) for name in operand.stage]
        parts.append(kleene.from_flags(np.isin(select(stage_of_events(scope)), wanted_stages)))
    if operand.number is not None:
        amount = select(events.amount)
        parts.append(kleene.where_known(amount == operand.number, amount != ABSENT))
    if operand.decision is not None:
        parts.append(select(_is_wanted_decision(scope, operand.decision)))
    if operand.deck is not None:
        parts.append(concerns_deck(scope, operand.deck, chosen))
    if operand.wager is not None:
        parts.append(has_wager_status(scope, operand.wager, chosen))
    if operand.cards is not None or operand.arranged_as is not None:
        rows = select(events.cards_row)
        shown = rows != ABSENT
        if operand.cards is not None:
            count = np.where(shown, _select_rows(events.hands.count, rows), ABSENT)
            parts.append(kleene.where_known(count == operand.cards, shown & select(_is_one_motion(scope))))
        if operand.arranged_as is not None:
            kinds = tuple(find_distinct(select(events.kind)).tolist())
            parts.append(select(is_arranged(scope, operand.arranged_as, kinds)))
    if parts:
        return kleene.every(parts)
    return kleene.constant(YES, scope.count_items("event") if items is None else len(items))


def _is_wanted_decision(scope: EvaluationContext, wanted: list[str]) -> Truths:
    """Return whether the decision of each event is one of those wanted, or the declared one."""
    decision = scope.batch.events.decision
    named = kleene.where_known(decision.is_one_of(set(wanted) - {DECLARED}), decision.codes != ABSENT)
    return kleene.some([named, is_as_declared(scope)]) if DECLARED in wanted else named


def _is_at_positions(scope: EvaluationContext, wanted: set[str]) -> Truths:
    """Return whether all cards of each event were at wanted positions.

    Each card has its own position: with more cards than stated positions, some were at none that is wanted.
    """
    events = scope.batch.events
    names = events.positions.names
    among = events.positions.is_one_of([spots for spots in names if wanted.issuperset(spots)])
    stated = np.array([len(spots) for spots in names] + [ABSENT])[events.positions.codes]
    shown = events.cards_row != ABSENT
    cards = np.where(shown, _select_rows(events.hands.count, events.cards_row), 0)
    return kleene.where_known(among & (cards <= stated), events.positions.codes != ABSENT)


def _is_one_motion(scope: EvaluationContext) -> Flags:
    """Return whether the cards of each event were moved in one motion.

    The log may list dealt cards in packets of any size.
    """
    events = scope.batch.events
    return (events.kind != KIND_CODES["deal"]) | is_order_recorded(scope).take(events.round)


def _select_rows(values: NDArray[Any], rows: Ints32) -> NDArray[Any]:
    """Return values by row; any value if the row is ABSENT."""
    return values[rows] if len(values) else np.zeros(len(rows), values.dtype)
