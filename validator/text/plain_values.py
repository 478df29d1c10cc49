"""Plain values: truth values, payouts exactly as they are printed, and amounts of money.

People write units of a currency: `5`, `5.00`, `"$5.00"`, `"1,000"`, `"USD 5"`. The program counts minor units, as hand
logs do. `parse_money` is the only function that turns the first into the second.

`N to 1` pays N beyond the stake, `N for 1` pays N in exchange for it: in money `N for 1` is `N-1 to 1`. A payout keeps
its wording because some rules regulate the wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NoReturn, TypeAlias

from msgspec import Struct

from fairdeal.validator.text.diagnostics import quote

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

DECIMALS: Final = 2
"""Decimals of most currencies, and of an amount without a currency."""
_DECIMALS: Final = {
    0: {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV"}
    | {"XAF", "XOF", "XPF"},
    3: {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"},
    4: {"CLF", "UYW"},
}
_OTHER_DECIMALS: Final = {currency: decimals for decimals, named in _DECIMALS.items() for currency in named}
"""Decimals of the other currencies of ISO 4217."""
SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}
"""Signs of the currencies that results write with one; all others are written with their ISO 4217 code."""
_SIGN_CURRENCIES: Final = {
    "$": {"USD", "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "FJD", "GYD", "HKD", "JMD"}
    | {"KYD", "MXN", "NZD", "SGD", "SRD", "TTD", "TWD"},
    "€": {"EUR"},
    "£": {"GBP", "EGP", "FKP", "GIP", "LBP", "SHP"},
    "¥": {"JPY", "CNY"},
}
"""Currencies that people write with each sign."""

MAX_MINOR_UNITS: Final = 10**12
"""Largest amount, in minor units."""

_SHOWN: Final[ContextVar[str | None]] = ContextVar("shown", default=None)
_WRITTEN: Final[ContextVar[str | None]] = ContextVar("written", default=None)
_WITH_ZEROS: Final[ContextVar[frozenset[Decimal]]] = ContextVar("with_zeros", default=frozenset())


def count_decimals(currency: str | None) -> int:
    """Return the number of decimals of a currency; two if it is not known."""
    return _OTHER_DECIMALS.get(currency or "", DECIMALS)


def are_comparable(first: str | None, second: str | None) -> bool:
    """Return whether amounts in two currencies can be compared; one that is not stated has two decimals."""
    return first == second or (None in (first, second) and count_decimals(first) == count_decimals(second))


@contextmanager
def currency_context(currency: str | None) -> Iterator[None]:
    """Make `format_money` write amounts in a currency, as `decimal.localcontext` sets a precision.

    Without a currency, that of an outer context stays.
    """
    token = _SHOWN.set(currency or _SHOWN.get())
    try:
        yield
    finally:
        _SHOWN.reset(token)


@contextmanager
def written_in(currency: object) -> Iterator[None]:
    """Make `parse_money` and `write_money` use the currency that a file names; none if that is no text."""
    token = _WRITTEN.set(currency if isinstance(currency, str) else None)
    try:
        yield
    finally:
        _WRITTEN.reset(token)


@contextmanager
def written_with_zeros(numbers: Iterable[Decimal]) -> Iterator[None]:
    """Make `parse_money` refuse numbers that a file writes with three zeros after the point, such as 1.000.

    Many countries write a thousand so. On the way to a model a number loses these zeros.
    """
    token = _WITH_ZEROS.set(frozenset(number for number in numbers if _ends_in_zeros(number)))
    try:
        yield
    finally:
        _WITH_ZEROS.reset(token)


def _ends_in_zeros(number: Decimal) -> bool:
    return number.as_tuple().exponent == -_GROUPED and number == number.to_integral_value()


def format_money(minor: int, currency: str | None = None) -> str:
    """Return an amount with its currency: `$1,234.50`, `JPY 60`, `-€0.05`; `60.00` where no currency is known.

    Args:
        minor: the amount in minor units.
        currency: its ISO 4217 code; by default that of `currency_context`.
    """
    named = currency or _SHOWN.get()
    prefix = "" if named is None else SIGNS.get(named, f"{named} ")
    return f"{'-' if minor < 0 else ''}{prefix}{format_decimal(abs(minor), count_decimals(named))}"


def format_decimal(minor: int, decimals: int = DECIMALS) -> str:
    """Return an amount without its currency, with thousands separators: -123450 with two decimals is `-1,234.50`."""
    units, rest = divmod(abs(minor), 10**decimals)
    return f"{'-' if minor < 0 else ''}{units:,}{f'.{rest:0{decimals}d}' if decimals else ''}"


_COMMA_CURRENCIES: Final = frozenset(
    {"EUR", "ARS", "BGN", "BRL", "CHF", "CLP", "COP", "CZK", "DKK", "HUF", "ISK", "NOK", "PLN", "RON", "RSD", "SEK"}
    | {"TRY", "UAH", "UYU", "XAF", "XOF", "XPF"}
)
"""Currencies of countries that write a comma before the decimals."""
_GROUP = "[ \u00a0\u202f'\u2019]"
_AMOUNT = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,13})(?:\.[0-9]{1,4})?"
    rf"|[0-9]{{1,3}}(?:{_GROUP}[0-9]{{3}}){{1,4}}(?:[.,][0-9]{{1,2}})?"
    r"|(?:[0-9]{1,3}(?:\.[0-9]{3}){1,4}|[0-9]{1,13}),[0-9]{1,2}"
)
_FORM = re.compile(
    rf"^(?:(?P<sign>[$€£¥]) ?|(?P<code>[A-Z]{{3}}) )?(?P<number>{_AMOUNT})$"
    rf"|^(?P<last_number>{_AMOUNT})(?:[ \u00a0\u202f]?(?P<last_sign>[$€£¥])|[ \u00a0\u202f](?P<last_code>[A-Z]{{3}}))$"
)
MONEY_PATTERN: Final = re.sub(r"\?P<\w+>", "?:", _FORM.pattern)
"""Form of an amount as text, as a pattern for JSON Schema."""
MONEY_EXPECTED: Final = 'an amount such as 5, 5.00 or "$5.00", in units of the currency'
"""Amount of money as error messages call it."""
_GROUPED = 3
"""Digits between the separators of thousands."""
_MAX_TEXT = 30
_BOUND_KEYS = {"less_than_equal": "le", "greater_than": "gt", "greater_than_equal": "ge"}


def parse_money(value: object) -> int:
    """Return an amount of a file in minor units of the currency of `written_in`. Raises ValueError."""
    return _parse_amount(value, least=0)


def parse_positive_money(value: object) -> int:
    """Return an amount of more than nothing of a file in minor units; see `parse_money`. Raises ValueError."""
    return _parse_amount(value, least=1)


def parse_count_or_money(value: object) -> int:
    """Return a whole number as it is, and an amount such as `$5` or `2.50` in minor units. Raises ValueError."""
    return value if type(value) is int else parse_money(value)


def _parse_amount(value: object, *, least: int) -> int:
    currency = _WRITTEN.get()
    match value:
        case str():
            amount = _parse_text(value, currency)
        case bool():
            _refuse_type()
        case int() | Decimal():
            amount = Decimal(value)
        case float():  # from JSON: the loaders bound the digits, so the shortest text of the float is that of the file
            amount = Decimal(repr(value))
        case _:
            _refuse_type()
    decimals = count_decimals(currency)
    most = MAX_MINOR_UNITS // 10**decimals
    if not amount.is_finite() or amount > most:
        _refuse_bound("less_than_equal", most)
    if amount < 0 or (not amount and least):
        _refuse_bound("greater_than" if least else "greater_than_equal", 0)
    if not isinstance(value, int) and amount in _WITH_ZEROS.get() and decimals < _GROUPED:
        raise ValueError(f"`{amount:.{_GROUPED}f}` may be a thousand times as much: write it without decimals")
    minor = amount.scaleb(decimals)
    if minor != minor.to_integral_value():
        raise ValueError(_explain_decimals(value if isinstance(value, str) else str(amount), currency))
    return int(minor)


def _parse_text(text: str, currency: str | None) -> Decimal:
    parts = _FORM.fullmatch(text) if len(text) <= _MAX_TEXT else None
    if parts is None:
        raise ValueError(f"{quote(text)} is not an amount: write {MONEY_EXPECTED.removeprefix('an amount such as ')}")
    number = parts["number"] or parts["last_number"]
    sign, code = parts["sign"] or parts["last_sign"], parts["code"] or parts["last_code"]
    if code and currency is None:
        raise ValueError(f"{quote(text)} names a currency, but the file does not: state `currency: {code}`")
    if sign == "¥" and currency is None:
        raise ValueError(f"{quote(text)} may be of several currencies: state `currency: JPY` or `currency: CNY`")
    if (code and code != currency) or (sign and currency and currency not in _SIGN_CURRENCIES[sign]):
        raise ValueError(f"{quote(text)} is not in {currency}, the currency of the file")
    has_comma = re.search(r",[0-9]{1,2}$", number) is not None
    if has_comma and sign != "€" and currency not in _COMMA_CURRENCIES:
        raise ValueError(f"{quote(text)} is not an amount: write the decimals after a point")
    number = re.sub(_GROUP, "", number)
    number = number.replace(".", "").replace(",", ".") if has_comma else number.replace(",", "")
    if len(number.partition(".")[2]) > count_decimals(currency):
        raise ValueError(_explain_decimals(text, currency))
    return Decimal(number)


def _explain_decimals(text: str, currency: str | None) -> str:
    if currency is None:
        return f"{quote(text)} has more than {DECIMALS} decimals, and the file states no `currency` that has more"
    decimals = count_decimals(currency)
    return f"{quote(text)} has more decimals than {currency}, which has {decimals or 'none'}"


def _refuse_type() -> NoReturn:
    from pydantic_core import PydanticCustomError  # noqa: PLC0415 - amounts are shown without pydantic

    raise PydanticCustomError("money_type", "Input should be an amount")


def _refuse_bound(kind: Literal["less_than_equal", "greater_than", "greater_than_equal"], bound: int) -> NoReturn:
    from pydantic_core import PydanticKnownError  # noqa: PLC0415 - amounts are shown without pydantic

    raise PydanticKnownError(kind, {_BOUND_KEYS[kind]: bound})


def write_money(minor: int) -> int | str:
    """Return an amount as a file states it, in units of the currency of `written_in`: `5`, or `"5.50"`."""
    decimals = count_decimals(_WRITTEN.get())
    units, rest = divmod(minor, 10**decimals)
    return f"{units}.{rest:0{decimals}d}" if rest else units


class MoneyAnnotation:
    """Annotation for pydantic: the file states units of a currency, and the field holds minor units."""

    def __init__(self, parse: Callable[[object], int]) -> None:
        self._parse = parse
        self.is_amount = parse is not parse_count_or_money

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema  # noqa: PLC0415 - amounts are shown without pydantic

        return core_schema.no_info_plain_validator_function(
            self._parse,
            serialization=core_schema.plain_serializer_function_ser_schema(write_money, when_used="unless-none")
            if self.is_amount
            else None,
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        least = {"exclusiveMinimum": 0} if self._parse is parse_positive_money else {"minimum": 0}
        bounds = {**least, "maximum": MAX_MINOR_UNITS}
        return {"type": ["number", "string"], **bounds, "pattern": MONEY_PATTERN, "examples": [5, "$5.00", "1,000"]}


Money = Annotated[int, MoneyAnnotation(parse_money)]
"""Amount of money in a model: units of the currency in the file, minor units in the program."""
CountOrMoney = Annotated[int, MoneyAnnotation(parse_count_or_money)]
"""Number in a model: a whole number is a count, everything else an amount of money."""
PositiveMoney = Annotated[int, MoneyAnnotation(parse_positive_money)]
"""Amount of more than nothing."""


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
_WHOLE_METER = 100
"""Percent of all that a meter holds."""
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
    return _parse_payout(text, _ODDS_FORM, f"is not odds: {_HOW_TO}")


def parse_payout(text: str) -> Payout:
    """Parse a payout: odds, `push`, `10% of meter` or `$5,000`.

    Raises ValueError, with a sentence for people, if the text is no payout; see `parse_odds`.
    """
    return _parse_payout(text, _PAYOUT_FORM, f'is no payout: {_HOW_TO}; or "push", "10% of meter", "$5,000"')


def _parse_payout(text: str, pattern: re.Pattern[str], refusal: str) -> Payout:
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
        if Fraction(groups["meter"]) > _WHOLE_METER:
            raise ValueError(f"{quote(text)} is more than the meter holds: write 100% at most")
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
