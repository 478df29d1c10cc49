"""Hand histories to batches: each hand becomes a line of a hand log and is decoded like one."""

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
"""Field that identifies a file with a single hand."""


def decode_hands(
    text: bytes, *, file: str, first_line: int, variants: Variants, known_games: Collection[str]
) -> Decoded:
    """Decode the hands of `text`, whose first line is line `first_line` of `file`.

    A hand is a table of its own, or the whole text if that has no tables. Each is in a batch or quarantined with the
    reason: not TOML, not a hand history, a variant outside `variants`, or a fault of its line.
    """
    lines = convert_hands(text, file=file, first_line=first_line, variants=variants, acts=Acts())
    return replace(decode_logs([lines], known_games=known_games), logs=())


def convert_hands(text: bytes, *, file: str, first_line: int, variants: Variants, acts: Acts) -> LogLines:
    """Convert the hands of `text` to lines of a hand log. `acts` caches actions from one text to the next."""
    converted = _Converted(file, variants, acts)
    collecting = gc.isenabled()
    gc.disable()  # as for lines: nothing created here can form a cycle
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
    """Hands converted to lines of a hand log, and hands that cannot be read."""

    __slots__ = ("_acts", "_file", "_variants", "bad", "dated", "lines", "numbers")

    def __init__(self, file: str, variants: Variants, acts: Acts) -> None:
        self.lines: list[bytes] = []
        """Converted lines."""
        self.numbers: list[int] = []
        """Line at which each hand begins."""
        self.dated: list[int] = []
        """Precision of the time of each hand."""
        self.bad: list[Quarantined] = []
        """Hands that cannot be read."""
        self._file = file
        self._variants = variants
        self._acts = acts

    def add(self, piece: Piece) -> None:
        """Convert the hands of a part of the text."""
        try:
            hands = tables(piece.text)
        except TomlError as error:
            self._refuse(piece.line + error.line - 1, error.column, error.reason)
            return
        for name, hand in _list_hands(hands):
            try:
                line = line_of(hand, self._variants, self._acts, file=self._file, name=name)
            except HandRefused as refused:
                self._refuse(_find_line(piece, refused.at), None, refused.reason)
            else:
                self.lines.append(line)
                self.numbers.append(piece.line)
                self.dated.append(dated(hand))

    def _refuse(self, line: int, column: int | None, reason: str) -> None:
        self.bad.append(Quarantined(file=self._file, line=line, column=column, reason=reason))


def _list_hands(tables_by_name: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the hands of a part of the text by name; the name is empty if the part is one hand."""
    if _LONE in tables_by_name:
        yield "", tables_by_name
        return
    for name, hand in tables_by_name.items():
        if isinstance(hand, dict):
            if not name.startswith(USER_FIELD):
                yield name, hand
        else:
            yield "", tables_by_name  # a later check reports the missing fields
            return


def _find_line(piece: Piece, at: str) -> int:
    return piece.line + max(piece.text.count(b"\n", 0, piece.text.find(at.encode())), 0) if at else piece.line
