"""Quantities of the betting at some events of a batch: amounts in minor units, and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints32, find_true, has_any
from fairdeal.validator.engine.betting import recorded_betting
from fairdeal.validator.engine.betting.betting_predicates import is_seat_state_known, is_stack_recorded
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, replay_betting
from fairdeal.validator.engine.betting.betting_snapshots import DEAD, BettingSnapshots
from fairdeal.validator.engine.betting.betting_terms import is_fixed_limit
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import count_seats, mask_of_seat, seat_layout
from fairdeal.validator.engine.timeline.recorded_acts import is_decision_of_kind
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.betting_model import LeastRaise

Item = TypeVar("Item", bound=np.generic)
EventNumbers = tuple[Ints, Flags]
"""Values at some events, int64[m], and whether they are known."""


class BettingAtEvents(Struct, frozen=True, kw_only=True):
    """Betting at some events of a batch. All arrays have one entry for each of the events."""

    scope: EvaluationContext
    """Rounds of the events."""
    replay: BettingReplay
    """Betting of all events."""
    events: Ints
    """The events."""
    snapshot_index: Ints
    """Snapshot of each event."""

    @property
    def snapshots(self) -> BettingSnapshots:
        """Snapshots of the batch."""
        return self.replay.snapshots

    def select(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return the values of the events, of values of all events."""
        return values.take(self.events)

    def select_state(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return the values of the events, of values of all snapshots."""
        return values.take(self.snapshot_index)

    def select_round(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return the values of the events, of values of all rounds."""
        return values.take(self.rounds)

    def select_street(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return the values of the events, of values of each betting round, [B, rounds]."""
        return values.reshape(-1).take(self.locate_streets())

    def locate_streets(self) -> Ints:
        """Return the index of the betting round and the round of each event in a flat array of [B, rounds]."""
        return self.select_state(self.snapshots.street) * np.int64(len(self.scope.batch)) + self.rounds

    @property
    def rounds(self) -> Ints32:
        """Round of each event."""
        return self.select(self.scope.batch.events.round)

    @property
    def chips_put_in(self) -> Ints:
        """Chips that each event puts in."""
        return self.select(self.replay.chips_put_in)

    @property
    def amounts_known_before(self) -> Flags:
        """True if all chips put in before the event are known."""
        return self.select(self.replay.amounts_known_before)

    @property
    def is_state_known(self) -> Flags:
        """True if the chips put in before the event and the state of its seat are known."""
        return self.amounts_known_before & self._is_seat_known

    @property
    def is_action_known(self) -> Flags:
        """True if the event's own chips are known as well."""
        return self.select(self.replay.amounts_known) & self._is_seat_known

    @property
    def _is_seat_known(self) -> Flags:
        return self.select(is_seat_state_known(self.replay))

    def is_of_kind(self, kinds: frozenset[str]) -> Flags:
        """Return whether the decision of each event is of some kinds."""
        return self.select(is_decision_of_kind(self.scope, kinds))


def evaluate_replay_quantity(scope: EvaluationContext, name: str, events: Ints | None = None) -> EventNumbers:
    """Return a quantity of the betting at some events, or at all: amounts in minor units, or counts."""
    replay = replay_betting(scope)
    if events is None:
        events = np.arange(scope.count_items("event"))
    return _QUANTITIES[name](
        BettingAtEvents(scope=scope, replay=replay, events=events, snapshot_index=replay.snapshot_index.take(events))
    )


def _find_chips_put_in(play: BettingAtEvents) -> EventNumbers:
    # An action without chips puts in nothing, even if the rest of the betting is unknown.
    put_in = play.chips_put_in
    nothing = (put_in == 0) & play.is_of_kind(recorded_betting.PASSES)
    return put_in, play.select(play.replay.amounts_known) | nothing


def _find_total_bet(play: BettingAtEvents) -> EventNumbers:
    return play.select_state(play.snapshots.committed) + play.chips_put_in, play.is_action_known


def _find_amount_to_call(play: BettingAtEvents) -> EventNumbers:
    lacking = play.snapshots.current_bet - play.snapshots.committed
    return np.maximum(play.select_state(lacking), 0), play.is_state_known


def _find_raise(play: BettingAtEvents) -> EventNumbers:
    beyond = play.chips_put_in + play.select_state(play.snapshots.committed - play.snapshots.current_bet)
    return np.maximum(beyond, 0), play.is_action_known


def _find_last_raise(play: BettingAtEvents) -> EventNumbers:
    result = play.select_state(play.snapshots.last_raise)
    # If the smallest bet is unknown, the first bet sets the size of the next raise.
    is_sized = play.select_street(play.replay.is_smallest_bet_known) | (result > 0)
    return result, play.amounts_known_before & is_sized


def _find_smallest_bet(play: BettingAtEvents) -> EventNumbers:
    is_sized = play.select_street(play.replay.is_smallest_bet_known)
    return play.select_street(play.replay.smallest_bet), play.amounts_known_before & is_sized


def _find_smallest_raise(play: BettingAtEvents) -> EventNumbers:
    last, is_last_known = _find_last_raise(play)
    scope, rounds = play.scope, len(play.scope.batch)

    def by_case(case: LeastRaise) -> tuple[Ints, Flags]:
        if case.operator == "as-last":
            return np.full(rounds, ABSENT, np.int64), np.ones(rounds, bool)
        low, high = scope.compute_bounds(case.operand, "round")
        return low, low == high

    sizes = scope.compiled_game.betting.sizes
    least, recorded = select_first_case(scope, sizes.raise_, by_case, np.zeros(rounds, np.int64))
    result, known = play.select_round(least), play.select_round(recorded) & play.amounts_known_before
    as_last = result == ABSENT
    result, known = np.where(as_last, last, result), np.where(as_last, known & is_last_known, known)
    return _adjust_completions(play, *_choose_where_fixed(play, result, known, _find_least_fixed))


def _find_largest_raise(play: BettingAtEvents) -> EventNumbers:
    """Return by how much the seat may exceed the bet."""
    sizes = play.scope.compiled_game.betting.sizes
    lacking, recorded = _find_amount_to_call(play)
    if sizes.most == "pot":
        most, known = play.select_state(play.snapshots.pot) + lacking, recorded
    else:
        behind, known = _find_stack_left(play)
        most = np.maximum(behind - lacking, 0)
    if sizes.limit is not None:
        low, high = map(play.select_round, play.scope.compute_bounds(sizes.limit, "round"))
        # A limit below the pot or stack decides even if these are unknown.
        known = (known & (low == high)) | ((low == high) & (most >= high) & recorded)
        most = np.minimum(most, high)
    return _adjust_completions(play, *_choose_where_fixed(play, most, known, _find_most_fixed))


def _choose_where_fixed(
    play: BettingAtEvents, free: Ints, known: Flags, fixed: Callable[[BettingAtEvents], EventNumbers]
) -> EventNumbers:
    """Return the size of raises: from `fixed` in betting rounds with a fixed size, else `free`."""
    is_sized = np.array([street.size is not None for street in play.scope.compiled_game.betting.rounds])
    if not has_any(is_sized):
        return free, known
    limit = play.select_round(is_fixed_limit(play.scope))
    at = play.select_state(is_sized[play.snapshots.street]) & (limit != NO)
    if not has_any(at):
        return free, known
    size, sized = fixed(play)
    result = np.where(at, size, free)
    by_half = at & (play.select_street(play.replay.half_bet) > 0)
    result = np.where(by_half, _find_step_to_next_bet(play), result)
    return result, np.where(at, sized & (limit == YES), known)


def _find_step_to_next_bet(play: BettingAtEvents) -> Ints:
    """Return the distance from the bet to the next multiple of the size; half a bet or more counts as a whole bet."""
    size = np.maximum(play.select_street(play.replay.smallest_bet), 1)
    level = play.select_state(play.snapshots.current_bet)
    return ((2 * level + size) // (2 * size) + 1) * size - level


def _find_least_fixed(play: BettingAtEvents) -> EventNumbers:
    """Return the fixed size, or the larger size once it was chosen."""
    size, sized = _find_smallest_bet(play)
    larger, recorded = _find_larger_size(play)
    chosen = (larger > size) & (play.select_state(play.snapshots.last_raise) >= larger)
    return np.where(chosen, larger, size), sized & recorded


def _find_most_fixed(play: BettingAtEvents) -> EventNumbers:
    """Return the fixed size, or the larger size if it may be chosen."""
    size, sized = _find_smallest_bet(play)
    larger, recorded = _find_larger_size(play)
    return np.maximum(size, larger), sized & recorded


def _find_larger_size(play: BettingAtEvents) -> EventNumbers:
    """Return the larger size that may be chosen in the betting round of each event; 0 if none may."""
    scope, result, known = play.scope, [], []
    for betting_round in scope.compiled_game.betting.rounds:
        size, recorded = np.zeros(len(scope.batch), np.int64), np.ones(len(scope.batch), bool)
        if betting_round.or_larger is not None:
            low, high = scope.compute_bounds(betting_round.or_larger.size, "round")
            open_ = scope.evaluate(betting_round.or_larger.when, "round")
            size, recorded = np.where(open_ == YES, low, 0), (open_ == NO) | ((open_ == YES) & (low == high))
        result.append(size)
        known.append(recorded)
    return play.select_street(np.array(result)), play.select_street(np.array(known))


def _adjust_completions(play: BettingAtEvents, size: Ints, known: Flags) -> EventNumbers:
    """Return the size of raises; for an action that completes a bet, what the bet lacks to the smallest bet."""
    decisions = play.scope.compiled_game.game.decisions.values()
    if not any(decision.kind in recorded_betting.COMPLETIONS for decision in decisions):
        return size, known
    completing = play.is_of_kind(recorded_betting.COMPLETIONS)
    smallest, sized = _find_smallest_bet(play)
    lacking = np.maximum(smallest - play.select_state(play.snapshots.current_bet), 0)
    return np.where(completing, lacking, size), np.where(completing, sized, known)


def _find_stack_left(play: BettingAtEvents) -> EventNumbers:
    recorded = play.is_state_known & play.select(is_stack_recorded(play.scope))
    return play.select_state(play.snapshots.stack_left), recorded


def _count_voluntary_wagers(play: BettingAtEvents) -> EventNumbers:
    events, replay = play.scope.batch.events, play.replay
    willing = (events.kind == KIND_CODES["decide"]) & ~is_decision_of_kind(play.scope, recorded_betting.BROUGHT_IN)
    put = willing & (replay.row != ABSENT) & (replay.chips_put_in > 0)
    ahead = np.concatenate([[0], np.cumsum(put)])
    return play.select(ahead) - ahead[play.select_round(events.offsets)], play.amounts_known_before


def _build_count(
    values: Callable[[BettingSnapshots], NDArray[Any]],
) -> Callable[[BettingAtEvents], EventNumbers]:
    """Build a function that returns a number of the state that does not depend on the seat."""
    return lambda play: (play.select_state(values(play.snapshots)).astype(np.int64), play.amounts_known_before)


def _find_largest_answer(play: BettingAtEvents) -> EventNumbers:
    """Return the most that another seat still in has in and behind, 0 if none."""
    scope, row = play.scope, play.select(play.replay.row)
    known = play.amounts_known_before & (row != ABSENT) & play.select_round(seat_layout(scope).are_stacks_known)
    others = play.select_state(play.snapshots.players_in) & ~mask_of_seat(row)
    streets, most = play.locate_streets(), np.zeros(len(row), np.int64)
    for number, stacks in enumerate(_stacks_at_start(scope)):
        is_other = (others >> np.uint32(number)) & np.uint32(1)
        np.maximum(most, stacks.reshape(-1).take(streets) * is_other, out=most)
    return np.where(known, most, 0), known


@cached_fact
def _stacks_at_start(scope: EvaluationContext) -> Ints:
    """Return the chips of each row at the start of each betting round, less dead chips put in during it.

    Returns:
        int64[S, B, rounds].
    """
    play, record = replay_betting(scope), recorded_betting.betting_actions(scope)
    seats, events = seat_layout(scope), scope.batch.events
    streets = len(play.smallest_bet)
    spent = np.zeros((*seats.stacks.shape[:1], streets, len(scope.batch)), np.int64)
    chosen = find_true((record.op >= DEAD) & (events.seat[record.events] != ABSENT))
    at = record.events[chosen]
    row, street = play.row[at], play.snapshots.street[play.snapshot_index[at]].astype(np.int64)
    inside = row != ABSENT
    at, row, street, amount = at[inside], row[inside], street[inside], record.amount[chosen][inside]
    # Chips of one betting round are gone when the next begins; dead chips are gone at once.
    street = street + (record.op[chosen][inside] != DEAD)
    here = street < streets
    # One index is several times as fast as three.
    cell = np.ravel_multi_index((row[here], street[here], events.round[at[here]]), spent.shape)
    np.add.at(spent.reshape(-1), cell, amount[here])
    return np.maximum(seats.stacks[:, None, :] - spent.cumsum(axis=1), 0)


_QUANTITIES: dict[str, Callable[[BettingAtEvents], EventNumbers]] = {
    "put-in": _find_chips_put_in,
    "bets-to": _find_total_bet,
    "to-call": _find_amount_to_call,
    "level": _build_count(lambda states: states.current_bet),
    "raise-by": _find_raise,
    "last-raise": _find_last_raise,
    "smallest-bet": _find_smallest_bet,
    "smallest-raise": _find_smallest_raise,
    "largest-raise": _find_largest_raise,
    "largest-answer": _find_largest_answer,
    "behind": _find_stack_left,
    "pot": _build_count(lambda states: states.pot),
    "raises": _build_count(lambda states: states.raise_count),
    "players-in": _build_count(lambda states: count_seats(states.players_in)),
    "voluntary-wagers": _count_voluntary_wagers,
    "voluntary-players": _build_count(lambda states: states.voluntary_count),
}
