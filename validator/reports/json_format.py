"""Format of `results.json`: its records, derived from the result model, and its JSON Schema."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields

from validator.reports.grouping import Totals
from validator.results.findings import Finding, Waiver, Where
from validator.results.layouts import Layout
from validator.results.results import InputFile, Results
from validator.results.statuses import Recorded, Verdict

VERSION = 2
"""Version that is written."""
READ = (1, VERSION)
"""Versions that are read."""

HEAD = ("subject", "money", "baseline")
"""Keys before the lists, in addition to verdict and totals."""
SECTIONS = (
    *("findings", "open", "requirements", "explanations", "readings", "claims"),
    *("quarantined", "layouts", "sessions", "clauses"),
)
"""Lists of a results file, in the order in which they are written."""

STATISTICS = "statistics"
"""Key between the lists and the provenance, only in results with statistics."""

NOT_TOLD = "not told"
"""Text for what files of version 1 do not state; older results hold it, so it cannot change."""

_SINCE_2: dict[Any, dict[str, Any]] = {
    Where: {"casino": None, "time": None, "submission": None, "context": None},
    Waiver: {"regulator": NOT_TOLD, "granted": NOT_TOLD, "file": NOT_TOLD, "from_": None},
    Finding: {
        **{"claimed": None, "owed": None, "overpaid": None, "id": "", "state": None},
        **{"version": None, "currency": None},
    },
    InputFile: {"repeated": 0, "contradicted": 0},
    Layout: {"lacks": ()},
    Results: dict.fromkeys(("open", "explanations", "claims", "clauses"), ()),
}
"""Values of keys that files of version 1 do not have."""
_ADDED_TO_2: dict[Any, dict[str, Any]] = {Finding: {"broken": None}}
"""Keys that were added to version 2, which earlier files of that version do not have, and their defaults."""


def _whole(kind: Any, version: int) -> Any:
    """Return a type of the result model in which every key of a version is required, defaults or not."""
    if isinstance(kind, type) and issubclass(kind, Recorded):
        return record_of(kind, version)
    arguments = tuple(_whole(argument, version) for argument in get_args(kind))
    if not arguments:
        return kind
    if isinstance(kind, UnionType):
        return reduce(or_, arguments)
    return (get_origin(kind) or kind)[arguments]


@cache
def record_of(kind: Any, version: int = VERSION) -> type[msgspec.Struct]:
    """Return the record that a file of a version holds for a class of the result model."""
    hints = get_type_hints(kind)
    return msgspec.defstruct(
        kind.__name__,
        [
            (part.name, _whole(hints[part.name], version), _key(kind, part.name, part.encode_name, version))
            for part in fields(kind)
        ],
        namespace={"__doc__": kind.__doc__},
        bases=(Recorded,),
        kw_only=True,
    )


def _key(kind: Any, name: str, key: str, version: int) -> Any:
    defaults = _ADDED_TO_2.get(kind, {}) | (_SINCE_2.get(kind, {}) if version == 1 else {})
    return msgspec.field(name=key, default=defaults[name]) if name in defaults else msgspec.field(name=key)


@cache
def file_record(version: int) -> type[msgspec.Struct]:
    """Return the record of a whole file, whose findings stay raw JSON to be decoded one by one."""
    return _file_record(msgspec.Raw, version)


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `results.json`."""
    return msgspec.json.schema(_file_record(record_of(Finding, VERSION), VERSION))


def _file_record(finding: Any, version: int) -> type[msgspec.Struct]:
    hints: dict[str, Any] = get_type_hints(Results)
    heads = HEAD if version > 1 else ()
    parts = {
        "fairdeal_results": Literal[version],
        "verdict": Verdict,
        "totals": record_of(Totals),
        **{name: _whole(hints[name], version) for name in heads},
        "findings": tuple[finding, ...],
        **{name: _whole(hints[name], version) for name in (*SECTIONS[1:], "provenance")},
    }
    asked_for = (STATISTICS, _whole(hints[STATISTICS], version), msgspec.field(default=None))
    return msgspec.defstruct(
        "ResultsFile",
        [
            *((name, kind, _key(Results, name, name.replace("_", "-"), version)) for name, kind in parts.items()),
            asked_for,
        ],
        namespace={"__doc__": "Everything one run of fairdeal found out."},
        bases=(Recorded,),
        kw_only=True,
    )
