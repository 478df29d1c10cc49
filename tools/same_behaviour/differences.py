"""Comparison of the outputs of two runs of a case."""

from __future__ import annotations

import difflib
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.same_behaviour.checkout import Checkout

MOST_LINES = 60
"""Lines of a difference that are shown."""
LONGEST_LINE = 400
"""Characters of a line that are shown."""

NORMALISED = (
    # Where the checkout and the folder of the run lie: they cannot be the same. Filled in for each side.
    (b"{root}", b"<checkout>"),
    (b"{scratch}", b"<scratch>"),
    # The version says which of the two has spoken, and is meant to change.
    (rb"fairdeal[ -/@]v?\d+\.\d+\.\d+", b"fairdeal <version>"),
)
"""Texts that are normalised before the comparison, each with the reason."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A part of what a case leaves that is not the same: `exit`, `stdout`, `stderr` or the name of a file."""

    case: str
    part: str
    shown: str


def compare_case(case: str, number: int, old: Checkout, new: Checkout) -> Iterator[Difference]:
    """Yield the parts in which two runs of a case did not leave the same bytes."""
    left, right = _left_by(old, number), _left_by(new, number)
    for checkout, parts in ((old, left), (new, right)):
        if "exit" not in parts:
            yield Difference(case=case, part="exit", shown=f"{checkout.name} could not run it")
            return
    for part in dict.fromkeys([*left, *right]):
        if part not in left or part not in right:
            only = "old" if part in left else "new"
            yield Difference(case=case, part=part, shown=f"only {only} has it")
            continue
        before, after = left[part].read_bytes(), right[part].read_bytes()
        if before != after:
            before, after = _alike(before, left[part], old), _alike(after, right[part], new)
            if before != after:
                yield Difference(case=case, part=part, shown=_format_difference(before, after))


def _left_by(checkout: Checkout, number: int) -> dict[str, Path]:
    record, folder = checkout.record(number), checkout.folder(number)
    parts = {name: record / name for name in ("exit", "stdout", "stderr") if (record / name).exists()}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).parts[0] != "in":
            parts[path.relative_to(folder).as_posix()] = path
    return parts


def _alike(data: bytes, path: Path, checkout: Checkout) -> bytes:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:  # compressed, nothing could be put alike
            data = b"".join(
                f"\n== {member.filename} {member.date_time}\n".encode() + archive.read(member)
                for member in archive.infolist()
            )
    for pattern, name in NORMALISED:
        filled = pattern
        for word, folder in ((b"{root}", checkout.root), (b"{scratch}", checkout.scratch)):
            filled = filled.replace(word, re.escape(str(folder).encode()))
        data = re.sub(filled, name, data)
    return data


def _format_difference(before: bytes, after: bytes) -> str:
    try:
        lines = [data.decode("utf-8").splitlines() for data in (before, after)]
    except UnicodeDecodeError:
        at = next(
            (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
        )
        around = slice(max(at - 40, 0), at + 80)
        return f"bytes {len(before)} and {len(after)}, from {at} on:\n-{before[around]!r}\n+{after[around]!r}"
    told = [_cut(line) for line in difflib.unified_diff(lines[0], lines[1], "old", "new", lineterm="", n=1)] or [
        "only the ends of lines are not the same"
    ]
    more = len(told) - MOST_LINES
    return "\n".join([*told[:MOST_LINES], *([f"... {more} lines more"] if more > 0 else [])])


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..."
