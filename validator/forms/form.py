"""The form of a submission as data: every key with its description and value.

A form does not determine how it is written, as a commented file, a sheet or a page.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Field(Struct, frozen=True, kw_only=True):
    """A key of a form with a scalar or list of scalars, a mapping, or a list of mappings."""

    key: str
    """The key."""
    about: tuple[str, ...] = ()
    """Paragraphs of explanation: meaning, possible values, clauses."""
    value: Any = None
    """A scalar or list of scalars; None if blank."""
    fields: tuple[Field, ...] | None = None
    """Content of a mapping; None for other values."""
    items: tuple[Item, ...] | None = None
    """Entries of a list of mappings; None for other values."""
    chosen: bool = True
    """False if the key is only suggested."""


class Item(Struct, frozen=True, kw_only=True):
    """An entry of a list of mappings."""

    fields: tuple[Field, ...]
    """Content of the entry."""
    about: tuple[str, ...] = ()
    """Paragraphs of explanation."""
    chosen: bool = True
    """False if the entry is only suggested."""
    short: bool = False
    """True if the entry fits on one line."""


class Form(Struct, frozen=True, kw_only=True):
    """The form of a submission for one document."""

    head: tuple[str, ...]
    """Paragraphs above the fields."""
    fields: tuple[Field, ...]
    """Keys of the submission."""
    foot: tuple[str, ...] = ()
    """Paragraphs below the fields."""
