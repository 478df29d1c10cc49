"""The outputs by name. A renderer's module is imported when it is first used, so text never pays for HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import BinaryIO

from validator.verdicts import Results

Renderer = Callable[[Results, BinaryIO], None]
"""Writes a whole report, as bytes, to a stream."""


def _when_used(module: str, function: str) -> Renderer:
    def render(results: Results, stream: BinaryIO) -> None:
        getattr(import_module(module), function)(results, stream)

    return render


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "text": _when_used("validator.reports.text_report", "write_text"),
        "json": _when_used("validator.reports.json_report", "write_json"),
        "html": _when_used("validator.reports.html_report", "write_html"),
    }
)
"""Every output a report can be asked for, and what writes it."""
