"""Files as URIs: relative ones stay relative, and their names are percent-encoded."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import quote_from_bytes


def is_below(file: str) -> bool:
    """Return whether a path stays in the folder that it starts from."""
    path = PurePath(file)
    return not path.is_absolute() and ".." not in path.parts


def uri_of(file: str) -> str:
    """Return a file as a URI reference: `logs/a%20b.jsonl`, or `file:///srv/log.jsonl` for an absolute path.

    Names that are not valid Unicode keep the bytes they have on disk.
    """
    path = file.replace(os.sep, "/").removeprefix("./") or "."
    try:
        named = os.fsencode(path)
    except UnicodeEncodeError:
        named = path.encode(errors="replace")
    encoded = quote_from_bytes(named)
    if not PurePath(file).is_absolute():
        return encoded
    return f"file://{encoded}" if encoded.startswith("/") else f"file:///{encoded}"
