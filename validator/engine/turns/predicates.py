"""Predicates of the betting, of positions and of playing seats, over columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Tri
from validator.engine.betting.actions_recorded import given_up
from validator.engine.betting.positions import Where, position
from validator.engine.betting.replay import Play, betting_of, last_bettor
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of, several
from validator.engine.timeline.last_actions import betting_acts, goes_on
from validator.engine.turns.left_open import left_open
from validator.language.operands import AT_THE_END


def where(scope: Scope, name: str) -> Where:
    """Return the row of a position in every round, ABSENT if no seat has it, and whether it is known."""
    return position(scope, name, last_bettor)


def is_position(scope: Scope, name: str) -> Tri:
    """Return whether each seat holds the position.

    Returns:
        uint8[seats].
    """
    rows, known = where(scope, name)
    owner, row = scope.batch.seats.round, seating(scope).row
    return kleene.where_known((row != ABSENT) & (row == rows[owner]), known[owner])


def in_betting_round(scope: Scope, operand: Sequence[str]) -> Tri:
    """Return whether each event happened in one of the betting rounds."""
    play = betting_of(scope)
    selected = [betting_round.round in operand for betting_round in scope.prepared.betting.rounds]
    return kleene.where_known(np.array(selected)[play.states.street[play.at]], play.recorded[scope.batch.events.round])


def betting_word(scope: Scope, word: str) -> Tri:
    """Return whether a predicate holds at each event; `contends-at-the-end` is evaluated for each seat."""
    if word == AT_THE_END:
        return _is_contender(scope)
    yes, known = _PREDICATES[word](scope, betting_of(scope))
    return kleene.where_known(yes, known)


Said = tuple[Flags, Flags]


def _is_turn_known(scope: Scope, play: Play) -> Flags:
    return play.amounts & play.turns


def of_seat(play: Play) -> Flags:
    """Return whether the state of the event's own seat is known.

    Returns:
        bool[events].
    """
    return play.own & (play.row != ABSENT)


def _is_open(scope: Scope, play: Play) -> Said:
    return play.due != ABSENT, _is_turn_known(scope, play)


def _is_left_open(scope: Scope, play: Play) -> Said:
    return left_open(scope, play), _is_turn_known(scope, play)


def _does_act_next(scope: Scope, play: Play) -> Said:
    return play.leads, play.amounts


def _is_out_of_order(scope: Scope, play: Play) -> Said:
    return play.states.out_of_order[play.at], _is_turn_known(scope, play) & play.own


def _is_in_turn(scope: Scope, play: Play) -> Said:
    mine = (play.row != ABSENT) & (play.due == play.row)
    return mine, _is_turn_known(scope, play) & _is_seat_known(scope, play)


def _is_seat_known(scope: Scope, play: Play) -> Flags:
    """Return whether an event has a seat whose state is known; a seat that does not play is not in."""
    return play.own & (scope.batch.events.seat != ABSENT)


def _is_still_in(scope: Scope, play: Play) -> Said:
    return play.states.still_in[play.at], play.amounts & _is_seat_known(scope, play)


def _is_giving_up(scope: Scope, play: Play) -> Said:
    result, chosen = np.zeros(len(play.at), bool), given_up(scope)
    # A hand that still acts was not folded without a word.
    result[chosen.compress(~goes_on(scope, chosen, betting_acts(scope)))] = True
    return result, play.amounts & _is_seat_known(scope, play)


def _is_facing_bet(scope: Scope, play: Play) -> Said:
    states = play.states
    return states.level[play.at] > states.put[play.at], play.amounts & of_seat(play)


def _is_unopened(scope: Scope, play: Play) -> Said:
    return play.states.level[play.at] == 0, play.amounts


def _may_raise_bet(scope: Scope, play: Play) -> Said:
    states, most = play.states, scope.prepared.betting.sizes.raises
    open_to = states.may_raise[play.at]
    # A seat that has not acted in the betting round may raise, whichever raises reopen it.
    recorded = play.reopened[scope.batch.events.round] | ~states.acted[play.at]
    if most is not None:
        capped = states.raises[play.at] >= most
        open_to, recorded = open_to & ~capped, recorded | capped
    return open_to, play.amounts & of_seat(play) & recorded


def _is_all_in(scope: Scope, play: Play) -> Said:
    stack = scope.batch.seats.stack
    recorded = of_seat(play) & play.told
    recorded[recorded] = stack[scope.batch.events.seat[recorded]] != ABSENT
    return (play.put_in > 0) & (play.put_in >= play.states.behind[play.at]), recorded


def _is_contested(scope: Scope, play: Play) -> Said:
    return several(play.states.players[play.at]), play.amounts


def _is_option_owed(scope: Scope, play: Play) -> Said:
    return play.states.option[play.at], _is_turn_known(scope, play)


def _is_option_moot(scope: Scope, play: Play) -> Said:
    return play.states.moot[play.at], _is_turn_known(scope, play) & of_seat(play)


def _is_check_raising(scope: Scope, play: Play) -> Said:
    states = play.states
    beyond = states.put[play.at] + play.put_in > states.level[play.at]
    return states.checked[play.at] & beyond, play.told & of_seat(play)


def _has_more_to_come(scope: Scope, play: Play) -> Said:
    owner, street = scope.batch.events.round, play.states.street[play.at]
    follows = street < play.states.street[play.ends][owner]
    last = street == len(scope.prepared.betting.rounds) - 1
    return follows & play.states.able[play.at], _is_turn_known(scope, play) & (
        follows | last | scope.batch.complete[owner]
    )


_PREDICATES: dict[str, Callable[[Scope, Play], Said]] = {
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


def _is_contender(scope: Scope) -> Tri:
    """Return whether a seat did not fold, and some other seat neither folded nor conceded, or it conceded itself."""
    play, owner = betting_of(scope), scope.batch.seats.round
    left, conceded = play.over.players[owner], play.over.conceded[owner]
    own = bit_of(seating(scope).row)
    stayed = ((left | conceded) & own) != 0
    alone = ~several(left) & ((left & own) != 0)
    return kleene.where_known(stayed & ~alone, play.whole[owner])
