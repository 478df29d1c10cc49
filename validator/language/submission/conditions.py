"""Conditions on what a submission states: yes, no or unknown; unknown is what it does not state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from pydantic import model_validator

from validator.language.refs import LineName, SubmissionPath
from validator.language.registry import ShortForm, in_full, operators, with_operators
from validator.language.submission import lists, logic, places, values
from validator.language.submission.registry import CountBound, Look, SubmissionOperator, ValueBound
from validator.text.models.model import OneOf
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from validator.engine.submission.answers import Answer, View
    from validator.rules.core.regulation import Regulation


class Offers(ShortForm):
    """The wager or bonus is one of those that the submission lists."""

    key = "offers"
    operand = LineName
    sample = "{offers: main}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "where": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list of places names the layout or signage, as `.posted` of a wager, or `.displayed` of a pay table."""

    key = "at-the-table"
    operand = SubmissionPath
    sample = "{at-the-table: payout-limit.posted}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """Each position has one of its own, as `.per` of an area of the layout says; so it is where that says nothing."""

    key = "at-each-position"
    operand = SubmissionPath
    sample = "{at-each-position: layout.per}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"value": {"at": operand, "equals": "position"}}]}


VALUES: Mapping[str, ValueBound] = operators(ValueBound, [values])
COUNTS: Mapping[str, CountBound] = operators(CountBound, [lists])
CONDITIONS: Mapping[str, SubmissionOperator[Any]] = operators(SubmissionOperator, [logic, places, lists])
SHORT_FORMS: Mapping[str, ShortForm] = {one.key: one() for one in (Offers, AtTheTable, AtEachPosition)}
"""The words of conditions on submissions, by their keys."""


@with_operators(VALUES)
class Value(OneOf):
    """A value of the submission held against what is allowed."""

    BESIDE = frozenset({"at"})

    at: SubmissionPath
    """Where the value stands: keys joined by dots. A leading dot starts from the item that is judged, two
    from the item around it; a dot alone is the item itself. `earlier.` starts from the submission that this one
    replaces."""

    @property
    def bound(self) -> ValueBound:
        """The bound that stands here."""
        return VALUES[self.operator]

    @property
    def stated_bound(self) -> Any:
        """What it is held against, None where that stands elsewhere in the submission."""
        return None if self.bound.beside else self.operand


@with_operators(COUNTS)
class Counted(OneOf):
    """How many items a list of the submission has."""

    BESIDE = frozenset({"in_", "where"})

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items that are counted; left out, all."""

    @property
    def bound(self) -> CountBound:
        """The bound that stands here."""
        return COUNTS[self.operator]


@with_operators({**CONDITIONS, **SHORT_FORMS})
class SubmissionCondition(OneOf):
    """A statement about a submission that is yes, no or unknown: unknown is what it does not state."""

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, value: object) -> object:
        return in_full(SHORT_FORMS, value)

    @property
    def meaning(self) -> SubmissionOperator[Any]:
        """The operator that stands here."""
        return CONDITIONS[self.operator]

    def answer(self, view: View) -> Answer:
        """Whether it holds of a submission."""
        return self.meaning.answer(view, self)

    def may_hold(self, regulation: Regulation) -> bool:
        """Whether it may hold of some submission as the text is read."""
        return self.meaning.may_hold(self.operand, regulation)

    def asked(self) -> str:
        """What it asks for, in words."""
        return self.meaning.asked(self.operand)

    def asked_of_item(self, view: View) -> str:
        """What it asks of an item of a list as the text is read, values of the items around it filled in."""
        return self.meaning.asked_of_item(view, self.operand)

    def looks(self, here: Path = (), lists: tuple[str, ...] = ()) -> Iterator[Look]:
        """Every place that it or a part of it looks at; `at` is then where that stands, from `here`."""
        meaning, here = self.meaning, (*here, self.operator)
        inside = meaning.list_of(self.operand)
        within = lists if inside is None else (*lists, inside)
        for look in meaning.looks(self.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.inside else lists)
        for part in meaning.parts(self.operand):
            yield from part.condition.looks((*here, *part.at), within)


for family in (lists, logic, places, values):
    # Operands hold conditions and values in their turn: here is where their names get their meaning.
    vars(family).update(SubmissionCondition=SubmissionCondition, Value=Value, Counted=Counted)
