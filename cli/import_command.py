"""`fairdeal import`: tables of rounds, such as CSV, and hand histories, written as hand logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from io import BufferedReader
from itertools import islice
from typing import BinaryIO
from zoneinfo import ZoneInfo

import click

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.shell_completion import complete_documents, complete_files, find_document, open_rulebook
from fairdeal.cli.common.table_import import (
    ROUNDS_TOGETHER,
    ImportedPart,
    convert_rounds,
    describe_row,
    find_bonuses,
    find_wagers,
    open_rows,
)
from fairdeal.validator.evidence.hand_histories.history_reader import ReadHand, read_hands
from fairdeal.validator.evidence.io.json_tables import read_json_rows, sample_json
from fairdeal.validator.evidence.io.log_formats import identify_history, unpack_stream
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.evidence.io.table_map import read_table_map, write_guessed_map
from fairdeal.validator.evidence.io.table_rows import TableReader, UnreadableRow
from fairdeal.validator.evidence.log_writers import open_log_writer
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rulebook.loading.rule_catalogue import collect_phh_variants
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.source import open_input, read_source

MOST_MESSAGES = 20
"""Limit of the unreadable rows that are described; all are counted."""
_BLANKS = b"\xef\xbb\xbf \t\r\n"
"""Bytes before the first one of a JSON file."""
SAMPLES = 3
"""Number of rows that a guessed map shows."""


@click.command("import")
@click.argument("file", metavar="FILE", shell_complete=complete_files)
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
@click.option("--timezone", type=shared_options.TimeZoneType(), help="Time zone of hands that state none.")
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help="Hand log (.jsonl, .jsonl.gz, .jsonl.zst, .parquet), or the guessed map; - for standard output.",
)
@shared_options.rules_option
def import_file(
    file: str,
    map_: str | None,
    game: str | None,
    sheet: str | None,
    timezone: str | None,
    output: str,
    rules: str | None,
) -> int:
    """Turn a table of rounds, or hand histories, into a hand log.

    FILE is a table with headings (delimited text such as CSV, in UTF-8, or a workbook), or JSON objects. A map says
    which key of a hand log each column gives; `fairdeal import FILE --game GAME -o MAP.yaml` guesses one. Or FILE has
    poker hands: Open Hand History (.ohh), or text of PokerStars or GGPoker; these need no map. Each may be compressed
    (.gz, .zst); a workbook is already. - is standard input.
    Rounds that cannot be read are left out and listed; the others are written.
    """
    if map_ is not None and game is not None:
        raise click.UsageError("name a map with --map, or a game with --game to guess a map")
    process.ensure_distinct_files([output], [file, map_], rules=rules)
    rulebook = open_rulebook(rules)
    with open_input(file) as (name, given), unpack_stream(given, name) as stream:
        form = identify_history(_peek(stream))
        if form is not None:
            if (map_, game, sheet) != (None, None, None):
                raise click.UsageError("hand histories need no --map, --game or --sheet")
            zone = None if timezone is None else ZoneInfo(timezone)
            hands = read_hands(stream, form, collect_phh_variants(rulebook.all()), zone)
            return _write_log(_convert_hands(hands), output, rulebook, name)
        if timezone is not None:
            raise click.UsageError("--timezone is for hand histories; a map states the `zone` of a column")
        if map_ is None and game is None:
            raise click.UsageError("name a map with --map, or a game with --game to guess a map")
        is_json = _peek(stream).lstrip(_BLANKS)[:1] in (b"{", b"[")
        if map_ is None:
            document = find_document(rulebook, game or "")
            headings, samples = _sample(name, stream, sheet, is_json=is_json)
            guess = write_guessed_map(document, headings, samples, find_wagers(rulebook, document) or ())
            with process.open_output(output) as out:
                out.write(guess.encode())
            return process.ExitCode.COMPLIANT
        table_map = read_table_map(read_source(map_), partial(find_wagers, rulebook))
        wagers, bonuses = find_wagers(rulebook, table_map.game), find_bonuses(rulebook, table_map.game)
        if is_json:
            headings = [*table_map.columns]
            reader = TableReader(table_map, headings, name, wagers, bonuses)
            rows = read_json_rows(stream, name, headings, table_map.ignored, reader.refuse_row)
            return _write_log(convert_rounds(reader, rows), output, rulebook, name)
        with open_rows(name, stream, sheet) as (headings, rows):
            reader = TableReader(table_map, headings, name, wagers, bonuses)
            return _write_log(convert_rounds(reader, rows), output, rulebook, name)


def _sample(name: str, stream: BinaryIO, sheet: str | None, *, is_json: bool) -> tuple[list[str], list[list[str]]]:
    """Return the headings of a table, and its first rows."""
    if is_json:
        return sample_json(stream, name, SAMPLES)
    with open_rows(name, stream, sheet) as (headings, rows):
        return headings, [row for _, row in islice(rows, SAMPLES)]


def _peek(stream: BinaryIO) -> bytes:
    """Return the first bytes of a file, without reading them."""
    return stream.peek(1) if isinstance(stream, BufferedReader) else b""


def _convert_hands(hands: Iterator[ReadHand]) -> Iterator[ImportedPart]:
    while together := [*islice(hands, ROUNDS_TOGETHER)]:
        read = [hand for hand in together if hand.text]
        yield ImportedPart(
            lines=[hand.text for hand in read],
            numbers=[hand.line for hand in read],
            unreadable=[
                UnreadableRow(line=hand.line, column=None, reason=hand.reason) for hand in together if not hand.text
            ],
        )


def _write_log(parts: Iterable[ImportedPart], output: str, rulebook: Rulebook, name: str) -> int:
    """Write the rounds that a hand log may hold, and report what is left out."""
    shown: list[UnreadableRow] = []
    written = unreadable = 0
    with process.convert_write_errors(output), open_log_writer(process.make_parent_folders(output)) as log:
        for part in parts:
            batches, refused = part.decode(name, rulebook)
            for batch in batches:
                log.write(batch)
                written += len(batch)
            unreadable += len(refused)
            shown += refused[: MOST_MESSAGES - len(shown)]
    for row in sorted(shown, key=lambda row: row.line):
        process.report_error(InputError((describe_row(row, name),)))
    if unreadable > len(shown):
        process.print_message(f"and {format_count(unreadable - len(shown), 'more problem')}")
    where = "standard output" if output == STDIO else output
    left_out = f"; {format_count(unreadable, 'problem')} in rounds that are left out" if unreadable else ""
    process.print_message(f"{format_count(written, 'round')} written to {where}{left_out}")
    return process.ExitCode.UNREADABLE if unreadable or not written else process.ExitCode.COMPLIANT
