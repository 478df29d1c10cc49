"""What the seat of an event had said in its turn before it.

Words count that come in turn and before the bet is made: ahead of the first chips, or after the seat has said that
the bet is not complete, which it may say until chips are put forward a second time; where the game says so, at any time
before the act. Of the words that count, the
first that some lawful act fits bind the seat.
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
from validator.engine.turns.quantities import betting_number
from validator.engine.turns.turns import before, in_turn, none_of_kind, told_of_kind

Numbers = tuple[Ints, Flags]
Said = tuple[Flags, Flags]

INCOMPLETE = "incomplete"
"""What a log has for words that say that a bet is not complete."""


class Declared(Struct, frozen=True, kw_only=True):
    """What was said before each event. `binding` int64[events] is the declaration that binds its seat, `named` the
    first of the same decision that names a total; ABSENT where there is none. `bound` bool[events] is where it is known
    which binds, `sized` where it is known which names the total. `incomplete` and `raises` int64[events] are how many
    words said that the bet was not complete and that it would be a raise, and `told` bool[events] is where that is
    known."""

    binding: Ints
    named: Ints
    bound: Flags
    sized: Flags
    incomplete: Ints
    raises: Ints
    told: Flags


@fact
def declared_of(scope: Scope) -> Declared:
    """The words said in the turns of a batch, worked out when first asked for."""
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
    bound = recorded & _surely(fits, binding)
    return Declared(
        binding=binding,
        named=named,
        bound=bound,
        sized=bound & _surely(fits, named),
        incomplete=incomplete.count,
        raises=before(scope, words & decided(scope, RAISES)).count,
        told=recorded,
    )


def _surely(fits: Tri, chosen: Ints) -> Flags:
    """Where a declaration was surely lawful, or there is none."""
    return (chosen == ABSENT) | (fits[chosen] == YES)


def as_declared(scope: Scope) -> Tri:
    """Whether the decision of each event is the one that its seat had declared; where none was, it is not."""
    result, codes = declared_of(scope), scope.batch.events.decision.codes
    same = (result.binding != ABSENT) & (codes == codes[result.binding])
    return kleene.where_known(same, result.bound & (codes != ABSENT))


def _in_turn(scope: Scope, found: Declared) -> Said:
    return found.binding != ABSENT, found.bound


def _raise(scope: Scope, found: Declared) -> Said:
    return found.raises > 0, found.told


def _wager(scope: Scope, found: Declared) -> Said:
    return _binding_is(scope, found, WAGERS), found.bound


def _binding_is(scope: Scope, found: Declared, kinds: frozenset[str]) -> Flags:
    return (found.binding != ABSENT) & decided(scope, kinds)[found.binding]


def _incomplete(scope: Scope, found: Declared) -> Said:
    return found.incomplete > 0, found.told


DECLARED_WORDS: dict[str, Callable[[Scope, Declared], Said]] = {
    "declared-in-turn": _in_turn,
    "declared-raise": _raise,
    "declared-wager": _wager,
    "said-incomplete": _incomplete,
}
"""What is said of words: bool[events], and where it is known."""


def _total(scope: Scope, found: Declared) -> Numbers:
    return np.where(found.named != ABSENT, scope.batch.events.amount[found.named], 0), found.sized


def _obliged(scope: Scope, found: Declared) -> Numbers:
    """What the binding words oblige to put in, as things stood when they were said: no more than the seat has."""
    play = betting_of(scope)
    bound = np.flatnonzero(found.binding != ABSENT)
    binding, named = found.binding.take(bound), found.named.take(bound)
    to_call, recorded = _back_at(scope, "to-call", binding)
    behind, stacked = _back_at(scope, "behind", binding)
    opening, least = _back_at(scope, "smallest-bet", binding)
    raising, more = _back_at(scope, "smallest-raise", binding)
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
    found_in, certain = np.zeros(len(found.binding), np.int64), found.sized.copy()
    found_in[bound] = chips
    certain[bound] &= known | sized
    return found_in, certain


def _back_at(scope: Scope, name: str, chosen: Ints) -> Numbers:
    """A number of the betting as it was at some events, int64[m]."""
    values, known = betting_number(scope, name)
    return values[chosen], known[chosen]


DECLARED_NUMBERS: dict[str, Callable[[Scope, Declared], Numbers]] = {"declared": _total, "declared-in": _obliged}
"""What is measured of words: int64[events] in minor units, and where it is known."""
