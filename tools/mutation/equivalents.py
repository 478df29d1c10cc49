"""Mutants that no evidence can distinguish from the unchanged rules, each with the reason, from `equivalent.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from annotated_types import MinLen
from pydantic import Field

from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml

FILE = Path(__file__).parent / "equivalent.yaml"


class Equivalent(ClosedModel):
    """Mutants of one file that change nothing anybody could see."""

    document: Identifier
    """The document whose examples cannot notice them."""
    file: Prose
    """The file, from the rules folder."""
    why: Prose
    """The reason why no evidence can distinguish them."""
    mutants: Annotated[list[Prose], MinLen(1)]
    """The mutants, as a run names them: place, colon, change."""


class EquivalentFile(ClosedModel):
    """The file of equivalent mutants."""

    equivalents: list[Equivalent] = Field(default_factory=list)
    """The mutants by file and reason."""


def load_equivalents(document: str, path: Path = FILE) -> Mapping[str, str]:
    """Load the reason for each equivalent mutant of a document, by its name. Raises InputError."""
    listed = validate(load_yaml(read_source(str(path))), EquivalentFile).equivalents
    return {f"{item.file} {name}": item.why for item in listed if item.document == document for name in item.mutants}
