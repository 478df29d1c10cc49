"""Lines of a hand log to batches. The reader is strict, and a bad line never affects a good neighbour."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from validator.evidence.assembly.assemble import Decoded, assemble
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.record import LONGEST_LINE, TOO_LONG, RoundRecord
from validator.evidence.jsonl.flatten import Flattener
from validator.evidence.jsonl.interning.byte_search import UnusualError
from validator.evidence.jsonl.interning.dictionary import Told, Vocabulary
from validator.evidence.jsonl.interning.scan_lists import Cut, cut
from validator.evidence.jsonl.records.duplicate_keys import doubled_keys
from validator.results.results import Quarantined
from validator.text.visible import quoted

_BYTES_AT_A_TIME = (1 << 23, 1 << 20)
"""Bytes of lines decoded together; fewer if some of the lines are unusual."""
_DECODER = msgspec.json.Decoder(RoundRecord, strict=True)
_LINE_END = ord("\n")
_WHITESPACE = b" \t\r"


def decode_lines(text: bytes, *, file: str, first_line: int, known_games: Collection[str]) -> Decoded:
    """Decode the lines of `text`, the first of which is line `first_line` of `file`.

    Blank lines are skipped. Every other line is in a batch, or quarantined with the reason: not JSON, not a round, a
    key twice, cards that do not exist, a round that contradicts itself, a game not in `known_games`.
    """
    lines = int(np.count_nonzero(np.frombuffer(text, np.uint8) == _LINE_END)) + 1
    return _decode_text(text, range(first_line, first_line + lines), file, known_games)


def decode_numbered(
    lines: Sequence[bytes], numbers: Sequence[int], *, file: str, known_games: Collection[str]
) -> Decoded:
    """Decode lines with given numbers, as `decode_lines` does."""
    return _decode_text(b"\n".join(lines), numbers, file, known_games)


def _decode_text(text: bytes, at: Sequence[int], file: str, known_games: Collection[str]) -> Decoded:
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
        batches, refused = assemble(flattener.draft(), flattener.wrong, known_games)
        quarantined += refused
    quarantined.sort(key=lambda entry: entry.line)
    return Decoded(batches=batches, quarantined=tuple(quarantined), read=read)


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
        lines, records, interned = _look_up(flattener.vocabulary, cut(text))
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


def _look_up(words: Vocabulary, cut_lists: Cut) -> tuple[list[bytes], list[RoundRecord], Told]:
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
    return lines, records, Told(None if known is None else known.seats, stakes, replace(events, counts=counts))


def _add_strictly(
    flattener: Flattener, lines: Sequence[bytes], at: Sequence[int], bad: list[Quarantined], file: str
) -> None:
    """Add lines one by one, and quarantine bad ones."""
    records, numbers, texts = [], [], []
    decode = _DECODER.decode
    for number, line in zip(at, lines, strict=True):
        try:
            if len(line) > LONGEST_LINE:
                bad.append(Quarantined(file=file, line=number, column=None, reason=TOO_LONG))
                continue
            records.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            if line.strip(_WHITESPACE):
                from validator.evidence.jsonl.records.diagnostics import why_not  # noqa: PLC0415 - few logs need it

                column, reason = why_not(line, error)
                bad.append(Quarantined(file=file, line=number, column=column, reason=reason))
        else:
            numbers.append(number)
            texts.append(line)
    if records:
        rounds = len(flattener)
        flat = flattener.flatten(records, numbers, texts, None)
        flattener.add(flat)
        if flat.doubled:
            for index, key in doubled_keys(texts):
                flattener.wrong.note(rounds + index, f"the key {quoted(key)} occurs twice in one object")
