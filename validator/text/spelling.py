"""Correction of misspelt names."""

from __future__ import annotations

import re
from collections.abc import Mapping

_MAX_LENGTH = 80
_WORD = re.compile(r"[^\W_]+")
_MIN_LENGTH = 4
"""Minimum number of letters for a word to be a misspelling of another."""


def misspelt(text: str, names: Mapping[str, str]) -> str | None:
    """Return the name that a text misspells; None if it is a name, or may be a name of its own.

    The comparison ignores case, blanks and punctuation. A word of four letters or more may also have one letter too
    many, too few, wrong or transposed. Numbers must be equal, because they distinguish names.

    Args:
        text: The text.
        names: The names, by each of their aliases.
    """
    return next(iter(meant(text, names)), None)


def meant(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return all names that a text matches equally well, in the order of the names; see `misspelt`."""
    if len(text) > _MAX_LENGTH or text in names.values():
        return ()
    words = _split_words(text)
    known = [(_split_words(alias), name) for alias, name in names.items()]
    for matches in (_are_same, _match_word_by_word, _match_as_a_whole):
        names_found = dict.fromkeys(name for alias_words, name in known if matches(words, alias_words))
        if names_found:
            return tuple(names_found)
    return ()


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _are_same(one: list[str], other: list[str]) -> bool:
    return "".join(one) == "".join(other) != ""


def _match_word_by_word(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(map(_differ_by_one_slip, one, other))


def _match_as_a_whole(one: list[str], other: list[str]) -> bool:
    return _differ_by_one_slip("".join(one), "".join(other))


def _differ_by_one_slip(one: str, other: str) -> bool:
    """Return whether two words are equal except for one slip."""
    if one == other:
        return True
    if max(len(one), len(other)) < _MIN_LENGTH or abs(len(one) - len(other)) > 1:
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
