"""Writer and reader of `results.json`, the lossless form of results for programs.

The keys are the field names of `fairdeal.validator.results` with hyphens for underscores. Every key is always
there, with `null` for an unknown value. Their order is that of `json_format.HEAD` and `json_format.SECTIONS`, after
the version of the format, the verdict and the totals; the provenance comes last. Each entry of a list has its own
line, so that large files can be searched, compared and streamed line by line.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, Literal, overload

import msgspec
from msgspec.structs import replace

from fairdeal.validator.reports import json_format
from fairdeal.validator.reports.finding_groups import Totals, count_findings
from fairdeal.validator.reports.results_consistency import find_contradictions
from fairdeal.validator.results.findings import WORST_FIRST, Finding
from fairdeal.validator.results.results import AppliedDocument, RequirementResult, Results, Subject
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import (
    MAX_UNPACKED_BYTES,
    MemoryBoundError,
    Source,
    limit_memory,
    locate,
    read_source,
)

MOST_DISAGREEMENTS = 20
"""Limit of the disagreements that are reported for a file."""

MAX_BYTES = 2 * MAX_UNPACKED_BYTES
"""Limit of the size of a results file in bytes."""

_LARGEST_WITH_PLACES = 8 * 1024 * 1024
"""Limit of the size of files whose errors are reported by line and column, in bytes."""
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
"""Key or number in the path of a value."""


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
    stream.write(b'{\n"fairdeal-results": %d,\n' % json_format.VERSION)
    stream.write(b'"verdict": %b,\n' % msgspec.json.encode(results.verdict))
    stream.write(b'"totals": %b,\n' % _line(totals))
    for head in json_format.HEAD_KEYS:
        stream.write(b'"%b": %b,\n' % (head.encode(), _line(getattr(results, head))))
    for section in json_format.LIST_KEYS:
        stream.write(b'"%b": [' % section.encode())
        json_format.write_entries(stream, map(_line, getattr(results, section)))
        stream.write(b"],\n")
    if results.statistics is not None:
        stream.write(b'"%b": %b,\n' % (json_format.STATISTICS.encode(), _line(results.statistics)))
    stream.write(b'"provenance": %b\n}\n' % _line(results.provenance))


def _line(entry: Any) -> bytes:
    if isinstance(entry, RequirementResult):
        entry = replace(
            entry, totals={status: entry.totals[status] for status in WORST_FIRST if status in entry.totals}
        )
    return json_format.encode_json(entry)


class DecodedFindings(Sequence[Finding]):
    """Findings of a results file, decoded from JSON at each access.

    The reader decodes all of them once before it accepts the file, so that later access does not fail. The sequence
    equals any other sequence of the same findings.
    """

    __slots__ = ("_raws", "_version")

    def __init__(self, raws: Sequence[msgspec.Raw], version: int) -> None:
        self._raws = raws
        self._version = version

    def __len__(self) -> int:
        return len(self._raws)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        if isinstance(index, slice):
            return DecodedFindings(self._raws[index], self._version)
        return _finding(self._raws[index], self._version)

    def __iter__(self) -> Iterator[Finding]:
        return (_finding(raw, self._version) for raw in self._raws)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def _finding(raw: msgspec.Raw, version: int) -> Finding:
    return msgspec.convert(
        msgspec.json.decode(raw, type=json_format.record_type(Finding, version)), Finding, from_attributes=True
    )


def read_json(path: str) -> Results:
    """Read results from a file that `write_json` wrote; `-` is standard input.

    Raises InputError as `results_in`, and for a file that cannot be read or is larger than `MAX_BYTES`.
    """
    return read_consistent_results(read_source(path, limit=MAX_BYTES))


def read_consistent_results(source: Source) -> Results:
    """Return the results that `write_json` wrote, once their parts agree.

    Raises InputError as `parse_json`, and for a verdict, status or count that the rest of the file contradicts.
    """
    results = parse_json(source)
    wrong = list(islice(find_contradictions(results), MOST_DISAGREEMENTS))
    if wrong:
        raise InputError(tuple(_disagreement(source, sentence) for sentence in wrong))
    return results


def parse_json(source: Source) -> Results:
    """Return the results that `write_json` wrote; their findings are decoded when they are used.

    Raises InputError for an unknown, missing or repeated key, a value of another type, values nested too deep, and
    totals that do not add up.
    """
    data = source.data.removeprefix(BOM_UTF8)
    version = _version(data)
    record: Any = _attempt(partial(msgspec.json.decode, data, type=json_format.file_record_type(version)), source)
    findings = DecodedFindings(record.findings, version)
    for number in range(len(findings)):
        _attempt(partial(findings.__getitem__, number), source, within=f"$.findings[{number}]")
    _attempt(partial(json.loads, source.text, object_pairs_hook=_refuse_repeated), source)
    hints = json_format.list_field_types()
    results = Results(
        findings=findings,
        **{
            name: msgspec.convert(getattr(record, name), hints[name], from_attributes=True)
            for name in (
                "verdict",
                *(json_format.HEAD_KEYS if version > 1 else ()),
                *json_format.LIST_KEYS[1:],
                "provenance",
                json_format.STATISTICS,
            )
        },
        **({} if version > 1 else _defaults_of_version_1(record)),
    )
    for name, day in (("as-of", results.provenance.as_of), ("rulebook-date", results.provenance.rulebook_date)):
        if day is not None and not _is_day(day):
            path = f"$.provenance.{name}"
            raise _results_error(
                source, f"this is not a day, written as year-month-day - at `{path}`", **_place(source, path)
            )
    totals = count_findings(results)
    if msgspec.convert(record.totals, Totals, from_attributes=True) != totals:
        raise _results_error(
            source,
            "the totals do not add up to the findings and requirements listed",
            expected=_line(totals).decode(),
            **_place(source, "$.totals"),
        )
    return results


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


def _disagreement(source: Source, sentence: str) -> Diagnostic:
    return Diagnostic(
        code="disagreement",
        message=f"the parts of these results do not agree: {sentence}",
        file=source.name,
        help="the file was altered, or written by another program: make the results again from the evidence",
    )


def _attempt(decode: Callable[[], Any], source: Source, *, within: str = "$") -> Any:
    try:
        with limit_memory():
            return decode()
    except MemoryBoundError as error:
        raise _results_error(source, f"the results unfold to {error}") from error
    except RecursionError:
        message = "the values are nested too deep for results"
    except ValueError as problem:
        message = str(problem)
    if message == "Input data was truncated":
        message = "the file ends in the middle of the results"
    elif message.endswith("at `$.fairdeal-results`"):
        message = "this program does not read results in this version of the format"
        raise _results_error(source, message, **_place(source, "$.fairdeal-results"))
    problem_, _, path = message.partition(" - at `$")
    if path or within != "$":
        path = f"{within}{path.removesuffix('`')}"
        raise _results_error(source, f"{problem_} - at `{path}`", **_place(source, path))
    at = re.search(r" \(byte (\d+)\)$", message)
    if at is None:
        raise _results_error(source, message)
    index = len(source.data.removeprefix(BOM_UTF8)[: int(at[1])].decode(errors="ignore"))
    line, column = locate(source.text, index)
    start = source.text.rfind("\n", 0, index) + 1
    raise _results_error(
        source,
        message[: at.start()],
        line=line,
        column=column,
        source_line=source.text[start:].partition("\n")[0],
    )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _place(source: Source, path: str) -> dict[str, Any]:
    """Return line, column and source line of a value, or of the nearest value around it; nothing for large files."""
    if len(source.data) > _LARGEST_WITH_PLACES:
        return {}
    from fairdeal.validator.text.json_document import load_json  # noqa: PLC0415 - most results are sound

    try:
        tree = load_json(source)
    except InputError:
        return {}
    steps = _STEP.findall(path.removeprefix("$"))
    at = tree.find_nearest(tuple(int(number) if number else key for key, number in steps))
    position = tree.positions[at]
    return {"line": position.line, "column": position.column, "source_line": tree.lines[position.line - 1]}


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"the key `{key}` is repeated in one object")
        seen.add(key)


def _results_error(source: Source, message: str, **place: Any) -> InputError:
    return InputError(
        (
            Diagnostic(
                code="results",
                message=message,
                file=source.name,
                help="only a file written with `--output json` can be read here",
                **place,
            ),
        )
    )
