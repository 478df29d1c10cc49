"""Text from people made safe to look at: nothing invisible, nothing that moves its surroundings.

Messages and reports quote what somebody wrote. Control characters, marks that turn the writing direction,
blanks that are not the plain space and characters without a shape could make two different texts look the
same, or one text look like another. Here each of them becomes something that can be seen. Escaping for HTML
is a separate step that comes after.
"""

from __future__ import annotations

import re
from functools import cache

QUOTE_LIMIT = 60
"""Characters of a person's text that are repeated inside a message."""

_CONTROL = r"\x00-\x1f\x7f-\x9f"
_BLANK = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
_SHAPELESS = (
    r"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_PRIVATE = r"\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
_MARK = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"


@cache
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[{_CONTROL}{_BLANK}{_SHAPELESS}{_PRIVATE}]|(?<=[{_MARK}]{{3}})[{_MARK}]+")


def _show(match: re.Match[str]) -> str:
    found = match[0]
    return f"[U+{ord(found):04X}]" if len(found) == 1 else f"[{len(found)} more marks]"


def visible(text: str) -> str:
    """The text with every unseen or unassigned character shown by its number: a right-to-left override as
    `[U+202E]`.

    Only the plain space is left as it is among blanks. Of combining marks piled on one letter the first
    three stay and the others are counted, so that no text can paint over the lines around it.
    """
    if text.isascii() and text.isprintable():
        return text
    seen = _unseen().sub(_show, text)
    if seen.isprintable():
        return seen
    return "".join(char if char.isprintable() else f"[U+{ord(char):04X}]" for char in seen)


def shortened(text: str) -> str:
    """The text as far as it is repeated in a message. It is not yet made visible; `render` does that."""
    return text if len(text) <= QUOTE_LIMIT else text[:QUOTE_LIMIT] + "..."


def quoted(text: str) -> str:
    """The text shortened and between backquotes, or single quotes where it has a backquote itself."""
    shown = shortened(text)
    return f"'{shown}'" if "`" in shown else f"`{shown}`"
