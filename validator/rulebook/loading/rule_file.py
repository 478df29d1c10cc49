"""Rule files as read, and the requirements of a game as a file of their own."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.text.models.model import Closed
from validator.text.trees.tree import Path, Tree


class RuleFile(Struct, frozen=True, kw_only=True):
    """A rule file as read."""

    name: str
    """Path in the rules folder."""
    sha256: str
    """SHA-256 of the text."""
    tree: Tree
    """Positioned data, patterns and matrices expanded."""
    model: Closed
    """Validated model of the data."""


class GameRequirements(RuleFile, frozen=True, kw_only=True):
    """Requirements that a game states, as a file of requirements. Name, hash and positions are those of the game's
    file."""

    game: Tree
    """Positioned data of the game's file."""
    stated: Mapping[str, tuple[Path, ...]]
    """Places of the statements of each requirement, by name; the defining statement first."""
