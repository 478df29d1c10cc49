"""A warning about a place in a rule file: code, message, remedy."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from validator.text.trees.tree import Path


class Caution(Struct, frozen=True, kw_only=True):
    """A statement in a rule file that cannot be meant (error) or is seldom meant (warning)."""

    code: str
    """Kind of the problem, such as `unused`."""
    at: Path
    """Place in the file that the message is about."""
    message: str
    """The problem in one sentence, for the author of the file."""
    help: str
    """Remedy for the author."""
    severity: Literal["error", "warning"] = "error"
    """"error" if the statement cannot be meant, "warning" if it may be."""
    at_key: bool = False
    """True if the message is about the key at the place, not its value."""
