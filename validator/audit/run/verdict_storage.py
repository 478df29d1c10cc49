"""Verdicts as bytes, for other machines and for checkpoints of an interrupted audit.

Findings and arrays are encoded as Arrow, the rest as MessagePack. Decoding runs no code from the bytes, and refuses
data that do not have the form of verdicts.

The key of a checkpoint is a hash of everything the result depends on: the plan, and the bytes that were checked. The
audit ignores a file that is damaged, or that another user wrote or could have written, and checks its part again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.audit.duplicate_rounds import DuplicateRecords
from fairdeal.validator.audit.operators.round_requirements import EvidenceGap
from fairdeal.validator.audit.operators.session_evaluation import select_session_requirements
from fairdeal.validator.audit.run.log_parts import BlockVerdict, LogPart, WholeLog
from fairdeal.validator.audit.sessions.session_rows import TextColumn
from fairdeal.validator.audit.status_codes import CAUSES, STATUSES
from fairdeal.validator.audit.submissions_in_force import AuditContext, CounterDecoder, RoundCounter
from fairdeal.validator.evidence.jsonl.line_blocks import FileLines
from fairdeal.validator.results.findings import Evidence, EvidencePlace, Finding
from fairdeal.validator.text.diagnostics import InputError, ResourceError
from fairdeal.validator.text.source import (
    MAX_UNPACKED_BYTES,
    MemoryBoundError,
    limit_memory,
    open_without_links,
    write_atomically,
)

_NOWHERE = EvidencePlace()
_TEXTS = ("file", "pointer", "casino", "table", "round", "time", "local", "day", "player", "wager", "submission")
_NUMBERS = ("line", "column", "seat", "event")
_PLACES = (*_TEXTS, *_NUMBERS)
_ROW_TEXTS = ("expected", "observed", "currency")
_AMOUNTS = ("count", "owed", "overpaid", "version")

_ROW_DEFAULTS = {**dict.fromkeys((*_ROW_TEXTS, *_AMOUNTS)), "expected": "", "observed": "", "count": 1}
"""Values of a shared finding in the fields that rows hold."""

_SCHEMA = pa.schema(
    [
        pa.field("list", pa.int32(), nullable=False),
        pa.field("shared", pa.int32(), nullable=False),
        pa.field("context", pa.int32()),
        *(pa.field(name, pa.dictionary(pa.int32(), pa.string())) for name in (*_ROW_TEXTS, *_TEXTS)),
        *(pa.field(name, pa.int64()) for name in (*_NUMBERS, *_AMOUNTS)),
    ]
)


class FindingTable(Struct, frozen=True, kw_only=True):
    """Lists of findings in a compact form."""

    rows: bytes
    """Arrow stream with a row for each finding, including the number of its list."""
    shared: list[Finding]
    """Findings without the fields that the rows hold."""
    contexts: list[Mapping[str, str]]
    """Contexts of rounds that the rows refer to."""


def build_finding_table(lists: Sequence[Sequence[Finding]]) -> FindingTable:
    """Store lists of findings as a table."""
    shared: dict[Finding, int] = {}
    contexts: dict[tuple[tuple[str, str], ...], int] = {}
    columns: dict[str, list[object]] = {name: [] for name in _SCHEMA.names}
    for number, findings in enumerate(lists):
        for finding in findings:
            where = finding.where
            head = replace(finding, where=_NOWHERE, **_ROW_DEFAULTS)
            columns["list"].append(number)
            columns["shared"].append(shared.setdefault(head, len(shared)))
            context = None if where.context is None else tuple(where.context.items())
            columns["context"].append(None if context is None else contexts.setdefault(context, len(contexts)))
            for name in _PLACES:
                columns[name].append(getattr(where, name))
            for name in (*_ROW_TEXTS, *_AMOUNTS):
                columns[name].append(getattr(finding, name))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA) as stream:
        stream.write_table(pa.table([_column(name, columns[name]) for name in _SCHEMA.names], schema=_SCHEMA))
    return FindingTable(
        rows=sink.getvalue().to_pybytes(), shared=list(shared), contexts=[dict(items) for items in contexts]
    )


def _column(name: str, values: list[object]) -> pa.Array:
    type_ = _SCHEMA.field(name).type
    return (
        pa.array(values, pa.string()).dictionary_encode() if pa.types.is_dictionary(type_) else pa.array(values, type_)
    )


def read_findings(table: FindingTable, lists: int) -> Iterator[tuple[Finding, ...]]:
    """Yield the lists of findings of a table.

    Args:
        lists: number of lists.

    Raises:
        ValueError: If the table does not hold findings.
    """
    rows = pa.ipc.open_stream(table.rows).read_all()
    if rows.schema != _SCHEMA:
        raise ValueError("this is not a table of findings")
    rows.validate(full=True)
    columns = {name: rows.column(name).to_pylist() for name in rows.column_names}
    result: list[list[Finding]] = [[] for _ in range(lists)]
    places, values = (
        [*zip(*(columns[name] for name in names), strict=True)] for names in (_PLACES, (*_ROW_TEXTS, *_AMOUNTS))
    )
    for row, (number, shared, context) in enumerate(
        zip(columns["list"], columns["shared"], columns["context"], strict=True)
    ):
        where = EvidencePlace(**dict(zip(_PLACES, places[row], strict=True)))
        if context is not None:
            where = replace(where, context=dict(table.contexts[_checked_index(context, table.contexts)]))
        result[_checked_index(number, result)].append(
            replace(
                table.shared[_checked_index(shared, table.shared)],
                where=where,
                **dict(zip((*_ROW_TEXTS, *_AMOUNTS), values[row], strict=True)),
            )
        )
    return map(tuple, result)


def _checked_index(index: int, of: Sequence[object]) -> int:
    if not 0 <= index < len(of):
        raise ValueError("a finding refers to an entry that does not exist")
    return index


_DTYPE_KINDS = "biu"
"""Kinds of numbers in arrays: bool, signed and unsigned."""


_WRONG = (msgspec.MsgspecError, pa.ArrowException, LookupError, TypeError, OverflowError, OSError, MemoryError)
"""Exceptions that reading bytes may raise if they are not verdicts."""


class _EncodedVerdicts(Struct, frozen=True, kw_only=True):
    """Encoded verdicts, with their arrays, findings and counters stored separately."""

    verdicts: bytes
    """Verdicts as MessagePack, without arrays, findings and counters."""
    findings: FindingTable
    """All findings."""
    rows: list[bytes]
    """Arrow stream for all arrays of one length; the columns are named by the numbers of the arrays."""
    counts: list[bytes | None]
    """Bytes of the counter of each verdict; None without a counter."""


def encode_verdicts(verdicts: Sequence[BlockVerdict]) -> bytes:
    """Encode verdicts. Equal verdicts have equal bytes."""
    findings = build_finding_table([verdict.findings for verdict in _requirement_verdicts(verdicts)])
    arrays = _ArrayEncoder()
    plain = msgspec.msgpack.Encoder(enc_hook=arrays.number, order="deterministic").encode(
        [_without_findings(verdict) for verdict in verdicts]
    )
    counts = [None if verdict.counter is None else verdict.counter.to_bytes() for verdict in verdicts]
    written = _EncodedVerdicts(verdicts=plain, findings=findings, rows=list(arrays.streams()), counts=counts)
    return msgspec.msgpack.encode(written)


def decode_verdicts(data: bytes, read_counts: CounterDecoder) -> tuple[BlockVerdict, ...]:
    """Decode verdicts.

    Args:
        read_counts: decodes a counter.

    Raises:
        ValueError: If the bytes are not verdicts.
    """
    try:
        written = msgspec.msgpack.decode(data, type=_EncodedVerdicts)
        arrays = _read_arrays(written.rows)
        verdicts = msgspec.msgpack.Decoder(
            tuple[BlockVerdict, ...], dec_hook=lambda type_, given: _decode_object(type_, given, arrays)
        ).decode(written.verdicts)
        findings = read_findings(written.findings, sum(1 for _ in _requirement_verdicts(verdicts)))
        counts = [None if counter is None else read_counts(counter) for counter in written.counts]
        return tuple(
            _with_findings(verdict, findings, counter) for verdict, counter in zip(verdicts, counts, strict=True)
        )
    except _WRONG as error:
        raise ValueError(str(error)) from error


def _requirement_verdicts(verdicts: Iterable[BlockVerdict]) -> Iterator[Any]:
    return (
        requirement_verdict for verdict in verdicts for game in verdict.games for requirement_verdict in game.verdicts
    )


def _without_findings(verdict: BlockVerdict) -> BlockVerdict:
    games = [
        replace(game, verdicts=[replace(requirement_verdict, findings=()) for requirement_verdict in game.verdicts])
        for game in verdict.games
    ]
    return replace(verdict, games=games, counter=None)


def _with_findings(verdict: BlockVerdict, found: Iterator[Any], counts: RoundCounter | None) -> BlockVerdict:
    games = [
        replace(
            game, verdicts=[replace(requirement_verdict, findings=next(found)) for requirement_verdict in game.verdicts]
        )
        for game in verdict.games
    ]
    return replace(verdict, games=games, counter=counts)


class _ArrayEncoder(Struct):
    """Arrays by their numbers; an array that occurs several times has one number."""

    arrays: list[NDArray[Any]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    def number(self, given: object) -> object:
        """Return the representation of an object that MessagePack cannot encode."""
        match given:
            case np.ndarray():
                if id(given) not in self.numbers:
                    self.numbers[id(given)] = len(self.arrays)
                    self.arrays.append(given)
                return self.numbers[id(given)], given.shape[1] if given.ndim == 2 else 0
            case TextColumn():
                return given.stored
            case Mapping():
                return dict(given)
        raise NotImplementedError(type(given))

    def streams(self) -> Iterator[bytes]:
        """Yield an Arrow stream for all arrays of each length."""
        lengths: dict[int, list[int]] = {}
        for number, array in enumerate(self.arrays):
            lengths.setdefault(array.size, []).append(number)
        for numbers in lengths.values():
            columns = [pa.array(self.arrays[number].reshape(-1)) for number in numbers]
            batch = pa.RecordBatch.from_arrays(columns, names=[str(number) for number in numbers])
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield sink.getvalue().to_pybytes()


def _read_arrays(streams: Iterable[bytes]) -> dict[int, NDArray[Any]]:
    arrays: dict[int, NDArray[Any]] = {}
    for stream in streams:
        table = pa.ipc.open_stream(stream).read_all()
        table.validate(full=True)
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count:
                raise ValueError("an array has missing values")
            array = column.to_numpy().copy()
            if array.dtype.kind not in _DTYPE_KINDS:
                raise ValueError("an array does not hold numbers")
            arrays[int(name)] = array
    return arrays


def _decode_object(type_: Any, given: Any, arrays: Mapping[int, NDArray[Any]]) -> Any:
    """Restore an object from its representation. Raises ValueError if it has another type."""
    if type_ is TextColumn:
        data, (number, _) = given
        return TextColumn.restore(data, arrays[number].astype(np.int32, casting="safe"))
    number, width = given
    array = arrays[number]
    dtype = get_args(get_args(type_)[1])[0]
    if dtype is not Any and array.dtype != np.dtype(dtype):
        raise ValueError("an array has another type of numbers")
    return array.reshape(-1, width) if width else array


_MAGIC = b"fairdeal checkpoint 1\n"
_MAX_BYTES = MAX_UNPACKED_BYTES
"""Maximum size of a file that is written and read; a part with a larger result is checked again."""


class CheckpointFolder(Struct, frozen=True, kw_only=True):
    """Folder of results of parts, for any number of audits."""

    folder: str
    """Path of the folder."""

    def load_or_check(
        self,
        part: LogPart,
        judge: Callable[[LogPart], tuple[BlockVerdict, ...]],
        *,
        plan: str,
        context: AuditContext,
    ) -> tuple[BlockVerdict, ...]:
        """Return the verdicts on a part: from the folder, otherwise by checking the part and saving the result.

        Args:
            judge: checks a part.
            plan: digest of the plan.
            context: context of the plan.

        Raises:
            ResourceError: If the folder cannot be written to.
        """
        try:
            if isinstance(part.block, FileLines):  # the bytes that are hashed are those that are checked
                part = replace(part, block=part.block.read_lines())
            content = None if part.block is None else part.block.identity()
        except InputError:
            content = None
        if content is None or not all(map(_is_unicode, _names(part))):
            return judge(part)
        duplicates = {
            name: _digest_of_records(context.duplicates[name]) for name in _names(part) if name in context.duplicates
        }
        key = hashlib.sha256(msgspec.json.encode([plan, part.name, content, duplicates])).hexdigest()
        verdicts_saved = self._load(key, context)
        if verdicts_saved is not None:
            return (
                tuple(replace(verdict, ends=part.ends) for verdict in verdicts_saved) if part.ends else verdicts_saved
            )
        verdicts = judge(part)
        changed = isinstance(part.block, WholeLog) and verdicts[-1].ends[0].sha256 != content
        if not changed and not any(end.refused for verdict in verdicts for end in verdict.ends):
            self._save(key, encode_verdicts(verdicts))
        return verdicts

    def _load(self, key: str, context: AuditContext) -> tuple[BlockVerdict, ...] | None:
        with suppress(OSError, ValueError, MemoryBoundError):
            with os.fdopen(open_without_links(Path(self.folder, key)), "rb") as stream:
                status = os.fstat(stream.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES or not _is_own_file(status):
                    return None
                data = stream.read(_MAX_BYTES)
            header_size = len(_MAGIC) + hashlib.sha256().digest_size
            content = data[header_size:]
            if data[:header_size] == _file_header(key, content):
                with limit_memory():
                    verdicts = decode_verdicts(content, context.decode_counter)
                if all(_is_consistent(verdict, context) for verdict in verdicts):
                    return verdicts
        return None

    def _save(self, key: str, content: bytes) -> None:
        if len(_MAGIC) + hashlib.sha256().digest_size + len(content) > _MAX_BYTES:
            return
        try:
            Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            place = Path(self.folder, key)
            if place.is_symlink() or not place.is_file():  # the target of a link belongs to someone else
                place.unlink(missing_ok=True)
            with write_atomically(place, mode=0o600) as stream:
                stream.write(_file_header(key, content))
                stream.write(content)
        except OSError as error:
            message = (
                f"the checkpoint folder {self.folder} cannot be written to: {(error.strerror or str(error)).lower()}"
            )
            raise ResourceError("no-checkpoint", message, "make room there, or name another folder") from error


def _file_header(key: str, content: bytes) -> bytes:
    """Return the header of a file, which depends on its key and content."""
    return _MAGIC + hashlib.sha256(key.encode() + content).digest()


def _is_own_file(status: os.stat_result) -> bool:
    """Return whether a file is the current user's and nobody else may write to it."""
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_unicode(name: str) -> bool:
    """Return whether the name of a log can be kept as UTF-8: on Unix a name may be any bytes."""
    with suppress(UnicodeEncodeError):
        return bool(name.encode())
    return False


def _names(part: LogPart) -> Iterator[str]:
    yield part.name
    yield from (end.name for end in part.ends)


def _digest_of_records(duplicates: DuplicateRecords) -> str:
    digest = hashlib.sha256()
    for column in (duplicates.record, duplicates.version, duplicates.last, duplicates.file, duplicates.line):
        digest.update(column.tobytes())
    digest.update(msgspec.json.encode(duplicates.files))
    return digest.hexdigest()


def _is_consistent(verdict: BlockVerdict, context: AuditContext) -> bool:
    """Return whether all parts of a verdict are consistent with each other and with the rules."""
    for game in verdict.games:
        rules = context.rulebook.regulation(game.document)
        spanning_names = {requirement.requirement for requirement in select_session_requirements(rules)}
        if [verdict.requirement for verdict in game.verdicts] != [
            requirement.requirement for requirement in rules.requirements if requirement.evidence is Evidence.ROUND
        ]:
            return False
        if any(
            len(requirement_verdict.counts) != len(STATUSES) or not _is_consistent_gap(requirement_verdict.gap)
            for requirement_verdict in game.verdicts
        ):
            return False
        if any(
            rows.document != game.document or set(rows.round_columns) != spanning_names or not rows.is_sound
            for rows in game.rows
        ):
            return False
    return len(verdict.logs) in (0, len(verdict.ends))


def _is_consistent_gap(gap: EvidenceGap | None) -> bool:
    return gap is None or len(gap.causes) == len(CAUSES)
