"""`results.json`: the results as a file for programs, written and read back without loss.

The keys are the field names of `validator.results` with hyphens for underscores; every key is always
there, `null` stands for what is not known. They come in this order: `fairdeal-results` (the version of
this format), `verdict`, `totals`, `subject`, `money`, `baseline`, `findings`, `open`, `requirements`, `explanations`,
`readings`, `claims`, `quarantined`, `layouts`, `sessions`, `clauses`, `statistics` (only where they were asked for),
`provenance`. Each finding, and each entry of the other lists, has a line of its own, so that large files can be
searched, compared and streamed line by line.
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
from typing import Any, Literal, get_type_hints, overload

import msgspec
from msgspec.structs import replace

from validator.reports.agreement import disagreements
from validator.reports.encoding import Sink, encoded, write_lines
from validator.reports.grouping import Totals, tally
from validator.reports.json_format import HEAD, NOT_TOLD, READ, SECTIONS, STATISTICS, VERSION, file_record, record_of
from validator.results.findings import Finding
from validator.results.results import RequirementResult, Results
from validator.results.statuses import WORST_FIRST
from validator.results.subject import Law, Subject
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.memory_bound import UNFOLDED_BYTES, UnfoldsTooFarError, bounded_memory
from validator.text.source import Source, locate, read_source

MOST_DISAGREEMENTS = 20
"""The most things that are said to disagree in a file."""

MAX_BYTES = 2 * UNFOLDED_BYTES
"""The largest results file that is read."""

_LARGEST_WITH_PLACES = 8 * 1024 * 1024
"""Bytes of a file of which the place of what is wrong is told by line and column."""
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
"""A key or a number in the path of a value."""


class _Hash:
    """A sink that keeps nothing but the SHA-256 of what it was given."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.write = self._hash.update
        self.hexdigest = self._hash.hexdigest


def sha256_of(results: Results, totals: Totals) -> str:
    """The SHA-256 (hex) of the file that `write_json` makes of results with these totals; it is never held."""
    sink = _Hash()
    _write(results, totals, sink)
    return sink.hexdigest()


def write_json(results: Results, stream: Sink) -> None:
    """Write `results.json` (UTF-8) to the stream.

    The findings are passed over twice, once to count and once to write, and never held. The same results
    give the same bytes.
    """
    _write(results, tally(results), stream)


def _write(results: Results, totals: Totals, stream: Sink) -> None:
    stream.write(b'{\n"fairdeal-results": %d,\n' % VERSION)
    stream.write(b'"verdict": %b,\n' % msgspec.json.encode(results.verdict))
    stream.write(b'"totals": %b,\n' % _line(totals))
    for head in HEAD:
        stream.write(b'"%b": %b,\n' % (head.encode(), _line(getattr(results, head))))
    for section in SECTIONS:
        stream.write(b'"%b": [' % section.encode())
        write_lines(stream, map(_line, getattr(results, section)))
        stream.write(b"],\n")
    if results.statistics is not None:
        stream.write(b'"%b": %b,\n' % (STATISTICS.encode(), _line(results.statistics)))
    stream.write(b'"provenance": %b\n}\n' % _line(results.provenance))


def _line(entry: Any) -> bytes:
    if isinstance(entry, RequirementResult):
        entry = replace(entry, totals={one: entry.totals[one] for one in WORST_FIRST if one in entry.totals})
    return encoded(entry)


class WrittenFindings(Sequence[Finding]):
    """The findings of a results file, each made anew from its JSON whenever it is asked for.

    Equal to any sequence of the same findings. They were all decoded once before the file was accepted, so
    taking one out does not fail.
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
            return WrittenFindings(self._raws[index], self._version)
        return _finding(self._raws[index], self._version)

    def __iter__(self) -> Iterator[Finding]:
        return (_finding(raw, self._version) for raw in self._raws)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def _finding(raw: msgspec.Raw, version: int) -> Finding:
    return msgspec.convert(msgspec.json.decode(raw, type=record_of(Finding, version)), Finding, from_attributes=True)


def read_json(path: str) -> Results:
    """The results in a file that `write_json` wrote; `-` is standard input.

    Raises InputError where the file cannot be read or has more than `MAX_BYTES`, and as `results_in` does.
    """
    return results_in(read_source(path, limit=MAX_BYTES))


def results_in(source: Source) -> Results:
    """The results that `write_json` wrote, once they are found to agree with themselves.

    Raises InputError as `parse_json` does, and where the verdict, a status or a count is not what the rest of the file
    comes to.
    """
    results = parse_json(source)
    wrong = list(islice(disagreements(results), MOST_DISAGREEMENTS))
    if wrong:
        raise InputError(tuple(_disagreement(source, said) for said in wrong))
    return results


def parse_json(source: Source) -> Results:
    """The results that `write_json` wrote, from their text; the findings are decoded as they are asked for.

    Strict: an unknown, missing or repeated key, a value of another type, values nested too deep or totals
    that do not add up raise InputError.
    """
    data = source.data.removeprefix(BOM_UTF8)
    version = _version(data)
    record: Any = _attempt(partial(msgspec.json.decode, data, type=file_record(version)), source)
    findings = WrittenFindings(record.findings, version)
    for number in range(len(findings)):
        _attempt(partial(findings.__getitem__, number), source, within=f"$.findings[{number}]")
    _attempt(partial(json.loads, source.text, object_pairs_hook=_refuse_repeated), source)
    hints = get_type_hints(Results)
    results = Results(
        findings=findings,
        **{
            name: msgspec.convert(getattr(record, name), hints[name], from_attributes=True)
            for name in ("verdict", *(HEAD if version > 1 else ()), *SECTIONS[1:], "provenance", STATISTICS)
        },
        **({} if version > 1 else _untold(record)),
    )
    as_of = results.provenance.as_of
    if as_of is not None and not _is_day(as_of):
        path = "$.provenance.as-of"
        raise _refused(source, f"this is no day, written as year-month-day - at `{path}`", **_place(source, path))
    totals = tally(results)
    if msgspec.convert(record.totals, Totals, from_attributes=True) != totals:
        raise _refused(
            source,
            "the totals do not add up to the findings and requirements listed",
            expected=_line(totals).decode(),
            **_place(source, "$.totals"),
        )
    return results


class _Versioned(msgspec.Struct, frozen=True, rename="kebab"):
    """The one key of a results file that says what the others are."""

    fairdeal_results: Literal[READ]  # type: ignore[valid-type]


def _version(data: bytes) -> int:
    """The version that a file says it is of; the current one where it says none that is read, which is then refused."""
    try:
        return msgspec.json.decode(data, type=_Versioned).fairdeal_results
    except (ValueError, RecursionError):
        return VERSION


def _untold(record: Any) -> dict[str, Any]:
    """What a file of version 1 does not say."""
    law = tuple(
        Law(document=one, title=one, citation=NOT_TOLD, regulator=NOT_TOLD, game=None)
        for one in record.provenance.documents
    )
    subject = Subject(licensees=(), law=law, casinos=(), tables=(), tables_read=0, first=None, last=None, currency=None)
    return {"subject": subject, "money": None}


def _disagreement(source: Source, said: str) -> Diagnostic:
    return Diagnostic(
        code="disagreement",
        message=f"the parts of these results do not agree: {said}",
        file=source.name,
        help="the file was altered, or written by another program: make the results again from the evidence",
    )


def _attempt(decode: Callable[[], Any], source: Source, *, within: str = "$") -> Any:
    try:
        with bounded_memory():
            return decode()
    except UnfoldsTooFarError as error:
        raise _refused(source, f"the results unfold to {error}") from error
    except RecursionError:
        message = "the values are nested deeper than any result is"
    except ValueError as problem:
        message = str(problem)
    if message == "Input data was truncated":
        message = "the file ends in the middle of the results"
    elif message.endswith("at `$.fairdeal-results`"):
        message = "the results are written in another version of the format than this program reads"
        raise _refused(source, message, **_place(source, "$.fairdeal-results"))
    said, _, path = message.partition(" - at `$")
    if path or within != "$":
        path = f"{within}{path.removesuffix('`')}"
        raise _refused(source, f"{said} - at `{path}`", **_place(source, path))
    at = re.search(r" \(byte (\d+)\)$", message)
    if at is None:
        raise _refused(source, message)
    index = len(source.data.removeprefix(BOM_UTF8)[: int(at[1])].decode(errors="ignore"))
    line, column = locate(source.text, index)
    start = source.text.rfind("\n", 0, index) + 1
    raise _refused(
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
    """Return line, column and text of the line where a value stands, or else the nearest that holds it; nothing for a
    file so large that finding the place would take much memory."""
    if len(source.data) > _LARGEST_WITH_PLACES:
        return {}
    from validator.text.trees.json_tree import load_json  # noqa: PLC0415 - most results are sound

    try:
        tree = load_json(source)
    except InputError:
        return {}
    steps = _STEP.findall(path.removeprefix("$"))
    at = tree.nearest(tuple(int(number) if number else key for key, number in steps))
    position = tree.positions[at]
    return {"line": position.line, "column": position.column, "source_line": tree.lines[position.line - 1]}


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"the key `{key}` stands twice in one object")
        seen.add(key)


def _refused(source: Source, message: str, **place: Any) -> InputError:
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
