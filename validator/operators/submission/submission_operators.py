"""Interface of the operators of conditions on submissions, and the table of these operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from msgspec.structs import replace

from fairdeal.validator.language.grammar import Keyword, Operand
from fairdeal.validator.language.phrases import ANY_VALUE, NO_VALUE, find_last_path_key, format_value, quote_key
from fairdeal.validator.language.submission_conditions import (
    Answer,
    ConditionPart,
    PlaceLookup,
    SubmissionCondition,
    Value,
    answer_no,
    answer_unknown,
    answer_yes,
    find_last_key,
)
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.licensee_configuration import SubmissionView
    from fairdeal.validator.rules.regulation import Regulation


class SubmissionOperator(Keyword[Operand]):
    """An operator of `SubmissionCondition`."""

    def __init__(self, operators: SubmissionOperators) -> None:
        """Create the operator for a table, through which it finds the operators of its parts."""
        self.operators = operators

    joint: ClassVar[Literal["", "and", "or"]] = ""
    """The word that joins its parts, if it may have several."""

    def find_list_path(self, operand: Operand) -> str | None:
        """Return the path of the list whose items its parts examine; None if they examine the same item as itself."""
        return None

    def list_lookups(self, operand: Operand) -> Sequence[PlaceLookup]:
        """Return the places that it reads itself, without its parts; a finding reports the first of them."""
        return ()

    def list_parts(self, operand: Operand) -> Sequence[ConditionPart]:
        """Return the conditions that it consists of."""
        return ()

    def list_conjuncts(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        """Return the conditions that it joins by "and"; the condition itself if it is no conjunction."""
        return [condition]

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return condition

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        """Evaluate the condition for a submission."""
        raise NotImplementedError

    def iterate_identifying_values(self, item: SubmissionView, operand: Operand) -> Iterator[tuple[str, str]]:
        """Yield the keys and values that identify an item which satisfies it; `item` is a view of the item."""
        yield from ()

    def describe(self, operand: Operand) -> str:
        """Describe the condition as a requirement."""
        raise NotImplementedError

    def negate(self, operand: Operand) -> str:
        """Describe the opposite of the condition."""
        return f"not {self.describe(operand)}"

    def describe_required(self, view: SubmissionView, operand: Operand) -> str:
        """Describe the requirement for an item of a list, with values of the enclosing items filled in."""
        return self.describe(operand)


class ValueOperator(Keyword[Any]):
    """An operator of `Value`."""

    required_kind: ClassVar[str] = ""
    """Kind of value that it accepts; empty for any."""
    verb: ClassVar[str] = "is"
    """The verb between the place of the value and the description of what is required."""
    negated_verb: ClassVar[str] = "is not"
    """The opposite of the verb."""
    compares_order: ClassVar[bool] = False
    """True if it compares the order of two numbers or two days."""
    refers_to_value: ClassVar[bool] = False
    """True if its operand is the path of another value in the submission."""
    names_items: ClassVar[bool] = False
    """True if its operand names items of the list."""
    is_exhaustive: ClassVar[bool] = False
    """True if only the named values satisfy it."""
    fixes_value: ClassVar[bool] = False
    """True if exactly one value satisfies it: the operand."""

    identifies_items: ClassVar[bool] = False
    """True if its operand identifies an item that a list lacks."""

    def list_values(self, operand: Any) -> Sequence[Any]:
        """Return the values that the operand names, if any."""
        return ()

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        """Return whether a value of any type satisfies a bound; values that cannot be compared do not."""
        raise NotImplementedError

    def find_expected_value(self, view: SubmissionView, operand: Any) -> Any:
        """Return the bound of a value; None if it is a path whose value the submission does not state."""
        return view.find_value(view.resolve_path(operand)) if self.refers_to_value else operand

    def answer(self, view: SubmissionView, value: Value) -> Answer:
        """Evaluate the operator for a value of a submission."""
        path, bound = view.resolve_path(value.at), self.find_expected_value(view, value.operand)
        found, expected = view.find_value(path), self.describe(value, bound)
        if self.verb != "is":
            expected = f"{quote_key(find_last_path_key(value.at))} {self.verb} {expected}"
        if found is None:
            return answer_unknown(path, expected)
        if bound is None:
            return answer_unknown(view.resolve_path(value.operand), "a value")
        return (
            answer_yes()
            if self.is_satisfied(found, bound)
            else answer_no(path, expected, format_value(found, find_last_key(path)))
        )

    def describe(self, value: Value, bound: Any) -> str:
        """Describe the required value; `bound` is None if the value at another place is not known."""
        raise NotImplementedError


class SubmissionOperators:
    """All operators of conditions on submissions: one object of each class."""

    def __init__(
        self,
        conditions: Sequence[type[SubmissionOperator[Any]]],
        values: Sequence[type[ValueOperator]],
    ) -> None:
        """Create an operator of each class."""
        self.conditions: Mapping[str, SubmissionOperator[Any]] = {kind.key: kind(self) for kind in conditions}
        """Operators of conditions by key."""
        self.values: Mapping[str, ValueOperator] = {kind.key: kind() for kind in values}
        """Operators of values by key."""

    @overload
    def find(self, part: SubmissionCondition) -> SubmissionOperator[Any]: ...
    @overload
    def find(self, part: Value) -> ValueOperator: ...

    def find(self, part: SubmissionCondition | Value) -> SubmissionOperator[Any] | ValueOperator:
        """Return the operator of a condition or of a value."""
        return self.values[part.operator] if isinstance(part, Value) else self.conditions[part.operator]

    def answer(self, condition: SubmissionCondition, view: SubmissionView) -> Answer:
        """Evaluate a condition for a submission."""
        return self.find(condition).answer(view, condition)

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        """Return a condition with the readings in force applied; a bool if they alone decide it."""
        return self.find(condition).apply_readings(condition, regulation)

    def may_hold(self, condition: SubmissionCondition, regulation: Regulation) -> bool:
        """Return whether a condition can hold for some submission under the readings in force."""
        return self.apply_readings(condition, regulation) is not False

    def describe(self, condition: SubmissionCondition) -> str:
        """Describe a condition as a requirement."""
        return self.find(condition).describe(condition.operand)

    def describe_required(self, condition: SubmissionCondition, view: SubmissionView) -> str:
        """Describe the requirement for an item of a list, under the readings in force and with enclosing items
        known."""
        read = self.apply_readings(condition, view.regulation)
        if isinstance(read, bool):
            return ANY_VALUE if read else NO_VALUE
        return self.find(read).describe_required(view, read.operand)

    def iterate_lookups(
        self, condition: SubmissionCondition, here: DataPath = (), lists: tuple[str, ...] = ()
    ) -> Iterator[PlaceLookup]:
        """Yield every place that a condition or a part of it reads; `at` is then its position from `here`."""
        operator, here = self.find(condition), (*here, condition.operator)
        inside = operator.find_list_path(condition.operand)
        within = lists if inside is None else (*lists, inside)
        for look in operator.list_lookups(condition.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.is_in_each_item else lists)
        for part in operator.list_parts(condition.operand):
            yield from self.iterate_lookups(part.condition, (*here, *part.at), within)
