"""Operators that compute a quantity from fixed numbers and other quantities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le, MinLen

from validator.language.conditions import Condition, Problem, Quantity, QuantityOperator, asked_at
from validator.language.grains import Grain, joined
from validator.language.terms import Number
from validator.language.wording import demanded, quantity_in_words
from validator.language.words import Operand
from validator.text.models.model import Closed
from validator.text.trees.tree import Path
from validator.text.values.money import format_money

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Ints, Ints32
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.across import Across
    from validator.engine.core.context import Scope
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


class Exactly(QuantityOperator[int]):
    """A fixed number: an amount in minor currency units, or a count."""

    key = "exactly"
    operand = Number
    sample = "{exactly: 2}"
    anywhere = True

    def bounds(self, scope: Scope, operand: int, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import certain

        return certain(np.full(scope.length(grain), operand, np.int64))

    def asked(self, prepared: Prepared, operand: int, *, money: bool) -> str:
        return format_money(operand) if money else str(operand)


class OfParts(QuantityOperator[Operand]):
    """A quantity that is computed from others."""

    may_hold_back = True

    def grain(self, operand: Operand, game: Game) -> Grain:
        return joined(*(part.grain(game) for part in self.parts(operand)))

    def columns(self, scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
        from validator.engine.core.across import columns_of_quantity

        for number, part in enumerate(self.parts(quantity.operand)):
            yield from columns_of_quantity(scope, part, grain, f"{name}.{number}")


class Reckoned(OfParts[Operand]):
    """A quantity that is computed from others item by item."""

    itemwise = True

    def reckoned(self, operand: Operand, parts: Sequence[Bounds]) -> Bounds:
        """Return its bounds, given those of its parts."""
        raise NotImplementedError

    def bounds(self, scope: Scope, operand: Operand, grain: Grain) -> Bounds:
        return self.reckoned(operand, [scope.bounds(part, grain) for part in self.parts(operand)])

    def across(self, rounds: Across, operand: Operand, name: str) -> Bounds:
        parts = enumerate(self.parts(operand))
        return self.reckoned(operand, [rounds.bounds(part, f"{name}.{number}") for number, part in parts])

    def is_money(self, prepared: Prepared, operand: Operand) -> bool:
        return any(part.meaning.is_money(prepared, part.operand) for part in self.parts(operand))


class Sum(Reckoned[list[Quantity]]):
    """The sum of quantities."""

    key = "sum"
    operand = Annotated[list[Quantity], MinLen(1)]
    sample = "{sum: [{cards: player}, {cards: dealer}]}"

    def parts(self, operand: list[Quantity]) -> Sequence[Quantity]:
        return operand

    def reckoned(self, operand: list[Quantity], parts: Sequence[Bounds]) -> Bounds:
        from validator.engine.core import intervals

        return reduce(intervals.added, parts)

    def direction(self, operand: list[Quantity]) -> int:
        # Rake next to awards is part of the required total, so the direction of the awards decides.
        return max((part.meaning.direction(part.operand) for part in operand), key=lambda way: (abs(way), way))

    def asked(self, prepared: Prepared, operand: list[Quantity], *, money: bool) -> str:
        return " plus ".join(quantity_in_words(prepared, part, money=money) for part in operand)


class Difference(Closed):
    """The difference of two quantities; negative if the second is larger."""

    from_: Quantity
    """The quantity to subtract from."""
    less: Quantity
    """The quantity to subtract."""


class DifferenceOf(Reckoned[Difference]):
    """The difference of two quantities."""

    key = "difference"
    operand = Difference
    sample = "{difference: {from: {length: player}, less: {length: dealer}}}"

    def parts(self, operand: Difference) -> Sequence[Quantity]:
        return [operand.from_, operand.less]

    def below_zero(self, operand: Difference) -> bool:
        return True

    def reckoned(self, operand: Difference, parts: Sequence[Bounds]) -> Bounds:
        from validator.engine.core import intervals

        return intervals.added(parts[0], intervals.less(parts[1]))

    def direction(self, operand: Difference) -> int:
        from_, less = (part.meaning.direction(part.operand) for part in self.parts(operand))
        return from_ or -less

    def asked(self, prepared: Prepared, operand: Difference, *, money: bool) -> str:
        from_, less = (quantity_in_words(prepared, part, money=money) for part in self.parts(operand))
        return f"{from_} less {less}"


class Smaller(Reckoned[list[Quantity]]):
    """The smallest of several quantities."""

    key = "smaller"
    operand = Annotated[list[Quantity], MinLen(2)]
    sample = "{smaller: [{betting: to-call}, {betting: behind}]}"

    def parts(self, operand: list[Quantity]) -> Sequence[Quantity]:
        return operand

    def reckoned(self, operand: list[Quantity], parts: Sequence[Bounds]) -> Bounds:
        from validator.engine.core import intervals

        return reduce(intervals.smaller, parts)

    def asked(self, prepared: Prepared, operand: list[Quantity], *, money: bool) -> str:
        return f"the smaller of {' and '.join(quantity_in_words(prepared, part, money=money) for part in operand)}"


class Times(Closed):
    """A whole multiple of a quantity."""

    by: Annotated[int, Ge(1), Le(1000)]
    """The factor."""
    of: Quantity
    """The quantity that is multiplied."""


class TimesOf(Reckoned[Times]):
    """A multiple of another quantity."""

    key = "times"
    operand = Times
    sample = "{times: {by: 3, of: {amount: main}}}"

    def parts(self, operand: Times) -> Sequence[Quantity]:
        return [operand.of]

    def reckoned(self, operand: Times, parts: Sequence[Bounds]) -> Bounds:
        from validator.engine.core import intervals

        return intervals.multiple(parts[0], operand.by)

    def asked(self, prepared: Prepared, operand: Times, *, money: bool) -> str:
        factor = "" if operand.by == 1 else f"{operand.by} times "
        return f"{factor}{quantity_in_words(prepared, operand.of, money=money)}"


class Remainder(Closed):
    """The remainder of a division."""

    of: Quantity
    """The quantity that is divided."""
    by: Annotated[int, Ge(2), Le(1000)]
    """The divisor."""


class RemainderOf(Reckoned[Remainder]):
    """The remainder of a division: divided by 2, 0 for an even number and 1 for an odd one."""

    key = "remainder"
    operand = Remainder
    sample = "{remainder: {of: {events: reveal}, by: 2}}"

    def parts(self, operand: Remainder) -> Sequence[Quantity]:
        return [operand.of]

    def reckoned(self, operand: Remainder, parts: Sequence[Bounds]) -> Bounds:
        from validator.engine.core import intervals

        return intervals.remainder(parts[0], operand.by)

    def asked(self, prepared: Prepared, operand: Remainder, *, money: bool) -> str:
        return f"the remainder of {quantity_in_words(prepared, operand.of, money=money)}, divided by {operand.by}"


class OverSeats(Closed):
    """A quantity of seats, and the seats to combine."""

    of: Quantity
    """The quantity of each seat."""
    over: Condition
    """The seats that are included."""


class _SeatAggregate(QuantityOperator[OverSeats]):
    """A quantity of the round that is computed from a quantity of each seat."""

    operand = OverSeats

    def combined(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        """Combine the values of the seats of each round.

        Args:
            owner: int32[seats], the round of each seat.
            values: int64[seats], 0 for seats that are not included.
            rounds: number of rounds.

        Returns:
            int64[rounds].
        """
        raise NotImplementedError

    def problems(self, regulation: Regulation, game: Game, operand: OverSeats, here: Path) -> Iterator[Problem]:
        yield from asked_at(operand.over, "seat", game, (*here, "over"))
        yield from asked_at(operand.of, "seat", game, (*here, "of"))

    def bounds(self, scope: Scope, operand: OverSeats, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import within
        from validator.engine.core.kleene import UNKNOWN, YES

        fulfil = scope.truth(operand.over, "seat")
        low, high = scope.bounds(operand.of, "seat")
        # A seat that may or may not be included adds its number or nothing.
        low = np.where(fulfil == YES, low, np.where(fulfil == UNKNOWN, np.minimum(low, 0), 0))
        high = np.where(fulfil == YES, high, np.where(fulfil == UNKNOWN, np.maximum(high, 0), 0))
        owner, rounds = scope.batch.seats.round, scope.length("round")
        return within(self.combined(owner, low, rounds)), within(self.combined(owner, high, rounds))

    def below_zero(self, operand: OverSeats) -> bool:
        return operand.of.meaning.below_zero(operand.of.operand)

    def is_money(self, prepared: Prepared, operand: OverSeats) -> bool:
        return operand.of.meaning.is_money(prepared, operand.of.operand)

    def direction(self, operand: OverSeats) -> int:
        return operand.of.meaning.direction(operand.of.operand)


class TotalOf(_SeatAggregate):
    """The sum of a quantity over seats of the round."""

    key = "total"
    sample = "{total: {of: {paid: side}, over: {placed: side}}}"

    def combined(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        import numpy as np

        # The floats of bincount are exact up to 2**53, far more than any sum of known numbers.
        return np.bincount(owner, values, rounds)

    def asked(self, prepared: Prepared, operand: OverSeats, *, money: bool) -> str:
        of = quantity_in_words(prepared, operand.of, money=money)
        if operand.over.operator == "placed" and operand.over.operand == operand.of.operand:
            return f"{of} of all seats together"
        seats = f"seats with {demanded(prepared, operand.over)}"
        if operand.of.operator == Exactly.key and operand.of.operand == 1:
            return f"the number of {seats}"
        return f"{of}, added up over all {seats}"


class LargestOf(_SeatAggregate):
    """The largest value of a quantity among seats of the round; 0 if there is no such seat."""

    key = "largest"
    sample = "{largest: {of: {amount: main}, over: {placed: main}}}"

    def combined(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        import numpy as np

        largest = np.zeros(rounds, np.int64)
        np.maximum.at(largest, owner, values)
        return largest

    def asked(self, prepared: Prepared, operand: OverSeats, *, money: bool) -> str:
        of = quantity_in_words(prepared, operand.of, money=money)
        return f"the largest of {of} at the seats with {demanded(prepared, operand.over)}"


class SeatsWith(QuantityOperator[Condition]):
    """The number of seats of the round that satisfy a condition."""

    key = "seats"
    operand = Condition
    sample = "{seats: {placed: side}}"

    def problems(self, regulation: Regulation, game: Game, operand: Condition, here: Path) -> Iterator[Problem]:
        yield from asked_at(operand, "seat", game, here)

    def bounds(self, scope: Scope, operand: Condition, grain: Grain) -> Bounds:
        import numpy as np

        from validator.engine.core.intervals import certain
        from validator.engine.core.kleene import UNKNOWN, YES

        fulfil = scope.truth(operand, "seat")
        owner, rounds = scope.batch.seats.round, scope.length("round")
        low = np.bincount(owner[fulfil == YES], minlength=rounds)
        doubtful = owner[fulfil == UNKNOWN]
        return certain(low) if not len(doubtful) else (low, low + np.bincount(doubtful, minlength=rounds))

    def asked(self, prepared: Prepared, operand: Condition, *, money: bool) -> str:
        return f"the number of seats with {demanded(prepared, operand)}"
