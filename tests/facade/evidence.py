"""Hand logs: reading, columns of a batch, writing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from validator.arrays import ABSENT, Bits32, Tri
from validator.evidence.arrow.schema import to_arrow_schema
from validator.evidence.columns.batch import Batch, Coded, Hands
from validator.evidence.columns.recorded_kinds import NAMES
from validator.evidence.columns.select import select
from validator.evidence.handlog.events import KINDS, TYPES
from validator.evidence.handlog.record import LONGEST_LINE, TIME_PATTERN, handlog_schema
from validator.evidence.jsonl.reader import decode_lines
from validator.evidence.readers.from_records import batches_of_records
from validator.evidence.readers.open_log import FEW_BYTES, HandLog
from validator.evidence.writers.arrow import to_table
from validator.evidence.writers.jsonl import to_lines

__all__ = [
    "ABSENT",
    "FEW_BYTES",
    "KINDS",
    "LONGEST_LINE",
    "NAMES",
    "TIME_PATTERN",
    "TYPES",
    "Batch",
    "Bits32",
    "Coded",
    "HandLog",
    "Hands",
    "Tri",
    "batches_of_records",
    "decode_lines",
    "handlog_schema",
    "read_batch",
    "select",
    "to_arrow_schema",
    "to_lines",
    "to_table",
]


def read_batch(records: Sequence[Mapping[str, Any]], game: str, *, file: str = "log.jsonl") -> Batch:
    """Rounds of a game as a reader of their log has them, none of which may be set aside."""
    text = "\n".join(json.dumps(record) for record in records).encode()
    decoded = decode_lines(text, file=file, first_line=1, known_games={game})
    assert not decoded.quarantined, decoded.quarantined
    (batch,) = decoded.batches
    return batch
