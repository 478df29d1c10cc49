"""Telling logs of hand histories from other logs."""

from __future__ import annotations

import re

# Possessive: nothing that is skipped is looked at twice, whatever hostile input holds.
_LOOKS = re.compile(rb"""(?:\s++|\#[^\n]*+)*+(?:\[[ \t]*[A-Za-z0-9_"']|[A-Za-z_][A-Za-z0-9_]*[ \t]*=)""", re.VERBOSE)
_NAMES = (".phh", ".phhs")


def is_hand_history(path: str, start: bytes) -> bool:
    """Whether a log of that name whose text starts like this is one of hand histories."""
    for packing in (".gz", ".zst"):
        path = path.removesuffix(packing)
    return path.endswith(_NAMES) or (not start.lstrip().startswith(b"{") and _LOOKS.match(start) is not None)
