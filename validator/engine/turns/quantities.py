"""Quantities of the betting at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.betting_terms import fixed_limit
from validator.engine.betting.decision_kinds import BROUGHT_IN, COMPLETIONS, PASSES
from validator.engine.betting.largest_call import largest_answer
from validator.engine.betting.replay import Play, betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.core.first_case import first_holding
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_sets import size
from validator.engine.timeline.last_actions import decided
from validator.engine.turns.predicates import of_seat
from validator.evidence.handlog.events import KIND
from validator.rules.model.betting import LeastRaise

Item = TypeVar("Item", bound=np.generic)
Numbers = tuple[Ints, Flags]
"""Values at each event, int64[events], and whether they are known."""


@fact
def betting_number(scope: Scope, name: str) -> Numbers:
    """Return a quantity of the betting at each event: amounts in minor units, or counts."""
    return _QUANTITIES[name](scope, betting_of(scope))


def _find_chips_put_in(scope: Scope, play: Play) -> Numbers:
    # An action without chips puts in nothing, even if the rest of the betting is unknown.
    nothing = (play.put_in == 0) & decided(scope, PASSES)
    return play.put_in, play.told | nothing


def _find_total_bet(scope: Scope, play: Play) -> Numbers:
    return play.states.put[play.at] + play.put_in, play.told & of_seat(play)


def _find_amount_to_call(scope: Scope, play: Play) -> Numbers:
    return _find_lacking(play), play.amounts & of_seat(play)


def _find_lacking(play: Play) -> Ints:
    states = play.states
    return np.maximum(states.level[play.at] - states.put[play.at], 0)


def _find_current_bet(scope: Scope, play: Play) -> Numbers:
    return play.states.level[play.at], play.amounts


def _find_raise(scope: Scope, play: Play) -> Numbers:
    states = play.states
    beyond = states.put[play.at] + play.put_in - states.level[play.at]
    return np.maximum(beyond, 0), play.told & of_seat(play)


def _find_last_raise(scope: Scope, play: Play) -> Numbers:
    result = play.states.last_raise[play.at]
    # If the smallest bet is unknown, the first bet sets the size of the next raise.
    return result, play.amounts & (_select_street(scope, play, play.sized) | (result > 0))


def _select_street(scope: Scope, play: Play, values: NDArray[Item]) -> NDArray[Item]:
    """Return values of each betting round, [B, rounds], at the events."""
    result: NDArray[Item] = values[play.states.street[play.at], scope.batch.events.round]
    return result


def _find_smallest_bet(scope: Scope, play: Play) -> Numbers:
    return _select_street(scope, play, play.smallest), play.amounts & _select_street(scope, play, play.sized)


def _find_smallest_raise(scope: Scope, play: Play) -> Numbers:
    betting, owner = scope.prepared.betting, scope.batch.events.round
    last, last_told = _find_last_raise(scope, play)
    rounds = len(scope.batch)

    def by_case(case: LeastRaise) -> tuple[Ints, Flags]:
        if case.operator == "as-last":
            return np.full(rounds, ABSENT, np.int64), np.ones(rounds, bool)
        low, high = scope.bounds(case.operand, "round")
        return low, low == high

    least, recorded = first_holding(scope, betting.sizes.raise_, by_case, np.zeros(rounds, np.int64))
    result, known = least[owner], recorded[owner] & play.amounts
    as_last = result == ABSENT
    result, known = np.where(as_last, last, result), np.where(as_last, known & last_told, known)
    return _adjust_completions(scope, play, *_choose_where_fixed(scope, play, result, known, _find_least_fixed))


def _find_largest_raise(scope: Scope, play: Play) -> Numbers:
    """Return by how much the seat may exceed the bet."""
    sizes = scope.prepared.betting.sizes
    lacking, recorded = _find_amount_to_call(scope, play)
    if sizes.most == "pot":
        most, known = play.states.pot[play.at] + lacking, recorded
    else:
        behind, known = _find_stack_left(scope, play)
        most = np.maximum(behind - lacking, 0)
    if sizes.limit is not None:
        low, high = (bound[scope.batch.events.round] for bound in scope.bounds(sizes.limit, "round"))
        # A limit below the pot or stack decides even if these are unknown.
        known = (known & (low == high)) | ((low == high) & (most >= high) & recorded)
        most = np.minimum(most, high)
    return _adjust_completions(scope, play, *_choose_where_fixed(scope, play, most, known, _find_most_fixed))


def _choose_where_fixed(
    scope: Scope, play: Play, free: Ints, known: Flags, fixed: Callable[[Scope, Play], Numbers]
) -> Numbers:
    """Return the size of raises: from `fixed` in betting rounds with a fixed size, else `free`."""
    rounds = scope.prepared.betting.rounds
    if all(betting_round.size is None for betting_round in rounds):
        return free, known
    limit = fixed_limit(scope)[scope.batch.events.round]
    at = np.array([betting_round.size is not None for betting_round in rounds])[play.states.street[play.at]] & (
        limit != NO
    )
    size, sized = fixed(scope, play)
    half = _select_street(scope, play, play.half)
    size = np.where(half > 0, _find_step_to_next_bet(scope, play), size)
    return np.where(at, size, free), np.where(at, sized & (limit == YES), known)


def _find_step_to_next_bet(scope: Scope, play: Play) -> Ints:
    """Return the distance from the bet to the next multiple of the size; half a bet or more counts as a whole bet."""
    size = np.maximum(_select_street(scope, play, play.smallest), 1)
    level = play.states.level[play.at]
    return ((2 * level + size) // (2 * size) + 1) * size - level


def _find_least_fixed(scope: Scope, play: Play) -> Numbers:
    """Return the fixed size, or the larger size once it was chosen."""
    size, sized = _find_smallest_bet(scope, play)
    larger, recorded = _find_larger_size(scope, play)
    chosen = (larger > size) & (play.states.last_raise[play.at] >= larger)
    return np.where(chosen, larger, size), sized & recorded


def _find_most_fixed(scope: Scope, play: Play) -> Numbers:
    """Return the fixed size, or the larger size if it may be chosen."""
    size, sized = _find_smallest_bet(scope, play)
    larger, recorded = _find_larger_size(scope, play)
    return np.maximum(size, larger), sized & recorded


def _find_larger_size(scope: Scope, play: Play) -> Numbers:
    """Return the larger size that may be chosen in the betting round of each event; 0 if none may."""
    result, known = [], []
    for betting_round in scope.prepared.betting.rounds:
        size, recorded = np.zeros(len(scope.batch), np.int64), np.ones(len(scope.batch), bool)
        if betting_round.or_larger is not None:
            low, high = scope.bounds(betting_round.or_larger.size, "round")
            open_ = scope.truth(betting_round.or_larger.when, "round")
            size, recorded = np.where(open_ == YES, low, 0), (open_ == NO) | ((open_ == YES) & (low == high))
        result.append(size)
        known.append(recorded)
    return _select_street(scope, play, np.array(result)), _select_street(scope, play, np.array(known))


def _adjust_completions(scope: Scope, play: Play, size: Ints, known: Flags) -> Numbers:
    """Return the size of raises; for an action that completes a bet, what the bet lacks to the smallest bet."""
    if not any(decision.kind in COMPLETIONS for decision in scope.prepared.game.decisions.values()):
        return size, known
    completing = decided(scope, COMPLETIONS)
    smallest, sized = _find_smallest_bet(scope, play)
    lacking = np.maximum(smallest - play.states.level[play.at], 0)
    return np.where(completing, lacking, size), np.where(completing, sized, known)


def _find_stack_left(scope: Scope, play: Play) -> Numbers:
    recorded = play.amounts & of_seat(play)
    recorded[recorded] = scope.batch.seats.stack[scope.batch.events.seat[recorded]] != ABSENT
    return play.states.behind[play.at], recorded


def _count_voluntary_wagers(scope: Scope, play: Play) -> Numbers:
    events = scope.batch.events
    willing = (events.kind == KIND["decide"]) & ~decided(scope, BROUGHT_IN)
    put = willing & (play.row != ABSENT) & (play.put_in > 0)
    ahead = np.concatenate([[0], np.cumsum(put)])
    return ahead[:-1] - ahead[events.offsets[events.round]], play.amounts


def _build_count(values: Callable[[Play], NDArray[Any]]) -> Callable[[Scope, Play], Numbers]:
    """Build a function that returns a number of the state that does not depend on the seat."""
    return lambda _, play: (values(play)[play.at].astype(np.int64), play.amounts)


_QUANTITIES: dict[str, Callable[[Scope, Play], Numbers]] = {
    "put-in": _find_chips_put_in,
    "bets-to": _find_total_bet,
    "to-call": _find_amount_to_call,
    "level": _find_current_bet,
    "raise-by": _find_raise,
    "last-raise": _find_last_raise,
    "smallest-bet": _find_smallest_bet,
    "smallest-raise": _find_smallest_raise,
    "largest-raise": _find_largest_raise,
    "largest-answer": largest_answer,
    "behind": _find_stack_left,
    "pot": _build_count(lambda play: play.states.pot),
    "raises": _build_count(lambda play: play.states.raises),
    "players-in": _build_count(lambda play: size(play.states.players)),
    "voluntary-wagers": _count_voluntary_wagers,
    "voluntary-players": _build_count(lambda play: play.states.voluntary),
}
