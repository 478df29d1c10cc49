"""Text from people, made safe to print: nothing invisible, nothing that moves its surroundings.

Messages and reports quote what people wrote. Control characters, marks that turn the writing direction and characters
without a shape could make different texts look equal. Blanks other than the plain space could do the same. Here each of
them becomes visible. Escaping for HTML is a separate step that comes after.
"""

from __future__ import annotations

import re
from functools import cache

QUOTE_LIMIT = 60
"""Maximum number of characters of a person's text in a message."""

_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_BLANKS = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
_SHAPELESS = (
    r"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_PRIVATE = r"\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
_MARKS = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"


@cache
def _compile_invisible() -> re.Pattern[str]:
    return re.compile(f"[{_CONTROLS}{_BLANKS}{_SHAPELESS}{_PRIVATE}]|(?<=[{_MARKS}]{{3}})[{_MARKS}]+")


def _show_code(match: re.Match[str]) -> str:
    characters = match[0]
    return f"[U+{ord(characters):04X}]" if len(characters) == 1 else f"[{len(characters)} more marks]"


def visible(text: str) -> str:
    """Return text with every invisible or unassigned character as its number, such as `[U+202E]`.

    Of all blanks only the plain space is kept. At most three combining marks on a letter are kept and the others
    counted, so that no text paints over the lines around it.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = _compile_invisible().sub(_show_code, text)
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() else f"[U+{ord(char):04X}]" for char in shown)


def shortened(text: str) -> str:
    """Return the part of a text that a message repeats. `render` makes it visible later."""
    return text if len(text) <= QUOTE_LIMIT else text[:QUOTE_LIMIT] + "..."


def quoted(text: str) -> str:
    """Return text shortened and in backquotes, or in single quotes if it contains a backquote."""
    shown = shortened(text)
    return f"'{shown}'" if "`" in shown else f"`{shown}`"
