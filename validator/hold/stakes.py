"""Stakes counted: handle, win, and the sums by which their spread is known, for each wager and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import prod

import numpy as np
from msgspec import Struct, field

from validator.arrays import ABSENT, Flags, Indices, Ints, Ints32
from validator.engine.core.context import Scope
from validator.engine.facts.stakes import StakesOn, stakes_on
from validator.engine.payouts.settlement import Line, settle
from validator.hold.decisions import given_away
from validator.hold.offers import Offered

PARTS = 1 << 20
"""The parts of a minor unit in which what is given away is counted."""
MOST_SIZES = 1000
"""Sizes of stakes, by seats of the round, that are distinguished; more are rounded."""


class StakeSums(Struct, kw_only=True):
    """Sums over stakes on a wager, in minor units. All are whole numbers, so that the order of adding does not
    matter."""

    stakes: int = 0
    handle: int = 0
    at_risk: int = 0
    """Handle with what goes with the wager."""
    win: int = 0
    """What the house took less what it paid."""
    left_out: int = 0
    """Stakes of irregular rounds, or whose settlement is not recorded."""
    s2: int = 0
    """Sum of the squares of stakes."""
    round_s2: int = 0
    """Sum of the squares of what all seats of a round staked together."""
    read: int = 0
    """Sum of a stake times the reading of the meter, where that is known."""
    of_read: int = 0
    """Sum of the stakes for which the reading of the meter is known."""
    given_away: int = 0
    """What players lose on average by their decisions, in `PARTS` of a minor unit."""
    known: int = 0
    """Stakes for which the cost of the decision is known."""
    coarse: bool = False
    """Whether sizes are rounded, as there were more than `MOST_SIZES` of them."""
    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    """Number of stakes by the number of seats of the round that placed the wager, and by size."""
    decided: dict[str, int] = field(default_factory=dict)
    """Number of stakes by the decision that theory takes and the one that was made."""

    def as_text(self) -> list[str]:
        """Return the sums as they are written: numbers, sizes and decisions."""
        numbers = [str(int(getattr(self, name))) for name in _NUMBERS]
        sizes = [f"{seats}:{size}:{count}" for (seats, size), count in sorted(self.sizes.items())]
        decided = [f"{decisions}:{count}" for decisions, count in sorted(self.decided.items())]
        return [*numbers, " ".join(sizes), " ".join(decided)]

    @classmethod
    def of_text(cls, written: Sequence[str]) -> StakeSums:
        """Return the sums that were written. Raises ValueError if the text is none of `as_text`."""
        *numbers, sizes, decided = written
        found = cls()
        for name, number in zip(_NUMBERS, map(int, numbers), strict=True):
            setattr(found, name, bool(number) if name == "coarse" else number)
        for entry in sizes.split():
            seats, size, count = map(int, entry.split(":"))
            found.sizes[seats, size] = count
        for entry in decided.split():
            decisions, _, often = entry.rpartition(":")
            found.decided[decisions] = int(often)
        return found

    def add(self, other: StakeSums) -> None:
        """Add the sums over other stakes."""
        for name in _NUMBERS:
            if name != "coarse":
                setattr(self, name, getattr(self, name) + getattr(other, name))
        self.coarse |= other.coarse
        for key, count in other.sizes.items():
            self.sizes[key] = self.sizes.get(key, 0) + count
        for decisions, count in other.decided.items():
            self.decided[decisions] = self.decided.get(decisions, 0) + count
        # Sizes never become fewer by adding, so whether they are rounded does not depend on the order.
        if self.coarse or len(self.sizes) > MOST_SIZES:
            self.coarse = True
            self.sizes = _rounded(self.sizes)


_NUMBERS = tuple(name for name in StakeSums.__struct_fields__ if name not in ("sizes", "decided"))


def _rounded(sizes: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Return the number of stakes by size, each size rounded to two significant digits."""
    found: dict[tuple[int, int], int] = {}
    for (seats, size), count in sizes.items():
        digits = max(len(str(size)) - 2, 0)
        key = seats, (size + 10**digits // 2) // 10**digits * 10**digits
        found[key] = found.get(key, 0) + count
    return found


def decision_key(best: str | None, made: str | None) -> str:
    """Return the key of a decision made where theory takes another, or the same."""
    return f"{best or ''}>{made or ''}"


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
    s, n = found.staked[chosen], -found.win[chosen]

    def of_stakes(*factors: Ints) -> Ints:
        return _sums(at, places, *factors)

    # The squares of what all seats of a round staked together count once, for the place of the round.
    rounds = len(scope.batch)
    round_s = _sums(round_, rounds, s)
    sizes = _counted(at, places, np.bincount(round_, minlength=rounds)[round_], s)
    reads = _reads(scope, offered.meter)[round_]
    told = np.where(reads != ABSENT, s, 0)
    columns = {
        "stakes": np.bincount(at, minlength=places),
        "handle": of_stakes(s),
        "at_risk": of_stakes(found.at_risk[chosen]),
        "win": of_stakes(-n),
        "left_out": left_out,
        "s2": of_stakes(s, s),
        "round_s2": _sums(place, places, round_s, round_s),
        "read": of_stakes(told, reads),
        "of_read": of_stakes(told),
    }
    worths, decided = offered.decisions.worths, [dict[str, int]() for _ in range(places)]
    if worths is not None:
        given, names = given_away(scope, worths, found.seat[chosen].astype(np.int64)), worths.made_names
        columns["given_away"] = of_stakes(np.rint(given.cost * s * PARTS).astype(np.int64))
        columns["known"] = np.bincount(at[given.known], minlength=places)
        for number, made in enumerate(
            _counted(at[given.known], places, given.best[given.known], given.made[given.known])
        ):
            decided[number] = {decision_key(names[best], names[own]): count for (best, own), count in made.items()}
    lists = {name: column.tolist() for name, column in columns.items()}
    for number in range(places):
        if lists["stakes"][number] or lists["left_out"][number]:
            sums = StakeSums(sizes=sizes[number], decided=decided[number])
            for name, values in lists.items():
                setattr(sums, name, int(values[number]))
            yield number, sums


def _counted(at: Indices, places: int, first: Ints, second: Ints) -> list[dict[tuple[int, int], int]]:
    """Return how often each two numbers came together, by place."""
    found: list[dict[tuple[int, int], int]] = [{} for _ in range(places)]
    if len(at):
        rows, count = np.unique(np.stack([at, first, second], axis=1), axis=0, return_counts=True)
        for (place, best, other), number in zip(rows.tolist(), count.tolist(), strict=True):
            found[place][best, other] = number
    return found


def _sums(at: Indices | Ints32, places: int, *factors: Ints) -> Ints:
    """int64[places], or Python's whole numbers where they would not fit: the sums of products, exactly. `factors` are
    int64[n], `at` int[n] the place of each product."""
    bound = len(at) * prod(int(np.abs(factor).max(initial=0)) for factor in factors)
    kind: type = np.int64 if bound <= np.iinfo(np.int64).max else object
    sums: Ints = np.zeros(places, kind)
    np.add.at(sums, at, reduce(np.multiply, [factor.astype(kind) for factor in factors]))
    return sums


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
    # A stake that was placed in parts is one stake.
    seat, part = np.unique(seat, return_inverse=True)
    staked = np.zeros(len(seat), np.int64)
    np.add.at(staked, part, line.amount[own])
    regular = np.ones(len(seat), bool)
    regular[part[~counts]] = False
    if offered.size is not None:
        regular &= staked == offered.size
    return _AtSeats(seat=seat, staked=staked, at_risk=at_risk[seat], win=win[seat], counts=regular)


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
