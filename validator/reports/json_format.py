"""JSON of results: its encoding, its records, its JSON Schema, and saved results as they are on disk.

The writer gives each entry of a list its own line. The reader copies findings and sessions line by line to a spool, so
a file of any size takes bounded memory. Lists that are laid out otherwise stay in the rest, whose size is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from hashlib import sha256
from itertools import islice
from operator import or_
from types import UnionType
from typing import Any, BinaryIO, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints, overload

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import fields

from fairdeal.validator.reports.finding_groups import Totals
from fairdeal.validator.results.findings import EvidencePlace, Finding, ResultRecord, Verdict, Waiver, WaiverClaimed
from fairdeal.validator.results.game_statistics import FrequencyResult, HoldResult, RakeResult, RoundRate, Statistics
from fairdeal.validator.results.results import InputFile, Layout, Provenance, Results, Subject, TableSession
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import MAX_UNPACKED_BYTES, TempSpool, open_input


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


MAX_BYTES = MAX_UNPACKED_BYTES
"""Maximum size of a file without the entries of its long lists, in bytes."""
MAX_VALUES = 1 << 20
"""Maximum number of commas in a file without the entries of its long lists: a value takes more memory than its text."""
MAX_ENTRY_BYTES = 8 << 20
"""Maximum size of an entry, in bytes."""
MALFORMED = "JSON is malformed"
"""Beginning of the message for text that is no JSON."""

_OPENINGS = {b'"%b": [\n' % name.encode(): name for name in LONG_LISTS}
_CLOSINGS = (b"],\n", b"]\n")
_KEPT_IN_MEMORY = 4 << 20
"""Maximum size of the entries of a list that stay in memory, in bytes."""

Entry = TypeVar("Entry")


class DecodedEntries(Sequence[Entry]):
    """Entries of a list in a results file, decoded from JSON at each access.

    The reader decodes all of them once before it accepts the file, so that later access does not fail. Iterate over
    the sequence: access by index iterates up to the entry. It equals any other sequence of the same entries.
    """

    __slots__ = ("_decode", "_entries", "_number")

    def __init__(self, entries: Iterable[bytes | Raw], number: int, decode: Callable[[bytes | Raw], Entry]) -> None:
        """Keep entries that were written as JSON, their number, and the function that decodes one."""
        self._entries = entries
        self._number = number
        self._decode = decode

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._number)
            return tuple(islice(self, start, stop, step)) if step > 0 else tuple(self)[index]
        return next(islice(self, range(self._number)[index], None))

    def __iter__(self) -> Iterator[Entry]:
        return map(self._decode, self._entries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class RestSize(Struct):
    """Size of a file without the entries of its long lists."""

    _bytes: int = 0
    _commas: int = 0

    def add(self, data: bytes) -> None:
        """Add a part of the file."""
        self._bytes += len(data)
        self._commas += data.count(b",")

    @property
    def is_too_large(self) -> bool:
        """Return whether the file takes too much memory."""
        return self._bytes > MAX_BYTES or self._commas > MAX_VALUES


class EntryLines(Struct):
    """Entries of a list, each on its own line of the file."""

    first_line: int
    """Line of the first entry, from 1."""
    count: int = 0
    """Number of entries."""
    _spool: TempSpool = field(default_factory=lambda: TempSpool(in_memory=_KEPT_IN_MEMORY))

    def add(self, line: bytes) -> None:
        """Add an entry with its line break."""
        self._spool.append(line)
        self.count += 1

    def __iter__(self) -> Iterator[bytes]:
        return (line[:-1] for line in self._spool.iterate_lines())


class SavedFile(Struct, frozen=True, kw_only=True):
    """Results file that was read."""

    name: str
    """Name in messages."""
    sha256: str
    """SHA-256 (hex) of the file."""
    rest: bytes
    """The file without the entries of its long lists."""
    lists: Mapping[str, EntryLines]
    """Entries of the long lists by key, in the order of the file."""

    def find_line(self, line: int) -> int:
        """Return the line of the file for a line of the rest."""
        for entries in self.lists.values():
            if line >= entries.first_line:
                line += entries.count
        return line


def read_saved_file(path: str, *, name: str | None = None) -> SavedFile:
    """Read a results file, or standard input for `-`, under its own or another name.

    Raises InputError if it cannot be read, changes while it is read, or has too large parts.
    """
    with open_input(path) as (known_as, stream):
        return split_saved_file(known_as if name is None else name, stream)


def split_saved_file(name: str, stream: BinaryIO) -> SavedFile:
    """Return the parts of a results file. Raises InputError if one is too large, or entries are not separated."""
    lines = _Lines(name, stream)
    rest, size = bytearray(), RestSize()
    lists: dict[str, EntryLines] = {}
    while data := lines.read(MAX_BYTES + 1 - len(rest)):
        opened = _OPENINGS.get(data)
        if opened is not None and opened not in lists:
            lists[opened] = EntryLines(lines.number)
            data += lines.read_entries(lists[opened])
        rest += data
        size.add(data)
    if size.is_too_large and len(rest) <= MAX_BYTES:
        message = f"more than {MAX_VALUES:,} values are outside of the lists that have lines of their own"
        raise build_results_error(name, message)
    return SavedFile(name=name, sha256=lines.hexdigest(), rest=bytes(rest), lists=lists)


class _Lines:
    """Lines of a file, which are hashed as they are read."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name = name
        self._stream = stream
        self._digest = sha256()
        self.hexdigest = self._digest.hexdigest
        self.number = 1
        """Number of the next line."""

    def read(self, most: int) -> bytes:
        """Read a line, or its first `most` bytes."""
        data = self._stream.readline(most)
        self._digest.update(data)
        self.number += data.endswith(b"\n")
        return data

    def read_entries(self, entries: EntryLines) -> bytes:
        """Read the entries of a list, and return the line that ends it; nothing at the end of the file."""
        is_first, has_comma = True, False
        while data := self.read(MAX_ENTRY_BYTES):
            ends = data in _CLOSINGS
            if ends and not has_comma:
                return data
            if ends or not (is_first or has_comma):
                missing = "an entry" if ends else "`,` or `]`"
                raise self._build_error(f"{MALFORMED}: {missing} is missing before this")
            if len(data) == MAX_ENTRY_BYTES:
                raise self._build_error(f"this entry has more than {MAX_ENTRY_BYTES >> 20} MiB")
            entry = data.removesuffix(b"\n")
            is_first, has_comma = False, entry.endswith(b",")
            entries.add(entry.removesuffix(b",") + b"\n")
        return b""

    def _build_error(self, message: str) -> InputError:
        return build_results_error(self._name, message, line=self.number - 1, column=1)


def build_results_error(file: str, message: str, **place: Any) -> InputError:
    """Return the error for a file that is no results file.

    Args:
        place: further fields of the diagnostic.
    """
    help_ = "only a file written with `--output json` can be read here"
    return InputError((Diagnostic(code="results", message=message, file=file, help=help_, **place),))
