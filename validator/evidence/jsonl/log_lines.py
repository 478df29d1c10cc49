"""Lines of any number of logs, decoded together: each keeps the log and the line that it belongs to."""

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
    """Lines of one log, as they are written there or as its records were converted to lines."""

    file: str
    lines: Sequence[bytes]
    """The lines; blank ones hold no record."""
    numbers: Sequence[int]
    """For each line, the number of the line of the log where its record begins."""
    dated: Sequence[int]
    """For each line, how much the log tells of the day and time of the round."""
    refused: Sequence[Quarantined] = ()
    """Records of the log that could not become lines."""


def decode_logs(logs: Sequence[LogLines], *, known_games: Collection[str]) -> Decoded:
    """Decode the lines of several logs as one batch of each game, as `decode_lines` decodes those of one."""
    names = tuple(one.file for one in logs)
    lines = [line for one in logs for line in one.lines]
    log = np.repeat(np.arange(len(logs), dtype=np.int32), [len(one.lines) for one in logs])
    number = np.array([number for one in logs for number in one.numbers], np.int64)
    dated = np.array([dated for one in logs for dated in one.dated], np.uint8)
    decoded = decode_numbered(lines, range(len(lines)), file="", known_games=known_games)
    refused = [list(one.refused) for one in logs]
    for entry in decoded.quarantined:
        of = int(log[entry.line])
        refused[of].append(replace(entry, file=names[of], line=int(number[entry.line])))
    read = np.array([len(entries) for entries in refused], np.int64)
    for entries in refused:
        entries.sort(key=lambda entry: entry.line)
    for batch in decoded.batches:
        read += np.bincount(log[batch.line], minlength=len(logs))
    return Decoded(
        batches=tuple(
            replace(
                batch,
                file=Coded(codes=log[batch.line], names=names),
                line=number[batch.line],
                dated=dated[batch.line],
            )
            for batch in decoded.batches
        ),
        quarantined=tuple(entry for entries in refused for entry in entries),
        read=int(read.sum()),
        logs=tuple(read.tolist()),
    )
