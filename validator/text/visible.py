"""Hostile text made harmless: what a terminal would obey or hide is spelled out instead."""

from __future__ import annotations

QUOTE_LIMIT = 60
"""Characters of a person's text that are repeated inside a message."""


def visible(text: str) -> str:
    """The text with every character that does not print (controls, bidirectional marks, zero-width and
    private characters, unusual spaces, lone surrogates) written as `<U+XXXX>`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in text)


def shortened(text: str) -> str:
    """The text as far as it is repeated in a message. It is not yet made visible; `render` does that."""
    return text if len(text) <= QUOTE_LIMIT else text[:QUOTE_LIMIT] + "..."


def quoted(text: str) -> str:
    """The text shortened and between backquotes, or single quotes where it has a backquote itself."""
    shown = shortened(text)
    return f"'{shown}'" if "`" in shown else f"`{shown}`"
