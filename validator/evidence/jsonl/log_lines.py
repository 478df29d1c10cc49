"""Lines of several logs, decoded together; each keeps its log and line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import Coded
from validator.evidence.jsonl.reader import decode_numbered
from validator.results.results import Quarantined


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


def decode_logs(logs: Sequence[LogLines], *, known_games: Collection[str]) -> Decoded:
    """Decode the lines of several logs as one batch of each game, as `decode_lines` decodes those of one."""
    names = tuple(log.file for log in logs)
    lines = [line for log in logs for line in log.lines]
    log_of = np.repeat(np.arange(len(logs), dtype=np.int32), [len(log.lines) for log in logs])
    number = np.array([number for log in logs for number in log.numbers], np.int64)
    dated = np.array([dated for log in logs for dated in log.dated], np.uint8)
    decoded = decode_numbered(lines, range(len(lines)), file="", known_games=known_games)
    refused = [list(log.refused) for log in logs]
    for entry in decoded.quarantined:
        index = int(log_of[entry.line])
        refused[index].append(replace(entry, file=names[index], line=int(number[entry.line])))
    read = np.array([len(entries) for entries in refused], np.int64)
    for entries in refused:
        entries.sort(key=lambda entry: entry.line)
    for batch in decoded.batches:
        read += np.bincount(log_of[batch.line], minlength=len(logs))
    return Decoded(
        batches=tuple(
            replace(
                batch,
                file=Coded(codes=log_of[batch.line], names=names),
                line=number[batch.line],
                dated=dated[batch.line],
            )
            for batch in decoded.batches
        ),
        quarantined=tuple(entry for entries in refused for entry in entries),
        read=int(read.sum()),
        logs=tuple(read.tolist()),
    )
