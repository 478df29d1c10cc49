"""What several tests of the reports share: rendering to bytes, lazy findings, any results at all."""

from __future__ import annotations

import json
import re
import types
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from io import BytesIO
from typing import Any, get_args, get_origin, get_type_hints, overload

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from tests.facade.reports import RENDERERS
from tests.facade.results import Finding, Results
from validator.reports.html.finding_data import TEXTS, WORDS
from validator.reports.html.report import own, page_style


def rendered(name: str, results: Results) -> bytes:
    """The bytes of one output."""
    stream = BytesIO()
    RENDERERS[name](results, stream)
    return stream.getvalue()


_DATA = re.compile(rb'(<script type="text/plain" id="findings-data">)([^<]*)(</script>)')


def data_lines(page: bytes) -> list[str]:
    """The lines of JSON that an HTML report holds as data."""
    (found,) = _DATA.findall(page)
    return zlib.decompress(b64decode(found[1])).decode().splitlines()


def with_data_unpacked(page: bytes) -> bytes:
    """An HTML report with its data to be read, and of the style and the script that all reports share only the hashes
    by which it allows itself these two."""
    style, script = (str(part).encode() for part in (page_style(), own("report.js")))
    assert page.count(style) == page.count(script) == 1
    shown = "\n".join(data_lines(page)).encode()
    page = _DATA.sub(lambda found: found[1] + b"\n" + shown + b"\n" + found[3], page)
    return page.replace(style, b"...").replace(script, b"...")


def findings_in(page: bytes) -> list[dict[str, Any]]:
    """The findings that an HTML report holds as data, a dictionary each of all that is told of it."""
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


class OnDisk(Sequence[Finding]):
    """Findings that can only be iterated, as those read back from disk; counts how often they were."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self._findings = findings
        self.passes = 0

    def __iter__(self) -> Iterator[Finding]:
        self.passes += 1
        yield from self._findings

    def __len__(self) -> int:
        raise AssertionError("a report asked for the number of findings instead of iterating them")

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        raise AssertionError("a report asked for a finding by number instead of iterating them")


@cache
def anything(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type of the result model, findings as tuples; derived from the model itself."""
    if kind is str:
        return st.text(max_size=12)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(-(2**53), 2**53)
    if kind is type(None):
        return st.none()
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        make: Any = kind
        return st.builds(make, **{part.name: anything(hints[part.name]) for part in fields(kind)})
    parts = tuple(anything(part) for part in get_args(kind) if part is not Ellipsis)
    if get_origin(kind) is types.UnionType:
        return st.one_of(*parts)
    if issubclass(get_origin(kind), Mapping):
        return st.dictionaries(*parts, max_size=4)
    return st.lists(parts[0], max_size=3).map(tuple)
