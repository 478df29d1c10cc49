"""Small parts of Markdown: text that stays text, links, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~]")


def plain(text: str) -> str:
    """Text in which no sign means anything to Markdown or HTML, on one line."""
    flowing = " ".join(text.split()).replace("&", "&amp;")
    return _SIGNS.sub(lambda sign: {"<": "&lt;", ">": "&gt;"}.get(sign[0], f"\\{sign[0]}"), flowing)


def code(text: str) -> str:
    """Format a name as code. It holds no backtick."""
    return f"`{text}`"


def link(text: str, address: str) -> str:
    """Format a link; the text is Markdown."""
    return f"[{text}]({address})"


def bullets(items: Iterable[str]) -> str:
    """Format a list, an item a line."""
    return "\n".join(f"- {item}" for item in items)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; cells are Markdown without line breaks and without bare bars."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def page(title: str, *blocks: str) -> str:
    """Join blocks to a page under a title; empty blocks are left out."""
    return "\n\n".join([f"# {title}", *filter(None, blocks)]) + "\n"
