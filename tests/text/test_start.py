"""Conditions for a fast start: the base modules load nothing unnecessary."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "numpy", "ruamel", "yaml", "jsonschema", "difflib", "fairdeal.validator.results.results")


@pytest.mark.parametrize(
    ("program", "needed"),
    [
        (
            "import fairdeal.validator.text.document_loader as l, fairdeal.validator.text.source as s; "
            "l.load_document(s.decode_source('f', b'[1]'))",
            ("pydantic",),
        ),
        ("import fairdeal.validator.text.json_document", ()),
        ("import fairdeal.validator.text.yaml_document", ("yaml",)),
        (
            "import fairdeal.validator.text.plain_values, "
            "fairdeal.validator.text.positioned_document, fairdeal.validator.text.diagnostics",
            (),
        ),
        ("import fairdeal.validator.text.model_problems", ("pydantic",)),
    ],
)
def test_imports(program: str, needed: tuple[str, ...]) -> None:
    report = f"{program}; import sys; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", report], check=True, capture_output=True, text=True).stdout
    assert tuple(loaded.split()) == needed
