"""Names that can only be meant for a known one, as nothing but a slip of the pen lies between them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LONGEST = 80
_WORD = re.compile(r"[^\W_]+")
_SHORT = 4
"""A word of fewer letters than this is not another one with a slip in it."""


def misspelt(text: str, names: Mapping[str, str]) -> str | None:
    """The name that a text can only be meant for, None where it is a name or may be one of its own.

    `names` are given under everything they go by. Large letters, blanks and punctuation are not looked at; beyond that
    a word of four letters or more may have one letter too many, too few, wrong or in its neighbour's place. Numbers
    may not differ, as they tell names apart.
    """
    return next(iter(meant(text, names)), None)


def meant(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """All names that a text comes equally near to, in the order of the names; see `misspelt`."""
    if len(text) > _LONGEST or text in names.values():
        return ()
    words = _words(text)
    known = [(_words(alias), name) for alias, name in names.items()]
    for wrote in (_same, _each_nearly, _nearly):
        found = dict.fromkeys(name for called, name in known if wrote(words, called))
        if found:
            return tuple(found)
    return ()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _same(one: list[str], other: list[str]) -> bool:
    return "".join(one) == "".join(other) != ""


def _each_nearly(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(map(_near, one, other))


def _nearly(one: list[str], other: list[str]) -> bool:
    return _near("".join(one), "".join(other))


def _near(one: str, other: str) -> bool:
    """Whether two words are the same but for one slip."""
    if one == other:
        return True
    if max(len(one), len(other)) < _SHORT or abs(len(one) - len(other)) > 1:
        return False
    if re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (len(one) <= 1 and len(other) <= 1) or (len(one) == 2 and one == other[::-1])
