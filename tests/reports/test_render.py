"""Registry of outputs: every output that the command line offers, and the modules it imports."""

from __future__ import annotations

import subprocess
import sys

from tests.facade.reports import RENDERERS


def test_the_promised_outputs_are_there() -> None:
    assert {"text", "json", "html"} <= set(RENDERERS)


def test_text_pays_for_neither_html_nor_json() -> None:
    code = """
import io, sys
from tests.reports.sample import RESULTS
from fairdeal.validator.reports.renderers import RENDERERS
RENDERERS["text"](RESULTS, io.BytesIO())
print(sorted({"jinja2", "pydantic", "numpy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
