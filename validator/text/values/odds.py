"""What a row of a pay table pays, exactly as it is printed: odds, a push, a share of a meter, an amount.

`N to 1` pays N beyond the stake, `N for 1` pays N in exchange for it: in money `N for 1` is `N-1 to 1`. The
wordings are kept apart because some rules regulate the wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import Struct

from validator.text.values.money import format_decimal
from validator.text.visible import quoted

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

MAX_DIGITS = 12
"""Digits of a number in a payout."""

Form: TypeAlias = Literal["to", "for", "colon", "win", "push", "meter", "amount"]
"""How a payout is worded."""
Unit: TypeAlias = Literal["stake", "meter", "money"]
"""What a payout is reckoned in: units staked, a meter, minor currency units."""

_COUNT = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_TO = r"[ \t]+[tT][oO][ \t]+"
_WIN = r"[wW][iI][nN]"
_RATIO = "|".join(
    (
        rf"(?P<to>{_COUNT}){_TO}(?P<to_stake>{_COUNT})",
        rf"(?P<for>{_COUNT})[ \t]+[fF][oO][rR][ \t]+(?P<for_stake>{_COUNT})",
        rf"(?P<colon>{_COUNT})[ \t]*:[ \t]*(?P<colon_stake>{_COUNT})",
        rf"(?P<win>{_COUNT})[ \t]+{_WIN}[ \t]+(?P<win_stake>{_COUNT})",
        rf"{_WIN}[ \t]+(?P<wins>{_COUNT})(?:{_TO}(?P<wins_stake>{_COUNT}))?",
    )
)
_OTHER = "|".join(
    (
        r"(?P<push>[pP][uU][sS][hH])",
        rf"(?P<meter>{_COUNT}(?:\.[0-9]{{1,2}})?)[ \t]*%[ \t]+of[ \t]+meter",
        rf"\$(?P<amount>{_COUNT}(?:\.[0-9]{{2}})?)",
    )
)
_ODDS = re.compile(rf"^[ \t]*(?:{_RATIO})[ \t]*$")
_PAYOUT = re.compile(rf"^[ \t]*(?:{_RATIO}|{_OTHER})[ \t]*$")
_HOW_TO = 'write odds as "5 to 1", "9 for 1" or "3:2", in whole numbers'
_NUMBERS: dict[str, Form] = {"to": "to", "for": "for", "colon": "colon", "win": "win", "wins": "win"}


class Payout(Struct, frozen=True, kw_only=True):
    """What is paid, and in which wording.

    `value` is the printed ratio for odds (3/2 for both `3 to 2` and `3 for 2`), the part of the meter (1/10
    for 10%), or the amount in minor currency units; 0 for a push. Equality takes the wording into account;
    compare `unit` and `worth` where only the money counts.
    """

    value: Fraction
    form: Form

    @property
    def unit(self) -> Unit:
        """What `worth` is reckoned in."""
        match self.form:
            case "meter":
                return "meter"
            case "amount":
                return "money"
            case _:
                return "stake"

    @property
    def worth(self) -> Fraction:
        """What is paid beyond the stake, in its unit."""
        return self.value - 1 if self.form == "for" else self.value

    @property
    def profit(self) -> Fraction:
        """What odds or a push pay beyond the stake for every unit staked. Raises ValueError for the others."""
        if self.unit != "stake":
            raise ValueError(f"{self} does not depend on the stake alone")
        return self.worth

    @property
    def printed(self) -> str:
        """The canonical text, in lowest terms: `10,000 to 1`, `3:2`, `win 5`, `10% of meter`, `$5,000`."""
        pays, stake = self.value.numerator, self.value.denominator
        match self.form:
            case "push":
                return "push"
            case "meter":
                whole, part = divmod(self.value * 10_000, 100)
                return f"{whole:,}{f'.{int(part):02d}' if part else ''}% of meter"
            case "amount":
                return f"${format_decimal(pays).removesuffix('.00')}"
            case "colon":
                return f"{pays:,}:{stake:,}"
            case "win":
                return f"win {pays:,}" if stake == 1 else f"{pays:,} win {stake:,}"
            case _:
                return f"{pays:,} {self.form} {stake:,}"

    def __str__(self) -> str:
        return self.printed


def parse_odds(text: str) -> Payout:
    """The odds a text names: `5 to 1`, `9 for 1`, `3:2`, `win 5`, `5 win 1`.

    Raises ValueError, with a sentence for people, where the text is no odds, has a number of more than
    `MAX_DIGITS` digits or of zero, or returns less than the stake (`1 for 2`).
    """
    return _read(text, _ODDS, f"is not odds: {_HOW_TO}")


def parse_payout(text: str) -> Payout:
    """What a text says is paid: odds, `push`, `10% of meter` or `$5,000`.

    Raises ValueError, with a sentence for people, where the text is nothing of the kind; see `parse_odds`.
    """
    return _read(text, _PAYOUT, f'is no payout: {_HOW_TO}; or "push", "10% of meter", "$5,000"')


def _read(text: str, pattern: re.Pattern[str], refusal: str) -> Payout:
    found = pattern.fullmatch(text) if len(text) <= 10 * MAX_DIGITS else None
    if found is None:
        raise ValueError(f"{quoted(text)} {refusal}")
    named = {key: number.replace(",", "") for key, number in found.groupdict().items() if number is not None}
    if "push" in named:
        return Payout(value=Fraction(0), form="push")
    for number in named.values():
        if len(number.partition(".")[0]) > MAX_DIGITS:
            raise ValueError(f"a number in {quoted(text)} has more than {MAX_DIGITS} digits")
        if not Fraction(number):
            raise ValueError(f"{quoted(text)} has a zero: {_least(named)}")
    if "meter" in named:
        return Payout(value=Fraction(named["meter"]) / 100, form="meter")
    if "amount" in named:
        return Payout(value=Fraction(named["amount"]) * 100, form="amount")
    key = next(key for key in _NUMBERS if key in named)
    odds = Payout(value=Fraction(int(named[key]), int(named.get(f"{key}_stake", 1))), form=_NUMBERS[key])
    if odds.profit < 0:
        raise ValueError(f"{quoted(text)} pays back less than the stake")
    return odds


def _least(named: dict[str, str]) -> str:
    if named.keys() & {"meter", "amount"}:
        return "what is paid is more than nothing"
    return "both numbers of odds are at least 1"


class _FromText:
    """Tells pydantic to read payouts from text and to write them back as text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _schema(parse_payout)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        examples = ["push", "5 to 1", "9 for 1", "3:2", "win 5", "10% of meter", "$5,000"]
        return {"type": "string", "pattern": _plain(_PAYOUT), "examples": examples}


class _OddsFromText:
    """Tells pydantic to read odds from text and to write them back as text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _schema(parse_odds)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "pattern": _plain(_ODDS), "examples": ["5 to 1", "9 for 1", "3:2", "win 5"]}


def _schema(parse: Callable[[str], Payout]) -> CoreSchema:
    from pydantic_core import core_schema  # noqa: PLC0415 - payouts work without pydantic

    from_text = core_schema.no_info_after_validator_function(parse, core_schema.str_schema(strict=True))
    return core_schema.json_or_python_schema(
        json_schema=from_text,
        python_schema=core_schema.union_schema([core_schema.is_instance_schema(Payout), from_text]),
        serialization=core_schema.to_string_ser_schema(),
    )


def _plain(pattern: re.Pattern[str]) -> str:
    """A pattern as JSON Schema knows them, whose groups bear no names."""
    return re.sub(r"\?P<\w+>", "?:", pattern.pattern)


PAYOUT_FORM = _plain(_PAYOUT)
"""The form of a payout, as a pattern that JSON Schema knows."""
OddsText = Annotated[Payout, _OddsFromText()]
"""Odds in a model: a text such as `5 to 1` in the file, `Payout` in the program."""
PayoutText = Annotated[Payout, _FromText()]
"""A row of a pay table in a model: odds, `push`, `10% of meter` or `$5,000` in the file."""
