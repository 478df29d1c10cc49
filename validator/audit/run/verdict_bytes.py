"""Verdicts as bytes, to travel between machines and to be kept: findings and arrays as Arrow, the rest as MessagePack.

Nothing that is read from them is run, and what does not have the form of a verdict is refused.
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

_KINDS = "biu"
"""Kinds of numbers that arrays hold: bool, signed and unsigned."""


_WRONG = (msgspec.MsgspecError, pa.ArrowException, LookupError, TypeError, OverflowError, OSError, MemoryError)
"""What reading of bytes may end in that are no verdicts."""


class _Written(Struct, frozen=True, kw_only=True):
    """Verdicts, as MessagePack, whose arrays, findings and counts are beside them; `rows` has a stream of Arrow for all
    arrays of one length, by their numbers, `counts` has bytes for each verdict, None where nothing was counted."""

    verdicts: bytes
    findings: FindingTable
    rows: list[bytes]
    counts: list[bytes | None]


def to_bytes(verdicts: Sequence[BlockVerdict]) -> bytes:
    """Verdicts as bytes, the same for the same verdicts."""
    findings = table_of([one.findings for one in _rounds(verdicts)])
    arrays = _Arrays()
    plain = msgspec.msgpack.Encoder(enc_hook=arrays.number, order="deterministic").encode(
        [_alone(verdict) for verdict in verdicts]
    )
    counts = [None if one.counts is None else one.counts.to_bytes() for one in verdicts]
    written = _Written(verdicts=plain, findings=findings, rows=list(arrays.streams()), counts=counts)
    return msgspec.msgpack.encode(written)


def from_bytes(data: bytes, read_counts: ReadCounts) -> tuple[BlockVerdict, ...]:
    """The verdicts that were written; `read_counts` makes counts of their bytes. Raises ValueError where these are
    none."""
    try:
        written = msgspec.msgpack.decode(data, type=_Written)
        arrays = _read(written.rows)
        verdicts = msgspec.msgpack.Decoder(
            tuple[BlockVerdict, ...], dec_hook=lambda type_, given: _made(type_, given, arrays)
        ).decode(written.verdicts)
        found = findings_of(written.findings, sum(1 for _ in _rounds(verdicts)))
        counts = [None if one is None else read_counts(one) for one in written.counts]
        return tuple(_with(verdict, found, one) for verdict, one in zip(verdicts, counts, strict=True))
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


def _rounds(verdicts: Iterable[BlockVerdict]) -> Iterator[Any]:
    return (one for verdict in verdicts for game in verdict.games for one in game.verdicts)


def _alone(verdict: BlockVerdict) -> BlockVerdict:
    games = [replace(game, verdicts=[replace(one, findings=()) for one in game.verdicts]) for game in verdict.games]
    return replace(verdict, games=games, counts=None)


def _with(verdict: BlockVerdict, found: Iterator[Any], counts: Counts | None) -> BlockVerdict:
    games = [
        replace(game, verdicts=[replace(one, findings=next(found)) for one in game.verdicts]) for game in verdict.games
    ]
    return replace(verdict, games=games, counts=counts)


class _Arrays(Struct):
    """Arrays by their numbers; one that stands in several places has one number."""

    held: list[NDArray[Any]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    def number(self, given: object) -> object:
        """What stands for something that MessagePack has no form for."""
        match given:
            case np.ndarray():
                if id(given) not in self.numbers:
                    self.numbers[id(given)] = len(self.held)
                    self.held.append(given)
                return self.numbers[id(given)], given.shape[1] if given.ndim == 2 else 0
            case Texts():
                return given.stored
            case Mapping():
                return dict(given)
        raise NotImplementedError(type(given))

    def streams(self) -> Iterator[bytes]:
        """All arrays, those of one length in a stream."""
        lengths: dict[int, list[int]] = {}
        for number, array in enumerate(self.held):
            lengths.setdefault(array.size, []).append(number)
        for numbers in lengths.values():
            columns = [pa.array(self.held[number].reshape(-1)) for number in numbers]
            batch = pa.RecordBatch.from_arrays(columns, names=[str(number) for number in numbers])
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield sink.getvalue().to_pybytes()


def _read(streams: Iterable[bytes]) -> dict[int, NDArray[Any]]:
    found: dict[int, NDArray[Any]] = {}
    for one in streams:
        table = pa.ipc.open_stream(one).read_all()
        table.validate(full=True)
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count:
                raise ValueError("an array has holes")
            array = column.to_numpy().copy()
            if array.dtype.kind not in _KINDS:
                raise ValueError("an array holds no numbers")
            found[int(name)] = array
    return found


def _made(type_: Any, given: Any, arrays: Mapping[int, NDArray[Any]]) -> Any:
    """What stood where something stands for it. Raises ValueError where it is of another type."""
    if type_ is Texts:
        data, (number, _) = given
        return Texts.of(data, arrays[number].astype(np.int32, casting="safe"))
    number, width = given
    array = arrays[number]
    wanted = get_args(get_args(type_)[1])[0]
    if wanted is not Any and array.dtype != np.dtype(wanted):
        raise ValueError("an array holds other numbers")
    return array.reshape(-1, width) if width else array
