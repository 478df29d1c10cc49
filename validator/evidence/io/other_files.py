"""Recognition of files that are given as hand logs but are something else."""

from __future__ import annotations

import re
from typing import Final

_OWN_DOCUMENTS = {
    b"submission": (
        "a submission",
        "use `fairdeal check` for a submission, or `fairdeal audit LOG --submission FILE` to audit a log under it",
    ),
    b"fairdeal-results": ("a file of results", "use `fairdeal report` to render it"),
    b"profile": ("a profile", "pass it with --profile"),
}
_SEARCHED = 1 << 16
# A key at the start of a line of YAML, or in quotes as in JSON.
_OWN_KEYS = rb"(submission|fairdeal-results|profile)"
_KEY = re.compile(rb'^%b *:|"%b"\s*:' % (_OWN_KEYS, _OWN_KEYS), re.MULTILINE)
_ROUND_KEY = re.compile(rb'"(?:round|seats)"\s*:')

READABLE: Final = "hand logs are read as JSON Lines or Parquet, poker hand histories as PHH"

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SPREADSHEETS = (b"xl/workbook", b"xl/worksheets", b"[Content_Types].xml", b"opendocument.spreadsheet")
_BINARY_FORMATS = (
    (b"%PDF-", "a PDF file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file, such as a spreadsheet"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "gzip data packed twice"),
)
_OPEN_HAND_HISTORY = re.compile(rb'"(?:ohh|spec_version)"\s*:')
_HAND_HEADER = re.compile(
    rb"^[ \t]*(?:\*{3,10} ?[A-Z]|(?:[\w'&.]{1,30} ){0,4}(?:hand|game|table|stage) ?(?:history)?[ \t]*[#:-])",
    re.IGNORECASE | re.MULTILINE,
)
_COMPLETE_RECORD = re.compile(rb"^[ \t]*\{.*\}[ \t\r]*$", re.MULTILINE)
_OPENS_JSON = re.compile(rb"\s*[\[{]")
_OPENS_RECORD = re.compile(rb'\s*\{[ \t]*"')


def other_than_log(start: bytes) -> tuple[str, str] | None:
    """Return the description of a fairdeal document and how to use it; None if the file may be a hand log, however
    broken.

    Args:
        start: the first bytes of the file, uncompressed.
    """
    start = start[:_SEARCHED]
    match = _KEY.search(start)
    return None if match is None or _ROUND_KEY.search(start) else _OWN_DOCUMENTS[match[1] or match[2]]


def foreign_format(start: bytes) -> tuple[str, str] | None:
    """Return the unsupported format that a file seems to have, and a remedy.

    Returns None if the file may hold a record of a hand log among broken ones.

    Args:
        start: the first bytes of the file, uncompressed.
    """
    start = start[:_SEARCHED]
    if start.startswith(_UTF16_MARKS) or _is_utf16(start):
        return "UTF-16 text", "save it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)"
    if _OPEN_HAND_HISTORY.search(start) and not _ROUND_KEY.search(start):
        return "a hand in the Open Hand History format", _convert("each hand", "PHH")
    if _COMPLETE_RECORD.search(start):
        return None
    if start.startswith(b"PK\x03\x04"):
        if any(name in start for name in _SPREADSHEETS):
            return "a spreadsheet", _convert("each round")
        return "a zip archive", f"unpack it; {READABLE}, packed with gzip or zstd at most"
    for magic, name in _BINARY_FORMATS:
        if start.startswith(magic):
            return name, _convert("each round")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _OPENS_JSON.match(text):
        return _foreign_json(text)
    if text.startswith(b"<"):
        return "XML or HTML", _convert("each round")
    if _HAND_HEADER.search(text):
        return "the text history of a poker site", _convert("each hand", "`.phh`, as converters such as PokerKit write")
    if _is_table(text):
        return "a table of delimited text, such as CSV", _convert("each round")
    return None


def _convert(part: str, form: str = "one line of JSON (`fairdeal schema hand-log`)") -> str:
    return f"{READABLE}; convert {part} to {form}"


def _is_utf16(start: bytes) -> bool:
    """Return whether every second byte of the beginning is zero, as in Latin text of UTF-16."""
    sample = start[:64]
    sides = sample[::2], sample[1::2]
    return len(sample) > 8 and any(not any(side) for side in sides) and all(len(side) > 0 for side in sides)


def _foreign_json(text: bytes) -> tuple[str, str] | None:
    first, _, rest = text.partition(b"\n")
    spread = rest and not any(_OPENS_RECORD.match(line) for line in text.splitlines()[:2])
    if spread and first.strip() in (b"{", b"["):
        return "JSON that spreads a record over several lines", f"write one record a line (`jq -c`); {READABLE}"
    return None


def _is_table(text: bytes) -> bool:
    """Return whether the first two lines have the same number of fields, at least three, and none of JSON's braces."""
    lines = [line for line in text.splitlines()[:2] if line.strip()]
    counts = [{line.count(mark) for line in lines} for mark in (b",", b";", b"\t", b"|")]
    return len(lines) == 2 and b"{" not in text and any(len(each) == 1 and max(each) >= 2 for each in counts)
