"""Short forms of conditions on submissions."""

from __future__ import annotations

from typing import Any

from validator.language.refs import LineName, SubmissionPath
from validator.language.words import ShortForm


class OffersLine(ShortForm):
    """The submission lists this wager or bonus."""

    key = "offers"
    operand = LineName
    sample = "{offers: main}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "where": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""

    key = "at-the-table"
    operand = SubmissionPath
    sample = "{at-the-table: payout-limit.posted}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    key = "at-each-position"
    operand = SubmissionPath
    sample = "{at-each-position: layout.per}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"value": {"at": operand, "equals": "position"}}]}
