"""Short forms of conditions on submissions."""

from __future__ import annotations

from typing import Any

from validator.language.refs import LineName, SubmissionPath
from validator.language.words import ShortForm


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
