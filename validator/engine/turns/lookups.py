"""Predicates and quantities of the betting that rules refer to."""

from __future__ import annotations

from validator.arrays import Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.turns.chips_forward import TENDERED, tendered_of
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import Numbers, betting_number
from validator.engine.turns.verbal_declarations import DECLARED_NUMBERS, DECLARED_WORDS, declared_of


def said_of_betting(scope: Scope, word: str) -> Tri:
    """Return whether a predicate holds just before each event; for a predicate of the end, for each seat."""
    if word in DECLARED_WORDS:
        return kleene.where_known(*DECLARED_WORDS[word](scope, declared_of(scope)))
    return betting_word(scope, word)


def measured_of_betting(scope: Scope, name: str) -> Numbers:
    """Return a quantity just before each event, and whether it is known.

    Returns:
        int64[events], in minor units or as a count; bool[events].
    """
    if name in DECLARED_NUMBERS:
        return DECLARED_NUMBERS[name](scope, declared_of(scope))
    if name in TENDERED:
        return TENDERED[name](scope, tendered_of(scope))
    return betting_number(scope, name)
