"""The program and its version."""

from __future__ import annotations

from validator import VERSION


def program() -> str:
    """The program and its version, as results name it."""
    return f"fairdeal {VERSION}"
