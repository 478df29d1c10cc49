"""Styles of text for a terminal: colours of statuses and headings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from validator.results.statuses import Status

SYMBOL: Mapping[Status, str] = MappingProxyType(
    {
        Status.FAIL: "x",
        Status.ERROR: "!",
        Status.NOT_EVIDENCED: "?",
        Status.NEEDS_ATTESTATION: "*",
        Status.PASS: "+",
        Status.NOT_APPLICABLE: "-",
        Status.NOT_IN_FORCE: "~",
    }
)
"""Plain sign before the word of each status."""


class Style(Struct, frozen=True, kw_only=True):
    """Terminal codes that a report writes before and after its texts."""

    status: Mapping[Status, str]
    """Code before a text in the colour of its status."""
    strong: str
    """Code before a heading."""
    faint: str
    """Code before a less important text."""
    end: str
    """Code after each of them."""
    ascii: bool = False
    """True if suits of cards are printed as letters."""

    def paint(self, text: str, code: str) -> str:
        """Return a text between one of the codes and `end`; unchanged if the code is empty."""
        return f"{code}{text}{self.end}" if code else text


PLAIN = Style(status=MappingProxyType(dict.fromkeys(Status, "")), strong="", faint="", end="")
"""Style without codes, for files, pipes and `NO_COLOR`."""


COLOR = Style(
    status=MappingProxyType(
        {
            Status.FAIL: "\x1b[1;31m",
            Status.ERROR: "\x1b[1;35m",
            Status.NOT_EVIDENCED: "\x1b[33m",
            Status.NEEDS_ATTESTATION: "\x1b[36m",
            Status.PASS: "\x1b[32m",
            Status.NOT_APPLICABLE: "\x1b[2m",
            Status.NOT_IN_FORCE: "\x1b[2m",
        }
    ),
    strong="\x1b[1m",
    faint="\x1b[2m",
    end="\x1b[0m",
)
"""Style in the eight colours of every terminal."""
