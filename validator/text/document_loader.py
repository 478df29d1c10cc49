"""Loader of a rule file or submission that is written in YAML or JSON."""

from __future__ import annotations

from pathlib import PurePath

from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import Source


def is_json(source: Source) -> bool:
    """Return whether a source is JSON, by the ending of its name, or else by its first character."""
    suffix = PurePath(source.name).suffix.lower()
    return suffix == ".json" or (suffix not in (".yaml", ".yml") and source.text.lstrip()[:1] in ("{", "["))


def load_document(source: Source, problems: list[Diagnostic] | None = None) -> PositionedDocument:
    """Return the tree of a source; refused values are added to `problems` if that is given.

    The ending of the name decides between JSON and YAML. For other names, a text that starts with a bracket or brace is
    JSON, and any other text YAML.

    Raises InputError as `load_json` and `load_yaml` do.
    """
    if is_json(source):
        from fairdeal.validator.text.json_document import load_json  # noqa: PLC0415 - neither format needs the other's parser

        return load_json(source, problems)
    from fairdeal.validator.text.yaml_document import load_yaml  # noqa: PLC0415

    return load_yaml(source, problems)
