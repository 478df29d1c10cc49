"""Outputs by name, with renderers that import their modules at first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import BinaryIO

from fairdeal.validator.results.results import Results

# ruff: noqa: PLC0415 - each renderer imports its own module, so that text does not load the templates of HTML


Renderer = Callable[[Results, BinaryIO], None]
"""Function that writes a whole report, as bytes, to a stream."""


def _render_text(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.text_report import write_text

    write_text(results, stream)


def _render_json(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.json_report import write_json

    write_json(results, stream)


def _render_html(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.html.html_pages import write_html

    write_html(results, stream)


def _render_letter(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.html.html_pages import write_letter

    write_letter(results, stream)


def _render_docx(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.letter_document import write_docx

    write_docx(results, stream)


def _render_concise(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.code_review import write_concise

    write_concise(results, stream)


def _render_markdown(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.markdown_summary import write_markdown

    write_markdown(results, stream)


def _render_sarif(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.sarif import write_sarif

    write_sarif(results, stream)


def _render_junit(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.code_review import write_junit

    write_junit(results, stream)


def _render_github(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.code_review import write_github

    write_github(results, stream)


def _render_gitlab(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.code_review import write_gitlab

    write_gitlab(results, stream)


def _render_csv(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.finding_rows import write_csv

    write_csv(results, stream)


def _render_xlsx(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.workbook import write_xlsx

    write_xlsx(results, stream)


def _render_sqlite(results: Results, stream: BinaryIO) -> None:
    from fairdeal.validator.reports.formats.finding_rows import write_sqlite

    write_sqlite(results, stream)


RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {
        "text": _render_text,
        "json": _render_json,
        "html": _render_html,
        "letter": _render_letter,
        "docx": _render_docx,
        "concise": _render_concise,
        "markdown": _render_markdown,
        "sarif": _render_sarif,
        "junit": _render_junit,
        "github": _render_github,
        "gitlab": _render_gitlab,
        "csv": _render_csv,
        "xlsx": _render_xlsx,
        "sqlite": _render_sqlite,
    }
)
"""Renderer of every output."""

BINARY_OUTPUTS = frozenset({"docx", "xlsx", "sqlite"})
"""Outputs that are not text and are not printed on a terminal."""

NEEDED_MODULES: Mapping[str, str] = MappingProxyType({"docx": "docx", "xlsx": "xlsxwriter", "sqlite": "_sqlite3"})
"""Modules that an output needs and that an installation may lack."""
