"""Conditions on what happened at the table, quantities, and what their operators tell of them.

A condition is structure, never a string to be parsed: a mapping with one operator. It is yes, no or unknown; unknown is
what the log does not show. Each operator speaks at its own grain (a round, a seat, a stake, an event): a condition on a
round holds for all its seats; a condition on seats is brought up to the round by `some-seat` and `every-seat`.

Operators are objects of `validator.operators`, above the engine that asks them. They give these models their fields
when that package is imported, which whoever loads rule files does; nothing here knows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pydantic import model_validator

from validator.language.grains import Grain, MixedGrains, covers
from validator.language.words import Operand, OperatorModel, Word, in_full
from validator.propositions.formula import Formula
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Ints, Tri

# What operators are asked with, all of it made in packages above this one: operators say themselves of what type it is.
Game: TypeAlias = Any
Regulation: TypeAlias = Any
Prepared: TypeAlias = Any
Scope: TypeAlias = Any
Across: TypeAlias = Any
Terms: TypeAlias = Any

Problem: TypeAlias = tuple[Path, str]
"""What cannot be meant: where it stands, and why."""

TO_PLAYERS, FROM_PLAYERS, NEITHER = 1, -1, 0
"""Whether an amount grows with what players get, or with what is taken from them."""

OTHERS = ""
"""Stands for all other operands."""
NOTHING = "nothing of the kind, as the text is read"
"""What is asked for where the readings of the text leave nothing that would do."""
ANYTHING = "anything"
"""What is asked for where anything would do as the text is read."""


class Operator(Word[Operand]):
    """A word that says something of a round of play."""

    words: ClassVar[str | Mapping[Any, str]] = ""
    """What it asks for, or what it is, in words, `{}` standing for its operand; or by operand, those of `OTHERS` for
    all that are not among them. Where that does not do, it has an `asked` of its own."""
    speaks_of: ClassVar[Grain] = "round"
    """The grain it speaks at, where that does not hang on its operand."""
    looks_at: ClassVar[Literal["record", "events", "submission"]] = "record"
    """What leaves it open where it is missing: events of the round, or what is submitted, beside the plain record."""
    of_betting: ClassVar[bool] = False
    """Whether it asks how the betting goes, who has a position, or what comes of the pots, which betting makes."""
    looks_back: ClassVar[bool] = False
    """Whether it speaks of the round before."""
    may_hold_back: ClassVar[bool] = False
    """Whether what it is made of may speak of the round before."""
    asks_seating: ClassVar[bool] = False
    """Whether it must know of each round which seats there are."""
    itemwise: ClassVar[bool] = False
    """Whether it is put together item by item from what its parts come to, so that it can be asked of some items
    alone."""

    def grain(self, operand: Operand, game: Game) -> Grain:
        """The coarsest grain at which it can be asked. Raises MixedGrains."""
        return self.speaks_of

    def facts(self, operand: Operand) -> Sequence[str]:
        """The facts of the game that it names."""
        return ()

    def steps(self, operand: Operand) -> Sequence[str]:
        """The steps of the game whose events it looks at."""
        return ()

    def title(self, prepared: Prepared, operand: Operand) -> str:
        """Its operand as people read it."""
        return str(operand)

    def in_words(self, prepared: Prepared, operand: Operand) -> str:
        """Its `words` for an operand."""
        words = self.words
        if not isinstance(words, str):
            words = words[operand] if operand in words else words[OTHERS]
        return words.format(self.title(prepared, operand))

    def problems(self, regulation: Regulation, game: Game, operand: Operand, here: Path) -> Iterator[Problem]:
        """What cannot be meant, though every name in it is known. `here` is the place of the operand."""
        yield from ()


class ConditionOperator(Operator[Operand]):
    """An operator of `Condition`."""

    opposite: ClassVar[str] = ""
    """The opposite of what it asks for, in words of its own."""
    several: ClassVar[bool] = False
    """Whether its words may be several joined by "and" or "or"."""
    never_unknown: ClassVar[bool] = False
    """Whether what is unknown within it is taken as no."""

    def truth(self, scope: Scope, operand: Operand, grain: Grain) -> Tri:
        """uint8[n]: whether it holds for each item of its own grain."""
        raise NotImplementedError

    def truth_of(self, scope: Scope, condition: Condition, grain: Grain, items: Ints) -> Tri:
        """uint8[n]: whether it holds for some items of its own grain, int64[n]."""
        return scope.truth(condition, grain).take(items)

    def throughout(self, scope: Scope, operand: Operand) -> Tri:
        """uint8[rounds]: what it comes to for all of a round, where it speaks at a finer grain: unknown where it hangs
        on seats, stakes or events."""
        unknown: Tri = scope.unknown("round")
        return unknown

    def by_readings(self, operand: Operand, regulation: Regulation, needed: dict[str, str]) -> int:
        """Whether it holds as far as readings of the text decide it. Readings that decide that it does not are put
        down with the options they would have to have."""
        return UNKNOWN

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        """When it holds, evidence being whole, so that it can be told what follows from what. Something by itself,
        unless its operator says what it is made of."""
        return terms.whether(condition)

    # Rounds held against the round before

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        """What the rounds or seats of a batch show of it, by names that begin with `name`."""
        yield name, scope.truth(condition, grain)

    def across(self, rounds: Across, operand: Operand, name: str) -> Tri:
        """uint8: whether it holds, from what all rounds show of it."""
        return rounds.column(name)

    # Words

    def asked(self, prepared: Prepared, operand: Operand) -> str | bool:
        """What it asks for; yes or no where a reading of the text alone decides it."""
        return self.in_words(prepared, operand)

    def demanded(self, prepared: Prepared, operand: Operand) -> str:
        """What it asks for, the text being read as it is."""
        worded = self.asked(prepared, operand)
        return worded if isinstance(worded, str) else ANYTHING if worded else NOTHING

    def denied(self, prepared: Prepared, operand: Operand, asked: str) -> str:
        """The opposite of what is asked for."""
        return self.opposite or f"not ({asked})"

    def asked_there(self, scope: Scope, operand: Operand, grain: Grain, index: int) -> str | None:
        """What it, or its opposite, asks for as things stood for one item, where that says more."""
        return None

    def unmet_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        """What it asks for and one item does not fulfil, with the figure that it comes to there."""
        asked = self.asked_there(scope, condition.operand, grain, index)
        asked = asked or self.demanded(scope.prepared, condition.operand)
        figure = self.figure_there(scope, condition, grain, index)
        return f"{asked} ({figure})" if figure else asked

    def figure_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        """The figure that something is held against for one item, where its words do not give it and it is known."""
        return ""

    def purpose(self, scope: Scope, grain: Grain, index: int) -> str:
        """What its parts are needed for, to stand before them."""
        return ""

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        """What it is built from, down to conditions that look at evidence of one item."""
        yield condition

    def unmet(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
        """The parts that one item does not fulfil, of those that must all hold; else itself."""
        return [condition]

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        """The comparisons by which it holds for one item."""
        yield from ()

    def holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        """The parts by which it holds for one item: of alternatives those that do."""
        yield condition

    def shown_holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        """What the evidence shows of it for one item for which it holds."""
        for leaf in self.leaves(condition, scope.prepared.game):
            yield from leaf.meaning.shown(scope, leaf, grain, index)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        """What the evidence shows of it for one item."""
        answer = answered(int(scope.truth(condition, grain)[index]))
        yield f"{self.demanded(scope.prepared, condition.operand)}: {answer}"

    def shown_of_seats(self, scope: Scope, operand: Operand, round_: int) -> Iterator[str]:
        """Which seats of a round it is that do not fulfil it."""
        yield from ()


def answered(value: int) -> str:
    """A truth value as an answer."""
    return {NO: "no", YES: "yes"}.get(value, "not shown")


class QuantityOperator(Operator[Operand]):
    """An operator of `Quantity`."""

    money: ClassVar[bool] = False
    """Whether it is an amount in minor units, where that does not hang on its operand."""
    counts: ClassVar[bool] = False
    """Whether it says how often something happens, of which its operand has the title."""
    anywhere: ClassVar[bool] = False
    """Whether it is the same whatever is asked: `bounds` is then worked out at the grain asked for."""

    def bounds(self, scope: Scope, operand: Operand, grain: Grain) -> Bounds:
        """The least and the most it may be for each item of its own grain."""
        raise NotImplementedError

    def bounds_of(self, scope: Scope, operand: Operand, grain: Grain, items: Ints) -> Bounds:
        """Its `bounds` for some items, int64[n]."""
        low, high = self.bounds(scope, operand, grain)
        least = low.take(items)
        return least, least if low is high else high.take(items)

    def parts(self, operand: Operand) -> Sequence[Quantity]:
        """The quantities that it is worked out from item by item, if any."""
        return ()

    def is_money(self, prepared: Prepared, operand: Operand) -> bool:
        """Whether it is an amount in minor units."""
        return self.money

    def below_zero(self, operand: Operand) -> bool:
        """Whether it may be less than 0."""
        return any(part.meaning.below_zero(part.operand) for part in self.parts(operand))

    def asks_pots(self, operand: Operand) -> bool:
        """Whether it asks for what the pots come to."""
        return False

    def direction(self, operand: Operand) -> int:
        """Whether it grows with what players get (`TO_PLAYERS`) or with what is taken from them."""
        return NEITHER

    def columns(self, scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
        """What the rounds or seats of a batch show of it, where it or its parts speak of the round before."""
        raise NotImplementedError

    def across(self, rounds: Across, operand: Operand, name: str) -> Bounds:
        """The bounds of it, where it or its parts speak of the round before, from what all rounds show of it."""
        raise NotImplementedError

    def asked(self, prepared: Prepared, operand: Operand, *, money: bool) -> str:
        """It in words; `money` says that fixed numbers are amounts in minor units."""
        return self.in_words(prepared, operand)


class Quantity(OperatorModel):
    """A number read off a round: an amount in minor currency units, or a count. A bare number is itself."""

    OPERATORS: ClassVar[Mapping[str, QuantityOperator[Any]]] = {}

    @property
    def meaning(self) -> QuantityOperator[Any]:
        """The operator that stands here."""
        return self.OPERATORS[self.operator]

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


class Condition(OperatorModel):
    """A statement about a round of play that is yes, no or unknown."""

    OPERATORS: ClassVar[Mapping[str, ConditionOperator[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, value: object) -> object:
        return in_full(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> ConditionOperator[Any]:
        """The operator that stands here."""
        return self.OPERATORS[self.operator]

    def grain(self, game: Game) -> Grain:
        """The coarsest grain at which it can be asked. Raises MixedGrains."""
        return self.meaning.grain(self.operand, game)


def asked_at(part: Condition | Quantity | None, grain: Grain, game: Game, here: Path) -> Iterator[Problem]:
    """The problem of a condition or quantity that does not speak at the grain at which it is asked."""
    if part is None:
        return
    try:
        inner = part.grain(game)
    except MixedGrains as error:
        yield here, str(error)
        return
    if not covers(grain, inner):
        yield here, f"speaks of each {inner}, but is asked of each {grain}"
