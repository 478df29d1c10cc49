"""Numbers in files, bounded: whole numbers as int, all others as Decimal, never as float."""

from __future__ import annotations

import re
from decimal import Decimal

MAX_WHOLE_DIGITS = 19
"""Maximum number of digits of a whole number: enough for any amount in minor units."""

MAX_DECIMAL_DIGITS = 15
"""Maximum number of digits of a number with a point.

Up to 15 digits survive a binary float unchanged, so no library on the way can alter them.
"""

MAX_EXPONENT = 30

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BASED = re.compile(r"0(o[0-7]+|x[0-9a-fA-F]+)")
_DECIMAL = re.compile(r"[-+]?(?:(0|[1-9][0-9]*)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([-+]?[0-9]+))?")


def number(text: str) -> int | Decimal | None:
    """Return the number that YAML 1.2 reads in a text; None if it is no number.

    Numbers with leading zeros are not recognised here. Raises ValueError, with a sentence for people, if the number has
    too many digits.
    """
    if _WHOLE.fullmatch(text) or _BASED.fullmatch(text):
        if len(text.removeprefix("0o").removeprefix("0x").lstrip("-+")) > MAX_WHOLE_DIGITS:
            raise ValueError(f"this number has more than {MAX_WHOLE_DIGITS} digits")
        return int(text, 0)
    parts = _DECIMAL.fullmatch(text)
    if parts is None:
        return None
    digits = "".join(part for part in parts.group(1, 2, 3) if part).lstrip("0")
    if len(digits) > MAX_DECIMAL_DIGITS or len(text) > 2 * (MAX_WHOLE_DIGITS + MAX_EXPONENT):
        raise ValueError(f"this number has a point or an exponent and more than {MAX_DECIMAL_DIGITS} digits")
    if parts.group(4) and (len(parts.group(4)) > 4 or abs(int(parts.group(4))) > MAX_EXPONENT):
        raise ValueError(f"the exponent of this number is beyond {MAX_EXPONENT}")
    return Decimal(text)
