"""A batch of rounds under one configuration: the facts of it, each worked out once.

Facts come at the grain they are read at; `spread` carries them down to finer grains. Everything here is
arrays: per round, per seat, per stake or per event.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints, Ints32, Tri
from validator.engine.compiled.game import Prepared
from validator.engine.core import kleene
from validator.engine.core.house_rules import Configuration
from validator.engine.core.intervals import FAR, certain, unless
from validator.evidence.columns.batch import Batch, Hands
from validator.evidence.columns.cards_of_events import cards_dealt
from validator.evidence.columns.recorded_kinds import records_play_alone
from validator.evidence.columns.select import select
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain
from validator.language.terms import Place

Found = TypeVar("Found")
Asked = ParamSpec("Asked")
Item = TypeVar("Item", bound=np.generic)


class Doubt(Struct, frozen=True, kw_only=True):
    """A condition under `evident`, and the rounds in which it is open, bool[rounds]."""

    condition: Condition
    rounds: Flags


class Scope(Struct):
    """One batch, opened for questions under a prepared game and the licensee's configuration, if one was given.
    `waived` are the checks, by their structure, of requirements that a waiver lifts for all of its rounds."""

    batch: Batch
    prepared: Prepared
    configuration: Configuration | None
    _memory: dict[Hashable, Any] = field(default_factory=dict)
    waived: frozenset[bytes] = frozenset()
    supposed: bytes | None = None
    """What conditions under `evident` are where the evidence leaves them open: no where this is None, unknown where it
    is empty. If it is the identity of a condition on rounds, this one holds wherever it is open, be it under `evident`
    or not; one on seats, stakes or events is unknown; and all others under `evident` are no."""
    denied: frozenset[bytes] = frozenset()
    """Conditions, by their identity, that are no wherever they are open, be it under `evident` or not."""

    def once(self, key: Hashable, work: Callable[[], Found]) -> Found:
        """The result of `work`, done at most once for a key."""
        if key not in self._memory:
            self._memory[key] = work()
        result: Found = self._memory[key]
        return result

    def assumed(self) -> dict[bytes, Doubt]:
        """Return which conditions under `evident` were taken as no without evidence, by their identity.

        The mapping grows while conditions are evaluated.
        """
        return self.once(("assumed",), dict)

    def note_open(self, condition: Condition, rounds: Ints32) -> None:
        """Note that a condition under `evident` is open in some rounds, by their indices.

        A record without events is taken as regular in all that only events would show. A history of play is taken so
        too: it has no kind of event for what happens outside the play.
        """
        result = self.assumed().setdefault(
            condition.identity, Doubt(condition=condition, rounds=np.zeros(len(self.batch), bool))
        )
        shown = self.batch.recorded & ~records_play_alone(self.batch)
        result.rounds[rounds[shown[rounds]]] = True

    def as_if_whole(self) -> Scope:
        """Return a scope of the same rounds as if their records left out no event."""
        rounds = len(self.batch)
        batch = replace(self.batch, unrecorded=np.zeros(rounds, np.uint64), complete=np.ones(rounds, bool))
        return Scope(batch, self.prepared, self.configuration, waived=self.waived)

    def otherwise(self, rounds: Flags, supposed: bytes, denied: frozenset[bytes] = frozenset()) -> Scope:
        """Return a scope of some rounds, bool[rounds], in which what is open is as `supposed` and `denied` have it."""
        batch = select(self.batch, rounds)
        return Scope(batch, self.prepared, self.configuration, waived=self.waived, supposed=supposed, denied=denied)

    def take(self, of: Callable[..., Found], value: Found, *asked: Hashable) -> None:
        """Takes a fact as known: in the middle of play events do not tell it yet."""
        self._memory[of, asked] = value

    def truth(self, condition: Condition | None, grain: Grain) -> Tri:
        """uint8[n]: whether a condition holds for each item of a grain; one that is left out does.

        Each condition is worked out once, at the coarsest grain it speaks at, and then spread to the grain asked for.
        """
        if condition is None:
            return kleene.constant(kleene.YES, self.length(grain))
        own = self.prepared.grain(condition)
        return self.spread(self._truth(condition, own), own, grain)

    def _truth(self, condition: Condition, own: Grain) -> Tri:
        """uint8[n]: whether a condition holds for each item of its own grain."""
        result = self.once(("truth", condition.identity), lambda: condition.meaning.truth(self, condition.operand, own))
        if self.supposed and own == "round" and condition.identity == self.supposed:
            return kleene.known(result != kleene.NO)
        return kleene.known(result == kleene.YES) if condition.identity in self.denied else result

    def unknown(self, grain: Grain) -> Tri:
        """uint8[n]: unknown, for each item of a grain."""
        return kleene.constant(kleene.UNKNOWN, self.length(grain))

    def knows(self, condition: Condition) -> bool:
        """Whether a condition was asked before."""
        return ("truth", condition.identity) in self._memory

    def throughout(self, condition: Condition | None) -> Tri:
        """uint8[rounds]: what a condition comes to for all of a round, whatever its seats, stakes and events are like;
        unknown where it hangs on them."""
        if condition is None or self.prepared.grain(condition) == "round":
            return self.truth(condition, "round")
        return condition.meaning.throughout(self, condition.operand)

    def bounds(self, quantity: Quantity, grain: Grain) -> Bounds:
        """The least and the most a quantity may be for each item of a grain, int64[n] both (one array where all is
        known), `FAR` out where the evidence sets no bound."""
        meaning = quantity.meaning
        if meaning.anywhere:
            return meaning.bounds(self, quantity.operand, grain)
        own = self.prepared.grain(quantity)
        low, high = self._bounds(quantity, own)
        if own == grain:
            return low, high
        if own == "seat" and grain == "event":
            return self._of_events(low, high)
        spread = self.spread(low, own, grain)
        return spread, spread if low is high else self.spread(high, own, grain)

    def _bounds(self, quantity: Quantity, own: Grain) -> Bounds:
        """The bounds of a quantity for each item of its own grain."""
        return quantity.meaning.bounds(self, quantity.operand, own)

    def _of_events(self, low: Ints, high: Ints) -> Bounds:
        """Bounds of seats for events: nothing is known of the seat of an event that has none."""
        seat = self.seat_of("event")
        named = seat != ABSENT
        if not len(low):
            return unless(named, np.zeros(len(seat), np.int64))
        if named.all() and low is high:
            return certain(low[seat])
        return np.where(named, low[seat], -FAR), np.where(named, high[seat], FAR)

    def numbers(self, quantity: Quantity, grain: Grain) -> tuple[Ints, Flags]:
        """A quantity for each item of a grain, as int64[n], and where it is known, as bool[n]."""
        low, high = self.bounds(quantity, grain)
        return low, np.ones(len(low), bool) if low is high else low == high

    def length(self, grain: Grain) -> int:
        """How many rounds, seats, stakes or events the batch has."""
        match grain:
            case "round":
                return len(self.batch)
            case "seat":
                return len(self.batch.seats.round)
            case "stake":
                return len(self.batch.stakes.seat)
            case _:
                return len(self.batch.events.round)

    def round_of(self, grain: Grain) -> Ints32:
        """int32[n]: the round each item of a grain belongs to."""
        match grain:
            case "round":
                return self.once(("rounds",), lambda: np.arange(len(self.batch), dtype=np.int32))
            case "seat":
                return self.batch.seats.round
            case "stake":
                return self.once(("stake-rounds",), lambda: self.batch.seats.round[self.batch.stakes.seat])
            case _:
                return self.batch.events.round

    def seat_of(self, grain: Grain) -> Ints32:
        """int32[n]: the seat each seat, stake or event belongs to, ABSENT for an event of none."""
        match grain:
            case "seat":
                return self.once(("seats",), lambda: np.arange(self.length("seat"), dtype=np.int32))
            case "stake":
                return self.batch.stakes.seat
            case "event":
                return self.batch.events.seat
            case _:
                raise ValueError("a round has no one seat")

    def spread(self, values: NDArray[Item], own: Grain, grain: Grain) -> NDArray[Item]:
        """Values of a coarser grain carried down to a finer one. What is asked of an event's seat is zero (no)
        where the event has none."""
        if own == grain:
            return values
        if own == "round":
            return values.repeat(self._items_of_rounds(grain))
        if grain == "stake":
            return values.take(self.seat_of(grain))
        # The entry for no seat comes last, which is where ABSENT points to.
        return np.append(values, values.dtype.type(0)).take(self.seat_of(grain))

    def _items_of_rounds(self, grain: Grain) -> Ints:
        """int64[rounds]: how many items of a grain each round has; those of a round stand together, in its order."""

        def count() -> Ints:
            match grain:
                case "seat":
                    return np.diff(self.batch.seats.offsets)
                case "event":
                    return np.diff(self.batch.events.offsets)
                case _:
                    return np.bincount(self.round_of(grain), minlength=self.length("round"))

        return self.once(("items-of-rounds", grain), count)

    # Wagers

    def stakes_on(self, line: str) -> Ints:
        """int64[m]: the entries on a wager or bonus, tips included, in log order.

        A wager listed as a bonus, or a bonus as a wager, is on no line of the game.
        """
        stakes = self.batch.stakes
        bonus = line in self.prepared.game.bonuses
        return self.once(
            ("stakes", line),
            lambda: np.flatnonzero((stakes.wager.codes == stakes.wager.code(line)) & (stakes.bonus == bonus)),
        )

    def amount(self, line: str, *, tip: bool) -> Ints:
        """int64[seats]: what each seat staked on a line, itself or for the dealer; 0 where nothing."""

        def scatter() -> Ints:
            stakes = self.batch.stakes
            chosen = self.stakes_on(line)
            chosen = chosen.compress(stakes.tip.take(chosen) == tip)
            values = np.zeros(self.length("seat"), np.int64)
            values[stakes.seat.take(chosen)] = stakes.amount.take(chosen)
            return values

        return self.once(("amount", line, tip), scatter)

    # Cards

    def hands_at(self, place: Place) -> Hands:
        """The cards a place was dealt: a row a seat for `player`, a row a round for the others."""

        def look() -> Hands:
            later = any(place in (stage.cards or ()) for stage in self.prepared.game.deal.stages[1:])
            return cards_dealt(self.batch, place, at_once=not later)

        return self.once(("dealt", place), look)


def fact(look: Callable[Concatenate[Scope, Asked], Found]) -> Callable[Concatenate[Scope, Asked], Found]:
    """Makes a function of a scope a fact of it: worked out once for whatever else is asked, which must be hashable."""

    @wraps(look)
    def known(scope: Scope, /, *asked: Asked.args, **named: Asked.kwargs) -> Found:
        return scope.once((known, asked, *named.items()), lambda: look(scope, *asked, **named))

    return known
