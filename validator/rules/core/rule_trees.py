"""Rule files read once each, for a run that looks at them more than once."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from validator.text.source import read_source
from validator.text.trees.tree import Tree
from validator.text.trees.yaml_tree import load_yaml


class RuleTrees(Struct):
    """Rule files as trees, each with the SHA-256 of its text; they are kept as long as this is."""

    _read: dict[Path, tuple[str, Tree]] = field(default_factory=dict)

    def read(self, path: Path) -> tuple[str, Tree]:
        """The hash and the tree of a file. Raises InputError where it cannot be read."""
        if path not in self._read:
            source = read_source(str(path))
            self._read[path] = source.sha256, load_yaml(source)
        return self._read[path]
