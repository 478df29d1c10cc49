"""Cache of rule files for a run that reads them more than once."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml


class RuleFileCache(Struct):
    """Cache of rule files: each file is read once and kept as a tree with the SHA-256 of its text."""

    _files: dict[Path, tuple[str, PositionedDocument]] = field(default_factory=dict)

    def read(self, path: Path) -> tuple[str, PositionedDocument]:
        """Return the hash and the tree of a file.

        Raises:
            InputError: if the file cannot be read.
        """
        if path not in self._files:
            source = read_source(str(path))
            self._files[path] = source.sha256, load_yaml(source)
        return self._files[path]
