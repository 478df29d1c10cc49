"""Paths, pointers and the places diagnostics take from a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.helpers import source
from validator.text.diagnostics import render
from validator.text.tree import Position, parse_pointer, pointer, span
from validator.text.yaml_tree import load_yaml

TREE = load_yaml(
    source("""\
name: two words
rows:
  - {'the key': "quoted \\" text", plain: abc}
  - 12
0: """ + "") if False else source(
        """\
name: two words
rows:
  - {'the key': "quoted \\" text", plain: abc}
  - 12
'0': zero
"a/b~c": {}
"""
    )
)
