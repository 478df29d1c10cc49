"""Exact odds as they are printed: `5 to 1`, `9 for 1`, `3 to 2`.

`N to 1` pays N beyond the stake, `N for 1` pays N in exchange for it: in money `N for 1` is `N-1 to 1`. The
two wordings are kept apart because some rules regulate the wording.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from validator.text.visible import quoted

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

MAX_DIGITS = 12
"""Digits of either number of a pair of odds."""

_COUNT = r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_BETWEEN = r"(?:[ \t]+([tT][oO]|[fF][oO][rR])[ \t]+|[ \t]*:[ \t]*)"
_PATTERN = rf"^[ \t]*{_COUNT}{_BETWEEN}{_COUNT}[ \t]*$"
_ODDS = re.compile(_PATTERN)
_HOW_TO = 'write odds as "5 to 1", "9 for 1" or "3:2", in whole numbers'


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """What a wager pays for every unit staked, and in which wording.

    `payout` is the printed ratio, above 0: 3/2 for both `3 to 2` and `3 for 2`. Equality takes the wording
    into account; compare `profit` where only the money counts.
    """

    payout: Fraction
    form: Literal["to", "for"]

    @property
    def profit(self) -> Fraction:
        """What is paid beyond the stake for every unit staked."""
        return self.payout if self.form == "to" else self.payout - 1

    @property
    def printed(self) -> str:
        """The canonical text, in lowest terms: `10,000 to 1`."""
        return f"{self.payout.numerator:,} {self.form} {self.payout.denominator:,}"

    def __str__(self) -> str:
        return self.printed


def parse_odds(text: str) -> Odds:
    """The odds a text names; `3:2` means `3 to 2`.

    Raises ValueError, with a sentence for people, where the text is no odds, has a number of more than
    `MAX_DIGITS` digits or of zero, or returns less than the stake (`1 for 2`).
    """
    found = _ODDS.fullmatch(text) if len(text) <= 10 * MAX_DIGITS else None
    if found is None:
        raise ValueError(f"{quoted(text)} is not odds: {_HOW_TO}")
    left, word, right = found.groups()
    pays, stake = left.replace(",", ""), right.replace(",", "")
    if max(len(pays), len(stake)) > MAX_DIGITS:
        raise ValueError(f"a number in {quoted(text)} has more than {MAX_DIGITS} digits")
    if not int(pays) or not int(stake):
        raise ValueError(f"{quoted(text)} has a zero: both numbers of odds are at least 1")
    form: Literal["to", "for"] = "for" if word and word.lower() == "for" else "to"
    odds = Odds(payout=Fraction(int(pays), int(stake)), form=form)
    if odds.profit < 0:
        raise ValueError(f"{quoted(text)} pays back less than the stake")
    return odds


class _FromText:
    """Tells pydantic to read odds from text and to write them back as text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema  # noqa: PLC0415 - odds work without pydantic

        from_text = core_schema.no_info_after_validator_function(parse_odds, core_schema.str_schema(strict=True))
        return core_schema.json_or_python_schema(
            json_schema=from_text,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(Odds), from_text]),
            serialization=core_schema.to_string_ser_schema(),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "pattern": _PATTERN, "examples": ["5 to 1", "9 for 1", "3:2"]}


OddsText = Annotated[Odds, _FromText()]
"""Odds in a model: a text such as `5 to 1` in the file, `Odds` in the program."""
