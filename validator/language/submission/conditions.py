"""Conditions on submissions, and the interface of their operators.

A condition is yes, no or unknown; it is unknown if the submission does not state the value. As with conditions on
rounds, operators are objects of `validator.operators`, which adds their fields to these models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pydantic import model_validator

from validator.language.refs import SubmissionPath
from validator.language.submission.answers import Answer, last_key, no, open_, yes
from validator.language.submission.wording import ANYTHING, NOTHING, named, text_of
from validator.language.words import Operand, OperatorModel, Word, in_full
from validator.text.trees.tree import Path

# Types of packages above this one. Operators annotate their methods with the real types.
View: TypeAlias = Any
Regulation: TypeAlias = Any


class Look(Struct, frozen=True, kw_only=True):
    """A place of the submission that a condition reads."""

    at: Path
    """Position of the path within the operand."""
    path: str
    """The path in the submission."""
    needs: str = ""
    """Kind of value that the place must have; empty for any."""
    inside: bool = False
    """True if the path is read in each item of the list of the condition."""
    value: Value | None = None
    """The required value, if the condition is about a value."""
    lists: tuple[str, ...] = ()
    """Paths of the lists that contain the place, outermost first."""


class Part(Struct, frozen=True, kw_only=True):
    """A condition that is part of another."""

    at: Path
    """Position of the part within the operand."""
    condition: SubmissionCondition
    """The part."""
    binding: bool = False
    """True if the part holds, for all items concerned, whenever the whole holds."""


class SubmissionOperator(Word[Operand]):
    """An operator of `SubmissionCondition`."""

    def list_of(self, operand: Operand) -> str | None:
        """Return the path of the list whose items its parts examine; None if they examine the same item as itself."""
        return None

    def looks(self, operand: Operand) -> Sequence[Look]:
        """Return the places that it reads itself, without its parts; a finding reports the first of them."""
        return ()

    def parts(self, operand: Operand) -> Sequence[Part]:
        """Return the conditions that it consists of."""
        return ()

    def joined(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        """Return the conditions that it joins by "and"; the condition itself if it is no conjunction."""
        return [condition]

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return condition

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        """Evaluate the condition for a submission."""
        raise NotImplementedError

    def sought(self, item: View, operand: Operand) -> Iterator[tuple[str, str]]:
        """Yield the keys and values that identify an item which satisfies it; `item` is a view of the item."""
        yield from ()

    def asked(self, operand: Operand) -> str:
        """Describe the condition as a requirement."""
        raise NotImplementedError

    def denied(self, operand: Operand) -> str:
        """Describe the opposite of the condition."""
        return f"not {self.asked(operand)}"

    def asked_of_item(self, view: View, operand: Operand) -> str:
        """Describe the requirement for an item of a list, with values of the enclosing items filled in."""
        return self.asked(operand)


class ValueBound(Word[Any]):
    """An operator of `Value`."""

    needs: ClassVar[str] = ""
    """Kind of value that it accepts; empty for any."""
    ordered: ClassVar[bool] = False
    """True if it compares the order of two numbers or two days."""
    beside: ClassVar[bool] = False
    """True if its operand is the path of another value in the submission."""
    of_items: ClassVar[bool] = False
    """True if its operand names items of the list."""
    closed: ClassVar[bool] = False
    """True if only the named values satisfy it."""
    only: ClassVar[bool] = False
    """True if exactly one value satisfies it: the operand."""

    tells_items: ClassVar[bool] = False
    """True if its operand identifies an item that a list lacks."""

    def names(self, operand: Any) -> Sequence[Any]:
        """Return the values that the operand names, if any."""
        return ()

    def fits(self, found: Any, bound: Any) -> bool:
        """Return whether a value of any type satisfies a bound; values that cannot be compared do not."""
        raise NotImplementedError

    def held_against(self, view: View, operand: Any) -> Any:
        """Return the bound of a value; None if it is a path whose value the submission does not state."""
        return view.value(view.path(operand)) if self.beside else operand

    def answer(self, view: View, value: Value) -> Answer:
        """Evaluate the operator for a value of a submission."""
        path, bound = view.path(value.at), self.held_against(view, value.operand)
        found, expected = view.value(path), self.asked(value, bound)
        if found is None:
            return open_(path, expected)
        if bound is None:
            return open_(view.path(value.operand), "a value")
        return yes() if self.fits(found, bound) else no(path, expected, text_of(found, last_key(path)))

    def asked(self, value: Value, bound: Any) -> str:
        """Describe the required value; `bound` is None if the value at another place is not known."""
        raise NotImplementedError

    def stated(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        """Describe the comparison of a value with its bound, or with `denied` its opposite."""
        return f"{named(value.at)} {'is not' if denied else 'is'} {self.asked(value, bound)}"


class CountBound(Word[Any]):
    """An operator of `Counted`."""

    beside: ClassVar[bool] = False
    """True if its operand is the path of a number in the submission."""

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        """Return the lowest and the highest number of items that satisfy it; `most` is the highest possible number."""
        raise NotImplementedError

    def asked(self, counted: Counted, bound: Any) -> str:
        """Describe the required number of items; `bound` is the number at another place, if it is known."""
        raise NotImplementedError


class Value(OperatorModel):
    """A comparison of a value of the submission with permitted values."""

    BESIDE = frozenset({"at"})
    OPERATORS: ClassVar[Mapping[str, ValueBound]] = {}

    at: SubmissionPath
    """Path of the value: keys joined by dots. A leading dot starts from the item that is judged, two dots from the item
    that encloses it; a dot alone is the item itself. `earlier.` starts from the submission that this one replaces."""

    @property
    def bound(self) -> ValueBound:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]

    @property
    def stated_bound(self) -> Any:
        """The operand, if it is a fixed value; None if it is a path."""
        return None if self.bound.beside else self.operand


class Counted(OperatorModel):
    """The number of items in a list of the submission."""

    BESIDE = frozenset({"in_", "where"})
    OPERATORS: ClassVar[Mapping[str, CountBound]] = {}

    in_: SubmissionPath
    """Path of the list."""
    where: SubmissionCondition | None = None
    """The items that are counted. Left out, all."""

    @property
    def bound(self) -> CountBound:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]


class SubmissionCondition(OperatorModel):
    """A condition on a submission: yes, no, or unknown if the submission does not state the value."""

    OPERATORS: ClassVar[Mapping[str, SubmissionOperator[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _expand_short_form(cls, value: object) -> object:
        return in_full(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> SubmissionOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def answer(self, view: View) -> Answer:
        """Evaluate the condition for a submission."""
        return self.meaning.answer(view, self)

    def as_read(self, regulation: Regulation) -> SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return self.meaning.as_read(self, regulation)

    def applied_to(self, operand: Any) -> SubmissionCondition:
        """Return the same operator with another operand, without validation."""
        (name,) = self._given()
        return type(self).model_construct({name}, **{name: operand})

    def may_hold(self, regulation: Regulation) -> bool:
        """Return whether it can hold for some submission under the readings in force."""
        return self.as_read(regulation) is not False

    def asked(self) -> str:
        """Describe the condition as a requirement."""
        return self.meaning.asked(self.operand)

    def asked_of_item(self, view: View) -> str:
        """Describe the requirement for an item of a list, under the readings in force and with enclosing items
        known."""
        read = self.as_read(view.regulation)
        if isinstance(read, bool):
            return ANYTHING if read else NOTHING
        return read.meaning.asked_of_item(view, read.operand)

    def looks(self, here: Path = (), lists: tuple[str, ...] = ()) -> Iterator[Look]:
        """Yield every place that the condition or a part of it reads; `at` is then its position from `here`."""
        meaning, here = self.meaning, (*here, self.operator)
        inside = meaning.list_of(self.operand)
        within = lists if inside is None else (*lists, inside)
        for look in meaning.looks(self.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.inside else lists)
        for part in meaning.parts(self.operand):
            yield from part.condition.looks((*here, *part.at), within)
