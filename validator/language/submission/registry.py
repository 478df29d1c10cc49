"""What is known of a word on submissions: one object holds it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from validator.language.registry import Operand, Word
from validator.language.submission.wording import named, text_of
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from validator.engine.submission.answers import Answer, View
    from validator.language.submission.conditions import Counted, SubmissionCondition, Value
    from validator.rules.core.regulation import Regulation


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

    def may_hold(self, operand: Operand, regulation: Regulation) -> bool:
        """Whether it may hold of some submission as the text is read."""
        return True

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
        """What it asks of an item of a list as the text is read, values of the items around it filled in."""
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
        from validator.engine.submission.answers import last_key, no, open_, yes

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
