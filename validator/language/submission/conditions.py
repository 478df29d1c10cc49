"""Conditions on what a submission states, and what their operators tell of them: yes, no or unknown; unknown is what it
does not state.

As with conditions on rounds, operators are objects of `validator.operators`, which gives these models their fields.
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

# What operators are asked with, made in packages above this one: operators say themselves of what type it is.
View: TypeAlias = Any
Regulation: TypeAlias = Any


class Look(Struct, frozen=True, kw_only=True):
    """A place that a condition looks at: `at` is where the path stands in its operand, `needs` the kind of value that
    must stand there, empty for any. `inside`: it is looked for in each item of the condition's list. `value` is what
    is asked of it, where that is a value. `lists` are the paths of the lists from whose items it is looked for, the
    outermost first."""

    at: Path
    path: str
    needs: str = ""
    inside: bool = False
    value: Value | None = None
    lists: tuple[str, ...] = ()


class Part(Struct, frozen=True, kw_only=True):
    """A condition that another is made of, and where it stands in the operand. `binding`: it holds wherever the whole
    does, of all that the whole speaks of."""

    at: Path
    condition: SubmissionCondition
    binding: bool = False


class SubmissionOperator(Word[Operand]):
    """An operator of `SubmissionCondition`."""

    def list_of(self, operand: Operand) -> str | None:
        """The path of the list that its parts are asked of, item by item; None where they are asked where it is."""
        return None

    def looks(self, operand: Operand) -> Sequence[Look]:
        """The places that it looks at itself; the first of them is what a finding on it is about."""
        return ()

    def parts(self, operand: Operand) -> Sequence[Part]:
        """The conditions it is made of."""
        return ()

    def joined(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        """The conditions that it says together; itself, where it says one thing."""
        return [condition]

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        """What it asks as the text is read: without readings, yes or no where they alone decide it."""
        return condition

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        """Whether it holds of a submission."""
        raise NotImplementedError

    def sought(self, item: View, operand: Operand) -> Iterator[tuple[str, str]]:
        """The values that an item of a list must have to fulfil it, by key; `item` stands for it."""
        yield from ()

    def asked(self, operand: Operand) -> str:
        """What it asks for."""
        raise NotImplementedError

    def denied(self, operand: Operand) -> str:
        """The opposite of what it asks for."""
        return f"not {self.asked(operand)}"

    def asked_of_item(self, view: View, operand: Operand) -> str:
        """What it asks of an item of a list, values of the items around it filled in."""
        return self.asked(operand)


class ValueBound(Word[Any]):
    """What `Value` may hold a value against."""

    needs: ClassVar[str] = ""
    """The kind of value it can be asked of, where not of any."""
    ordered: ClassVar[bool] = False
    """Whether it asks which is more, of two numbers or of two days."""
    beside: ClassVar[bool] = False
    """Whether its operand is the place of another value of the submission."""
    of_items: ClassVar[bool] = False
    """Whether what it names are items of the list that it is asked of."""
    closed: ClassVar[bool] = False
    """Whether nothing but what it names will do."""
    only: ClassVar[bool] = False
    """Whether a single value will do, the one that it names."""

    tells_items: ClassVar[bool] = False
    """Whether an item that a list lacks is known by what it asks for."""

    def names(self, operand: Any) -> Sequence[Any]:
        """The values that it looks for, if it names any."""
        return ()

    def fits(self, found: Any, bound: Any) -> bool:
        """Whether a value is as a bound asks, whatever the two are: what cannot be compared does not fit."""
        raise NotImplementedError

    def held_against(self, view: View, operand: Any) -> Any:
        """What a value is held against, None where that is not stated."""
        return view.value(view.path(operand)) if self.beside else operand

    def answer(self, view: View, value: Value) -> Answer:
        """Whether a value of a submission is as it asks."""
        path, bound = view.path(value.at), self.held_against(view, value.operand)
        found, expected = view.value(path), self.asked(value, bound)
        if found is None:
            return open_(path, expected)
        if bound is None:
            return open_(view.path(value.operand), "a value")
        return yes() if self.fits(found, bound) else no(path, expected, text_of(found, last_key(path)))

    def asked(self, value: Value, bound: Any) -> str:
        """What a value must be, with the bound where it is known: that of another place may not be."""
        raise NotImplementedError

    def stated(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        """A value held against its bound, or the opposite of that."""
        return f"{named(value.at)} {'is not' if denied else 'is'} {self.asked(value, bound)}"


class CountBound(Word[Any]):
    """What `Counted` may hold the number of items against."""

    beside: ClassVar[bool] = False
    """Whether its operand is the place of a number of the submission."""

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        """The fewest and the most items that it allows, of `most` that there may be."""
        raise NotImplementedError

    def asked(self, counted: Counted, bound: Any) -> str:
        """How many there must be; `bound` is the number that another place states, if that is asked and known."""
        raise NotImplementedError


class Value(OperatorModel):
    """A value of the submission held against what is allowed."""

    BESIDE = frozenset({"at"})
    OPERATORS: ClassVar[Mapping[str, ValueBound]] = {}

    at: SubmissionPath
    """Where the value stands: keys joined by dots. A leading dot starts from the item that is judged, two
    from the item around it; a dot alone is the item itself. `earlier.` starts from the submission that this one
    replaces."""

    @property
    def bound(self) -> ValueBound:
        """The bound that stands here."""
        return self.OPERATORS[self.operator]

    @property
    def stated_bound(self) -> Any:
        """What it is held against, None where that stands elsewhere in the submission."""
        return None if self.bound.beside else self.operand


class Counted(OperatorModel):
    """How many items a list of the submission has."""

    BESIDE = frozenset({"in_", "where"})
    OPERATORS: ClassVar[Mapping[str, CountBound]] = {}

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items that are counted; left out, all."""

    @property
    def bound(self) -> CountBound:
        """The bound that stands here."""
        return self.OPERATORS[self.operator]


class SubmissionCondition(OperatorModel):
    """A statement about a submission that is yes, no or unknown: unknown is what it does not state."""

    OPERATORS: ClassVar[Mapping[str, SubmissionOperator[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, value: object) -> object:
        return in_full(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> SubmissionOperator[Any]:
        """The operator that stands here."""
        return self.OPERATORS[self.operator]

    def answer(self, view: View) -> Answer:
        """Whether it holds of a submission."""
        return self.meaning.answer(view, self)

    def as_read(self, regulation: Regulation) -> SubmissionCondition | bool:
        """What it asks as the text is read: without readings, yes or no where they alone decide it."""
        return self.meaning.as_read(self, regulation)

    def applied_to(self, operand: Any) -> SubmissionCondition:
        """The same operator applied to a part of what it is applied to, which is sound already."""
        (name,) = self._given()
        return type(self).model_construct({name}, **{name: operand})

    def may_hold(self, regulation: Regulation) -> bool:
        """Whether it may hold of some submission as the text is read."""
        return self.as_read(regulation) is not False

    def asked(self) -> str:
        """What it asks for, in words."""
        return self.meaning.asked(self.operand)

    def asked_of_item(self, view: View) -> str:
        """What it asks of an item of a list as the text is read, values of the items around it filled in."""
        read = self.as_read(view.regulation)
        if isinstance(read, bool):
            return ANYTHING if read else NOTHING
        return read.meaning.asked_of_item(view, read.operand)

    def looks(self, here: Path = (), lists: tuple[str, ...] = ()) -> Iterator[Look]:
        """Every place that it or a part of it looks at; `at` is then where that stands, from `here`."""
        meaning, here = self.meaning, (*here, self.operator)
        inside = meaning.list_of(self.operand)
        within = lists if inside is None else (*lists, inside)
        for look in meaning.looks(self.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.inside else lists)
        for part in meaning.parts(self.operand):
            yield from part.condition.looks((*here, *part.at), within)
