"""The fenced blocks of the documentation, and what each claims to be."""

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
    """A block of a page: `claims` are the words after its language, those of the form `key=value` apart."""

    page: str
    line: int
    language: str
    claim: str
    options: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page of `docs/`, in order."""
    text = (DOCS / page).read_text("utf-8")
    for found in _FENCE.finditer(text):
        words = found[2].split()
        yield Block(
            page=page,
            line=text.count("\n", 0, found.start()) + 1,
            language=found[1],
            claim=" ".join(word for word in words if "=" not in word),
            options=dict(word.split("=", 1) for word in words if "=" in word),
            text=found[3],
        )


def pages() -> list[Path]:
    """Every page of the documentation."""
    return sorted(DOCS.glob("*.md"))
