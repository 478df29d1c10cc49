"""Import of tables of rounds: rows as a map reads them, and what the hand log refuses of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import islice
from typing import BinaryIO

import click
from msgspec import Struct

from fairdeal.validator.evidence.columns.batch import Batch
from fairdeal.validator.evidence.io.table_rows import TableReader, UnreadableRow, encode_round
from fairdeal.validator.evidence.io.tables import (
    WORKBOOK_SUFFIXES,
    Rows,
    build_table_problem,
    open_table,
    open_worksheet,
)
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

ROUNDS_TOGETHER = 2_000
"""Number of rounds that are read and written at a time."""
MOST_CHARACTERS = 1 << 20
"""Limit of the characters of a line of a table."""


class ImportedPart(Struct, frozen=True, kw_only=True):
    """Rounds of a file that are written together."""

    lines: Sequence[bytes]
    """Lines of the hand log."""
    numbers: Sequence[int]
    """Line of the file at which each round begins."""
    unreadable: Sequence[UnreadableRow]

    def decode(self, name: str, rulebook: Rulebook) -> tuple[list[Batch], list[UnreadableRow]]:
        """Return the rounds that a hand log may hold, and what cannot be read.

        Args:
            name: name of the file.
            rulebook: rulebook with the games.
        """
        block = decode_numbered_lines(self.lines, self.numbers, file=name, known_games=rulebook.known_games)
        refused = [UnreadableRow(line=entry.line, column=None, reason=entry.reason) for entry in block.quarantined]
        return list(block.batches), [*self.unreadable, *refused]


def convert_rounds(reader: TableReader, rows: Rows) -> Iterator[ImportedPart]:
    """Yield the rounds of a table, some at a time."""
    rounds = reader.read(rows)
    while together := [*islice(rounds, ROUNDS_TOGETHER)]:
        lines = [encode_round(imported.record).rstrip() for imported in together]
        yield ImportedPart(lines=lines, numbers=[part.line for part in together], unreadable=[*reader.unreadable])
        reader.unreadable.clear()
    yield ImportedPart(lines=[], numbers=[], unreadable=reader.unreadable)


def find_wagers(rulebook: Rulebook, document: str) -> tuple[str, ...] | None:
    """Return the wagers and bonuses of the game of a document; None if it has no game."""
    game = rulebook.regulation(document).game if document in rulebook.documents else None
    return None if game is None else tuple(dict.fromkeys([*game.wagers, *game.bonuses]))


def find_bonuses(rulebook: Rulebook, document: str) -> dict[str, str]:
    """Return the bonuses of the game of a document, each with the wager that it is computed from."""
    game = rulebook.regulation(document).game if document in rulebook.documents else None
    return {} if game is None else {name: bonus.reckoned_on for name, bonus in game.bonuses.items()}


@contextmanager
def open_rows(name: str, stream: BinaryIO, sheet: str | None) -> Iterator[tuple[list[str], Rows]]:
    """Yield the headings and rows of a table. Raises InputError if it cannot be read."""
    if name.lower().endswith(WORKBOOK_SUFFIXES):
        yield open_worksheet(stream, name, sheet)
        return
    if sheet is not None:
        raise click.UsageError("--sheet is for a workbook (.xlsx)")
    text = TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        yield open_table(_read_lines(text, name), name)
    except UnicodeDecodeError as error:
        help_ = "save it as UTF-8; a spreadsheet is saved as `CSV UTF-8`"
        problem = Diagnostic(code="not-utf-8", message="this is not UTF-8 text", file=name, help=help_)
        raise InputError((problem,)) from error
    finally:
        text.detach()


def _read_lines(text: TextIOWrapper, name: str) -> Iterator[str]:
    """Yield the lines of a table. Raises InputError for a line that no table has, before it is read as a whole."""
    number = 0
    while line := text.readline(MOST_CHARACTERS + 1):
        number += 1
        if len(line) > MOST_CHARACTERS:
            raise InputError((build_table_problem(name, number, f"a line has over {MOST_CHARACTERS:,} characters"),))
        yield line


def describe_row(row: UnreadableRow, name: str) -> Diagnostic:
    """Describe a row that cannot be read."""
    where = "" if row.column is None else f"column `{row.column}`: "
    return Diagnostic(code="unreadable-row", message=f"{where}{row.reason}", file=name, line=row.line)
