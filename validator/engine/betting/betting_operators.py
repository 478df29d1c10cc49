"""Predicates and quantities of the betting that rules refer to, and the legality of declared actions.

A declaration counts if it is in turn and before the bet is made: before the first chips, or after the seat has said
that the bet is not complete. The seat may say so until it puts chips forward a second time. Where the game says so, a
declaration counts at any time before the action. The first one that fits a legal action is binding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints32, Truths, find_true
from fairdeal.validator.engine.betting import betting_predicates, recorded_betting
from fairdeal.validator.engine.betting.betting_predicates import evaluate_replay_predicate
from fairdeal.validator.engine.betting.betting_quantities import EventNumbers, evaluate_replay_quantity
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.timeline.recorded_acts import is_decision_of_kind


def is_lawful(scope: EvaluationContext, chosen: Ints) -> Truths:
    """Return whether the declared decision of each event, with the total it names, can be a legal action.

    A decision that is no betting action, or that the game does not have, cannot.

    Args:
        chosen: int64[m], the events.

    Returns:
        uint8[m].
    """
    level, recorded = evaluate_replay_quantity(scope, "level", chosen)
    faced = evaluate_replay_predicate(scope, "faced").take(chosen)
    opened = kleene.where_known(level > 0, recorded)
    may_raise = evaluate_replay_predicate(scope, "may-raise").take(chosen)
    size, sized = evaluate_replay_quantity(scope, "smallest-bet", chosen)
    short = kleene.where_known(level < size, recorded & sized)
    value = kleene.constant(NO, len(chosen))
    raising = _is_legal_raise(scope, "smallest-raise", chosen)
    for kinds, fits in (
        (frozenset({"fold"}), kleene.constant(YES, len(chosen))),
        (frozenset({"check"}), kleene.negate(faced)),
        (recorded_betting.CALLS, faced),
        (
            recorded_betting.OPENINGS,
            kleene.every([kleene.negate(opened), _is_legal_raise(scope, "smallest-bet", chosen)]),
        ),
        (recorded_betting.RAISES - recorded_betting.COMPLETIONS, kleene.every([opened, may_raise, raising])),
        (recorded_betting.COMPLETIONS, kleene.every([short, may_raise, raising])),
    ):
        value = np.where(is_decision_of_kind(scope, kinds).take(chosen), fits, value)
    return value


def _is_legal_raise(scope: EvaluationContext, least: str, chosen: Ints) -> Truths:
    """Return whether the seat can exceed the bet, and whether the named total is a legal raise.

    All chips of the seat are never too few.
    """
    to_call, recorded = evaluate_replay_quantity(scope, "to-call", chosen)
    behind, stacked = evaluate_replay_quantity(scope, "behind", chosen)
    level, _ = evaluate_replay_quantity(scope, "level", chosen)
    able = kleene.where_known(behind > to_call, recorded & stacked)
    amount = scope.batch.events.amount.take(chosen)
    by = amount - level
    smallest, small = evaluate_replay_quantity(scope, least, chosen)
    # A bring-in is less than a bet.
    brought = is_decision_of_kind(scope, recorded_betting.BROUGHT_IN).take(chosen)
    smallest, small = np.where(brought, 1, smallest), small | brought
    largest, large = evaluate_replay_quantity(scope, "largest-raise", chosen)
    all_in = kleene.where_known(by == behind - to_call, recorded & stacked)
    sized = kleene.every(
        [
            kleene.from_flags(by > 0),
            kleene.some([all_in, kleene.where_known(by >= smallest, small)]),
            kleene.where_known(by <= largest, large),
        ]
    )
    silent = kleene.from_flags(amount == ABSENT)
    return kleene.every([able, kleene.some([silent, sized])])


class TenderedChips(Struct, frozen=True, kw_only=True):
    """Chips put forward in the turns of a batch."""

    is_tender: Flags
    """Events that put chips forward in the turn of their seat, bool[events]."""
    tenders_before: betting_predicates.EventsBefore
    """Events of this kind before each event."""
    is_known: Flags
    """True if they are known, bool[events]."""


@cached_fact
def tendered_chips(scope: EvaluationContext) -> TenderedChips:
    """Return the chips put forward in the turns of a batch."""
    tenders = betting_predicates.is_in_own_turn(scope, "tender")
    return TenderedChips(
        is_tender=tenders,
        tenders_before=betting_predicates.find_events_before(scope, tenders),
        is_known=betting_predicates.is_kind_known_in_turn(scope, "tender"),
    )


def _count_tenders(scope: EvaluationContext, tendered: TenderedChips, chosen: Ints) -> EventNumbers:
    return tendered.tenders_before.count.take(chosen).astype(np.int64), tendered.is_known.take(chosen)


def _count_motions(scope: EvaluationContext, tendered: TenderedChips, chosen: Ints) -> EventNumbers:
    """Return how often the seat put chips forward for its bet; unknown if the recorded chips are only a part of it."""
    count, known = _count_tenders(scope, tendered, chosen)
    part, _ = _sum_tendered(scope, tendered, chosen)
    return count, known & ((count == 0) | (replay_betting(scope).chips_put_in.take(chosen) <= part))


def _find_first_tender(scope: EvaluationContext, tendered: TenderedChips, chosen: Ints) -> EventNumbers:
    first = tendered.tenders_before.first.take(chosen)
    return np.where(first != ABSENT, scope.batch.events.amount[first], 0), tendered.is_known.take(chosen)


def _sum_tendered(scope: EvaluationContext, tendered: TenderedChips, chosen: Ints) -> EventNumbers:
    turns = betting_predicates.turn_spans(scope)
    amount = np.where(tendered.is_tender, scope.batch.events.amount, 0)
    ahead = np.cumsum(amount) - amount
    since = ahead.take(chosen) - ahead.take(turns.first_event.take(chosen))
    return np.where(turns.is_own_turn.take(chosen), since, 0), tendered.is_known.take(chosen)


def _count_first_chips(scope: EvaluationContext, tendered: TenderedChips, chosen: Ints) -> EventNumbers:
    first = tendered.tenders_before.first.take(chosen)
    pieces = np.where(first != ABSENT, scope.batch.events.chips[first], 0).astype(np.int64)
    return pieces, tendered.is_known.take(chosen) & (pieces != ABSENT)


TENDER_QUANTITIES: dict[str, Callable[[EvaluationContext, TenderedChips, Ints], EventNumbers]] = {
    "tenders": _count_tenders,
    "motions": _count_motions,
    "first-tender": _find_first_tender,
    "tendered": _sum_tendered,
    "tendered-chips": _count_first_chips,
}
"""Quantities of chips put forward at some events, by name."""


INCOMPLETE_WORD = "incomplete"
"""Word of a log for the declaration that a bet is not complete."""


class Declarations(Struct, frozen=True, kw_only=True):
    """Declarations before each event."""

    binding: Ints32
    """Declaration that binds the seat, int32[events]; ABSENT if there is none."""
    naming_total: Ints32
    """First declaration of the same decision that names a total, int32[events]; ABSENT if there is none."""
    is_binding_known: Flags
    """True if it is known which declaration is binding, bool[events]."""
    is_total_known: Flags
    """True if it is known which declaration names the total, bool[events]."""
    incomplete_count: Ints32
    """Number of declarations that the bet is not complete, int32[events]."""
    raise_count: Ints32
    """Number of declarations of a raise, int32[events]."""
    is_known: Flags
    """True if these numbers are known, bool[events]."""


@cached_fact
def seat_declarations(scope: EvaluationContext) -> Declarations:
    """Return the declarations in the turns of a batch."""
    events, tendered = scope.batch.events, tendered_chips(scope)
    words, codes = betting_predicates.is_in_own_turn(scope, "declare"), events.decision.codes
    unfinished = codes == events.decision.code(INCOMPLETE_WORD)
    incomplete = betting_predicates.find_events_before(scope, words & unfinished & (tendered.tenders_before.count <= 1))
    later = scope.compiled_game.betting.words_after_chips
    whenever = kleene.constant(NO, len(codes)) if later is None else scope.evaluate(later, "event")
    in_time = (tendered.tenders_before.count == 0) | (incomplete.count > 0) | (whenever == YES)
    words = words & ~unfinished & in_time

    at = find_true(words)
    fits = kleene.constant(NO, len(codes))
    fits[at] = is_lawful(scope, at)
    candidates = words & (fits != NO)
    binding = betting_predicates.find_events_before(scope, candidates).first
    bound_by = np.where(binding == ABSENT, np.arange(len(codes)), binding)
    total = (
        candidates
        & (events.amount != ABSENT)
        & is_decision_of_kind(scope, recorded_betting.OPENINGS | recorded_betting.RAISES)
    )
    named = betting_predicates.find_events_before(scope, total & (codes == codes[bound_by])).first
    recorded = betting_predicates.is_kind_known_in_turn(scope, "declare") & (
        betting_predicates.lacks_kind(scope, "declare") | (tendered.is_known & (whenever != UNKNOWN))
    )
    bound = recorded & _is_surely_legal(fits, binding)
    return Declarations(
        binding=binding,
        naming_total=named,
        is_binding_known=bound,
        is_total_known=bound & _is_surely_legal(fits, named),
        incomplete_count=incomplete.count,
        raise_count=betting_predicates.find_events_before(
            scope, words & is_decision_of_kind(scope, recorded_betting.RAISES)
        ).count,
        is_known=recorded,
    )


def _is_surely_legal(fits: Truths, chosen: Ints32) -> Flags:
    """Return whether a declaration was surely legal, or there is none."""
    return (chosen == ABSENT) | (fits[chosen] == YES)


def is_as_declared(scope: EvaluationContext) -> Truths:
    """Return whether the decision of each event is the one that its seat had declared; no if there was none."""
    result, codes = seat_declarations(scope), scope.batch.events.decision.codes
    same = (result.binding != ABSENT) & (codes == codes[result.binding])
    return kleene.where_known(same, result.is_binding_known & (codes != ABSENT))


def _has_declared(scope: EvaluationContext, declared: Declarations) -> betting_predicates.KnownFlags:
    return declared.binding != ABSENT, declared.is_binding_known


def _has_declared_raise(scope: EvaluationContext, declared: Declarations) -> betting_predicates.KnownFlags:
    return declared.raise_count > 0, declared.is_known


def _has_declared_wager(scope: EvaluationContext, declared: Declarations) -> betting_predicates.KnownFlags:
    return _binding_is(scope, declared, recorded_betting.WAGERS), declared.is_binding_known


def _binding_is(scope: EvaluationContext, declared: Declarations, kinds: frozenset[str]) -> Flags:
    return (declared.binding != ABSENT) & is_decision_of_kind(scope, kinds)[declared.binding]


def _has_said_incomplete(scope: EvaluationContext, declared: Declarations) -> betting_predicates.KnownFlags:
    return declared.incomplete_count > 0, declared.is_known


DECLARATION_PREDICATES: dict[str, Callable[[EvaluationContext, Declarations], betting_predicates.KnownFlags]] = {
    "declared-in-turn": _has_declared,
    "declared-raise": _has_declared_raise,
    "declared-wager": _has_declared_wager,
    "said-incomplete": _has_said_incomplete,
}
"""Predicates of declarations, by name: bool[events], and whether they are known."""


def _find_declared_total(scope: EvaluationContext, declared: Declarations, chosen: Ints) -> EventNumbers:
    named = declared.naming_total.take(chosen)
    return np.where(named != ABSENT, scope.batch.events.amount[named], 0), declared.is_total_known.take(chosen)


def _find_required_chips(scope: EvaluationContext, declared: Declarations, chosen: Ints) -> EventNumbers:
    """Return the chips that a binding declaration requires, when it was made; at most all chips of the seat."""
    play = replay_betting(scope)
    bound = find_true(declared.binding.take(chosen) != ABSENT)
    binding = declared.binding.take(chosen.take(bound)).astype(np.int64)
    named = declared.naming_total.take(chosen.take(bound))
    to_call, recorded = evaluate_replay_quantity(scope, "to-call", binding)
    behind, stacked = evaluate_replay_quantity(scope, "behind", binding)
    opening, least = evaluate_replay_quantity(scope, "smallest-bet", binding)
    raising, more = evaluate_replay_quantity(scope, "smallest-raise", binding)
    chips, known = np.zeros(len(binding), np.int64), np.ones(len(binding), bool)
    for kinds, due, sure in (
        (recorded_betting.CALLS, to_call, recorded),
        (frozenset({"bet"}), opening, least),
        (frozenset({"raise"}), to_call + raising, recorded & more),
        (frozenset({"bring-in", "complete"}), to_call, np.zeros(len(binding), bool)),
    ):
        mine = is_decision_of_kind(scope, kinds).take(binding)
        chips = np.where(mine, np.minimum(due, behind), chips)
        known = np.where(mine, sure & stacked, known)
    sized = named != ABSENT
    chips = np.where(
        sized, scope.batch.events.amount[named] - play.snapshots.committed[play.snapshot_index[named]], chips
    )
    required, is_certain = np.zeros(len(chosen), np.int64), declared.is_total_known.take(chosen)
    required[bound] = chips
    is_certain[bound] &= known | sized
    return required, is_certain


DECLARATION_QUANTITIES: dict[str, Callable[[EvaluationContext, Declarations, Ints], EventNumbers]] = {
    "declared": _find_declared_total,
    "declared-in": _find_required_chips,
}
"""Quantities of declarations at some events, by name: minor units."""


def evaluate_betting_predicate(scope: EvaluationContext, word: str) -> Truths:
    """Return whether a predicate holds just before each event; for a predicate of the end, for each seat."""
    if word in DECLARATION_PREDICATES:
        return kleene.where_known(*DECLARATION_PREDICATES[word](scope, seat_declarations(scope)))
    return betting_predicates.evaluate_replay_predicate(scope, word)


def evaluate_betting_quantity(scope: EvaluationContext, name: str, events: Ints | None = None) -> EventNumbers:
    """Return a quantity just before each of some events, or of all, and whether it is known.

    Args:
        events: int64[m], the events; None for all.

    Returns:
        int64[m], in minor units or as a count; bool[m].
    """
    if events is None:
        events = np.arange(scope.count_items("event"))
    if name in DECLARATION_QUANTITIES:
        return DECLARATION_QUANTITIES[name](scope, seat_declarations(scope), events)
    if name in TENDER_QUANTITIES:
        return TENDER_QUANTITIES[name](scope, tendered_chips(scope), events)
    return evaluate_replay_quantity(scope, name, events)
