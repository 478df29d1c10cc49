"""Extras of the installation: the modules that each brings, and what to type where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

EXTRA_OF_MODULE: Mapping[str, str] = MappingProxyType(
    {
        "numpy": "audit",
        "pyarrow": "audit",
        "toml_rs": "audit",
        "xlsxwriter": "audit",
        "zstandard": "audit",
        "scipy": "statistics",
        "securesystemslib": "sign",
    }
)
"""Extra that brings each module."""


def has_scipy() -> bool:
    """Return whether SciPy is installed."""
    return find_spec("scipy") is not None


def describe_installation(extra: str) -> str:
    """Return what to type to install an extra."""
    return f"pip install 'fairdeal[{extra}]'"


def describe_missing_extra(extra: str) -> str:
    """Return the message for an extra that a command needs and that is not installed."""
    return f"this needs the extra `{extra}`: {describe_installation(extra)}"


def find_missing_extra(error: ImportError) -> str | None:
    """Return the extra that brings the module of a failed import; None for any other module."""
    return EXTRA_OF_MODULE.get((error.name or "").partition(".")[0])
