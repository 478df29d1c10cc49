"""Stakes counted: handle, win, and the sums by which their spread is known, for each wager and place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from validator.arrays import ABSENT, Flags, Indices, Ints, Ints32, Reals
from validator.engine.core.context import Scope
from validator.engine.facts.stakes import StakesOn, stakes_on
from validator.engine.payouts.settlement import Line, settle
from validator.hold.decisions import given_away
from validator.hold.offers import Offered

PARTS = 1 << 20
"""The parts of a minor unit in which what is given away is counted."""


class StakeSums(Struct, kw_only=True):
    """Sums over stakes s of a wager and what n they came to for the player: amounts in minor units, `s2` of s², `s3` of
    s³, `n2` of n², `ns` of n s. `round_s2`, `round_n2` and `round_ns` are the same of what all seats of a round have
    together. `read` is the sum of s times what the meter read, over the stakes `of_read` for which that is known;
    `given_away` is what players lose on average by what they decide, over the stakes whose decision is `known`.
    `left_out` counts stakes that are none of regular rounds, or whose settlement is not recorded. All are whole
    numbers, so that they come to the same in whatever order they are added: `given_away` counts parts of a minor unit,
    of which there are `PARTS`."""

    stakes: int = 0
    handle: int = 0
    at_risk: int = 0
    win: int = 0
    left_out: int = 0
    s2: int = 0
    s3: int = 0
    n2: int = 0
    ns: int = 0
    round_s2: int = 0
    round_n2: int = 0
    round_ns: int = 0
    read: int = 0
    of_read: int = 0
    given_away: int = 0
    known: int = 0

    def as_text(self) -> list[str]:
        """The sums as they are written."""
        return list(map(str, astuple(self)))

    @classmethod
    def of_text(cls, written: Sequence[str]) -> StakeSums:
        """The sums that were written. Raises ValueError where these are none."""
        return cls(**dict(zip(cls.__struct_fields__, map(int, written), strict=True)))

    def add(self, other: StakeSums) -> None:
        """Add the sums over other stakes."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class _AtSeats(Struct, frozen=True, kw_only=True):
    """The stakes on a wager: their seats, int32[n]; what was staked on it, and with what goes with it, and what the
    house won, int64[n] each; bool[n], which of them count."""

    seat: Ints32
    staked: Ints
    at_risk: Ints
    win: Ints
    counts: Flags


def count_stakes(scope: Scope, offered: Offered, place: Indices, places: int) -> Iterator[tuple[int, StakeSums]]:
    """The sums of each place, int64[rounds], that has stakes on a wager. Tips are left out."""
    found = _at_seats(scope, offered)
    if not len(found.seat):
        return
    at = place[scope.batch.seats.round[found.seat]]
    left_out = np.bincount(at[~found.counts], minlength=places)
    chosen = np.flatnonzero(found.counts)
    round_, at = scope.batch.seats.round[found.seat[chosen]], at[chosen]
    staked, win = found.staked[chosen], found.win[chosen]
    s, n = staked.astype(np.float64), -win.astype(np.float64)

    def whole(values: Ints) -> Ints:
        sums = np.zeros(places, np.int64)
        np.add.at(sums, at, values)
        return sums

    def real(values: Reals) -> Reals:
        return np.bincount(at, values, minlength=places).astype(np.float64)

    # What all seats of a round have together, once for each round: its squares count for the place of the round.
    rounds = len(scope.batch)
    round_s: Reals = np.bincount(round_, s, minlength=rounds).astype(np.float64)
    round_n: Reals = np.bincount(round_, n, minlength=rounds).astype(np.float64)

    def of_rounds(values: Reals) -> Reals:
        return np.bincount(place, values, minlength=places).astype(np.float64)

    reads = _reads(scope, offered.meter)[round_]
    known = reads != ABSENT
    columns = {
        "stakes": np.bincount(at, minlength=places),
        "handle": whole(staked),
        "at_risk": whole(found.at_risk[chosen]),
        "win": whole(win),
        "left_out": left_out,
        "s2": real(s * s),
        "s3": real(s * s * s),
        "n2": real(n * n),
        "ns": real(n * s),
        "round_s2": of_rounds(round_s * round_s),
        "round_n2": of_rounds(round_n * round_n),
        "round_ns": of_rounds(round_n * round_s),
        "read": real(np.where(known, s * reads, 0.0)),
        "of_read": real(np.where(known, s, 0.0)),
    }
    worths = offered.decisions.worths
    if worths is not None:
        given = given_away(scope, worths, found.seat[chosen].astype(np.int64))
        columns["given_away"] = real(np.rint(given.cost * s * PARTS))
        columns["known"] = np.bincount(at[given.known], minlength=places)
    lists = {name: column.tolist() for name, column in columns.items()}
    for number in range(places):
        if lists["stakes"][number] or lists["left_out"][number]:
            yield number, StakeSums(**{name: int(values[number]) for name, values in lists.items()})


def _at_seats(scope: Scope, offered: Offered) -> _AtSeats:
    line = settle(scope)[offered.group.wager]
    own = np.flatnonzero(~line.tip & (line.amount > 0))
    seat, counts = line.seat[own], _is_regular(line, offered)[own]
    seats = scope.length("seat")
    at_risk, win = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    told = np.ones(seats, bool)
    for name in offered.lines:
        found = stakes_on(scope, name)
        plain = ~found.tip
        if name in scope.prepared.game.wagers:
            np.add.at(at_risk, found.seat[plain], found.amount[plain])
        told[found.seat[plain & ~_recorded(found)]] = False
        np.add.at(win, found.seat[plain], (found.taken - found.paid)[plain])
    counts &= told[seat]
    if offered.size is not None:
        counts &= line.amount[own] == offered.size
    return _AtSeats(seat=seat, staked=line.amount[own], at_risk=at_risk[seat], win=win[seat], counts=counts)


def _is_regular(line: Line, offered: Offered) -> Flags:
    """bool[n]: the stakes that a case of regular rounds settles, or that may be settled by one."""
    return ~line.settled | (line.case == ABSENT) | offered.regular[line.case]


def _recorded(found: StakesOn) -> Flags:
    return (found.paid != ABSENT) & (found.taken != ABSENT)


def _reads(scope: Scope, meter: str | None) -> Ints:
    """int64[rounds]: what a meter reads when awards are made, ABSENT where the log does not say."""
    found = np.full(len(scope.batch), ABSENT, np.int64)
    if meter is not None:
        meters = scope.batch.meters
        chosen = meters.meter.codes == meters.meter.code(meter)
        found[meters.round[chosen]] = meters.shown[chosen]
    return found
