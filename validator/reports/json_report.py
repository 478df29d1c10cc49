"""Writer and reader of `results.json`, the lossless form of results for programs.

The keys are the field names of `fairdeal.validator.results` with hyphens for underscores. Every key is always
there, with `null` for an unknown value. Their order is that of `json_format.HEAD` and `json_format.SECTIONS`, after
the version of the format, the verdict and the totals; the provenance comes last. Each entry of a list has its own
line, so that large files can be searched, compared and read in bounded memory.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import islice
from operator import add
from typing import Any, Literal, TypeVar, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.reports import json_format
from fairdeal.validator.reports.finding_groups import Totals, count_findings
from fairdeal.validator.reports.results_consistency import find_contradictions
from fairdeal.validator.results.findings import WORST_FIRST
from fairdeal.validator.results.game_statistics import Statistics
from fairdeal.validator.results.results import AppliedDocument, RequirementResult, Results, Subject
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, ResourceError
from fairdeal.validator.text.source import Source, decode_source, locate

MOST_DISAGREEMENTS = 20
"""Limit of the disagreements that are reported for a file."""

_REMEDY = "read the file that `--output json` wrote: entries of long lists have lines of their own there"
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
"""Key or number in the path of a value."""

Read = TypeVar("Read")


class _Hash:
    """Sink that computes the SHA-256 of the bytes it is given."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.write = self._hash.update
        self.hexdigest = self._hash.hexdigest


def hash_results(results: Results, totals: Totals) -> str:
    """Return the SHA-256 (hex) of the file that `write_json` makes of results with these totals."""
    sink = _Hash()
    _write(results, totals, sink)
    return sink.hexdigest()


def write_json(results: Results, stream: json_format.Sink) -> None:
    """Write `results.json` (UTF-8) in two passes over the findings, one to count and one to write.

    The same results give the same bytes.
    """
    _write(results, count_findings(results), stream)


def _write(results: Results, totals: Totals, stream: json_format.Sink) -> None:
    keys = (*json_format.HEAD_KEYS, *json_format.LIST_KEYS)
    members = [
        ("fairdeal-results", json_format.VERSION),
        ("verdict", results.verdict),
        ("totals", totals),
        *((key, getattr(results, key)) for key in keys),
        *([] if results.statistics is None else [(json_format.STATISTICS, results.statistics)]),
        ("provenance", results.provenance),
    ]
    sink = _BoundedSink(stream)
    _write_object(sink, members)
    sink.write(b"\n")


class _BoundedSink:
    """Sink that refuses what `read_json` would refuse because of its size."""

    def __init__(self, stream: json_format.Sink) -> None:
        self._write = stream.write
        self._rest = json_format.RestSize(len(json_format.LONG_LISTS))  # a reader counts the first line break of each

    def write(self, data: bytes) -> None:
        """Write a part of the rest of a file."""
        self._rest.add(data)
        self.write_entry(data)

    def write_entry(self, data: bytes) -> None:
        """Write an entry of a long list."""
        if self._rest.is_too_large or len(data) >= json_format.MAX_ENTRY_BYTES:
            message = "the results are too large to be read again"
            raise ResourceError("results-too-large", message, "audit fewer files, or smaller submissions, at once")
        self._write(data)


class _EntrySink(Struct):
    """Sink for the entries of a long list."""

    sink: _BoundedSink

    def write(self, data: bytes) -> None:
        """Write an entry."""
        self.sink.write_entry(data)


def _write_object(stream: _BoundedSink, members: Iterable[tuple[str, Any]]) -> None:
    """Write an object with a line for each member, and for each entry of a list of results."""
    mark = b"{\n"
    for key, value in members:
        stream.write(b'%b"%b": ' % (mark, key.encode()))
        mark = b",\n"
        if key in json_format.LONG_LISTS or key in json_format.LIST_KEYS:
            entries: json_format.Sink = _EntrySink(stream) if key in json_format.LONG_LISTS else stream
            stream.write(b"[")
            json_format.write_entries(entries, map(_line, value))
            stream.write(b"]")
        elif isinstance(value, Statistics):
            parts = msgspec.structs.fields(Statistics)
            _write_object(stream, ((part.encode_name, getattr(value, part.name)) for part in parts))
        else:
            stream.write(_line(value))
    stream.write(b"\n}")


def _line(entry: Any) -> bytes:
    if isinstance(entry, RequirementResult):
        entry = replace(
            entry, totals={status: entry.totals[status] for status in WORST_FIRST if status in entry.totals}
        )
    return json_format.encode_json(entry)


def read_json(path: str) -> Results:
    """Read results from a file that `write_json` wrote; `-` is standard input.

    Raises InputError as `read_consistent_results`, and for a file that cannot be read.
    """
    return read_consistent_results(json_format.read_saved_file(path))


def read_consistent_results(saved: json_format.SavedFile) -> Results:
    """Return the results that `write_json` wrote, once their parts agree.

    Raises InputError as `parse_json`, and for a verdict, status or count that the rest of the file contradicts.
    """
    results = parse_json(saved)
    wrong = list(islice(find_contradictions(results), MOST_DISAGREEMENTS))
    if wrong:
        raise InputError(tuple(_disagreement(saved.name, sentence) for sentence in wrong))
    return results


class _FilePart(Struct, frozen=True):
    """Part of a results file that is decoded by itself."""

    name: str
    """Name of the file."""
    data: bytes
    """JSON of the part."""
    path: str
    """Path of the part in the results."""
    find_line: Callable[[int], int]
    """Function that returns the line of the file for a line of the part."""

    def decode_source(self) -> Source:
        """Return the part as text. Raises InputError if it is no text, or too large."""
        try:
            return decode_source(self.name, self.data, limit=json_format.MAX_BYTES, remedy=_REMEDY)
        except InputError as error:
            raise self.at_lines(error) from error

    def at_lines(self, error: InputError) -> InputError:
        """Return an error in the part with lines of the file."""
        return InputError(
            tuple(
                diagnostic if diagnostic.line is None else replace(diagnostic, line=self.find_line(diagnostic.line))
                for diagnostic in error.diagnostics
            )
        )


def parse_json(saved: json_format.SavedFile) -> Results:
    """Return the results that `write_json` wrote; findings and sessions are decoded when they are used.

    Raises InputError for an unknown, missing or repeated key, a value of another type, values nested too deep, and
    totals that do not add up.
    """
    part = _FilePart(saved.name, saved.rest, "$", saved.find_line)
    text = part.decode_source().text
    data = saved.rest.removeprefix(BOM_UTF8)
    version = _version(data)
    record: Any = _attempt(partial(msgspec.json.decode, data, type=json_format.file_record_type(version)), part)
    _attempt(partial(_refuse_repeated_keys, text), part)
    del text
    long_lists: dict[str, Any] = {
        name: _decode_entries(saved, f"$.{name}", getattr(record, name), version)
        for name in json_format.LONG_LISTS.keys() - json_format.STATISTICS_LISTS.keys()
    }
    hints = get_type_hints(Results)
    results = Results(
        **long_lists,
        statistics=None if record.statistics is None else _decode_statistics(saved, record.statistics, version),
        **{
            name: msgspec.convert(getattr(record, name), hints[name], from_attributes=True)
            for name in (
                "verdict",
                *(json_format.HEAD_KEYS if version > 1 else ()),
                *(name for name in json_format.LIST_KEYS if name not in long_lists),
                "provenance",
            )
        },
        **({} if version > 1 else _defaults_of_version_1(record)),
    )
    for name, day in (("as-of", results.provenance.as_of), ("rulebook-date", results.provenance.rulebook_date)):
        if day is not None and not _is_day(day):
            raise _build_error(part, "this is not a day, written as year-month-day", f"$.provenance.{name}")
    totals = count_findings(results)
    if msgspec.convert(record.totals, Totals, from_attributes=True) != totals:
        raise part.at_lines(
            json_format.build_results_error(
                saved.name,
                "the totals do not add up to the findings and requirements listed",
                expected=_line(totals).decode(),
                **_find_place(part, "$.totals"),
            )
        )
    return results


def _decode_statistics(saved: json_format.SavedFile, record: Any, version: int) -> Statistics:
    """Return the statistics of a record, whose long lists are decoded when they are used."""
    lists: dict[str, Any] = {
        name: _decode_entries(saved, f"$.{json_format.STATISTICS}.{name}", getattr(record, name), version)
        for name in json_format.STATISTICS_LISTS
    }
    others = replace(record, **dict.fromkeys(lists, ()))
    return replace(msgspec.convert(others, Statistics, from_attributes=True), **lists)


def _decode_entries(
    saved: json_format.SavedFile, path: str, raws: Sequence[msgspec.Raw], version: int
) -> json_format.DecodedEntries[Any]:
    """Return the entries of a long list, each of which was decoded once. Raises InputError if one is wrong."""
    name = path.rpartition(".")[2]
    lines, decode = saved.lists.get(name), partial(_decode_entry, json_format.LONG_LISTS[name], version)
    if lines is None:
        for index, raw in enumerate(raws):
            _attempt(partial(decode, raw), _FilePart(saved.name, saved.rest, f"{path}[{index}]", saved.find_line))
        return json_format.DecodedEntries(raws, len(raws), decode)
    for index, data in enumerate(lines):
        part = _FilePart(saved.name, data, f"{path}[{index}]", partial(add, lines.first_line + index - 1))
        _attempt(partial(decode, data), part)
        _attempt(partial(_refuse_repeated_keys, data), part)
    return json_format.DecodedEntries(lines, lines.count, decode)


def _decode_entry(entry_type: Any, version: int, data: bytes | msgspec.Raw) -> Any:
    record = msgspec.json.decode(data, type=json_format.record_type(entry_type, version))
    return msgspec.convert(record, entry_type, from_attributes=True)


class _Versioned(msgspec.Struct, frozen=True, rename="kebab"):
    """Results file of which only the version is decoded."""

    fairdeal_results: Literal[json_format.READABLE_VERSIONS]  # type: ignore[valid-type]


def _version(data: bytes) -> int:
    """Return the version of a file; the current one if it states none that is read, so that decoding rejects it."""
    try:
        return msgspec.json.decode(data, type=_Versioned).fairdeal_results
    except (ValueError, RecursionError):
        return json_format.VERSION


def _defaults_of_version_1(record: Any) -> dict[str, Any]:
    """Return values for the parts of results that files of version 1 do not have."""
    law = tuple(
        AppliedDocument(
            document=document,
            title=document,
            citation=json_format.UNKNOWN_IN_VERSION_1,
            regulator=json_format.UNKNOWN_IN_VERSION_1,
            game=None,
        )
        for document in record.provenance.documents
    )
    subject = Subject(licensees=(), law=law, casinos=(), tables=(), tables_read=0, first=None, last=None, currency=None)
    return {"subject": subject, "money": None}


def _disagreement(file: str, sentence: str) -> Diagnostic:
    return Diagnostic(
        code="disagreement",
        message=f"the parts of these results do not agree: {sentence}",
        file=file,
        help="the file was altered, or written by another program: make the results again from the evidence",
    )


def _attempt(decode: Callable[[], Read], part: _FilePart) -> Read:
    try:
        return decode()
    except RecursionError:
        message = "the values are nested too deep for results"
    except ValueError as problem:
        message = str(problem)
    if message == "Input data was truncated":
        message = "the file ends in the middle of the results"
    elif message.endswith("at `$.fairdeal-results`"):
        message = "this program does not read results in this version of the format"
        raise part.at_lines(
            json_format.build_results_error(part.name, message, **_find_place(part, "$.fairdeal-results"))
        )
    problem_, _, path = message.partition(" - at `$")
    at = re.search(r" \(byte (\d+)\)$", message)
    if at is None:
        raise _build_error(part, problem_, f"{part.path}{path.removesuffix('`')}")
    source = part.decode_source()
    index = len(part.data.removeprefix(BOM_UTF8)[: int(at[1])].decode(errors="ignore"))
    line, column = locate(source.text, index)
    start = source.text.rfind("\n", 0, index) + 1
    source_line = source.text[start:].partition("\n")[0]
    raise part.at_lines(
        json_format.build_results_error(
            part.name, message[: at.start()], line=line, column=column, source_line=source_line
        )
    )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _build_error(part: _FilePart, message: str, path: str) -> InputError:
    """Return the error for the value at a path of the results; the path `$` itself is not mentioned."""
    if path == "$":
        return json_format.build_results_error(part.name, message)
    return part.at_lines(
        json_format.build_results_error(part.name, f"{message} - at `{path}`", **_find_place(part, path))
    )


def _find_place(part: _FilePart, path: str) -> dict[str, Any]:
    """Return line, column and source line of a value, or of the nearest value around it; nothing for large parts."""
    from fairdeal.validator.text.json_document import load_json  # noqa: PLC0415 - most results are sound

    if len(part.data) > json_format.MAX_ENTRY_BYTES:
        return {}
    try:
        tree = load_json(decode_source(part.name, part.data))
    except InputError:
        return {}
    steps = _STEP.findall(path.removeprefix(part.path))
    at = tree.find_nearest(tuple(int(number) if number else key for key, number in steps))
    position = tree.positions[at]
    return {"line": position.line, "column": position.column, "source_line": tree.lines[position.line - 1]}


def _refuse_repeated_keys(text: str | bytes) -> None:
    json.loads(text, object_pairs_hook=_refuse_repeated)


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"the key `{key}` is repeated in one object")
        seen.add(key)
