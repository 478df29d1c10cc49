"""`results.json`: the results as a file for programs, written and read back without loss.

The keys are the field names of `validator.verdicts` with hyphens for underscores; every key is always
there, `null` stands for what is not known. They come in this order: `fairdeal-results` (the version of
this format), `verdict`, `totals`, `findings`, `requirements`, `readings`, `quarantined`, `layouts`,
`provenance`. Each finding, and each entry of the other lists, has a line of its own, so that large files
can be searched, compared and streamed line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import cache, partial, reduce
from operator import or_
from types import UnionType
from typing import Any, BinaryIO, Literal, get_args, get_origin, get_type_hints

import msgspec

from validator.reports.tally import Totals, tally
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import Source, locate, read_source
from validator.verdicts import WORST_FIRST, Finding, RequirementResult, Results

MAX_BYTES = 1_000_000_000
"""The largest results file that is read."""

_SECTIONS = ("findings", "requirements", "readings", "quarantined", "layouts")


def write_json(results: Results, stream: BinaryIO) -> None:
    """Write `results.json` (UTF-8) to the stream.

    The findings are passed over twice, once to count and once to write, and never held. The same results
    give the same bytes.
    """
    totals, _ = tally(results)
    stream.write(b'{\n"fairdeal-results": 1,\n')
    stream.write(b'"verdict": %b,\n' % msgspec.json.encode(results.verdict))
    stream.write(b'"totals": %b,\n' % _line(totals))
    for section in _SECTIONS:
        stream.write(b'"%b": [' % section.encode())
        _write_lines(getattr(results, section), stream)
        stream.write(b"],\n")
    stream.write(b'"provenance": %b\n}\n' % _line(results.provenance))


def _write_lines(entries: Iterable[Any], stream: BinaryIO) -> None:
    mark = b"\n"
    for entry in entries:
        stream.write(mark)
        stream.write(_line(entry))
        mark = b",\n"
    if mark != b"\n":
        stream.write(b"\n")


def _line(entry: Any) -> bytes:
    kind: Any = type(entry)
    record: Any = msgspec.convert(entry, _record(kind), from_attributes=True)
    if isinstance(entry, RequirementResult):
        record.totals = {status: entry.totals[status] for status in WORST_FIRST if status in entry.totals}
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # A file name that is not valid Unicode: half a character cannot stand in UTF-8.
        text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def read_json(path: str) -> Results:
    """The results in a file that `write_json` wrote; `-` is standard input.

    Raises InputError where the file cannot be read or has more than `MAX_BYTES`, and as `parse_json` does.
    """
    return parse_json(read_source(path, limit=MAX_BYTES))


def parse_json(source: Source) -> Results:
    """The results that `write_json` wrote, from their text.

    Strict: an unknown, missing or repeated key, a value of another type or totals that do not add up raise
    InputError. Nothing nests deeper than the result model does, so nothing can be nested too deep.
    """
    record: Any = _attempt(partial(msgspec.json.decode, source.text, type=_file_record()), source)
    _attempt(partial(json.loads, source.text, object_pairs_hook=_refuse_repeated), source)
    hints: dict[str, Any] = get_type_hints(Results) | {"findings": tuple[Finding, ...]}
    results = Results(
        **{
            name: msgspec.convert(getattr(record, name), hints[name], from_attributes=True)
            for name in ("verdict", *_SECTIONS, "provenance")
        }
    )
    totals, _ = tally(results)
    if msgspec.convert(record.totals, Totals, from_attributes=True) != totals:
        raise _refused(
            source,
            "the totals do not add up to the findings and requirements listed",
            expected=_line(totals).decode(),
        )
    return results


def _attempt(decode: Callable[[], Any], source: Source) -> Any:
    try:
        return decode()
    except ValueError as problem:
        message = str(problem)
    at = re.search(r" \(byte (\d+)\)", message)
    if at is None:
        raise _refused(source, message)
    index = len(source.text.encode()[: int(at[1])].decode(errors="ignore"))
    line, column = locate(source.text, index)
    start = source.text.rfind("\n", 0, index) + 1
    raise _refused(
        source,
        message[: at.start()],
        line=line,
        column=column,
        source_line=source.text[start:].partition("\n")[0],
    )


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
