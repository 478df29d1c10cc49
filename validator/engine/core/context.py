"""A batch of rounds under one configuration: the facts of it, each worked out once.

Facts come at the grain they are read at; `spread` carries them down to finer grains. Everything here is
arrays: per round, per seat, per stake or per event.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Ints, Ints32, Tri
from validator.engine.compiled.game import Prepared
from validator.engine.core.house_rules import Configuration
from validator.evidence.columns.batch import Batch, Hands
from validator.rules.conditions.conditions import Condition, Place, Quantity
from validator.rules.core.grain import Grain

Sharing = Literal["winning", "losing"]
Found = TypeVar("Found")
Item = TypeVar("Item", bound=np.generic)


class Scope(Struct):
    """One batch, the prepared game it is judged by, and the licensee's configuration where one was given.

    `judge` gives conditions their meaning and `measure` quantities, `holding` tells what a place holds in the end,
    `showing` what lies open of players' cards when a stage of the deal is over, `sharing` which seats win or lose the
    pots; steps of play, the betting and the pots ask for them, and they ask for
    these. Scopes are opened by `conditions.open_scope`.
    """

    batch: Batch
    prepared: Prepared
    configuration: Configuration | None
    judge: Callable[[Scope, Condition, Grain], Tri]
    measure: Callable[[Scope, Quantity, Grain], tuple[Ints, Ints]]
    holding: Callable[[Scope, Place], Hands]
    showing: Callable[[Scope, int], Hands]
    sharing: Callable[[Scope, Sharing], Tri]
    _memory: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, work: Callable[[], Found]) -> Found:
        """The result of `work`, done at most once for a key."""
        if key not in self._memory:
            self._memory[key] = work()
        found: Found = self._memory[key]
        return found

    def truth(self, condition: Condition, grain: Grain) -> Tri:
        """uint8[n]: whether a condition holds for each item of a grain."""
        return self.judge(self, condition, grain)

    def bounds(self, quantity: Quantity, grain: Grain) -> tuple[Ints, Ints]:
        """int64[n] both: the least and the most a quantity may be for each item of a grain."""
        return self.measure(self, quantity, grain)

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
        return self._per_seat(line, tip, "amount", 0)

    def paid(self, line: str, *, tip: bool) -> Ints:
        """int64[seats]: what each seat was paid on a line; ABSENT where the log has no such entry."""
        return self._per_seat(line, tip, "paid", ABSENT)

    def _per_seat(self, line: str, tip: bool, column: str, missing: int) -> Ints:
        def scatter() -> Ints:
            stakes = self.batch.stakes
            chosen = self.stakes_on(line)
            chosen = chosen.compress(stakes.tip.take(chosen) == tip)
            values = np.full(self.length("seat"), missing, np.int64)
            values[stakes.seat.take(chosen)] = getattr(stakes, column).take(chosen)
            return values

        return self.once((column, line, tip), scatter)

    # Cards

    def hands_at(self, place: Place) -> Hands:
        """The cards a place was dealt: a row a seat for `player`, a row a round for the others."""
        match place:
            case "player":
                return self.batch.seats.hands
            case "dealer":
                return self.batch.dealer
            case _:
                return self.batch.community

    def held(self, place: Place) -> Hands:
        """The cards a place holds in the end, rows as of `hands_at`; not recorded unless all exchanges are."""
        return self.holding(self, place)

    def cards_of(self, hand: str, place: Place) -> Hands:
        """The cards of a place that make up a hand: those dealt, those held in the end, or those that lie open."""
        prepared = self.prepared.hands[hand]
        match prepared.cards:
            case "held":
                return self.held(place)
            case "open":
                return self.showing(self, prepared.through)
            case _:
                return self.hands_at(place)

    def strength(self, hand: str) -> Ints32:
        """int32: strength of a hand, per seat where the player's cards are in it, else per round.

        ABSENT where a card is not known or a place does not hold the full number of cards.
        """
        return self.once(("strength", hand), lambda: self._strength(hand))

    def _strength(self, hand: str) -> Ints32:
        prepared = self.prepared.hands[hand]
        per_seat = "player" in prepared.places
        parts: list[Codes] = []
        full = np.ones(self.length("seat" if per_seat else "round"), bool)
        for place, wanted in zip(prepared.places, prepared.sizes, strict=True):
            held = self.cards_of(hand, place)
            cards, complete = held.cards[:, :wanted], held.count == wanted
            if per_seat and place != "player":
                cards, complete = cards[self.batch.seats.round], complete[self.batch.seats.round]
            parts.append(cards)
            full &= complete
        cards = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return np.where(full, prepared.strength(cards), np.int32(ABSENT))
