"""Money: the decimals of currencies, amounts as people write them, and amounts as results show them.

People write units of a currency: `5`, `5.00`, `"$5.00"`, `"1,000"`, `"USD 5"`. The program counts minor units, as hand
logs do. `parse_money` is the only function that turns the first into the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NoReturn

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
_NUMBER = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,13})(?:\.[0-9]{1,4})?"
    rf"|[0-9]{{1,3}}(?:{_GROUP}[0-9]{{3}}){{1,4}}(?:[.,][0-9]{{1,2}})?"
    r"|(?:[0-9]{1,3}(?:\.[0-9]{3}){1,4}|[0-9]{1,13}),[0-9]{1,2}"
)
_FORM = re.compile(
    rf"^(?:(?P<sign>[$€£¥]) ?|(?P<code>[A-Z]{{3}}) )?(?P<number>{_NUMBER})$"
    rf"|^(?P<last_number>{_NUMBER})(?:[ \u00a0\u202f]?(?P<last_sign>[$€£¥])|[ \u00a0\u202f](?P<last_code>[A-Z]{{3}}))$"
)
MONEY_PATTERN: Final = re.sub(r"\?P<\w+>", "?:", _FORM.pattern)
"""Form of an amount as text, as a pattern for JSON Schema."""
MONEY_EXPECTED: Final = 'an amount such as 5, 5.00 or "$5.00", in units of the currency'
"""Amount of money as error messages call it."""
_MAX_TEXT = 30
_BOUND_KEYS = {"less_than_equal": "le", "greater_than": "gt", "greater_than_equal": "ge"}


def parse_money(value: object) -> int:
    """Return an amount of a file in minor units of the currency of `written_in`. Raises ValueError."""
    return _parse(value, least=0)


def parse_positive_money(value: object) -> int:
    """Return an amount of more than nothing of a file in minor units; see `parse_money`. Raises ValueError."""
    return _parse(value, least=1)


def parse_count_or_money(value: object) -> int:
    """Return a whole number as it is, and an amount such as `$5` or `2.50` in minor units. Raises ValueError."""
    return value if type(value) is int else parse_money(value)


def _parse(value: object, *, least: int) -> int:
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
