"""Writers of hand logs: JSON Lines, compressed by the ending of the file, or Parquet.

Every field of a column becomes a piece of text. Pieces are looked up by code or by distinct value, so that little
Python code runs for a single event. The same rounds give the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bits64, Flags, Ints, Ints8, Ints16, look_up
from fairdeal.validator.cards.card_codes import encode_column
from fairdeal.validator.evidence.columns.log_draft import format_utc_offset
from fairdeal.validator.evidence.columns.recorded_events import STATES_NUMBER, decode_mask
from fairdeal.validator.evidence.columns.round_batch import (
    Batch,
    CodedColumn,
    Hands,
    Meters,
    Outcomes,
    Stakes,
    make_stake_offsets,
    take_rows,
)
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.text.source import write_atomically

Pieces = list[str]
"""Pieces of text, one per row."""


def to_lines(batch: Batch, planted: Sequence[Sequence[str]] = ()) -> bytes:
    """Convert the rounds of a batch to JSON Lines; every line has a line end.

    Unrecorded values are left out. `planted` lists, for every round, the requirements that it was made to break, for
    the annotations. Raises ValueError if its length differs from the batch.
    """
    if planted and len(planted) != len(batch):
        raise ValueError(f"planted has {len(planted)} entries for {len(batch)} rounds")
    seats = _group(_write_seats(batch), batch.seats.offsets)
    events = _group(_write_events(batch), batch.events.offsets)
    game = _encode_json(batch.game)
    columns = zip(
        map(_encode_json, batch.round),
        _write_texts("casino", batch.casino),
        _write_texts("table", batch.table),
        _write_times(batch),
        _write_course(batch),
        seats,
        _write_places(batch),
        [
            f',"events":[{text}]' if recorded else ""
            for text, recorded in zip(events, batch.recorded.tolist(), strict=True)
        ],
        _write_unrecorded(batch.unrecorded),
        _look_up([f',"context":{text}' for text in batch.context.names], batch.context.codes),
        map(_write_annotations, planted or [()] * len(batch)),
        strict=True,
    )
    return "".join(
        [
            f'{{"round":{name}{casino}{table},"time":"{time}","game":{game}{course},"seats":[{seats_}]'
            f"{placed}{events_}{unrecorded}{context}{annotations}}}\n"
            for name, casino, table, time, course, seats_, placed, events_, unrecorded, context, annotations in columns
        ]
    ).encode()


def _encode_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _group(pieces: Pieces, offsets: Ints) -> Pieces:
    """Join the pieces of each group with commas."""
    return [",".join(pieces[start:end]) for start, end in pairwise(offsets.tolist())]


def _join(*columns: Iterable[str]) -> Pieces:
    return list(map("".join, zip(*columns, strict=True)))


def _look_up(table: Iterable[str], codes: NDArray[Any]) -> Pieces:
    """Return a piece for every code; ABSENT, the last entry, has an empty one."""
    pieces: Pieces = np.array([*table, ""], np.object_)[codes].tolist()
    return pieces


def _write_texts(key: str, column: CodedColumn) -> Pieces:
    return _look_up([f',"{key}":{_encode_json(name)}' for name in column.names], column.codes)


def _write_rare_texts(key: str, column: CodedColumn) -> tuple[Pieces, ...]:
    """Return the texts of a rare key; no column if nothing is recorded."""
    return (_write_texts(key, column),) if column.codes.max(initial=ABSENT) >= 0 else ()


def _write_choices(key: str, choices: Sequence[str], codes: NDArray[Any]) -> Pieces:
    return _look_up([f',"{key}":"{choice}"' for choice in choices], codes)


def _write_numbers(key: str, values: NDArray[Any]) -> Pieces:
    distinct, codes = np.unique(values, return_inverse=True)
    return _look_up([f',"{key}":{value}' if value >= 0 else "" for value in distinct.tolist()], codes)


def _write_flags(key: str, flags: Flags) -> Pieces:
    return _look_up(["", f',"{key}":true'], flags.astype(np.int8))


def _write_answers(key: str, answers: Ints8) -> Pieces:
    return _look_up([f',"{key}":false', f',"{key}":true'], answers)


def _write_rare(key: str, values: NDArray[Any]) -> tuple[Pieces, ...]:
    """Return the numbers of a rare key; no column if nothing is recorded."""
    return (_write_numbers(key, values),) if values.max(initial=ABSENT) >= 0 else ()


def _write_default_true(key: str, flags: Flags) -> tuple[Pieces, ...]:
    """Return flags that are true if nothing is recorded; no column if all are true."""
    return () if flags.all() else (_look_up([f',"{key}":false', ""], flags.astype(np.int8)),)


def _write_hands(key: str, hands: Hands) -> Pieces:
    recorded = (hands.count >= 0).tolist()
    if True not in recorded:
        return [""] * len(recorded)
    return [
        f',"{key}":"{text}"' if shown else "" for text, shown in zip(encode_column(hands.cards), recorded, strict=True)
    ]


def _write_course(batch: Batch) -> Pieces:
    """Return the keys that place the round among the rounds of its table."""
    return _join(
        _write_numbers("number", batch.number),
        _write_texts("currency", batch.currency),
        _write_texts("deck", batch.deck),
        *_write_rare("button", batch.button),
        *_write_rare("small-bet", batch.small_bet),
        *_write_rare("big-bet", batch.big_bet),
        _write_texts("after", batch.after),
        *_write_default_true("complete", batch.complete),
    )


def _write_places(batch: Batch) -> Pieces:
    """Return the cards of the dealer and the community, the results that are no cards, and the meters."""
    outcomes = _group(_write_outcomes(batch.outcomes), batch.outcomes.offsets)
    meters = _group(_write_meters(batch.meters), batch.meters.offsets)
    return _join(
        _write_hands("dealer", batch.dealer),
        _write_hands("dealer-discarded", batch.dealer_discarded),
        _write_hands("dealer-drawn", batch.dealer_drawn),
        _write_hands("community", batch.community),
        _write_hands("community-discarded", batch.community_discarded),
        [f',"outcomes":{{{listed}}}' if listed else "" for listed in outcomes],
        [f',"meters":[{listed}]' if listed else "" for listed in meters],
    )


def _write_outcomes(outcomes: Outcomes) -> Pieces:
    return _join(
        _look_up([f"{_encode_json(name)}:" for name in outcomes.name.names], outcomes.name.codes),
        _look_up([_encode_json(value) for value in outcomes.value.names], outcomes.value.codes),
    )


def _write_meters(meters: Meters) -> Pieces:
    return _join(
        _look_up([f'{{"meter":{_encode_json(name)}' for name in meters.meter.names], meters.meter.codes),
        _write_numbers("opening", meters.opening),
        _write_numbers("shown", meters.shown),
        _write_numbers("closing", meters.closing),
        repeat("}", len(meters.round)),
    )


def _write_times(batch: Batch) -> Pieces:
    times = batch.time
    seconds = np.datetime_as_string(times.astype("datetime64[us]"), unit="s").tolist()
    fractions = (times % 1_000_000).tolist()
    zones = _write_utc_offsets(batch.offset)
    return [
        f"{second}.{part:06d}{zone}" if part else f"{second}{zone}"
        for second, part, zone in zip(seconds, fractions, zones, strict=True)
    ]


def _write_utc_offsets(offset: Ints16) -> Pieces:
    distinct, codes = np.unique(offset, return_inverse=True)
    return _look_up(list(map(format_utc_offset, distinct.tolist())), codes)


def _write_unrecorded(masks: Bits64) -> Pieces:
    distinct, codes = np.unique(masks, return_inverse=True)
    lists = map(decode_mask, distinct.tolist())
    return _look_up([f',"unrecorded":{_encode_json(listed)}' if listed else "" for listed in lists], codes)


def _write_annotations(planted: Sequence[str]) -> str:
    return f',"annotations":{{"planted":{_encode_json(list(planted))}}}' if planted else ""


def _write_seats(batch: Batch) -> Pieces:
    seats, stakes = batch.seats, batch.stakes
    wagers = take_rows(stakes, ~stakes.bonus)
    bonuses = take_rows(stakes, stakes.bonus)
    return _join(
        [f'{{"seat":{number}' for number in seats.number.tolist()],
        _write_texts("player", seats.player),
        _write_hands("cards", seats.hands),
        _write_hands("discarded", seats.discarded),
        _write_hands("drawn", seats.drawn),
        _write_texts("decision", seats.decision),
        *_write_rare("stack", seats.stack),
        *_write_rare("stack-after", seats.stack_after),
        *_write_rare("won", seats.won),
        *_write_default_true("playing", seats.playing),
        *_write_rare("split-of", seats.split_of),
        [f',"wagers":[{listed}]' for listed in _group(_write_wagers(wagers), make_stake_offsets(wagers, seats))],
        [f',"bonuses":[{listed}]}}' for listed in _group(_write_bonuses(bonuses), make_stake_offsets(bonuses, seats))],
    )


def _write_wagers(stakes: Stakes) -> Pieces:
    return _join(
        _look_up([f'{{"wager":{_encode_json(name)}' for name in stakes.wager.names], stakes.wager.codes),
        *_write_rare_texts("selection", stakes.selection),
        _write_numbers("amount", stakes.amount),
        *_write_rare("brought", stakes.brought),
        _write_flags("tip", stakes.tip),
        _write_numbers("paid", stakes.paid),
        _write_numbers("taken", stakes.taken),
        _write_answers("claimed", stakes.claimed),
        repeat("}", len(stakes.seat)),
    )


def _write_bonuses(stakes: Stakes) -> Pieces:
    return _join(
        _look_up([f'{{"bonus":{_encode_json(name)}' for name in stakes.wager.names], stakes.wager.codes),
        _write_flags("tip", stakes.tip),
        _write_numbers("paid", stakes.paid),
        repeat("}", len(stakes.seat)),
    )


def _write_value(key: str, value: CodedColumn, chosen: Flags) -> tuple[Pieces, ...]:
    """Write a column of text under a key in some rows only."""
    return _write_rare_texts(key, replace(value, codes=np.where(chosen, value.codes, ABSENT)))


def _write_events(batch: Batch) -> Pieces:
    events = batch.events
    number = look_up(batch.seats.number, events.seat, ABSENT)
    hands = np.array([*_write_hands("cards", events.hands), ""], np.object_)[events.cards_row]
    counted, is_outcome = STATES_NUMBER[events.kind], events.kind == KIND_CODES["outcome"]
    is_split, is_set = events.kind == KIND_CODES["split"], events.kind == KIND_CODES["set"]
    if is_set.any():
        hands[is_set] = np.array([*_write_hands("high", events.hands), ""], np.object_)[events.cards_row[is_set]]
    on_stake = ~is_outcome & ~is_set
    return _join(
        _look_up([f'{{"event":"{kind}"' for kind in KINDS], events.kind),
        _write_choices("place", PLACES, events.place),
        _write_numbers("seat", number),
        hands.tolist(),
        *_write_value("low", events.value, is_set),
        _write_choices("face", FACES, events.face),
        _write_choices("by", ACTORS, events.by),
        _write_choices("in", MEANS, events.means),
        _write_texts("wager", events.wager),
        *_write_value("selection", events.value, on_stake),
        _write_numbers("amount", np.where(counted, ABSENT, events.amount)),
        _write_flags("tip", events.tip),
        _write_texts("decision", events.decision),
        _write_texts("what", events.what),
        *_write_value("value", events.value, is_outcome),
        _write_texts("deck", events.deck),
        _write_texts("positions", events.positions),
        *_write_rare("pot", events.pot),
        *_write_rare("chips", np.where(is_split, ABSENT, events.chips)),
        *_write_rare("to", np.where(is_split, events.chips, ABSENT)),
        _write_numbers("number", np.where(counted, events.amount, ABSENT)),
        repeat("}", len(events.kind)),
    )


class LogWriter(Protocol):
    """Writer that takes batches one by one."""

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        """Append a batch. `planted` lists, for every round, the requirements that it was made to break."""


class _LineWriter:
    __slots__ = ("_stream",)

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        self._stream.write(to_lines(batch, planted))


@contextmanager
def open_log_writer(path: str) -> Iterator[LogWriter]:
    """Open a writer to a file. A file is written whole or not at all. Raises OSError if it cannot be written.

    The ending chooses the format: `.parquet`; `.gz` or `.zst` for compressed JSON Lines; plain JSON Lines for any other
    ending, and for `-` (standard output).
    """
    suffix = Path(path).suffix
    if path == "-":
        yield _LineWriter(sys.stdout.buffer)
    elif suffix == ".parquet":
        from fairdeal.validator.evidence.arrow.parquet_writer import open_parquet_writer  # noqa: PLC0415 - pyarrow is slow to import

        with write_atomically(path) as file, open_parquet_writer(file) as writer:
            yield writer
    else:
        with write_atomically(path) as file, _compress(file, suffix) as stream:
            yield _LineWriter(stream)


def write_jsonl(batches: Iterable[Batch], stream: BinaryIO) -> None:
    """Write batches to a stream as JSON Lines."""
    for batch in batches:
        stream.write(to_lines(batch))


@contextmanager
def _compress(file: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        import gzip  # noqa: PLC0415 - an audit that writes records to compare them packs none

        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # not a BinaryIO, but writes like one
    elif suffix == ".zst":
        import zstandard  # noqa: PLC0415 - plain logs do not need it

        with zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file
