"""Rounds from Python data, for examples and notebooks: they are decoded like the lines of a log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from validator.evidence.columns.batch import Batch
from validator.evidence.jsonl.reader import decode_lines
from validator.results.results import Quarantined


def batches_of_records(
    records: Iterable[Mapping[str, Any]], *, file: str, games: Collection[str]
) -> tuple[tuple[Batch, ...], tuple[Quarantined, ...]]:
    """Decode records in the form of the lines of a log, from line 1, and return the batches and the quarantined
    records."""
    text = b"\n".join(msgspec.json.encode(record) for record in records)
    decoded = decode_lines(text, file=file, first_line=1, known_games=games)
    return decoded.batches, decoded.quarantined
