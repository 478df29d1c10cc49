"""Freedoms that a text leaves: classes of mutants that nothing need notice, with their clauses."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from annotated_types import MinLen
from pydantic import Field

from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml

FILE = Path(__file__).parent / "free.yaml"


class Freedom(ClosedModel):
    """Classes of mutants of a document that may pass."""

    document: Identifier
    """The document."""
    clauses: list[Prose] = Field(default_factory=list)
    """The clauses, or readings, that leave it free; none where it follows from the form of a record."""
    why: Prose
    """The reason for the freedom."""
    classes: Annotated[list[Prose], MinLen(1)]
    """The classes by name; `*` matches any words."""

    def covers(self, name: str) -> bool:
        """Return whether a class of mutants is listed here."""
        return any(fnmatchcase(name, pattern) for pattern in self.classes)


class FreedomFile(ClosedModel):
    """The file of freedoms."""

    free: list[Freedom] = Field(default_factory=list)
    """The freedoms by document."""


def load_freedoms(document: str, path: Path = FILE) -> Sequence[Freedom]:
    """Load the freedoms of a document, in the order of the file. Raises InputError."""
    listed = validate(load_yaml(read_source(str(path))), FreedomFile).free
    return [item for item in listed if item.document == document]
