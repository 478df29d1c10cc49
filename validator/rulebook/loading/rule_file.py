"""Rule files as they were read, and the requirements that stand in a game as if they were a file of their own."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.text.models.model import Closed
from validator.text.trees.tree import Path, Tree


class RuleFile(Struct, frozen=True, kw_only=True):
    """A rule file as it was read: its place in the rules folder, the hash of its text, its tree, and the
    tree validated."""

    name: str
    sha256: str
    tree: Tree
    model: Closed


class GameRequirements(RuleFile, frozen=True, kw_only=True):
    """The requirements that the statements of a game are, as a file of requirements: its name, hash and places are
    those of the game's file. `game` is the tree of that file; `stated` has, by the name of a requirement, the places of
    its statements in it, the one that has its words first."""

    game: Tree
    stated: Mapping[str, tuple[Path, ...]]
