"""Recognition of logs of hand histories."""

from __future__ import annotations

import re

# Two patterns, so that hostile input cannot make the second one return to what the first one passed.
_BLANKS_AND_COMMENTS = re.compile(rb"(?:\s+|#[^\n]*)*")
_KEY_OR_TABLE = re.compile(rb"""\[[ \t]*[A-Za-z0-9_"']|[A-Za-z_][A-Za-z0-9_]*[ \t]*=""")
_ENDINGS = (".phh", ".phhs")


def is_hand_history(path: str, start: bytes) -> bool:
    """Return whether a log of this name and beginning holds hand histories."""
    for packing in (".gz", ".zst"):
        path = path.removesuffix(packing)
    return path.endswith(_ENDINGS) or _KEY_OR_TABLE.match(start, _end_of_blanks(start)) is not None


def _end_of_blanks(start: bytes) -> int:
    blanks = _BLANKS_AND_COMMENTS.match(start)
    return blanks.end() if blanks is not None else 0
