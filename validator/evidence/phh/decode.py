"""Hand histories to batches: each hand becomes the line of a hand log and takes the way of one."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from validator.evidence.assembly.assemble import Decoded
from validator.evidence.jsonl.log_lines import LogLines, decode_logs
from validator.evidence.phh.acts import Acts
from validator.evidence.phh.fields import USER_FIELD
from validator.evidence.phh.record import dated, line_of
from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.terms import Variants
from validator.evidence.phh.text import Piece, TomlError, pieces, tables
from validator.results.results import Quarantined

_LONE = "variant"
"""The field by which a file that is one hand is known."""


def decode_hands(
    text: bytes, *, file: str, first_line: int, variants: Variants, known_games: Collection[str]
) -> Decoded:
    """Batches of the hands of `text`, whose first line is line `first_line` of `file`.

    A hand is a table of its own, or all of the text where that has no tables. Each is in a batch or set aside with its
    reason: not TOML, not a hand history, of no variant of `variants`, or refused as the line of a hand log is.
    """
    lines = convert_hands(text, file=file, first_line=first_line, variants=variants, acts=Acts())
    return replace(decode_logs([lines], known_games=known_games), logs=())


def convert_hands(text: bytes, *, file: str, first_line: int, variants: Variants, acts: Acts) -> LogLines:
    """Convert the hands of `text` to lines of a hand log. `acts` remembers actions from one text to the next."""
    converted = _Converted(file, variants, acts)
    collecting = gc.isenabled()
    gc.disable()  # as for lines: nothing made here can form a cycle
    try:
        for piece in pieces(text, first_line):
            converted.add(piece)
    finally:
        if collecting:
            gc.enable()
    return LogLines(
        file=file, lines=converted.lines, numbers=converted.numbers, dated=converted.dated, refused=converted.bad
    )


class _Converted:
    """Hands as lines of a hand log, with the numbers of the lines they begin at, and what each tells of when it was
    played; and those that cannot be read."""

    __slots__ = ("_acts", "_file", "_variants", "bad", "dated", "lines", "numbers")

    def __init__(self, file: str, variants: Variants, acts: Acts) -> None:
        self.lines: list[bytes] = []
        self.numbers: list[int] = []
        self.dated: list[int] = []
        self.bad: list[Quarantined] = []
        self._file = file
        self._variants = variants
        self._acts = acts

    def add(self, piece: Piece) -> None:
        """Convert the hands of a piece."""
        try:
            hands = tables(piece.text)
        except TomlError as error:
            self._refuse(piece.line + error.line - 1, error.column, error.reason)
            return
        for name, hand in _hands(hands):
            try:
                line = line_of(hand, self._variants, self._acts, file=self._file, name=name)
            except HandRefused as refused:
                self._refuse(_line_of(piece, refused.at), None, refused.reason)
            else:
                self.lines.append(line)
                self.numbers.append(piece.line)
                self.dated.append(dated(hand))

    def _refuse(self, line: int, column: int | None, reason: str) -> None:
        self.bad.append(Quarantined(file=self._file, line=line, column=column, reason=reason))


def _hands(found: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The hands of a piece by their names, nameless where all of it is one."""
    if _LONE in found:
        yield "", found
        return
    for name, hand in found.items():
        if isinstance(hand, dict):
            if not name.startswith(USER_FIELD):
                yield name, hand
        else:
            yield "", found  # which lacks what a hand needs, and is refused for it
            return


def _line_of(piece: Piece, at: str) -> int:
    return piece.line + max(piece.text.count(b"\n", 0, piece.text.find(at.encode())), 0) if at else piece.line
