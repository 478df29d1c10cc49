"""Outputs by name, with renderers whose modules are imported at first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import BinaryIO

from validator.results.results import Results

Renderer = Callable[[Results, BinaryIO], None]
"""Function that writes a whole report, as bytes, to a stream."""


def _when_used(module: str, function: str) -> Renderer:
    def render(results: Results, stream: BinaryIO) -> None:
        getattr(import_module(module), function)(results, stream)

    return render


def _format(module: str, function: str) -> Renderer:
    return _when_used(f"validator.reports.formats.{module}", function)


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "text": _when_used("validator.reports.text_report", "write_text"),
        "json": _when_used("validator.reports.json_report", "write_json"),
        "html": _when_used("validator.reports.html.report", "write_html"),
        "concise": _format("concise", "write_concise"),
        "markdown": _format("markdown", "write_markdown"),
        "sarif": _format("sarif", "write_sarif"),
        "junit": _format("junit", "write_junit"),
        "github": _format("github", "write_github"),
        "gitlab": _format("gitlab", "write_gitlab"),
        "csv": _format("comma_separated", "write_csv"),
        "xlsx": _format("workbook", "write_xlsx"),
        "sqlite": _format("database", "write_sqlite"),
    }
)
"""Renderer of every output."""

BINARY = frozenset({"xlsx", "sqlite"})
"""Outputs that are not text and are not printed on a terminal."""

NEEDS: Mapping[str, str] = MappingProxyType({"xlsx": "xlsxwriter", "sqlite": "_sqlite3"})
"""Modules that an output needs and that an installation may lack."""
