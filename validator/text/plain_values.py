"""Plain values: truth values, and payouts exactly as they are printed.

`N to 1` pays N beyond the stake, `N for 1` pays N in exchange for it: in money `N for 1` is `N-1 to 1`. A payout keeps
its wording because some rules regulate the wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import Struct

from fairdeal.validator.text.diagnostics import quote
from fairdeal.validator.text.money import format_decimal

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


NO, UNKNOWN, YES = 0, 1, 2


MAX_DIGITS = 12
"""Maximum number of digits of a number in a payout."""

PayoutWording: TypeAlias = Literal["to", "for", "colon", "win", "push", "meter", "amount"]
"""Wording of a payout."""
PayoutUnit: TypeAlias = Literal["stake", "meter", "money"]
"""Unit of a payout: units staked, a meter, minor currency units."""

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_TO = r"[ \t]+[tT][oO][ \t]+"
_WIN = r"[wW][iI][nN]"
_RATIO = "|".join(
    (
        rf"(?P<to>{_NUMBER}){_TO}(?P<to_stake>{_NUMBER})",
        rf"(?P<for>{_NUMBER})[ \t]+[fF][oO][rR][ \t]+(?P<for_stake>{_NUMBER})",
        rf"(?P<colon>{_NUMBER})[ \t]*:[ \t]*(?P<colon_stake>{_NUMBER})",
        rf"(?P<win>{_NUMBER})[ \t]+{_WIN}[ \t]+(?P<win_stake>{_NUMBER})",
        rf"{_WIN}[ \t]+(?P<wins>{_NUMBER})(?:{_TO}(?P<wins_stake>{_NUMBER}))?",
    )
)
_OTHER = "|".join(
    (
        r"(?P<push>[pP][uU][sS][hH])",
        rf"(?P<meter>{_NUMBER}(?:\.[0-9]{{1,2}})?)[ \t]*%[ \t]+of[ \t]+meter",
        rf"\$(?P<amount>{_NUMBER}(?:\.[0-9]{{2}})?)",
    )
)
_ODDS_FORM = re.compile(rf"^[ \t]*(?:{_RATIO})[ \t]*$")
_PAYOUT_FORM = re.compile(rf"^[ \t]*(?:{_RATIO}|{_OTHER})[ \t]*$")
_HOW_TO = 'write odds as "5 to 1", "9 for 1" or "3:2", in whole numbers'
_WORDINGS: dict[str, PayoutWording] = {"to": "to", "for": "for", "colon": "colon", "win": "win", "wins": "win"}


class Payout(Struct, frozen=True, kw_only=True):
    """A payout with its wording.

    Equality includes the wording; compare `unit` and `worth` if only the money matters.
    """

    value: Fraction
    """The printed ratio of odds (3/2 for `3 to 2` and `3 for 2`), the share of a meter, or an amount in minor units. 0
    for a push."""
    form: PayoutWording
    """The wording."""

    @property
    def unit(self) -> PayoutUnit:
        """Unit of `worth`."""
        match self.form:
            case "meter":
                return "meter"
            case "amount":
                return "money"
            case _:
                return "stake"

    @property
    def worth(self) -> Fraction:
        """Payout beyond the stake, in its unit."""
        return self.value - 1 if self.form == "for" else self.value

    @property
    def profit(self) -> Fraction:
        """Payout of odds or a push beyond the stake, for every unit staked. Raises ValueError for others."""
        if self.unit != "stake":
            raise ValueError(f"{self} does not depend on the stake alone")
        return self.worth

    @property
    def printed(self) -> str:
        """Canonical text, in lowest terms: `10,000 to 1`, `3:2`, `win 5`, `10% of meter`, `$5,000`."""
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
    """Parse odds: `5 to 1`, `9 for 1`, `3:2`, `win 5`, `5 win 1`.

    Raises ValueError, with a sentence for people, if the text is no odds or returns less than the stake (`1 for 2`). A
    number of zero, or of more than `MAX_DIGITS` digits, is a ValueError too.
    """
    return _parse(text, _ODDS_FORM, f"is not odds: {_HOW_TO}")


def parse_payout(text: str) -> Payout:
    """Parse a payout: odds, `push`, `10% of meter` or `$5,000`.

    Raises ValueError, with a sentence for people, if the text is no payout; see `parse_odds`.
    """
    return _parse(text, _PAYOUT_FORM, f'is no payout: {_HOW_TO}; or "push", "10% of meter", "$5,000"')


def _parse(text: str, pattern: re.Pattern[str], refusal: str) -> Payout:
    match = pattern.fullmatch(text) if len(text) <= 10 * MAX_DIGITS else None
    if match is None:
        raise ValueError(f"{quote(text)} {refusal}")
    groups = {key: number.replace(",", "") for key, number in match.groupdict().items() if number is not None}
    if "push" in groups:
        return Payout(value=Fraction(0), form="push")
    for number in groups.values():
        if len(number.partition(".")[0]) > MAX_DIGITS:
            raise ValueError(f"a number in {quote(text)} has more than {MAX_DIGITS} digits")
        if not Fraction(number):
            raise ValueError(f"{quote(text)} has a zero: {_explain_minimum(groups)}")
    if "meter" in groups:
        return Payout(value=Fraction(groups["meter"]) / 100, form="meter")
    if "amount" in groups:
        return Payout(value=Fraction(groups["amount"]) * 100, form="amount")
    key = next(key for key in _WORDINGS if key in groups)
    odds = Payout(value=Fraction(int(groups[key]), int(groups.get(f"{key}_stake", 1))), form=_WORDINGS[key])
    if odds.profit < 0:
        raise ValueError(f"{quote(text)} returns less than the stake")
    return odds


def _explain_minimum(groups: dict[str, str]) -> str:
    if groups.keys() & {"meter", "amount"}:
        return "a payout is more than nothing"
    return "both numbers of odds are at least 1"


class _PayoutAnnotation:
    """Annotation for pydantic: payouts are read from text and written as text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _build_core_schema(parse_payout)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        examples = ["push", "5 to 1", "9 for 1", "3:2", "win 5", "10% of meter", "$5,000"]
        return {"type": "string", "pattern": _to_json_pattern(_PAYOUT_FORM), "examples": examples}


class _OddsAnnotation:
    """Annotation for pydantic: odds are read from text and written as text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _build_core_schema(parse_odds)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {
            "type": "string",
            "pattern": _to_json_pattern(_ODDS_FORM),
            "examples": ["5 to 1", "9 for 1", "3:2", "win 5"],
        }


def _build_core_schema(parse: Callable[[str], Payout]) -> CoreSchema:
    from pydantic_core import core_schema  # noqa: PLC0415 - payouts work without pydantic

    from_text = core_schema.no_info_after_validator_function(parse, core_schema.str_schema(strict=True))
    return core_schema.json_or_python_schema(
        json_schema=from_text,
        python_schema=core_schema.union_schema([core_schema.is_instance_schema(Payout), from_text]),
        serialization=core_schema.to_string_ser_schema(),
    )


def _to_json_pattern(pattern: re.Pattern[str]) -> str:
    """Return a pattern for JSON Schema, whose groups have no names."""
    return re.sub(r"\?P<\w+>", "?:", pattern.pattern)


PAYOUT_PATTERN = _to_json_pattern(_PAYOUT_FORM)
"""Form of a payout, as a pattern for JSON Schema."""
OddsText = Annotated[Payout, _OddsAnnotation()]
"""Odds in a model: a text such as `5 to 1` in the file, a `Payout` in the program."""
PayoutText = Annotated[Payout, _PayoutAnnotation()]
"""A payout in a model: odds, `push`, `10% of meter` or `$5,000` in the file."""
