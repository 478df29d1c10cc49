"""Reports: results rendered and read back."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from io import BytesIO
from typing import Any

from fairdeal.validator.reports.html.html_pages import TEXTS, WORDS, load_asset, load_page_style
from fairdeal.validator.reports.json_format import DecodedEntries, SavedFile, build_results_schema, split_saved_file
from fairdeal.validator.reports.json_report import parse_json, read_json, write_json
from fairdeal.validator.reports.renderers import BINARY_OUTPUTS, NEEDED_MODULES, RENDERERS
from tests.facade.results import Results

__all__ = [
    "BINARY_OUTPUTS",
    "NEEDED_MODULES",
    "RENDERERS",
    "DecodedEntries",
    "build_results_schema",
    "data_lines",
    "parse_json",
    "read_findings",
    "read_json",
    "render",
    "split_data",
    "unpack_data",
    "write_json",
]


def split_data(data: bytes) -> SavedFile:
    """Return the parts of a results file that is in memory."""
    return split_saved_file("results.json", BytesIO(data))


def render(name: str, results: Results) -> bytes:
    """Render results in one output format."""
    stream = BytesIO()
    RENDERERS[name](results, stream)
    return stream.getvalue()


_DATA = re.compile(rb'(<script type="text/plain" id="findings-data">)([^<]*)(</script>)')


def data_lines(page: bytes) -> list[str]:
    """Return the lines of JSON that an HTML report holds as data."""
    (found,) = _DATA.findall(page)
    return zlib.decompress(b64decode(found[1])).decode().splitlines()


def unpack_data(page: bytes) -> bytes:
    """Unpack the data of an HTML report. Of the style and the script that all reports share only the hashes remain by
    which it allows them."""
    style, script = (str(part).encode() for part in (load_page_style(), load_asset("report.js")))
    assert page.count(style) == page.count(script) == 1
    shown = "\n".join(data_lines(page)).encode()
    page = _DATA.sub(lambda found: found[1] + b"\n" + shown + b"\n" + found[3], page)
    return page.replace(style, b"...").replace(script, b"...")


def read_findings(page: bytes) -> list[dict[str, Any]]:
    """Read the findings that an HTML report holds as data, each as a dictionary."""
    _, *blocks = map(json.loads, data_lines(page))
    texts: list[str] = []
    found = []
    for block in blocks:
        texts += block["texts"]
        line, before = 0, dict.fromkeys(WORDS)
        for row in range(block["rows"]):
            one = {name: column[row] for name, column in block["columns"].items() if column[row] is not None}
            for name in one.keys() & set(TEXTS):
                one[name] = texts[one[name]]
            for name in WORDS:
                before[name] = before[name] if one.get(name) == 0 else one.get(name)
                one |= {} if before[name] is None else {name: before[name]}
            if "line" in one:
                line = one["line"] = line + one["line"]
            found.append(one)
    return found
