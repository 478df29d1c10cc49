"""Text of files and file names as UTF-8 and JSON, even if it is not valid Unicode."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Protocol

import msgspec


class Sink(Protocol):
    """Stream that bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""


def scalar(text: str) -> str:
    """Return a text with each lone surrogate replaced by U+FFFD; UTF-8 cannot encode one.

    Lone surrogates come from file names that are not valid Unicode.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encoded(entry: Any) -> bytes:
    """Return a struct or plain data as JSON on one line, UTF-8."""
    try:
        return msgspec.json.encode(entry)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(entry)
        return scalar(json.dumps(plain, ensure_ascii=False, separators=(",", ":"))).encode()


def write_lines(stream: Sink, entries: Iterable[bytes]) -> None:
    """Write the entries of a JSON list, without its brackets, each on its own line."""
    mark = b"\n"
    for entry in entries:
        stream.write(mark)
        stream.write(entry)
        mark = b",\n"
    if mark != b"\n":
        stream.write(b"\n")
