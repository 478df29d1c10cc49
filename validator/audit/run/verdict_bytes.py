"""Verdicts as bytes, for other machines and checkpoints: findings and arrays as Arrow, the rest as MessagePack.

Decoding runs no code from the bytes, and refuses data that do not have the form of verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.audit.applicability.beside import Counts, ReadCounts
from validator.audit.run.block_audit import BlockVerdict
from validator.audit.run.finding_table import FindingTable, findings_of, table_of
from validator.audit.sessions.session_rows import Texts

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


def to_bytes(verdicts: Sequence[BlockVerdict]) -> bytes:
    """Encode verdicts. Equal verdicts have equal bytes."""
    findings = table_of([verdict.findings for verdict in _requirement_verdicts(verdicts)])
    arrays = _ArrayEncoder()
    plain = msgspec.msgpack.Encoder(enc_hook=arrays.number, order="deterministic").encode(
        [_without_findings(verdict) for verdict in verdicts]
    )
    counts = [None if verdict.counts is None else verdict.counts.to_bytes() for verdict in verdicts]
    written = _EncodedVerdicts(verdicts=plain, findings=findings, rows=list(arrays.streams()), counts=counts)
    return msgspec.msgpack.encode(written)


def from_bytes(data: bytes, read_counts: ReadCounts) -> tuple[BlockVerdict, ...]:
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
        findings = findings_of(written.findings, sum(1 for _ in _requirement_verdicts(verdicts)))
        counts = [None if counter is None else read_counts(counter) for counter in written.counts]
        return tuple(
            _with_findings(verdict, findings, counter) for verdict, counter in zip(verdicts, counts, strict=True)
        )
    except (
        msgspec.MsgspecError,
        pa.ArrowException,
        LookupError,
        TypeError,
        OverflowError,
        OSError,
        MemoryError,
    ) as error:
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
    return replace(verdict, games=games, counts=None)


def _with_findings(verdict: BlockVerdict, found: Iterator[Any], counts: Counts | None) -> BlockVerdict:
    games = [
        replace(
            game, verdicts=[replace(requirement_verdict, findings=next(found)) for requirement_verdict in game.verdicts]
        )
        for game in verdict.games
    ]
    return replace(verdict, games=games, counts=counts)


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
            case Texts():
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
    if type_ is Texts:
        data, (number, _) = given
        return Texts.of(data, arrays[number].astype(np.int32, casting="safe"))
    number, width = given
    array = arrays[number]
    dtype = get_args(get_args(type_)[1])[0]
    if dtype is not Any and array.dtype != np.dtype(dtype):
        raise ValueError("an array has another type of numbers")
    return array.reshape(-1, width) if width else array
