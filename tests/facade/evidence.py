"""Hand logs: reading, columns of a batch, writing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fairdeal.validator.arrays import ABSENT, Bits32, Truths
from fairdeal.validator.evidence.arrow.arrow_schema import build_arrow_schema
from fairdeal.validator.evidence.arrow.parquet_writer import to_table
from fairdeal.validator.evidence.columns.recorded_events import KIND_NAMES
from fairdeal.validator.evidence.columns.round_batch import Batch, CodedColumn, Hands, select_rounds
from fairdeal.validator.evidence.hand_log import FEW_BYTES, HandLog
from fairdeal.validator.evidence.jsonl.line_reader import decode_lines, decode_records
from fairdeal.validator.evidence.log_events import EVENT_TYPES, KINDS
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.evidence.round_record import LONGEST_LINE, TIME_PATTERN, build_round_schema

__all__ = [
    "ABSENT",
    "EVENT_TYPES",
    "FEW_BYTES",
    "KINDS",
    "KIND_NAMES",
    "LONGEST_LINE",
    "TIME_PATTERN",
    "Batch",
    "Bits32",
    "CodedColumn",
    "HandLog",
    "Hands",
    "Truths",
    "build_arrow_schema",
    "build_round_schema",
    "decode_lines",
    "decode_records",
    "read_batch",
    "select_rounds",
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
