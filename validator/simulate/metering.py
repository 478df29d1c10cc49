"""What meters read in a round by itself: every table's start from where they first stood."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Ints
from validator.engine.core.context import Scope
from validator.engine.payouts.settlement import Line, settle_as_a_house
from validator.simulate.house import House
from validator.simulate.meters import Meter
from validator.simulate.rounds import OWN, Rounds

_APART = 10**6
"""So much further on a meter reads, to see what hangs on it."""
OPENING, SHOWN, CLOSING = range(3)


def raise_meters(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with what meters read before their wagers and with them, which takes no luck."""
    meters = rounds.meters.copy()
    for index, meter in enumerate(house.meters):
        meters[index, OPENING] = meter.start
        meters[index, SHOWN] = meter.start + _fed(house, rounds, meter)
    return replace(rounds, meters=meters)


def _fed(house: House, rounds: Rounds, meter: Meter) -> Ints:
    """int64[rounds]: what the wagers of each round add to a meter."""
    if meter.fed_by is None:
        return np.zeros(len(rounds), np.int64)
    amount = rounds.amount[house.names.index(meter.fed_by), OWN]
    adds = np.where(amount > 0, meter.increment, 0) + amount * meter.per_mille // 1000
    return np.bincount(rounds.round, adds, len(rounds)).astype(np.int64)


def shifted(scope: Scope, by: int | Ints) -> Scope:
    """A scope in which all meters read so much more when awards are made."""
    meters = replace(scope.batch.meters, shown=scope.batch.meters.shown + by)
    return replace(scope, batch=replace(scope.batch, meters=meters), _memory={})


def paid_from(scope: Scope, meter: Meter) -> dict[str, tuple[Line, Ints]]:
    """By line, the stakes (int64[m], places in the line) whose awards go by what a meter reads."""
    if not meter.lines:
        return {}
    lines, further = settle_as_a_house(scope), settle_as_a_house(shifted(scope, _APART))
    found: dict[str, tuple[Line, Ints]] = {}
    for name in meter.lines:
        line, other = lines[name], further[name]
        differs = line.due_paid[0] * other.per != other.due_paid[0] * line.per
        found[name] = line, np.flatnonzero(differs)
    return found


def whole(line: Line) -> Ints:
    """int64[n]: the whole amount that meets what each stake is due."""
    due = line.due_paid[0]
    return -(-due // line.per) if line.fractions == "up" else due // line.per


class Awards(Struct, frozen=True, kw_only=True):
    """What a meter pays in each round, int64[rounds]: what is due of it, what is paid, and to how many stakes."""

    due: Ints
    paid: Ints
    winners: Ints

    def left(self, meter: Meter, shown: Ints) -> Ints:
        """int64[rounds]: what the meter reads after them. Where all of it was won it is at its seed again; parts of a
        minor unit may be left of it."""
        return np.where((self.winners > 0) & (shown - self.due < self.winners), meter.seed, shown - self.paid)


def awards_from(scope: Scope, meter: Meter, before: Scope | None = None) -> Awards:
    """The awards that go by a meter, paid as they are due; or as the rounds say, they having been played when the meter
    read what it reads in `before`: what was paid otherwise than was due then is so still."""
    owner, rounds = scope.batch.seats.round, scope.length("round")
    due, paid, winners = (np.zeros(rounds, np.int64) for _ in range(3))
    earlier = None if before is None else paid_from(before, meter)
    for name, (line, stakes) in paid_from(scope, meter).items():
        at, now = owner[line.seat[stakes]], whole(line)[stakes]
        np.add.at(due, at, now)
        np.add.at(winners, at, 1)
        if earlier is not None:
            now = moved(line.paid[stakes], now - whole(earlier[name][0])[stakes])
        np.add.at(paid, at, now)
    return Awards(due=due, paid=paid, winners=winners)


def moved(paid: Ints, rise: Ints) -> Ints:
    """What is paid when so much more is due: as much more, unless nothing was paid."""
    return np.where(paid > 0, np.maximum(paid + rise, 0), paid)
