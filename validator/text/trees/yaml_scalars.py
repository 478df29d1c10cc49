"""The meaning of unquoted YAML scalars: the core schema of YAML 1.2, without scalars that older readers interpret
differently.

A rule must mean the same to every reader. A plain scalar that YAML 1.1 and YAML 1.2 resolve differently is therefore
refused.
"""

from __future__ import annotations

import re
from decimal import Decimal

from msgspec import Struct

from validator.text.trees.numerals import number
from validator.text.visible import quoted, shortened

_LITERALS: dict[str, bool | None] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_AMBIGUOUS_WORDS = {"yes": "true", "y": "true", "on": "true", "no": "false", "n": "false", "off": "false"}
_NUMERIC_START = frozenset("+-.0123456789")
_RATIO = re.compile(r"[-+]?[0-9]+:[0-9]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?")
_UNDERSCORED = re.compile(r"(?=[^_]*_)[-+]?[0-9][0-9_]*(\.[0-9_]*)?")
_BINARY = re.compile(r"[-+]?0b[01_]+")
_SIGNED_BASE = re.compile(r"[-+]0(o[0-7]+|x[0-9a-fA-F]+)")
_SPECIAL_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class Refusal(Struct, frozen=True, kw_only=True):
    """The reason why a plain scalar is not accepted."""

    code: str
    """Kind of the problem."""
    message: str
    """The problem in one sentence."""
    help: str
    """Remedy."""


def resolve(text: str) -> str | int | Decimal | bool | Refusal | None:
    """Return the value of a plain scalar, or why it is refused.

    null, ~ and the empty scalar are None; true and false are bool; whole numbers are int; numbers with a point or an
    exponent are Decimal. Everything else is text, including dates.
    """
    if text in _LITERALS:
        return _LITERALS[text]
    if text[0] in _NUMERIC_START:
        return _resolve_numeric(text)
    truth = _AMBIGUOUS_WORDS.get(text.lower()) if len(text) <= 3 else None
    if truth is None:
        return text
    return Refusal(
        code="ambiguous-word",
        message=f"{quoted(text)} is text to some YAML readers and {truth} to others",
        help=f"write {truth}, or '{text}' for the text",
    )


def _resolve_numeric(text: str) -> str | int | Decimal | Refusal:
    if _LEADING_ZERO.fullmatch(text):
        return Refusal(
            code="ambiguous-number",
            message=f"{quoted(text)} starts with a zero, and YAML readers disagree on what that means",
            help="leave the zero out, or put it in quotes for the text",
        )
    try:
        value = number(text)
    except ValueError as error:
        return Refusal(code="number-too-long", message=str(error), help="put it in quotes if it is text")
    return _refuse_ambiguous(text) or text if value is None else value


def _refuse_ambiguous(text: str) -> Refusal | None:
    if _RATIO.fullmatch(text):
        left, right = text.split(":")
        return Refusal(
            code="ambiguous-number",
            message=f"{quoted(text)} is a number in base 60 to some YAML readers",
            help=f"odds must be quoted: \"{shortened(left)} to {shortened(right)}\" or '{shortened(text)}'",
        )
    if _SEXAGESIMAL.fullmatch(text):
        return Refusal(
            code="ambiguous-number",
            message=f"{quoted(text)} is a number in base 60 to some YAML readers",
            help=f"put it in quotes: '{shortened(text)}'",
        )
    if _UNDERSCORED.fullmatch(text) or _BINARY.fullmatch(text) or _SIGNED_BASE.fullmatch(text):
        return Refusal(
            code="ambiguous-number",
            message=f"{quoted(text)} is text to some YAML readers and a number to others",
            help="write plain digits, or put it in quotes for the text",
        )
    if _SPECIAL_NUMBER.fullmatch(text):
        return Refusal(
            code="not-a-number",
            message=f"{quoted(text)} is not a usable number",
            help="write a number, or put it in quotes for the text",
        )
    return None
