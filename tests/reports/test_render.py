"""Registry of outputs: every output that the command line offers, and the modules it imports."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from io import BytesIO

from tests.facade.reports import RENDERERS, render
from tests.reports import sample


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


def test_every_output_with_the_hash_of_the_rulebook_states_its_version_and_date() -> None:
    provenance = sample.RESULTS.provenance
    assert (provenance.rulebook_version, provenance.rulebook_date) == ("0.3.0", "2026-03-31")
    outputs = {name: read_all_bytes(name) for name in RENDERERS}
    hashed = {name for name, data in outputs.items() if provenance.rulebook_sha256.encode() in data}
    assert hashed == {"html", "json", "junit", "markdown", "sarif", "sqlite", "xlsx"}
    for name in hashed:
        assert b"0.3.0" in outputs[name], name
        assert b"2026-03-31" in outputs[name] or b"31 March 2026" in outputs[name], name


def read_all_bytes(name: str) -> bytes:
    """Return an output; of a workbook, its unpacked parts."""
    data = render(name, sample.RESULTS)
    if not zipfile.is_zipfile(BytesIO(data)):
        return data
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return b"".join(map(archive.read, archive.namelist()))
