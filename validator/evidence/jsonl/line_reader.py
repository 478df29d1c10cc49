"""Lines of hand logs to batches. The reader is strict, and a bad line never affects a good neighbour."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.evidence.assembly import DecodedBlock, assemble_batches
from fairdeal.validator.evidence.columns.batch import Batch, CodedColumn
from fairdeal.validator.evidence.handlog.round_record import LINE_TOO_LONG, LONGEST_LINE, RoundRecord
from fairdeal.validator.evidence.jsonl.flattener import Flattener
from fairdeal.validator.evidence.jsonl.list_scanner import ExtractedLists, extract_lists
from fairdeal.validator.evidence.jsonl.record_cache import InternedRecords, LogVocabulary
from fairdeal.validator.evidence.jsonl.record_columns import find_duplicate_keys
from fairdeal.validator.evidence.jsonl.text_lookup import UnusualError
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import quote

_BYTES_AT_A_TIME = (1 << 23, 1 << 20)
"""Bytes of lines decoded together; fewer if some of the lines are unusual."""
_DECODER = msgspec.json.Decoder(RoundRecord, strict=True)
_LINE_END = ord("\n")
_WHITESPACE = b" \t\r"


def decode_lines(text: bytes, *, file: str, first_line: int, known_games: Collection[str]) -> DecodedBlock:
    """Decode the lines of `text`, the first of which is line `first_line` of `file`.

    Blank lines are skipped. Every other line is in a batch, or quarantined with the reason: not JSON, not a round, a
    key twice, cards that do not exist, a round that contradicts itself, a game not in `known_games`.
    """
    lines = int(np.count_nonzero(np.frombuffer(text, np.uint8) == _LINE_END)) + 1
    return _decode_text(text, range(first_line, first_line + lines), file, known_games)


def decode_numbered_lines(
    lines: Sequence[bytes], numbers: Sequence[int], *, file: str, known_games: Collection[str]
) -> DecodedBlock:
    """Decode lines with given numbers, as `decode_lines` does."""
    return _decode_text(b"\n".join(lines), numbers, file, known_games)


def _decode_text(text: bytes, at: Sequence[int], file: str, known_games: Collection[str]) -> DecodedBlock:
    flattener = Flattener(file)
    quarantined: list[Quarantined] = []
    collecting = gc.isenabled()
    gc.disable()  # nothing decoded here can form a cycle, and the search for cycles costs more than decoding
    try:
        _add_lines(flattener, text, at, quarantined, file, _BYTES_AT_A_TIME)
    finally:
        if collecting:
            gc.enable()
    read = len(flattener) + len(quarantined)
    batches: tuple[Batch, ...] = ()
    if len(flattener):
        batches, refused = assemble_batches(flattener.draft(), flattener.wrong, known_games)
        quarantined += refused
    quarantined.sort(key=lambda entry: entry.line)
    return DecodedBlock(batches=batches, quarantined=tuple(quarantined), read=read)


def _add_lines(
    flattener: Flattener, text: bytes, at: Sequence[int], bad: list[Quarantined], file: str, sizes: Sequence[int]
) -> None:
    """Add lines, about the first of `sizes` bytes at a time; those that cannot be added quickly, fewer at a time."""
    size, *smaller = sizes
    for part, numbers in _split_parts(text, at, size):
        if _add_quickly(flattener, part, numbers):
            continue
        if smaller:
            _add_lines(flattener, part, numbers, bad, file, smaller)
        else:
            _add_strictly(flattener, part.split(b"\n"), numbers, bad, file)


def _split_parts(text: bytes, at: Sequence[int], size: int) -> Iterator[tuple[bytes, Sequence[int]]]:
    """Yield lines and their numbers, about `size` bytes at a time."""
    start = 0
    while len(text) - start > size and (end := text.find(b"\n", start + size)) >= 0:
        part = text[start:end]
        lines = part.count(b"\n") + 1
        yield part, at[:lines]
        start, at = end + 1, at[lines:]
    if at:
        yield text[start:], at


def _add_quickly(flattener: Flattener, text: bytes, at: Sequence[int]) -> bool:
    """Add lines with cached records; return False if any line is unusual."""
    try:
        lines, records, interned = _look_up(flattener.vocabulary, extract_lists(text))
    except (UnusualError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    if len(lines) != len(at):  # a list continues in the next line
        return False
    numbers = [number for number, line in zip(at, lines, strict=True) if line]
    flat = flattener.flatten(records, numbers, lines, interned)
    if flat.doubled:
        return False
    flattener.add(flat)
    return True


def _look_up(words: LogVocabulary, cut_lists: ExtractedLists) -> tuple[list[bytes], list[RoundRecord], InternedRecords]:
    """Return lines (some may be blank), the records of the others, and the data cut out of them.

    Raises UnusualError or the errors of decoding.
    """
    known = words.seats(cut_lists)
    lines = cut_lists.seated.raw.split(b"\n") if known is None else cut_lists.lines
    records = [_DECODER.decode(line) for line in lines if line]
    seats = [seat for record in records for seat in record.seats]
    with_bonuses = np.array([seat.bonuses == [] for seat in seats], np.bool_) if known is None else known.with_bonuses
    stakes, events = words.stakes(cut_lists, with_bonuses), words.events(cut_lists)
    recorded = [record.events == [] for record in records]
    # A list may be written in another way than those that were cut out.
    if (
        sum(recorded) != len(events.counts)
        or any(record.events for record in records)
        or any(seat.wagers or seat.bonuses for seat in seats)
        or (known is not None and (seats or len(records) != len(known.seats.counts)))
    ):
        raise UnusualError
    counts = np.zeros(len(records), np.int64)
    counts[recorded] = events.counts
    return (
        lines,
        records,
        InternedRecords(None if known is None else known.seats, stakes, replace(events, counts=counts)),
    )


def _add_strictly(
    flattener: Flattener, lines: Sequence[bytes], at: Sequence[int], bad: list[Quarantined], file: str
) -> None:
    """Add lines one by one, and quarantine bad ones."""
    records, numbers, texts = [], [], []
    decode = _DECODER.decode
    for number, line in zip(at, lines, strict=True):
        try:
            if len(line) > LONGEST_LINE:
                bad.append(Quarantined(file=file, line=number, column=None, reason=LINE_TOO_LONG))
                continue
            records.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            if line.strip(_WHITESPACE):
                from fairdeal.validator.evidence.jsonl.line_errors import explain_refusal  # noqa: PLC0415 - few logs need it

                column, reason = explain_refusal(line, error)
                bad.append(Quarantined(file=file, line=number, column=column, reason=reason))
        else:
            numbers.append(number)
            texts.append(line)
    if records:
        rounds = len(flattener)
        flat = flattener.flatten(records, numbers, texts, None)
        flattener.add(flat)
        if flat.doubled:
            for index, key in find_duplicate_keys(texts):
                flattener.wrong.note(rounds + index, f"the key {quote(key)} occurs twice in one object")


class LogLines(Struct, frozen=True, kw_only=True):
    """Lines of one log, as written or as converted from its records."""

    file: str
    """Name of the log."""
    lines: Sequence[bytes]
    """Lines; blank ones hold no record."""
    numbers: Sequence[int]
    """For each line, the line of the log at which its record begins."""
    dated: Sequence[int]
    """For each line, the precision of the time of the round."""
    refused: Sequence[Quarantined] = ()
    """Records of the log that could not be converted to lines."""


def decode_logs(logs: Sequence[LogLines], *, known_games: Collection[str]) -> DecodedBlock:
    """Decode the lines of several logs as one batch of each game, as `decode_lines` decodes those of one."""
    names = tuple(log.file for log in logs)
    lines = [line for log in logs for line in log.lines]
    log_of = np.repeat(np.arange(len(logs), dtype=np.int32), [len(log.lines) for log in logs])
    number = np.array([number for log in logs for number in log.numbers], np.int64)
    dated = np.array([dated for log in logs for dated in log.dated], np.uint8)
    decoded = decode_numbered_lines(lines, range(len(lines)), file="", known_games=known_games)
    refused = [list(log.refused) for log in logs]
    for entry in decoded.quarantined:
        index = int(log_of[entry.line])
        refused[index].append(replace(entry, file=names[index], line=int(number[entry.line])))
    read = np.array([len(entries) for entries in refused], np.int64)
    for entries in refused:
        entries.sort(key=lambda entry: entry.line)
    for batch in decoded.batches:
        read += np.bincount(log_of[batch.line], minlength=len(logs))
    return DecodedBlock(
        batches=tuple(
            replace(
                batch,
                file=CodedColumn(codes=log_of[batch.line], names=names),
                line=number[batch.line],
                dated=dated[batch.line],
            )
            for batch in decoded.batches
        ),
        quarantined=tuple(entry for entries in refused for entry in entries),
        read=int(read.sum()),
        logs=tuple(read.tolist()),
    )


def decode_records(
    records: Iterable[Mapping[str, Any]], *, file: str, games: Collection[str]
) -> tuple[tuple[Batch, ...], tuple[Quarantined, ...]]:
    """Decode records in the form of the lines of a log, from line 1, and return the batches and the quarantined
    records."""
    text = b"\n".join(msgspec.json.encode(record) for record in records)
    decoded = decode_lines(text, file=file, first_line=1, known_games=games)
    return decoded.batches, decoded.quarantined
