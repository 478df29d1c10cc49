"""Predicates of the betting, of positions and of playing seats, over columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Truths
from validator.engine.betting.actions_recorded import silent_folds
from validator.engine.betting.positions import PositionRows, locate_position
from validator.engine.betting.replay import BettingReplay, find_last_bettor, replay_betting
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.seats.seat_order import seat_layout
from validator.engine.seats.seat_sets import has_several_seats, mask_of_seat
from validator.engine.timeline.last_actions import betting_decisions, has_later_act
from validator.engine.turns.left_open import is_betting_left_open
from validator.language.operands import CONTENDS_AT_THE_END


def find_position_rows(scope: EvaluationContext, name: str) -> PositionRows:
    """Return the row of a position in every round, ABSENT if no seat has it, and whether it is known."""
    return locate_position(scope, name, find_last_bettor)


def is_position(scope: EvaluationContext, name: str) -> Truths:
    """Return whether each seat holds the position.

    Returns:
        uint8[seats].
    """
    rows, known = find_position_rows(scope, name)
    owner, row = scope.batch.seats.round, seat_layout(scope).row_of_seat
    return kleene.where_known((row != ABSENT) & (row == rows[owner]), known[owner])


def is_in_betting_round(scope: EvaluationContext, operand: Sequence[str]) -> Truths:
    """Return whether each event happened in one of the betting rounds."""
    play = replay_betting(scope)
    selected = [betting_round.round in operand for betting_round in scope.compiled_game.betting.rounds]
    return kleene.where_known(
        np.array(selected)[play.snapshots.street[play.snapshot_index]], play.is_recorded[scope.batch.events.round]
    )


def evaluate_replay_predicate(scope: EvaluationContext, word: str) -> Truths:
    """Return whether a predicate holds at each event; `contends-at-the-end` is evaluated for each seat."""
    if word == CONTENDS_AT_THE_END:
        return _is_contender(scope)
    yes, known = _PREDICATES[word](scope, replay_betting(scope))
    return kleene.where_known(yes, known)


KnownFlags = tuple[Flags, Flags]


def _is_turn_known(scope: EvaluationContext, play: BettingReplay) -> Flags:
    return play.amounts_known_before & play.is_turn_known


def is_seat_state_known(play: BettingReplay) -> Flags:
    """Return whether the state of the event's own seat is known.

    Returns:
        bool[events].
    """
    return play.has_own_snapshot & (play.row != ABSENT)


def _is_open(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.seat_to_act != ABSENT, _is_turn_known(scope, play)


def _is_left_open(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return is_betting_left_open(scope, play), _is_turn_known(scope, play)


def _does_act_next(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.precedes_own_action, play.amounts_known_before


def _is_out_of_order(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.snapshots.out_of_order[play.snapshot_index], _is_turn_known(scope, play) & play.has_own_snapshot


def _is_in_turn(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    mine = (play.row != ABSENT) & (play.seat_to_act == play.row)
    return mine, _is_turn_known(scope, play) & _is_seat_known(scope, play)


def _is_seat_known(scope: EvaluationContext, play: BettingReplay) -> Flags:
    """Return whether an event has a seat whose state is known; a seat that does not play is not in."""
    return play.has_own_snapshot & (scope.batch.events.seat != ABSENT)


def _is_still_in(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.snapshots.still_in[play.snapshot_index], play.amounts_known_before & _is_seat_known(scope, play)


def _is_giving_up(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    result, chosen = np.zeros(len(play.snapshot_index), bool), silent_folds(scope)
    # A hand that still acts was not folded without a word.
    result[chosen.compress(~has_later_act(scope, chosen, betting_decisions(scope)))] = True
    return result, play.amounts_known_before & _is_seat_known(scope, play)


def _is_facing_bet(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    states = play.snapshots
    return states.current_bet[play.snapshot_index] > states.committed[
        play.snapshot_index
    ], play.amounts_known_before & is_seat_state_known(play)


def _is_unopened(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.snapshots.current_bet[play.snapshot_index] == 0, play.amounts_known_before


def _may_raise_bet(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    states, most = play.snapshots, scope.compiled_game.betting.sizes.raises
    open_to = states.may_raise[play.snapshot_index]
    # A seat that has not acted in the betting round may raise, whichever raises reopen it.
    recorded = play.is_reopening_known[scope.batch.events.round] | ~states.has_acted[play.snapshot_index]
    if most is not None:
        capped = states.raise_count[play.snapshot_index] >= most
        open_to, recorded = open_to & ~capped, recorded | capped
    return open_to, play.amounts_known_before & is_seat_state_known(play) & recorded


def _is_all_in(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    stack = scope.batch.seats.stack
    recorded = is_seat_state_known(play) & play.amounts_known
    recorded[recorded] = stack[scope.batch.events.seat[recorded]] != ABSENT
    return (play.chips_put_in > 0) & (play.chips_put_in >= play.snapshots.stack_left[play.snapshot_index]), recorded


def _is_contested(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return has_several_seats(play.snapshots.players_in[play.snapshot_index]), play.amounts_known_before


def _is_option_owed(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.snapshots.is_option_owed[play.snapshot_index], _is_turn_known(scope, play)


def _is_option_moot(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.snapshots.is_option_moot[play.snapshot_index], _is_turn_known(scope, play) & is_seat_state_known(play)


def _is_check_raising(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    states = play.snapshots
    beyond = states.committed[play.snapshot_index] + play.chips_put_in > states.current_bet[play.snapshot_index]
    return states.has_checked[play.snapshot_index] & beyond, play.amounts_known & is_seat_state_known(play)


def _has_more_to_come(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    owner, street = scope.batch.events.round, play.snapshots.street[play.snapshot_index]
    follows = street < play.snapshots.street[play.end_index][owner]
    last = street == len(scope.compiled_game.betting.rounds) - 1
    return follows & play.snapshots.can_bet_continue[play.snapshot_index], _is_turn_known(scope, play) & (
        follows | last | scope.batch.complete[owner]
    )


_PREDICATES: dict[str, Callable[[EvaluationContext, BettingReplay], KnownFlags]] = {
    "open": _is_open,
    "left-open": _is_left_open,
    "in-turn": _is_in_turn,
    "out-of-order": _is_out_of_order,
    "acts-next": _does_act_next,
    "still-in": _is_still_in,
    "gives-up": _is_giving_up,
    "faced": _is_facing_bet,
    "unopened": _is_unopened,
    "may-raise": _may_raise_bet,
    "all-in": _is_all_in,
    "contested": _is_contested,
    "option-owed": _is_option_owed,
    "option-moot": _is_option_moot,
    "check-raising": _is_check_raising,
    "more-to-come": _has_more_to_come,
}


def _is_contender(scope: EvaluationContext) -> Truths:
    """Return whether a seat did not fold, and some other seat neither folded nor conceded, or it conceded itself."""
    play, owner = replay_betting(scope), scope.batch.seats.round
    left, conceded = play.final_state.players_in[owner], play.final_state.conceded[owner]
    own = mask_of_seat(seat_layout(scope).row_of_seat)
    stayed = ((left | conceded) & own) != 0
    alone = ~has_several_seats(left) & ((left & own) != 0)
    return kleene.where_known(stayed & ~alone, play.is_fully_known[owner])
