"""The form of `results.json`: records derived from the result model, and their JSON Schema."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from validator.reports.tally import Totals
from validator.verdicts import Finding, Results, Verdict

SECTIONS = ("findings", "requirements", "readings", "quarantined", "layouts", "sessions")
"""The lists of a results file, in the order they are written."""


def _is_model(kind: Any) -> bool:
    return is_dataclass(kind)


def _written(kind: Any) -> Any:
    """The type as it stands in the file: in place of each dataclass a closed record with hyphenated keys.

    The records are derived from the dataclasses, so the file cannot drift away from the result model.
    """
    if _is_model(kind):
        return record_of(kind)
    arguments = tuple(_written(argument) for argument in get_args(kind))
    if not arguments:
        return kind
    if isinstance(kind, UnionType):
        return reduce(or_, arguments)
    return (get_origin(kind) or kind)[arguments]


@cache
def record_of(kind: Any) -> type[msgspec.Struct]:
    """The record that stands in the file for a dataclass of the result model."""
    hints = get_type_hints(kind)
    return msgspec.defstruct(
        kind.__name__,
        [(part.name, _written(hints[part.name])) for part in fields(kind)],
        namespace={"__doc__": kind.__doc__},
        rename="kebab",
        forbid_unknown_fields=True,
        kw_only=True,
    )


@cache
def file_record() -> type[msgspec.Struct]:
    """The record of a whole file, in which the findings stay as they are written, to be decoded one by one."""
    return _file_record(msgspec.Raw)


def results_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `results.json`, derived from the result model."""
    return msgspec.json.schema(_file_record(record_of(Finding)))


def _file_record(finding: Any) -> type[msgspec.Struct]:
    hints: dict[str, Any] = get_type_hints(Results)
    parts = {
        "fairdeal_results": Literal[1],
        "verdict": Verdict,
        "totals": record_of(Totals),
        "findings": tuple[finding, ...],
        **{name: _written(hints[name]) for name in (*SECTIONS[1:], "provenance")},
    }
    return msgspec.defstruct(
        "ResultsFile",
        list(parts.items()),
        namespace={"__doc__": "Everything one run of fairdeal found out."},
        rename="kebab",
        forbid_unknown_fields=True,
        kw_only=True,
    )
