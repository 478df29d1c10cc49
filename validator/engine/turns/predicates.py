"""What is said of the betting, of positions and of who takes part, over columns."""

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
    """The row of a position in every round, ABSENT where no seat has it, and where that is known."""
    return position(scope, name, last_bettor)


def is_position(scope: Scope, name: str) -> Tri:
    """Whether each seat is the one that has a position."""
    rows, known = where(scope, name)
    owner, row = scope.batch.seats.round, seating(scope).row
    return kleene.where_known((row != ABSENT) & (row == rows[owner]), known[owner])


def in_betting_round(scope: Scope, operand: Sequence[str]) -> Tri:
    """Whether each event happened in one of some betting rounds."""
    play = betting_of(scope)
    asked = [betting_round.round in operand for betting_round in scope.prepared.betting.rounds]
    return kleene.where_known(np.array(asked)[play.states.street[play.at]], play.recorded[scope.batch.events.round])


def betting_word(scope: Scope, word: str) -> Tri:
    """Whether a word holds of the betting at each event; `contends-at-the-end`, of each seat."""
    if word == AT_THE_END:
        return _contends(scope)
    yes, known = _WORDS[word](scope, betting_of(scope))
    return kleene.where_known(yes, known)


Said = tuple[Flags, Flags]


def _turns(scope: Scope, play: Play) -> Flags:
    return play.amounts & play.turns


def of_seat(play: Play) -> Flags:
    """bool[events]: where the state is known of the event's own seat."""
    return play.own & (play.row != ABSENT)


def _open(scope: Scope, play: Play) -> Said:
    return play.due != ABSENT, _turns(scope, play)


def _left_open(scope: Scope, play: Play) -> Said:
    return left_open(scope, play), _turns(scope, play)


def _acts_next(scope: Scope, play: Play) -> Said:
    return play.leads, play.amounts


def _out_of_order(scope: Scope, play: Play) -> Said:
    return play.states.out_of_order[play.at], _turns(scope, play) & play.own


def _in_turn(scope: Scope, play: Play) -> Said:
    mine = (play.row != ABSENT) & (play.due == play.row)
    return mine, _turns(scope, play) & _named(scope, play)


def _named(scope: Scope, play: Play) -> Flags:
    """Where an event has a seat and the state is known of it; a seat that takes no part is none that is in."""
    return play.own & (scope.batch.events.seat != ABSENT)


def _still_in(scope: Scope, play: Play) -> Said:
    return play.states.still_in[play.at], play.amounts & _named(scope, play)


def _gives_up(scope: Scope, play: Play) -> Said:
    result, chosen = np.zeros(len(play.at), bool), given_up(scope)
    # What is said afterwards is no fold without a word.
    result[chosen.compress(~goes_on(scope, chosen, betting_acts(scope)))] = True
    return result, play.amounts & _named(scope, play)


def _faced(scope: Scope, play: Play) -> Said:
    states = play.states
    return states.level[play.at] > states.put[play.at], play.amounts & of_seat(play)


def _unopened(scope: Scope, play: Play) -> Said:
    return play.states.level[play.at] == 0, play.amounts


def _may_raise(scope: Scope, play: Play) -> Said:
    states, most = play.states, scope.prepared.betting.sizes.raises
    open_to = states.may_raise[play.at]
    # Who has not acted in the betting round may raise, whichever raises open it again.
    recorded = play.reopened[scope.batch.events.round] | ~states.acted[play.at]
    if most is not None:
        capped = states.raises[play.at] >= most
        open_to, recorded = open_to & ~capped, recorded | capped
    return open_to, play.amounts & of_seat(play) & recorded


def _all_in(scope: Scope, play: Play) -> Said:
    stack = scope.batch.seats.stack
    recorded = of_seat(play) & play.told
    recorded[recorded] = stack[scope.batch.events.seat[recorded]] != ABSENT
    return (play.put_in > 0) & (play.put_in >= play.states.behind[play.at]), recorded


def _contested(scope: Scope, play: Play) -> Said:
    return several(play.states.players[play.at]), play.amounts


def _option_owed(scope: Scope, play: Play) -> Said:
    return play.states.option[play.at], _turns(scope, play)


def _option_moot(scope: Scope, play: Play) -> Said:
    return play.states.moot[play.at], _turns(scope, play) & of_seat(play)


def _check_raising(scope: Scope, play: Play) -> Said:
    states = play.states
    beyond = states.put[play.at] + play.put_in > states.level[play.at]
    return states.checked[play.at] & beyond, play.told & of_seat(play)


def _more_to_come(scope: Scope, play: Play) -> Said:
    owner, street = scope.batch.events.round, play.states.street[play.at]
    follows = street < play.states.street[play.ends][owner]
    last = street == len(scope.prepared.betting.rounds) - 1
    return follows & play.states.able[play.at], _turns(scope, play) & (follows | last | scope.batch.complete[owner])


_WORDS: dict[str, Callable[[Scope, Play], Said]] = {
    "open": _open,
    "left-open": _left_open,
    "in-turn": _in_turn,
    "out-of-order": _out_of_order,
    "acts-next": _acts_next,
    "still-in": _still_in,
    "gives-up": _gives_up,
    "faced": _faced,
    "unopened": _unopened,
    "may-raise": _may_raise,
    "all-in": _all_in,
    "contested": _contested,
    "option-owed": _option_owed,
    "option-moot": _option_moot,
    "check-raising": _check_raising,
    "more-to-come": _more_to_come,
}


def _contends(scope: Scope) -> Tri:
    """Whether a seat did not fold, and some other neither folded nor conceded either, or it conceded itself."""
    play, owner = betting_of(scope), scope.batch.seats.round
    left, conceded = play.over.players[owner], play.over.conceded[owner]
    own = bit_of(seating(scope).row)
    stayed = ((left | conceded) & own) != 0
    alone = ~several(left) & ((left & own) != 0)
    return kleene.where_known(stayed & ~alone, play.whole[owner])
