"""The program and its version."""

from __future__ import annotations

from importlib.metadata import version


def program() -> str:
    """The program and its version, as results name it."""
    return f"fairdeal {version('fairdeal')}"
