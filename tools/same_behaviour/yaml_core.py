"""YAML as rule files are written: version 1.2, so that a day stays text and `no` a word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml


class _Loader(yaml.CSafeLoader):
    """The loader of PyYAML with the scalars of YAML 1.2 alone."""


_Loader.yaml_implicit_resolvers = {}
for _kind, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?[0-9]+", "-0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def read_yaml(path: Path) -> Any:
    """Read a YAML file. Raises OSError and yaml.YAMLError."""
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, _Loader)
