"""Conditions on what happened at the table: structure, never strings to be parsed.

A condition is a mapping with one operator. It is yes, no or unknown; unknown is what the log does not show.
Each operator speaks at its own grain (a round, a seat, a stake, an event): a condition on a round holds
for all its seats; a condition on seats is brought up to the round by `some-seat` and `every-seat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from validator.language import arithmetic, betting, cards, comparisons, events, hands, house, logic, pots, seats, stakes
from validator.language.registry import (
    ConditionOperator,
    Grain,
    QuantityOperator,
    ShortForm,
    in_full,
    operators,
    with_operators,
)
from validator.text.models.model import OneOf

if TYPE_CHECKING:
    from validator.rules.model.game import Game

FAMILIES = (logic, comparisons, arithmetic, stakes, hands, cards, events, betting, pots, seats, house)
"""The modules of operators, in the order of the reference."""

CONDITIONS: Mapping[str, ConditionOperator[Any]] = operators(ConditionOperator, FAMILIES)
QUANTITIES: Mapping[str, QuantityOperator[Any]] = operators(QuantityOperator, FAMILIES)
SHORT_FORMS: Mapping[str, ShortForm] = operators(ShortForm, FAMILIES)
BOUNDS: Mapping[str, comparisons.Bound] = operators(comparisons.Bound, FAMILIES)


@with_operators(QUANTITIES)
class Quantity(OneOf):
    """A number read off a round: an amount in minor currency units, or a count. A bare number is itself."""

    @property
    def meaning(self) -> QuantityOperator[Any]:
        """The operator that stands here."""
        return QUANTITIES[self.operator]

    def grain(self, game: Game) -> Grain:
        """The coarsest grain at which it can be asked. Raises MixedGrains."""
        return self.meaning.grain(self.operand, game)

    def parts(self) -> list[Quantity]:
        """The quantities that it is worked out from item by item, if any."""
        return list(self.meaning.parts(self.operand))

    @model_validator(mode="before")
    @classmethod
    def _bare_number(cls, value: object) -> object:
        return {"exactly": value} if isinstance(value, int) and not isinstance(value, bool) else value


@with_operators(BOUNDS)
class Comparison(OneOf):
    """A quantity held against a bound. Exactly one bound stands beside `of`."""

    BESIDE = frozenset({"of"})

    of: Quantity
    """The quantity that is judged."""

    @property
    def bound(self) -> comparisons.Bound:
        """The bound that stands here."""
        return BOUNDS[self.operator]


@with_operators({**CONDITIONS, **SHORT_FORMS})
class Condition(OneOf):
    """A statement about a round of play that is yes, no or unknown."""

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, value: object) -> object:
        return in_full(SHORT_FORMS, value)

    @property
    def meaning(self) -> ConditionOperator[Any]:
        """The operator that stands here."""
        return CONDITIONS[self.operator]

    def grain(self, game: Game) -> Grain:
        """The coarsest grain at which it can be asked. Raises MixedGrains."""
        return self.meaning.grain(self.operand, game)


for family in FAMILIES:
    # Operands hold conditions and quantities in their turn: here is where their names get their meaning.
    vars(family).update(Quantity=Quantity, Comparison=Comparison, Condition=Condition)
