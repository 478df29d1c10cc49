"""Predicates and quantities of the betting that rules refer to."""

from __future__ import annotations

from validator.arrays import Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.turns.chips_forward import TENDER_QUANTITIES, tendered_chips
from validator.engine.turns.predicates import evaluate_replay_predicate
from validator.engine.turns.quantities import EventNumbers, evaluate_replay_quantity
from validator.engine.turns.verbal_declarations import DECLARATION_PREDICATES, DECLARATION_QUANTITIES, seat_declarations


def evaluate_betting_predicate(scope: EvaluationContext, word: str) -> Truths:
    """Return whether a predicate holds just before each event; for a predicate of the end, for each seat."""
    if word in DECLARATION_PREDICATES:
        return kleene.where_known(*DECLARATION_PREDICATES[word](scope, seat_declarations(scope)))
    return evaluate_replay_predicate(scope, word)


def evaluate_betting_quantity(scope: EvaluationContext, name: str) -> EventNumbers:
    """Return a quantity just before each event, and whether it is known.

    Returns:
        int64[events], in minor units or as a count; bool[events].
    """
    if name in DECLARATION_QUANTITIES:
        return DECLARATION_QUANTITIES[name](scope, seat_declarations(scope))
    if name in TENDER_QUANTITIES:
        return TENDER_QUANTITIES[name](scope, tendered_chips(scope))
    return evaluate_replay_quantity(scope, name)
