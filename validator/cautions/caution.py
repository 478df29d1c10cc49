"""A caution: what stands in a rule file and cannot be meant, or seldom is."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from validator.text.trees.tree import Path


class Caution(Struct, frozen=True, kw_only=True):
    """What is wrong at a place of a file, or with `at_key` at its key, and what to do about it. An error cannot be
    meant; a warning may be."""

    code: str
    at: Path
    message: str
    help: str
    severity: Literal["error", "warning"] = "error"
    at_key: bool = False
