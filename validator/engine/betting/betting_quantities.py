"""Quantities of the betting at every event, and the legality of declared actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Truths
from fairdeal.validator.engine.betting.betting_predicates import evaluate_replay_predicate, is_seat_state_known
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, find_largest_call, replay_betting
from fairdeal.validator.engine.betting.betting_state import is_fixed_limit
from fairdeal.validator.engine.betting.recorded_betting import BROUGHT_IN, CALLS, COMPLETIONS, OPENINGS, PASSES, RAISES
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import count_seats
from fairdeal.validator.engine.timeline.deal_packets import is_decision_of_kind
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
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
    nothing = (play.chips_put_in == 0) & is_decision_of_kind(scope, PASSES)
    return play.chips_put_in, play.amounts_known | nothing


def _find_total_bet(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return play.snapshots.committed[play.snapshot_index] + play.chips_put_in, play.amounts_known & is_seat_state_known(
        play
    )


def _find_amount_to_call(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return _find_lacking(play), play.amounts_known_before & is_seat_state_known(play)


def _find_lacking(play: BettingReplay) -> Ints:
    states = play.snapshots
    return np.maximum(states.current_bet[play.snapshot_index] - states.committed[play.snapshot_index], 0)


def _find_current_bet(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    return play.snapshots.current_bet[play.snapshot_index], play.amounts_known_before


def _find_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    states = play.snapshots
    beyond = states.committed[play.snapshot_index] + play.chips_put_in - states.current_bet[play.snapshot_index]
    return np.maximum(beyond, 0), play.amounts_known & is_seat_state_known(play)


def _find_last_raise(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    result = play.snapshots.last_raise[play.snapshot_index]
    # If the smallest bet is unknown, the first bet sets the size of the next raise.
    return result, play.amounts_known_before & (_select_street(scope, play, play.is_smallest_bet_known) | (result > 0))


def _select_street(scope: EvaluationContext, play: BettingReplay, values: NDArray[Item]) -> NDArray[Item]:
    """Return values of each betting round, [B, rounds], at the events."""
    result: NDArray[Item] = values[play.snapshots.street[play.snapshot_index], scope.batch.events.round]
    return result


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
        most, known = play.snapshots.pot[play.snapshot_index] + lacking, recorded
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
    at = np.array([betting_round.size is not None for betting_round in rounds])[
        play.snapshots.street[play.snapshot_index]
    ] & (limit != NO)
    size, sized = fixed(scope, play)
    half = _select_street(scope, play, play.half_bet)
    size = np.where(half > 0, _find_step_to_next_bet(scope, play), size)
    return np.where(at, size, free), np.where(at, sized & (limit == YES), known)


def _find_step_to_next_bet(scope: EvaluationContext, play: BettingReplay) -> Ints:
    """Return the distance from the bet to the next multiple of the size; half a bet or more counts as a whole bet."""
    size = np.maximum(_select_street(scope, play, play.smallest_bet), 1)
    level = play.snapshots.current_bet[play.snapshot_index]
    return ((2 * level + size) // (2 * size) + 1) * size - level


def _find_least_fixed(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    """Return the fixed size, or the larger size once it was chosen."""
    size, sized = _find_smallest_bet(scope, play)
    larger, recorded = _find_larger_size(scope, play)
    chosen = (larger > size) & (play.snapshots.last_raise[play.snapshot_index] >= larger)
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
    if not any(decision.kind in COMPLETIONS for decision in scope.compiled_game.game.decisions.values()):
        return size, known
    completing = is_decision_of_kind(scope, COMPLETIONS)
    smallest, sized = _find_smallest_bet(scope, play)
    lacking = np.maximum(smallest - play.snapshots.current_bet[play.snapshot_index], 0)
    return np.where(completing, lacking, size), np.where(completing, sized, known)


def _find_stack_left(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    recorded = play.amounts_known_before & is_seat_state_known(play)
    recorded[recorded] = scope.batch.seats.stack[scope.batch.events.seat[recorded]] != ABSENT
    return play.snapshots.stack_left[play.snapshot_index], recorded


def _count_voluntary_wagers(scope: EvaluationContext, play: BettingReplay) -> EventNumbers:
    events = scope.batch.events
    willing = (events.kind == KIND_CODES["decide"]) & ~is_decision_of_kind(scope, BROUGHT_IN)
    put = willing & (play.row != ABSENT) & (play.chips_put_in > 0)
    ahead = np.concatenate([[0], np.cumsum(put)])
    return ahead[:-1] - ahead[events.offsets[events.round]], play.amounts_known_before


def _build_count(
    values: Callable[[BettingReplay], NDArray[Any]],
) -> Callable[[EvaluationContext, BettingReplay], EventNumbers]:
    """Build a function that returns a number of the state that does not depend on the seat."""
    return lambda _, play: (values(play)[play.snapshot_index].astype(np.int64), play.amounts_known_before)


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
        (CALLS, faced),
        (OPENINGS, kleene.every([kleene.negate(opened), _is_legal_raise(scope, "smallest-bet", chosen)])),
        (RAISES - COMPLETIONS, kleene.every([opened, may_raise, raising])),
        (COMPLETIONS, kleene.every([short, may_raise, raising])),
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
    brought = is_decision_of_kind(scope, BROUGHT_IN).take(chosen)
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
