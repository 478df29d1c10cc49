"""Name and version of the program."""

from __future__ import annotations

from validator import VERSION


def program() -> str:
    """Return the name and version of the program, as results state them."""
    return f"fairdeal {VERSION}"
