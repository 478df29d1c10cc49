"""The form of `results.json`: the records that are read, derived from the result model, and their JSON Schema."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields

from validator.reports.tally import Totals
from validator.verdicts import Finding, Recorded, Results, Verdict

SECTIONS = ("findings", "requirements", "readings", "claims", "quarantined", "layouts", "sessions")
"""The lists of a results file, in the order they are written."""


def _whole(kind: Any) -> Any:
    """A type in which every key must stand, also where the result model has a value for one that is left out.

    It is derived from the result model, so the file cannot drift away from it.
    """
    if isinstance(kind, type) and issubclass(kind, Recorded):
        return record_of(kind)
    arguments = tuple(_whole(argument) for argument in get_args(kind))
    if not arguments:
        return kind
    if isinstance(kind, UnionType):
        return reduce(or_, arguments)
    return (get_origin(kind) or kind)[arguments]


@cache
def record_of(kind: Any) -> type[msgspec.Struct]:
    """What the file must hold of a part of the result model."""
    hints = get_type_hints(kind)
    return msgspec.defstruct(
        kind.__name__,
        [(part.name, _whole(hints[part.name]), msgspec.field(name=part.encode_name)) for part in fields(kind)],
        namespace={"__doc__": kind.__doc__},
        bases=(Recorded,),
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
        **{name: _whole(hints[name]) for name in (*SECTIONS[1:], "provenance")},
    }
    return msgspec.defstruct(
        "ResultsFile",
        list(parts.items()),
        namespace={"__doc__": "Everything one run of fairdeal found out."},
        bases=(Recorded,),
        kw_only=True,
    )
