"""Reports: results rendered and read back."""

from __future__ import annotations

from validator.reports.json_format import results_schema
from validator.reports.json_report import WrittenFindings, parse_json, read_json, write_json
from validator.reports.outputs import BINARY, NEEDS, RENDERERS

__all__ = [
    "BINARY",
    "NEEDS",
    "RENDERERS",
    "WrittenFindings",
    "parse_json",
    "read_json",
    "results_schema",
    "write_json",
]
