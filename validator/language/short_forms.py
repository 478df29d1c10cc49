"""Short forms of conditions on rounds and on submissions, each with its full form."""

from __future__ import annotations

from typing import Any

from fairdeal.validator.language.grammar import ShortForm


class StepHappened(ShortForm):
    """The step happened at least once: in the round or, for a step of each seat, at the seat."""

    key = "happened"
    sample = "{happened: reveal}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"number": {"of": {"events": operand}, "at-least": 1}}


class WithinLimits(ShortForm):
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""

    key = "within-limits"
    sample = "{within-limits: this}"

    def expand(self, operand: str) -> dict[str, Any]:
        bounds = ({"at-least": {"minimum": operand}}, {"at-most": {"maximum": operand}})
        return {"all": [{"number": {"of": {"amount": operand}, **bound}} for bound in bounds]}


class OffersLine(ShortForm):
    """The submission lists this wager or bonus."""

    key = "offers"
    sample = "{offers: main}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "where": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""

    key = "at-the-table"
    sample = "{at-the-table: payout-limit.posted}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    key = "at-each-position"
    sample = "{at-each-position: layout.per}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"value": {"at": operand, "equals": "position"}}]}
