"""The form of a submission as data: every key, what it is, what it may be, and what stands there.

How it is written down (as a commented file, a sheet, a page) is the matter of whoever writes it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Field(Struct, frozen=True, kw_only=True):
    """A key of a form: a scalar or list of scalars (`value`, None where it is blank), a mapping (`fields`), or a list
    of mappings (`items`). One that is not `chosen` is offered: it stands only if the casino chooses it.

    `about` are paragraphs in words: what it is, what it may be, and what the clauses ask.
    """

    key: str
    about: tuple[str, ...] = ()
    value: Any = None
    fields: tuple[Field, ...] | None = None
    items: tuple[Item, ...] | None = None
    chosen: bool = True


class Item(Struct, frozen=True, kw_only=True):
    """An entry of a list, on one line (`short`) or on several."""

    fields: tuple[Field, ...]
    about: tuple[str, ...] = ()
    chosen: bool = True
    short: bool = False


class Form(Struct, frozen=True, kw_only=True):
    """The form of a submission for one document: what is to be said above it, its fields, what is to be said below."""

    head: tuple[str, ...]
    fields: tuple[Field, ...]
    foot: tuple[str, ...] = ()
