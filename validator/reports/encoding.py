"""Text that came from file names and files as bytes of UTF-8 and JSON, whatever stands in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Protocol

import msgspec


class Sink(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> object:
        """Take some."""


def scalar(text: str) -> str:
    """The text with every half of a character (from a file name that is not valid Unicode) replaced by U+FFFD, as such
    a half cannot stand in UTF-8; any other text as it is."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encoded(entry: Any) -> bytes:
    """A struct, or plain data, as JSON on one line, UTF-8."""
    try:
        return msgspec.json.encode(entry)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(entry)
        return scalar(json.dumps(plain, ensure_ascii=False, separators=(",", ":"))).encode()


def write_lines(stream: Sink, entries: Iterable[bytes]) -> None:
    """Write what stands between the brackets of a list, each entry on a line of its own."""
    mark = b"\n"
    for entry in entries:
        stream.write(mark)
        stream.write(entry)
        mark = b",\n"
    if mark != b"\n":
        stream.write(b"\n")
