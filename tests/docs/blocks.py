"""Fenced blocks of the documentation, with their declared kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.facade.commands import ROOT

DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(\w*)[ ]*([^\n]*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Fenced block of a page."""

    page: str
    line: int
    language: str
    claim: str
    """Words after the language, without those of the form `key=value`."""
    options: dict[str, str]
    """Words of the form `key=value`, by key."""
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page of `docs/`, in order."""
    text = (DOCS / page).read_text("utf-8")
    for fence in _FENCE.finditer(text):
        words = fence[2].split()
        yield Block(
            page=page,
            line=text.count("\n", 0, fence.start()) + 1,
            language=fence[1],
            claim=" ".join(word for word in words if "=" not in word),
            options=dict(word.split("=", 1) for word in words if "=" in word),
            text=fence[3],
        )


def pages() -> list[Path]:
    """Return the paths of the pages of the documentation, sorted."""
    return sorted(DOCS.glob("*.md"))
