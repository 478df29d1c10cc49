"""How text for a terminal is set off: by status, and for headings."""

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
"""A plain sign beside each status word."""


class Style(Struct, frozen=True, kw_only=True):
    """What is written before and after a text to set it off: by status, and for headings.

    The default sets nothing off. Whether a terminal takes colour is for the caller to know.
    """

    status: Mapping[Status, str]
    strong: str
    faint: str
    end: str

    def paint(self, text: str, code: str) -> str:
        """The text set off by one of this style's codes; unchanged where the code is empty."""
        return f"{code}{text}{self.end}" if code else text


PLAIN = Style(status=MappingProxyType(dict.fromkeys(Status, "")), strong="", faint="", end="")
"""Nothing set off: for files, pipes and `NO_COLOR`."""


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
"""The eight colours every terminal has."""
