"""What rules ask of the betting: how it stands, and what was said and put forward in the turn."""

from __future__ import annotations

from validator.arrays import Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.turns.chips_forward import TENDERED, tendered_of
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import Numbers, betting_number
from validator.engine.turns.verbal_declarations import DECLARED_NUMBERS, DECLARED_WORDS, declared_of


def said_of_betting(scope: Scope, word: str) -> Tri:
    """Whether a word holds at each event, just before it; one that speaks of the end, of each seat."""
    if word in DECLARED_WORDS:
        return kleene.where_known(*DECLARED_WORDS[word](scope, declared_of(scope)))
    return betting_word(scope, word)


def measured_of_betting(scope: Scope, name: str) -> Numbers:
    """A number at each event, just before it: int64[events] of amounts in minor units, or counts, and where known."""
    if name in DECLARED_NUMBERS:
        return DECLARED_NUMBERS[name](scope, declared_of(scope))
    if name in TENDERED:
        return TENDERED[name](scope, tendered_of(scope))
    return betting_number(scope, name)
