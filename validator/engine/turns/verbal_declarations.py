"""Declarations that the seat of an event made in its turn before the event.

A declaration counts if it is in turn and before the bet is made: before the first chips, or after the seat has said
that the bet is not complete. The seat may say so until it puts chips forward a second time. Where the game says so, a
declaration counts at any time before the action. The first one that fits a legal action is binding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Tri
from validator.engine.betting.decision_kinds import CALLS, OPENINGS, RAISES, WAGERS
from validator.engine.betting.replay import betting_of
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.timeline.last_actions import decided
from validator.engine.turns.chips_forward import tendered_of
from validator.engine.turns.legal_actions import lawful
from validator.engine.turns.predicates import Said
from validator.engine.turns.quantities import Numbers, betting_number
from validator.engine.turns.turns import before, in_turn, none_of_kind, told_of_kind

INCOMPLETE = "incomplete"
"""Word of a log for the declaration that a bet is not complete."""


class Declared(Struct, frozen=True, kw_only=True):
    """Declarations before each event."""

    binding: Ints
    """Declaration that binds the seat, int64[events]; ABSENT if there is none."""
    named: Ints
    """First declaration of the same decision that names a total, int64[events]; ABSENT if there is none."""
    bound: Flags
    """True if it is known which declaration is binding, bool[events]."""
    sized: Flags
    """True if it is known which declaration names the total, bool[events]."""
    incomplete: Ints
    """Number of declarations that the bet is not complete, int64[events]."""
    raises: Ints
    """Number of declarations of a raise, int64[events]."""
    told: Flags
    """True if these numbers are known, bool[events]."""


@fact
def declared_of(scope: Scope) -> Declared:
    """Return the declarations in the turns of a batch."""
    events, tendered = scope.batch.events, tendered_of(scope)
    words, codes = in_turn(scope, "declare"), events.decision.codes
    unfinished = codes == events.decision.code(INCOMPLETE)
    incomplete = before(scope, words & unfinished & (tendered.before.count <= 1))
    later = scope.prepared.betting.words_after_chips
    whenever = kleene.constant(NO, len(codes)) if later is None else scope.truth(later, "event")
    in_time = (tendered.before.count == 0) | (incomplete.count > 0) | (whenever == YES)
    words = words & ~unfinished & in_time

    at = np.flatnonzero(words)
    fits = kleene.constant(NO, len(codes))
    fits[at] = lawful(scope, at)
    candidates = words & (fits != NO)
    binding = before(scope, candidates).first
    bound_by = np.where(binding == ABSENT, np.arange(len(codes)), binding)
    total = candidates & (events.amount != ABSENT) & decided(scope, OPENINGS | RAISES)
    named = before(scope, total & (codes == codes[bound_by])).first
    recorded = told_of_kind(scope, "declare") & (
        none_of_kind(scope, "declare") | (tendered.told & (whenever != UNKNOWN))
    )
    bound = recorded & _is_surely_legal(fits, binding)
    return Declared(
        binding=binding,
        named=named,
        bound=bound,
        sized=bound & _is_surely_legal(fits, named),
        incomplete=incomplete.count,
        raises=before(scope, words & decided(scope, RAISES)).count,
        told=recorded,
    )


def _is_surely_legal(fits: Tri, chosen: Ints) -> Flags:
    """Return whether a declaration was surely legal, or there is none."""
    return (chosen == ABSENT) | (fits[chosen] == YES)


def as_declared(scope: Scope) -> Tri:
    """Return whether the decision of each event is the one that its seat had declared; no if there was none."""
    result, codes = declared_of(scope), scope.batch.events.decision.codes
    same = (result.binding != ABSENT) & (codes == codes[result.binding])
    return kleene.where_known(same, result.bound & (codes != ABSENT))


def _has_declared(scope: Scope, declared: Declared) -> Said:
    return declared.binding != ABSENT, declared.bound


def _has_declared_raise(scope: Scope, declared: Declared) -> Said:
    return declared.raises > 0, declared.told


def _has_declared_wager(scope: Scope, declared: Declared) -> Said:
    return _binding_is(scope, declared, WAGERS), declared.bound


def _binding_is(scope: Scope, declared: Declared, kinds: frozenset[str]) -> Flags:
    return (declared.binding != ABSENT) & decided(scope, kinds)[declared.binding]


def _has_said_incomplete(scope: Scope, declared: Declared) -> Said:
    return declared.incomplete > 0, declared.told


DECLARED_WORDS: dict[str, Callable[[Scope, Declared], Said]] = {
    "declared-in-turn": _has_declared,
    "declared-raise": _has_declared_raise,
    "declared-wager": _has_declared_wager,
    "said-incomplete": _has_said_incomplete,
}
"""Predicates of declarations, by name: bool[events], and whether they are known."""


def _find_declared_total(scope: Scope, declared: Declared) -> Numbers:
    return np.where(declared.named != ABSENT, scope.batch.events.amount[declared.named], 0), declared.sized


def _find_required_chips(scope: Scope, declared: Declared) -> Numbers:
    """Return the chips that a binding declaration requires, when it was made; at most all chips of the seat."""
    play = betting_of(scope)
    bound = np.flatnonzero(declared.binding != ABSENT)
    binding, named = declared.binding.take(bound), declared.named.take(bound)
    to_call, recorded = _quantity_at_events(scope, "to-call", binding)
    behind, stacked = _quantity_at_events(scope, "behind", binding)
    opening, least = _quantity_at_events(scope, "smallest-bet", binding)
    raising, more = _quantity_at_events(scope, "smallest-raise", binding)
    chips, known = np.zeros(len(binding), np.int64), np.ones(len(binding), bool)
    for kinds, due, sure in (
        (CALLS, to_call, recorded),
        (frozenset({"bet"}), opening, least),
        (frozenset({"raise"}), to_call + raising, recorded & more),
        (frozenset({"bring-in", "complete"}), to_call, np.zeros(len(binding), bool)),
    ):
        mine = decided(scope, kinds).take(binding)
        chips = np.where(mine, np.minimum(due, behind), chips)
        known = np.where(mine, sure & stacked, known)
    sized = named != ABSENT
    chips = np.where(sized, scope.batch.events.amount[named] - play.states.put[play.at[named]], chips)
    required, is_certain = np.zeros(len(declared.binding), np.int64), declared.sized.copy()
    required[bound] = chips
    is_certain[bound] &= known | sized
    return required, is_certain


def _quantity_at_events(scope: Scope, name: str, chosen: Ints) -> Numbers:
    """Return a quantity of the betting at some events."""
    values, known = betting_number(scope, name)
    return values[chosen], known[chosen]


DECLARED_NUMBERS: dict[str, Callable[[Scope, Declared], Numbers]] = {
    "declared": _find_declared_total,
    "declared-in": _find_required_chips,
}
"""Quantities of declarations, by name: int64[events] in minor units, and whether they are known."""
