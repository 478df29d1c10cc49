"""Text in SARIF with its placeholders and links escaped."""

from __future__ import annotations

from validator.text.visible import visible


def message(text: str) -> str:
    """Return a text as a plain message without placeholders and links (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return visible(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def cut(text: str, length: int) -> str:
    """Return a text cut to a number of characters."""
    return text if len(text) <= length else f"{text[: length - 3]}..."
