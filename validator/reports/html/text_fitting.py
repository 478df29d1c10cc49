"""Texts that must fit a shape: broken into lines, cut with a sign that more is said."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from validator.text.visible import visible

LETTER = 6.3
"""How wide a letter of a legend is reckoned, in units of the drawing."""

_LONGEST = 400


def fitted(text: str, *, width: float, lines: int, letter: float = LETTER) -> tuple[str, ...]:
    """A text in at most so many lines of this width, the rest cut away behind `…`; hostile signs made visible.

    Widths are reckoned, not measured: what draws the lines should clip them as well.
    """
    room = max(int(width / letter), 1)
    found: list[str] = []
    for word in visible(text[:_LONGEST]).split():
        if found and _wide(found[-1]) + 1 + _wide(word) <= room:
            found[-1] += f" {word}"
        else:
            found.append(word)
    if not found:
        return ()
    if len(found) <= lines and len(text) <= _LONGEST:
        return tuple(_cut(line, room) for line in found)
    *first, last = found[:lines]
    return (*(_cut(line, room) for line in first), _cut(f"{last} …", room))


def _cut(line: str, room: int) -> str:
    if _wide(line) <= room:
        return line
    kept = ""
    for letter in line:
        if _wide(kept + letter) + 1 > room:
            break
        kept += letter
    return f"{kept}…"


def _wide(text: str) -> int:
    """How many letters of the usual width a text is as wide as."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)
