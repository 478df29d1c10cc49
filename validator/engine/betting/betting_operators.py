"""Predicates and quantities of the betting that rules refer to, and the legality of declared actions.

A declaration counts if it is in turn and before the bet is made: before the first chips, or after the seat has said
that the bet is not complete. The seat may say so until it puts chips forward a second time. Where the game says so, a
declaration counts at any time before the action. The first one that fits a legal action is binding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Truths, find_true, has_any
from fairdeal.validator.engine.betting import betting_predicates, recorded_betting
from fairdeal.validator.engine.betting.betting_predicates import evaluate_replay_predicate, is_seat_state_known
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, find_largest_call, replay_betting
from fairdeal.validator.engine.betting.betting_state import is_fixed_limit
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.seat_layout import count_seats
from fairdeal.validator.engine.timeline.recorded_acts import is_decision_of_kind
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.betting_model import LeastRaise

Item = TypeVar("Item", bound=np.generic)
EventNumbers = tuple[Ints, Flags]
"""Values at each event, int64[events], and whether they are known."""


@cached_fact
def evaluate_replay_quantity(scope: EvaluationContext, name: str) -> EventNumbers:
    """Return a quantity of the betting at each event: amounts in minor units, or counts."""
    return _QUANTITIES[name](scope, replay_betting(scope))


def _find_chips_put_in(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    # An action without chips puts in nothing, even if the rest of the betting is unknown.
    nothing = (play.chips_put_in == 0) & is_decision_of_kind(scope, recorded_betting.PASSES)
    return play.chips_put_in, play.amounts_known | nothing


def _find_total_bet(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    total = play.at_events(play.snapshots.committed) + play.chips_put_in
    return total, play.amounts_known & is_seat_state_known(play)


def _find_amount_to_call(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return _find_lacking(play), play.amounts_known_before & is_seat_state_known(play)


def _find_lacking(play: BettingReplay) -> Ints:
    return play.at_events(np.maximum(play.snapshots.current_bet - play.snapshots.committed, 0))


def _find_current_bet(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return play.at_events(play.snapshots.current_bet), play.amounts_known_before


def _find_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    beyond = play.chips_put_in + play.at_events(play.snapshots.committed - play.snapshots.current_bet)
    return np.maximum(beyond, 0), play.amounts_known & is_seat_state_known(play)


def _find_last_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    result = play.at_events(play.snapshots.last_raise)
    # If the smallest bet is unknown, the first bet sets the size of the next raise.
    return result, play.amounts_known_before & (_select_street(scope, play, play.is_smallest_bet_known) | (result > 0))


def _select_street(scope: EvaluationContext, play: BettingReplay, values: NDArray[Item]) -> NDArray[Item]:
    """Return values of each betting round, [B, rounds], at the events."""
    return values.reshape(-1).take(_locate_streets(scope, play))


def _locate_streets(scope: EvaluationContext, play: BettingReplay) -> Ints:
    """Return the index of the betting round and the round of each event in a flat array of [B, rounds]."""

    def locate() -> Ints:
        street = play.at_events(play.snapshots.street)
        return street * np.int64(len(scope.batch)) + scope.batch.events.round

    return scope.compute_once(("streets",), locate)


def _find_smallest_bet(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return _select_street(scope, play, play.smallest_bet), play.amounts_known_before & _select_street(
        scope, play, play.is_smallest_bet_known
    )


def _find_smallest_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    betting, owner = scope.compiled_game.betting, scope.batch.events.round
    last, last_told = _find_last_raise(scope, play)
    rounds = len(scope.batch)

    def by_case(case: LeastRaise) -> tuple[Ints, Flags]:
        if case.operator == "as-last":
            return np.full(rounds, ABSENT, np.int64), np.ones(rounds, bool)
        low, high = scope.compute_bounds(case.operand, "round")
        return low, low == high

    least, recorded = select_first_case(scope, betting.sizes.raise_, by_case, np.zeros(rounds, np.int64))
    result, known = least[owner], recorded[owner] & play.amounts_known_before
    as_last = result == ABSENT
    result, known = np.where(as_last, last, result), np.where(as_last, known & last_told, known)
    return _adjust_completions(scope, play, *_choose_where_fixed(scope, play, result, known, _find_least_fixed))


def _find_largest_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    """Return by how much the seat may exceed the bet."""
    sizes = scope.compiled_game.betting.sizes
    lacking, recorded = _find_amount_to_call(scope, play)
    if sizes.most == "pot":
        most, known = play.at_events(play.snapshots.pot) + lacking, recorded
    else:
        behind, known = _find_stack_left(scope, play)
        most = np.maximum(behind - lacking, 0)
    if sizes.limit is not None:
        low, high = (bound[scope.batch.events.round] for bound in scope.compute_bounds(sizes.limit, "round"))
        # A limit below the pot or stack decides even if these are unknown.
        known = (known & (low == high)) | ((low == high) & (most >= high) & recorded)
        most = np.minimum(most, high)
    return _adjust_completions(scope, play, *_choose_where_fixed(scope, play, most, known, _find_most_fixed))


def _choose_where_fixed(
    scope: EvaluationContext,
    play: BettingReplay,
    free: Ints,
    known: Flags,
    fixed: Callable[[EvaluationContext, BettingReplay], EventNumbers],
) -> EventNumbers:
    """Return the size of raises: from `fixed` in betting rounds with a fixed size, else `free`."""
    rounds = scope.compiled_game.betting.rounds
    if all(betting_round.size is None for betting_round in rounds):
        return free, known
    limit = is_fixed_limit(scope)[scope.batch.events.round]
    is_sized = np.array([betting_round.size is not None for betting_round in rounds])
    at = play.at_events(is_sized[play.snapshots.street]) & (limit != NO)
    if not has_any(at):
        return free, known
    size, sized = fixed(scope, play)
    result = np.where(at, size, free)
    halves = find_true(at & (_select_street(scope, play, play.half_bet) > 0))
    result[halves] = _find_step_to_next_bet(scope, play, halves)
    return result, np.where(at, sized & (limit == YES), known)


def _find_step_to_next_bet(scope: EvaluationContext, play: BettingReplay, chosen: Ints) -> Ints:
    """Return the distance from the bet to the next multiple of the size; half a bet or more counts as a whole bet.

    Args:
        chosen: int64[m], the events.
    """
    size = np.maximum(_select_street(scope, play, play.smallest_bet).take(chosen), 1)
    level = play.snapshots.current_bet.take(play.snapshot_index.take(chosen))
    return ((2 * level + size) // (2 * size) + 1) * size - level


def _find_least_fixed(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    """Return the fixed size, or the larger size once it was chosen."""
    size, sized = _find_smallest_bet(scope, play)
    larger, recorded = _find_larger_size(scope, play)
    chosen = (larger > size) & (play.at_events(play.snapshots.last_raise) >= larger)
    return np.where(chosen, larger, size), sized & recorded


def _find_most_fixed(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    """Return the fixed size, or the larger size if it may be chosen."""
    size, sized = _find_smallest_bet(scope, play)
    larger, recorded = _find_larger_size(scope, play)
    return np.maximum(size, larger), sized & recorded


def _find_larger_size(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    """Return the larger size that may be chosen in the betting round of each event; 0 if none may."""
    result, known = [], []
    for betting_round in scope.compiled_game.betting.rounds:
        size, recorded = np.zeros(len(scope.batch), np.int64), np.ones(len(scope.batch), bool)
        if betting_round.or_larger is not None:
            low, high = scope.compute_bounds(betting_round.or_larger.size, "round")
            open_ = scope.evaluate(betting_round.or_larger.when, "round")
            size, recorded = np.where(open_ == YES, low, 0), (open_ == NO) | ((open_ == YES) & (low == high))
        result.append(size)
        known.append(recorded)
    return _select_street(scope, play, np.array(result)), _select_street(scope, play, np.array(known))


def _adjust_completions(scope: EvaluationContext, play: BettingReplay, size: Ints, known: Flags) -> EventNumbers:
    """Return the size of raises; for an action that completes a bet, what the bet lacks to the smallest bet."""
    if not any(
        decision.kind in recorded_betting.COMPLETIONS for decision in scope.compiled_game.game.decisions.values()
    ):
        return size, known
    completing = is_decision_of_kind(scope, recorded_betting.COMPLETIONS)
    smallest, sized = _find_smallest_bet(scope, play)
    lacking = np.maximum(smallest - play.at_events(play.snapshots.current_bet), 0)
    return np.where(completing, lacking, size), np.where(completing, sized, known)


def _find_stack_left(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    recorded = play.amounts_known_before & is_seat_state_known(play) & betting_predicates.is_stack_recorded(scope)
    return play.at_events(play.snapshots.stack_left), recorded


def _count_voluntary_wagers(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    events = scope.batch.events
    willing = (events.kind == KIND_CODES["decide"]) & ~is_decision_of_kind(scope, recorded_betting.BROUGHT_IN)
    put = willing & (play.row != ABSENT) & (play.chips_put_in > 0)
    ahead = np.concatenate([[0], np.cumsum(put)])
    return ahead[:-1] - ahead[events.offsets[events.round]], play.amounts_known_before


def _build_count(
    values: Callable[[BettingReplay], NDArray[Any]],
) -> Callable[[EvaluationContext, BettingReplay], EventNumbers]:
    """Build a function that returns a number of the state that does not depend on the seat."""
    return lambda _, play: (play.at_events(values(play).astype(np.int64)), play.amounts_known_before)


_QUANTITIES: dict[str, Callable[[EvaluationContext, BettingReplay], EventNumbers]] = {
    "put-in": _find_chips_put_in,
    "bets-to": _find_total_bet,
    "to-call": _find_amount_to_call,
    "level": _find_current_bet,
    "raise-by": _find_raise,
    "last-raise": _find_last_raise,
    "smallest-bet": _find_smallest_bet,
    "smallest-raise": _find_smallest_raise,
    "largest-raise": _find_largest_raise,
    "largest-answer": find_largest_call,
    "behind": _find_stack_left,
    "pot": _build_count(lambda play: play.snapshots.pot),
    "raises": _build_count(lambda play: play.snapshots.raise_count),
    "players-in": _build_count(lambda play: count_seats(play.snapshots.players_in)),
    "voluntary-wagers": _count_voluntary_wagers,
    "voluntary-players": _build_count(lambda play: play.snapshots.voluntary_count),
}


def is_lawful(scope: EvaluationContext, chosen: Ints) -> Truths:
    """Return whether the declared decision of each event, with the total it names, can be a legal action.

    A decision that is no betting action, or that the game does not have, cannot.

    Args:
        chosen: int64[m], the events.

    Returns:
        uint8[m].
    """
    level, recorded = _compute_quantity_at(scope, "level", chosen)
    faced = evaluate_replay_predicate(scope, "faced").take(chosen)
    opened = kleene.where_known(level > 0, recorded)
    may_raise = evaluate_replay_predicate(scope, "may-raise").take(chosen)
    size, sized = _compute_quantity_at(scope, "smallest-bet", chosen)
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


def _compute_quantity_at(scope: EvaluationContext, name: str, chosen: Ints) -> EventNumbers:
    values, known = evaluate_replay_quantity(scope, name)
    return values.take(chosen), known.take(chosen)


def _is_legal_raise(scope: EvaluationContext, least: str, chosen: Ints) -> Truths:
    """Return whether the seat can exceed the bet, and whether the named total is a legal raise.

    All chips of the seat are never too few.
    """
    to_call, recorded = _compute_quantity_at(scope, "to-call", chosen)
    behind, stacked = _compute_quantity_at(scope, "behind", chosen)
    level, _ = _compute_quantity_at(scope, "level", chosen)
    able = kleene.where_known(behind > to_call, recorded & stacked)
    amount = scope.batch.events.amount.take(chosen)
    by = amount - level
    smallest, small = _compute_quantity_at(scope, least, chosen)
    # A bring-in is less than a bet.
    brought = is_decision_of_kind(scope, recorded_betting.BROUGHT_IN).take(chosen)
    smallest, small = np.where(brought, 1, smallest), small | brought
    largest, large = _compute_quantity_at(scope, "largest-raise", chosen)
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


def _count_tenders(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    return tendered.tenders_before.count, tendered.is_known


def _count_motions(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    """Return how often the seat put chips forward for its bet; unknown if the recorded chips are only a part of it."""
    count, part = tendered.tenders_before.count, _sum_tendered(scope, tendered)[0]
    return count, tendered.is_known & ((count == 0) | (replay_betting(scope).chips_put_in <= part))


def _find_first_tender(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    first = tendered.tenders_before.first
    return np.where(first != ABSENT, scope.batch.events.amount[first], 0), tendered.is_known


def _sum_tendered(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    turns = betting_predicates.turn_spans(scope)
    amount = np.where(tendered.is_tender, scope.batch.events.amount, 0)
    ahead = np.cumsum(amount) - amount
    return np.where(turns.is_own_turn, ahead - ahead[turns.first_event], 0), tendered.is_known


def _count_first_chips(scope: EvaluationContext, tendered: TenderedChips) -> EventNumbers:
    first = tendered.tenders_before.first
    pieces = np.where(first != ABSENT, scope.batch.events.chips[first], 0).astype(np.int64)
    return pieces, tendered.is_known & (pieces != ABSENT)


TENDER_QUANTITIES: dict[str, Callable[[EvaluationContext, TenderedChips], EventNumbers]] = {
    "tenders": _count_tenders,
    "motions": _count_motions,
    "first-tender": _find_first_tender,
    "tendered": _sum_tendered,
    "tendered-chips": _count_first_chips,
}
"""Quantities of chips put forward, by name: int64[events], and whether they are known."""


INCOMPLETE_WORD = "incomplete"
"""Word of a log for the declaration that a bet is not complete."""


class Declarations(Struct, frozen=True, kw_only=True):
    """Declarations before each event."""

    binding: Ints
    """Declaration that binds the seat, int64[events]; ABSENT if there is none."""
    naming_total: Ints
    """First declaration of the same decision that names a total, int64[events]; ABSENT if there is none."""
    is_binding_known: Flags
    """True if it is known which declaration is binding, bool[events]."""
    is_total_known: Flags
    """True if it is known which declaration names the total, bool[events]."""
    incomplete_count: Ints
    """Number of declarations that the bet is not complete, int64[events]."""
    raise_count: Ints
    """Number of declarations of a raise, int64[events]."""
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


def _is_surely_legal(fits: Truths, chosen: Ints) -> Flags:
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


def _find_declared_total(scope: EvaluationContext, declared: Declarations) -> EventNumbers:
    return np.where(
        declared.naming_total != ABSENT, scope.batch.events.amount[declared.naming_total], 0
    ), declared.is_total_known


def _find_required_chips(scope: EvaluationContext, declared: Declarations) -> EventNumbers:
    """Return the chips that a binding declaration requires, when it was made; at most all chips of the seat."""
    play = replay_betting(scope)
    bound = find_true(declared.binding != ABSENT)
    binding, named = declared.binding.take(bound), declared.naming_total.take(bound)
    to_call, recorded = _quantity_at_events(scope, "to-call", binding)
    behind, stacked = _quantity_at_events(scope, "behind", binding)
    opening, least = _quantity_at_events(scope, "smallest-bet", binding)
    raising, more = _quantity_at_events(scope, "smallest-raise", binding)
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
    required, is_certain = np.zeros(len(declared.binding), np.int64), declared.is_total_known.copy()
    required[bound] = chips
    is_certain[bound] &= known | sized
    return required, is_certain


def _quantity_at_events(scope: EvaluationContext, name: str, chosen: Ints) -> EventNumbers:
    """Return a quantity of the betting at some events."""
    values, known = evaluate_replay_quantity(scope, name)
    return values[chosen], known[chosen]


DECLARATION_QUANTITIES: dict[str, Callable[[EvaluationContext, Declarations], EventNumbers]] = {
    "declared": _find_declared_total,
    "declared-in": _find_required_chips,
}
"""Quantities of declarations, by name: int64[events] in minor units, and whether they are known."""


def evaluate_betting_predicate(scope: EvaluationContext, word: str) -> Truths:
    """Return whether a predicate holds just before each event; for a predicate of the end, for each seat."""
    if word in DECLARATION_PREDICATES:
        return kleene.where_known(*DECLARATION_PREDICATES[word](scope, seat_declarations(scope)))
    return betting_predicates.evaluate_replay_predicate(scope, word)


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
