"""What is measured of the betting at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.betting.cases import first_holding
from validator.play.betting.masks import Flags
from validator.play.betting.play import Play, betting_of
from validator.play.betting.record import betting_in
from validator.play.betting.words import of_seat
from validator.play.scope import Scope
from validator.rulebook.language.betting import LeastRaise

Item = TypeVar("Item", bound=np.generic)
Ints = NDArray[np.int64]
Numbers = tuple[Ints, Flags]
"""int64[events], and where they are known."""


def betting_number(scope: Scope, name: str) -> Numbers:
    """A number of the betting at each event: amounts in minor units, or counts."""
    return scope.once(("betting-number", name), lambda: _NUMBERS[name](scope, betting_of(scope)))


def _put_in(scope: Scope, play: Play) -> Numbers:
    return play.put_in, play.told


def _bets_to(scope: Scope, play: Play) -> Numbers:
    return play.states.put[play.at] + play.put_in, play.told & of_seat(play)


def _to_call(scope: Scope, play: Play) -> Numbers:
    return _lacking(play), play.amounts & of_seat(play)


def _lacking(play: Play) -> Ints:
    states = play.states
    return np.maximum(states.level[play.at] - states.put[play.at], 0)


def _level(scope: Scope, play: Play) -> Numbers:
    return play.states.level[play.at], play.amounts


def _raise_by(scope: Scope, play: Play) -> Numbers:
    states = play.states
    beyond = states.put[play.at] + play.put_in - states.level[play.at]
    return np.maximum(beyond, 0), play.told & of_seat(play)


def _last_raise(scope: Scope, play: Play) -> Numbers:
    found = play.states.last_raise[play.at]
    # Where the smallest bet is not known, the first bet tells by how much the next must go beyond it.
    return found, play.amounts & (_of_street(scope, play, play.sized) | (found > 0))


def _of_street(scope: Scope, play: Play, values: NDArray[Item]) -> NDArray[Item]:
    """Values of each betting round, [B, rounds], at the events."""
    found: NDArray[Item] = values[play.states.street[play.at], scope.batch.events.round]
    return found


def _smallest_bet(scope: Scope, play: Play) -> Numbers:
    return _of_street(scope, play, play.smallest), play.amounts & _of_street(scope, play, play.sized)


def _smallest_raise(scope: Scope, play: Play) -> Numbers:
    betting, owner = betting_in(scope.prepared.game), scope.batch.events.round
    last, last_told = _last_raise(scope, play)
    rounds = len(scope.batch)

    def by_case(case: LeastRaise) -> tuple[Ints, Flags]:
        if case.operator == "as-last":
            return np.full(rounds, ABSENT, np.int64), np.ones(rounds, bool)
        low, high = scope.bounds(case.operand, "round")
        return low, low == high

    least, told = first_holding(scope, betting.sizes.raise_, by_case, np.zeros(rounds, np.int64))
    found, known = least[owner], told[owner] & play.amounts
    as_last = found == ABSENT
    found, known = np.where(as_last, last, found), np.where(as_last, known & last_told, known)
    fixed = _fixed(scope, play)
    size, sized = _smallest_bet(scope, play)
    return np.where(fixed, size, found), np.where(fixed, sized, known)


def _fixed(scope: Scope, play: Play) -> Flags:
    """bool[events]: where bets and raises have one size."""
    rounds = betting_in(scope.prepared.game).rounds
    return np.array([one.size is not None for one in rounds])[play.states.street[play.at]]


def _largest_raise(scope: Scope, play: Play) -> Numbers:
    """By how much the seat may go beyond the bet."""
    lacking, told = _to_call(scope, play)
    if betting_in(scope.prepared.game).sizes.most == "pot":
        most, known = play.states.pot[play.at] + lacking, told
    else:
        behind, known = _behind(scope, play)
        most = np.maximum(behind - lacking, 0)
    fixed = _fixed(scope, play)
    size, sized = _smallest_bet(scope, play)
    return np.where(fixed, size, most), np.where(fixed, sized, known)


def _behind(scope: Scope, play: Play) -> Numbers:
    told = play.amounts & of_seat(play)
    told[told] = scope.batch.seats.stack[scope.batch.events.seat[told]] != ABSENT
    return play.states.behind[play.at], told


def _counted(values: Callable[[Play], NDArray[Any]]) -> Callable[[Scope, Play], Numbers]:
    """A number of the state that has nothing to do with the seat of the event."""
    return lambda _, play: (values(play)[play.at].astype(np.int64), play.amounts)


_NUMBERS: dict[str, Callable[[Scope, Play], Numbers]] = {
    "put-in": _put_in,
    "bets-to": _bets_to,
    "to-call": _to_call,
    "level": _level,
    "raise-by": _raise_by,
    "last-raise": _last_raise,
    "smallest-bet": _smallest_bet,
    "smallest-raise": _smallest_raise,
    "largest-raise": _largest_raise,
    "behind": _behind,
    "pot": _counted(lambda play: play.states.pot),
    "raises": _counted(lambda play: play.states.raises),
    "players-in": _counted(lambda play: play.states.players),
    "voluntary-players": _counted(lambda play: play.states.voluntary),
}
