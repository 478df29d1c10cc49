"""Hook of the build: the README as a package index shows it, without links into the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n\n", re.MULTILINE)
"""A paragraph that is a picture of the repository."""
_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:)[^)]*\)")
"""A link to a page of the repository, or to a heading."""


class CustomMetadataHook(MetadataHookInterface):
    """Hook that hatchling finds by its class and the name of this file."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata of the project."""
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": drop_repository_links(text)}


def drop_repository_links(text: str) -> str:
    """Return a page in Markdown without its pictures, and with the text of each link into the repository."""
    return _LINK.sub(r"\1", _PICTURE.sub("", text))
