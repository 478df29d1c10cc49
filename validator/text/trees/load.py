"""A rule file or submission to a positioned tree, whichever of YAML and JSON it is written in."""

from __future__ import annotations

from pathlib import PurePath

from validator.text.source import Source
from validator.text.trees.tree import Tree


def is_json(source: Source) -> bool:
    """Whether a source is taken for JSON: by the ending of its name, else by its first sign."""
    suffix = PurePath(source.name).suffix.lower()
    return suffix == ".json" or (suffix not in (".yaml", ".yml") and source.text.lstrip()[:1] in ("{", "["))


def load_tree(source: Source) -> Tree:
    """The tree of a source: JSON or YAML by the ending of its name, else JSON where the text starts with a
    bracket or brace, and YAML otherwise.

    Raises InputError as `load_json` and `load_yaml` do.
    """
    if is_json(source):
        from validator.text.trees.json_tree import load_json  # noqa: PLC0415 - either does without the other's parser

        return load_json(source)
    from validator.text.trees.yaml_tree import load_yaml  # noqa: PLC0415

    return load_yaml(source)
