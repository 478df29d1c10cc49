"""Text inside of SARIF, in which braces, and brackets before parentheses, would mean something."""

from __future__ import annotations

from validator.text.visible import visible


def message(text: str) -> str:
    """Text of people as a plain message: it holds neither a placeholder nor a link (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return visible(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def cut(text: str, length: int) -> str:
    """The text, no longer than that many characters."""
    return text if len(text) <= length else f"{text[: length - 3]}..."
