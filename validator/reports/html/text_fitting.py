"""Texts that fit a shape: broken into lines and cut."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from validator.text.visible import visible

LETTER = 6.3
"""Estimated width of a letter of a legend, in units of the drawing."""

_LONGEST = 400


def fitted(text: str, *, width: float, lines: int, letter: float = LETTER) -> tuple[str, ...]:
    """Return a text in a number of lines of a width, cut with `…`, with hostile characters made visible.

    Widths are estimated, not measured, so the drawing should clip the lines as well.
    """
    room = max(int(width / letter), 1)
    broken: list[str] = []
    for word in visible(text[:_LONGEST]).split():
        if broken and _wide(broken[-1]) + 1 + _wide(word) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    if not broken:
        return ()
    if len(broken) <= lines and len(text) <= _LONGEST:
        return tuple(_cut(line, room) for line in broken)
    *first, last = broken[:lines]
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
    """Return the width of a text in letters of the usual width."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)
