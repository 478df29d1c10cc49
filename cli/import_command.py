"""`fairdeal import`: tables of rounds, such as CSV, and hand histories, written as hand logs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, TextIOWrapper
from itertools import islice
from typing import BinaryIO
from zoneinfo import ZoneInfo

import click
from msgspec import Struct

from fairdeal.cli.common import process, shared_options
from fairdeal.cli.common.command_settings import complete_documents, complete_files, find_document, open_rulebook
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.io import tables
from fairdeal.validator.evidence.io.log_formats import identify_history, unpack_stream
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.evidence.io.table_rows import (
    TableReader,
    UnreadableRow,
    encode_round,
    parse_target,
    read_table_map,
)
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.evidence.log_writers import open_log_writer
from fairdeal.validator.evidence.poker.history_reader import ReadHand, read_hands
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rulebook.rule_catalogue import collect_phh_variants
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import open_input, read_source

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


def convert_rounds(reader: TableReader, rows: tables.Rows) -> Iterator[ImportedPart]:
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
    return {} if game is None else {name: bonus.of for name, bonus in game.bonuses.items()}


@contextmanager
def open_rows(name: str, stream: BinaryIO, sheet: str | None) -> Iterator[tuple[list[str], tables.Rows]]:
    """Yield the headings and rows of a table. Raises InputError if it cannot be read."""
    if name.lower().endswith(tables.WORKBOOK_SUFFIXES):
        yield tables.open_worksheet(stream, name, sheet)
        return
    if sheet is not None:
        raise click.UsageError("--sheet is for a workbook (.xlsx)")
    text = TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        yield tables.open_table(_read_lines(text, name), name)
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
            raise InputError(
                (tables.build_table_problem(name, number, f"a line has over {MOST_CHARACTERS:,} characters"),)
            )
        yield line


def describe_row(row: UnreadableRow, name: str) -> Diagnostic:
    """Describe a row that cannot be read."""
    where = "" if row.column is None else f"column `{row.column}`: "
    return Diagnostic(code="unreadable-row", message=f"{where}{row.reason}", file=name, line=row.line)


_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "round": ("round", "hand", "game", "coup", "deal"),
    "table": ("table", "pit table"),
    "casino": ("casino", "property", "site"),
    "time": ("time", "date", "date time", "datetime", "date and time", "start time", "opened", "start", "timestamp"),
    "seat": ("seat", "box", "spot", "position"),
    "player": ("player", "patron", "guest", "account"),
    "dealer": ("dealer cards", "dealer hand", "house cards", "house hand"),
    "community": ("community", "board"),
    "cards": ("player cards", "player hand", "cards", "hand cards"),
    "decision": ("decision", "action", "choice"),
    "context.dealer": ("dealer", "dealer name", "croupier"),
    "context.shift": ("shift",),
    "context.pit": ("pit",),
    "context.video": ("video", "camera"),
    "stack": ("stack", "bankroll"),
    "won": ("won",),
}
"""Headings that people give to a column, by the key that it gives."""


_PAID = frozenset(("paid", "win", "won", "payout", "pays"))


_TAKEN = frozenset(("taken", "lost", "loss", "collected", "lose"))


_WITHOUT_MEANING = frozenset(("id", "no", "number", "nr", "of", "the", "bet", "wager", "amount", "stake", "name"))


_OF_ROW: Mapping[str, str] = {
    **dict.fromkeys(("wager", "bet", "bet type", "wager type"), "wager"),
    **dict.fromkeys(("amount", "stake", "bet amount", "wager amount", "wagered"), "amount"),
    **dict.fromkeys(("selection", "number", "numbers"), "selection"),
    **dict.fromkeys(_PAID, "paid"),
    **dict.fromkeys(_TAKEN, "taken"),
}
"""Keys of the wager of a row by the headings that people give to a column."""


_OF_BOX = re.compile(r"(?:seat|box|spot|player)[ _-]?(?P<seat>[1-9][0-9]?)[ _:-]+(?P<rest>.+)", re.IGNORECASE)


def guess_targets(headings: Sequence[str], wagers: Sequence[str], *, rows: str = "seat") -> dict[str, str]:
    """Return the key that each heading seems to give; headings without a guess are left out.

    Args:
        headings: headings of the table.
        wagers: wagers and bonuses of the game.
        rows: part of a round that a row is.
    """
    guesses: dict[str, str] = {}
    for heading in headings:
        placed = _OF_BOX.fullmatch(heading) if rows == "round" else None
        guess = _OF_ROW.get(heading.lower()) if rows == "wager" else None
        guess = guess or _guess_target(heading if placed is None else placed["rest"], wagers)
        if guess is not None and placed is not None:
            guess = f"seats.{placed['seat']}.{guess}"
        if guess is not None and guess not in guesses.values() and parse_target(guess, rows) is not None:
            guesses[heading] = guess
    return guesses


def _guess_target(heading: str, wagers: Sequence[str]) -> str | None:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", heading.rpartition("/")[2] if heading.startswith("/") else heading)
    all_words = re.findall(r"[a-z0-9]+", name.lower())
    amount = "paid" if _PAID.intersection(all_words) else "taken" if _TAKEN.intersection(all_words) else "amount"
    words = [word for word in all_words if word not in _WITHOUT_MEANING]
    of_wager = [word for word in words if word not in _PAID | _TAKEN]
    for wager in wagers:
        if of_wager == wager.split("-"):
            return f"wagers.{wager}.{amount}"
    text = " ".join(words)
    return next((key for key, synonyms in _SYNONYMS.items() if text in synonyms), None)


def write_guessed_map(
    game: str, headings: Sequence[str], samples: Sequence[Sequence[str]], wagers: Sequence[str]
) -> str:
    """Write a map with guesses as YAML, with the cells of the first rows next to each column.

    Args:
        game: document of the game.
        headings: headings of the table.
        samples: cells of the first rows.
        wagers: wagers and bonuses of the game.
    """
    guesses = guess_targets(headings, wagers)
    depth = max(heading.count("/*") for heading in headings)
    rows = "seat" if not headings[0].startswith("/") else ("round", "seat", "wager")[min(depth, 2)]
    lines = [
        "# Guessed from the headings of the table. Correct the columns, then:",
        "#   fairdeal import TABLE --map THIS_FILE -o LOG.jsonl",
        f"# Wagers and bonuses of the game: {', '.join(wagers)}",
        f"game: {game}",
        f"rows: {rows} # wager, seat or round: what a row has",
        "columns:",
    ]
    rest = []
    for number, heading in enumerate(headings):
        cells = ", ".join(row[number] for row in samples if number < len(row) and row[number].strip())
        comment = f" # {_to_comment(cells)}" if cells else ""
        if heading in guesses:
            lines.append(f"  {_to_yaml(heading)}: {{into: {guesses[heading]}}}{comment}")
        else:
            rest.append(f"- {_to_yaml(heading)}{comment}")
    return "\n".join([*lines, *(["ignored:", *rest] if rest else []), ""])


def _to_yaml(text: str) -> str:
    """Return a text in double quotes, which JSON and YAML write alike."""
    return json.dumps("".join(char if char.isprintable() else "?" for char in text), ensure_ascii=False)


def _to_comment(text: str) -> str:
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


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
            rows = tables.read_json_rows(stream, name, headings, table_map.ignored, reader.refuse_row)
            return _write_log(convert_rounds(reader, rows), output, rulebook, name)
        with open_rows(name, stream, sheet) as (headings, rows):
            reader = TableReader(table_map, headings, name, wagers, bonuses)
            return _write_log(convert_rounds(reader, rows), output, rulebook, name)


def _sample(name: str, stream: BinaryIO, sheet: str | None, *, is_json: bool) -> tuple[list[str], list[list[str]]]:
    """Return the headings of a table, and its first rows."""
    if is_json:
        return tables.sample_json(stream, name, SAMPLES)
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
