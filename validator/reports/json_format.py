"""JSON of results: its encoding, its records, derived from the result model, and its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import fields

from fairdeal.validator.reports.finding_groups import Totals
from fairdeal.validator.results.findings import EvidencePlace, Finding, ResultRecord, Verdict, Waiver, WaiverClaimed
from fairdeal.validator.results.game_statistics import FrequencyResult, HoldResult, RakeResult, RoundRate, Statistics
from fairdeal.validator.results.results import InputFile, Layout, Provenance, Results, Subject, TableSession


class Sink(Protocol):
    """Stream that bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""


def replace_surrogates(text: str) -> str:
    """Return a text with each lone surrogate replaced by U+FFFD; UTF-8 cannot encode one.

    Lone surrogates come from file names that are not valid Unicode.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode_json(entry: Any) -> bytes:
    """Return a struct or plain data as JSON on one line, UTF-8."""
    try:
        return msgspec.json.encode(entry)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(entry)
        return replace_surrogates(json.dumps(plain, ensure_ascii=False, separators=(",", ":"))).encode()


def write_entries(stream: Sink, entries: Iterable[bytes]) -> None:
    """Write the entries of a JSON list, without its brackets, each on its own line."""
    mark = b"\n"
    for entry in entries:
        stream.write(mark)
        stream.write(entry)
        mark = b",\n"
    if mark != b"\n":
        stream.write(b"\n")


VERSION = 2
"""Version that is written."""
READABLE_VERSIONS = (1, VERSION)
"""Versions that are read."""

HEAD_KEYS = ("subject", "money", "baseline")
"""Keys before the lists, in addition to verdict and totals."""
LIST_KEYS = (
    *("findings", "open", "requirements", "explanations", "readings", "claims"),
    *("quarantined", "unreadable", "layouts", "sessions", "clauses"),
)
"""Lists of a results file, in the order in which they are written."""

STATISTICS = "statistics"
"""Key between the lists and the provenance, only in results with statistics."""

STATISTICS_LISTS: dict[str, type[ResultRecord]] = {
    "hold": HoldResult,
    "rake": RakeResult,
    "hands": FrequencyResult,
    "cards": FrequencyResult,
    "rates": RoundRate,
}
"""Long lists of statistics, with the class of their entries."""
LONG_LISTS: dict[str, type[ResultRecord]] = {
    "findings": Finding,
    "claims": WaiverClaimed,
    "layouts": Layout,
    "sessions": TableSession,
    **STATISTICS_LISTS,
}
"""Lists that may be longer than memory, with the class of their entries. No other key has one of these names."""

UNKNOWN_IN_VERSION_1 = "not told"
"""Text for what files of version 1 do not state; older results hold it, so it cannot change."""

_SINCE_2: dict[Any, dict[str, Any]] = {
    EvidencePlace: {"casino": None, "time": None, "submission": None, "context": None},
    Waiver: {
        "regulator": UNKNOWN_IN_VERSION_1,
        "granted": UNKNOWN_IN_VERSION_1,
        "file": UNKNOWN_IN_VERSION_1,
        "from_": None,
    },
    Finding: {
        **{"claimed": None, "owed": None, "overpaid": None, "id": "", "state": None},
        **{"version": None, "currency": None},
    },
    InputFile: {"repeated": 0, "contradicted": 0},
    Layout: {"lacks": ()},
    Results: dict.fromkeys(("open", "explanations", "claims", "clauses"), ()),
}
"""Values of keys that files of version 1 do not have."""
_ADDED_TO_2: dict[Any, dict[str, Any]] = {
    EvidencePlace: {"local": None, "day": None, "player": None, "sheet": None, "cell": None},
    Finding: {"broken": None, "between_players": False},
    Provenance: {"rulebook_version": None, "rulebook_date": None, "timezone": None, "day_starts": None},
    Results: {"unreadable": ()},
    Statistics: {"rates": ()},
    Subject: {"amounts": ()},
}
"""Keys that were added to version 2, which earlier files of that version do not have, and their defaults."""


def _whole(kind: Any, version: int) -> Any:
    """Return a type of the result model in which every key of a version is required, defaults or not."""
    if isinstance(kind, type) and issubclass(kind, ResultRecord):
        return record_type(kind, version)
    arguments = tuple(_whole(argument, version) for argument in get_args(kind))
    if not arguments:
        return kind
    if isinstance(kind, UnionType):
        return reduce(or_, arguments)
    return (get_origin(kind) or kind)[arguments]


@cache
def record_type(kind: Any, version: int = VERSION) -> type[msgspec.Struct]:
    """Return the record that a file of a version holds for a class of the result model."""
    return _define_record(kind, version, {})


def _define_record(kind: Any, version: int, lists: Mapping[str, Any]) -> type[msgspec.Struct]:
    """Return the record of a class, with other classes for the entries of some of its lists."""
    hints = get_type_hints(kind)
    return msgspec.defstruct(
        kind.__name__,
        [
            (
                part.name,
                _list_of(lists[part.name]) if part.name in lists else _whole(hints[part.name], version),
                _key(kind, part.name, part.encode_name, version),
            )
            for part in fields(kind)
        ],
        namespace={"__doc__": kind.__doc__},
        bases=(ResultRecord,),
        kw_only=True,
    )


def _key(kind: Any, name: str, key: str, version: int) -> Any:
    defaults = _ADDED_TO_2.get(kind, {}) | (_SINCE_2.get(kind, {}) if version == 1 else {})
    return msgspec.field(name=key, default=defaults[name]) if name in defaults else msgspec.field(name=key)


@cache
def file_record_type(version: int) -> type[msgspec.Struct]:
    """Return the record of a whole file, whose long lists stay raw JSON to be decoded entry by entry."""
    return _file_record(version, dict.fromkeys(LONG_LISTS, msgspec.Raw))


def build_results_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `results.json`."""
    return msgspec.json.schema(
        _file_record(VERSION, {name: record_type(kind, VERSION) for name, kind in LONG_LISTS.items()})
    )


def _list_of(kind: Any) -> Any:
    return tuple[kind, ...]


def _file_record(version: int, entries: Mapping[str, Any]) -> type[msgspec.Struct]:
    hints = {name: _whole(kind, version) for name, kind in get_type_hints(Results).items() if name not in entries}
    hints |= {name: _list_of(kind) for name, kind in entries.items()}
    statistics = _define_record(Statistics, version, {name: entries[name] for name in STATISTICS_LISTS})
    heads = HEAD_KEYS if version > 1 else ()
    parts = {
        "fairdeal_results": Literal[version],
        "verdict": Verdict,
        "totals": record_type(Totals),
        **{name: hints[name] for name in (*heads, *LIST_KEYS, "provenance")},
    }
    asked_for = (STATISTICS, statistics | None, msgspec.field(default=None))
    return msgspec.defstruct(
        "ResultsFile",
        [
            *((name, kind, _key(Results, name, name.replace("_", "-"), version)) for name, kind in parts.items()),
            asked_for,
        ],
        namespace={"__doc__": "Everything one run of fairdeal found out."},
        bases=(ResultRecord,),
        kw_only=True,
    )
