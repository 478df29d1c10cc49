"""Where the shipped rule data and schemas lie, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_IN_WHEEL = _PACKAGE / "_shipped"
_SHIPPED = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent


def rules_folder() -> Path:
    """The folder of the shipped regulations, whatever the working directory."""
    return _SHIPPED / "rules_data"


def schemas_folder() -> Path:
    """The folder of the shipped JSON Schemas."""
    return _SHIPPED / "schemas"
