"""Interface of the builder of formulas: the formulas into which operators translate conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.propositions import Formula, Span
from fairdeal.validator.rules.game_model import Game


class FormulaBuilder(Protocol):
    """Builder of formulas for the conditions of one regulation."""

    @property
    def game(self) -> Game:
        """The game of the regulation."""
        ...

    def may_hold(self, formula: Formula) -> bool:
        """Return whether a formula can be true; True if the search is too large."""
        ...

    def build_formula(self, condition: Condition) -> Formula:
        """Return the formula for a condition."""
        ...

    def build_opaque(self, condition: Condition) -> Formula:
        """Return a variable for a condition of which nothing else is known."""
        ...

    def build_reading(self, option: ReadingIs) -> Formula:
        """Return the formula: an option of a reading is in force."""
        ...

    def build_category(self, hand: str, name: str, *, better: bool) -> Formula:
        """Return the formula: a hand has a category, or with `better` at least that, under each reading."""
        ...

    def build_hand_comparison(self, one: str, other: str, sign: Span) -> Formula:
        """Return the formula: the strength of a hand minus that of another has a sign in a range."""
        ...

    def build_quantity(self, quantity: Quantity, spans: Sequence[Span]) -> Formula:
        """Return the formula: a quantity is within ranges."""
        ...

    def build_difference(self, one: Quantity, other: Quantity, spans: Sequence[Span]) -> Formula:
        """Return the formula: a quantity minus another is within ranges."""
        ...

    def build_one_of(self, what: str, values: Iterable[object], template: str) -> Formula:
        """Return the formula: something with a single value has one of several; other values are possible as well."""
        ...
