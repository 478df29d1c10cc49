"""`fairdeal import`: tables of rounds, such as CSV, written as hand logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from itertools import islice

import click

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.shell_completion import complete_documents, complete_files, find_document, open_rulebook
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.evidence.io.table_map import read_table_map, write_guessed_map
from fairdeal.validator.evidence.io.table_rows import (
    ImportedRound,
    TableReader,
    UnreadableRow,
    encode_round,
)
from fairdeal.validator.evidence.io.tables import WORKBOOK_SUFFIXES, Rows, open_table, open_worksheet
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.evidence.log_writers import LogWriter, open_log_writer
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import open_input, read_source

ROUNDS_TOGETHER = 2_000
"""Number of rounds that are read and written at a time."""
MOST_MESSAGES = 20
"""Limit of the unreadable rows that are described; all are counted."""
SAMPLES = 3
"""Number of rows that a guessed map shows."""


@click.command("import")
@click.argument("table", metavar="TABLE", shell_complete=complete_files)
@click.option(
    "--map", "map_", metavar="FILE", help="Map of the columns, in YAML or JSON.", shell_complete=complete_files
)
@click.option(
    "--game",
    metavar="GAME",
    help="Without a map: the game, for which a map is guessed from the headings.",
    shell_complete=complete_documents,
)
@click.option("--sheet", metavar="NAME", help="Worksheet of a workbook; by default the first.")
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help="Hand log (.jsonl, .jsonl.gz, .jsonl.zst, .parquet), or the guessed map; - for standard output.",
)
@shared_options.rules_option
def import_table(
    table: str, map_: str | None, game: str | None, sheet: str | None, output: str, rules: str | None
) -> int:
    """Turn a table of rounds into a hand log.

    TABLE has headings. It is delimited text such as CSV, in UTF-8, or a workbook (.xlsx); - is standard input. A map
    says which key of a hand log each column gives; `fairdeal import TABLE --game GAME -o MAP.yaml` guesses one. Rounds
    with rows that cannot be read are left out and listed; the others are written.
    """
    if (map_ is None) == (game is None):
        raise click.UsageError("name a map with --map, or a game with --game to guess a map")
    process.ensure_distinct_files([output], [table, map_], rules=rules)
    rulebook = open_rulebook(rules)
    if map_ is None:
        assert game is not None
        document = find_document(rulebook, game)
        with _open_rows(table, sheet) as (_, headings, rows):
            samples = [row for _, row in islice(rows, SAMPLES)]
        guess = write_guessed_map(document, headings, samples, _find_wagers(rulebook, document) or ())
        with process.open_output(output) as out:
            out.write(guess.encode())
        return process.ExitCode.COMPLIANT
    table_map = read_table_map(read_source(map_), partial(_find_wagers, rulebook))
    with _open_rows(table, sheet) as (name, headings, rows):
        reader = TableReader(table_map, headings, name)
        rounds = reader.read(rows)
        shown: list[UnreadableRow] = []
        written = unreadable = 0
        with process.convert_write_errors(output), open_log_writer(process.make_parent_folders(output)) as log:
            while together := [*islice(rounds, ROUNDS_TOGETHER)]:
                written += _write_rounds(together, log, rulebook, reader.unreadable, name)
                unreadable += len(reader.unreadable)
                shown += reader.unreadable[: MOST_MESSAGES - len(shown)]
                reader.unreadable.clear()
        unreadable += len(reader.unreadable)
        shown += reader.unreadable[: MOST_MESSAGES - len(shown)]
    for row in shown:
        process.report_error(InputError((_describe_row(row, name),)))
    if unreadable > len(shown):
        process.print_message(f"and {format_count(unreadable - len(shown), 'more problem')}")
    where = "standard output" if output == STDIO else output
    left_out = f"; {format_count(unreadable, 'problem')} in rows that are left out" if unreadable else ""
    process.print_message(f"{format_count(written, 'round')} written to {where}{left_out}")
    return process.ExitCode.UNREADABLE if unreadable or not written else process.ExitCode.COMPLIANT


def _find_wagers(rulebook: Rulebook, document: str) -> tuple[str, ...] | None:
    """Return the wagers and bonuses of the game of a document; None if it has no game."""
    game = rulebook.regulation(document).game if document in rulebook.documents else None
    return None if game is None else tuple(dict.fromkeys([*game.wagers, *game.bonuses]))


@contextmanager
def _open_rows(path: str, sheet: str | None) -> Iterator[tuple[str, list[str], Rows]]:
    """Open a table and yield its name, headings and rows. Raises InputError if it cannot be read."""
    if path.lower().endswith(WORKBOOK_SUFFIXES):
        with open_input(path) as (name, stream):
            yield name, *open_worksheet(stream, name, sheet)
        return
    if sheet is not None:
        raise click.UsageError("--sheet is for a workbook (.xlsx)")
    with open_input(path) as (name, stream):
        text = TextIOWrapper(stream, "utf-8-sig", newline="")
        try:
            yield name, *open_table(text, name)
        except UnicodeDecodeError as error:
            help_ = "save it as UTF-8; a spreadsheet is saved as `CSV UTF-8`"
            problem = Diagnostic(code="not-utf-8", message="this is not UTF-8 text", file=name, help=help_)
            raise InputError((problem,)) from error
        finally:
            text.detach()


def _write_rounds(
    rounds: list[ImportedRound], log: LogWriter, rulebook: Rulebook, unreadable: list[UnreadableRow], name: str
) -> int:
    """Write the rounds that a hand log may hold, list the others as unreadable, and return the number written."""
    lines = [encode_round(imported.record).rstrip() for imported in rounds]
    numbers = [imported.line for imported in rounds]
    block = decode_numbered_lines(lines, numbers, file=name, known_games=rulebook.known_games)
    for batch in block.batches:
        log.write(batch)
    unreadable += [
        UnreadableRow(line=quarantined.line, column=None, reason=quarantined.reason)
        for quarantined in block.quarantined
    ]
    return len(rounds) - len(block.quarantined)


def _describe_row(row: UnreadableRow, name: str) -> Diagnostic:
    where = "" if row.column is None else f"column `{row.column}`: "
    return Diagnostic(code="unreadable-row", message=f"{where}{row.reason}", file=name, line=row.line)
