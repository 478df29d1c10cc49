"""Columns of an uploaded table: what each gives to a hand log, as a form and as the map of `fairdeal import`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData

from fairdeal.cli.import_command import find_wagers, guess_targets, open_rows
from fairdeal.validator.evidence.event_kinds import NO_DECISION
from fairdeal.validator.evidence.io.table_rows import AMOUNTS, OF_ROUND, OF_SEAT, OF_WAGER, TableMap, read_table_map
from fairdeal.validator.evidence.io.tables import WORKBOOK_SUFFIXES, list_worksheets
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.text.source import decode_source

MOST_ROWS = 1_000
"""Limit of the rows that a preview reads."""
MOST_WORDS = 20
"""Limit of the words of a column for which the form offers those of the game."""
SAMPLES = 3
"""Cells of a column that the form shows."""
MAX_TEXT = 200
"""Limit of the characters of a field."""
ROW_KINDS = {
    "seat": "a seat in a round",
    "wager": "a wager of a seat",
    "round": "a whole round, with columns for each seat",
}
"""Parts of a round that a row may be."""
TIME_FORMS = (
    "",
    *(f"%m/%d/%Y {clock}" for clock in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")),
    *(f"%d{mark}%m{mark}%Y {clock}" for mark in "/.-" for clock in ("%H:%M", "%H:%M:%S")),
    *(f"%Y{mark}%m{mark}%d {clock}" for mark in "/." for clock in ("%H:%M", "%H:%M:%S")),
)
"""Forms of day and time that the form offers; the empty one is ISO 8601."""
_SAMPLE_TIME = datetime(2026, 3, 22, 18, 4, 30)
_NOTES = ("dealer", "shift", "pit", "video")
_AMOUNT_NAMES = {"amount": "stake", "paid": "paid beyond the stake", "taken": "taken", "returned": "given back in all"}


class TableSample(Struct, frozen=True, kw_only=True):
    """First rows of a table."""

    sheets: Sequence[str]
    """Names of the worksheets; none for delimited text."""
    headings: Sequence[str]
    rows: Sequence[tuple[int, list[str]]]
    """Rows with their lines."""
    is_whole: bool
    """True if the table has no more rows."""

    def list_cells(self, column: int) -> list[str]:
        """Return the different cells of a column that are not blank."""
        cells = (row[column].strip() for _, row in self.rows if column < len(row))
        return list(dict.fromkeys(cell for cell in cells if cell))


class MappedWord(Struct, frozen=True, kw_only=True):
    """Word of a table, and the word of the game for it."""

    cell: str
    chosen: str
    """Word of the game; empty if it is the same."""


class MappedColumn(Struct, frozen=True, kw_only=True):
    """Column of a table, and what it gives."""

    number: int
    heading: str
    cells: Sequence[str]
    """First different cells."""
    into: str
    """Key that the column gives, without its seat; empty if the column is not used."""
    seat: str
    """Seat, if a row is a whole round."""
    words: Sequence[MappedWord]
    choices: Mapping[str, str]
    """Titles of the words of the game by name; none if any word may be used."""


class ColumnForm(Struct, frozen=True, kw_only=True):
    """Form of the columns of a table."""

    game: str
    rows: str
    """Part of a round that a row is."""
    casino: str
    table: str
    currency: str
    format: str
    """Form of day and time."""
    zone: str
    columns: Sequence[MappedColumn]

    def write_map(self) -> str:
        """Return the map of `fairdeal import`, as JSON."""
        stated = {key: getattr(self, key) for key in ("currency", "casino", "table") if getattr(self, key)}
        columns = {column.heading: dict(self._list_uses(column)) for column in self.columns if column.into}
        ignored = [column.heading for column in self.columns if column.heading and not column.into]
        data = {"game": self.game, "rows": self.rows, **stated, "columns": columns, "ignored": ignored}
        return json.dumps(data, ensure_ascii=False, indent=2)

    def _list_uses(self, column: MappedColumn) -> Iterator[tuple[str, Any]]:
        of_seat = self.rows == "round" and not _is_of_round(column.into)
        yield "into", f"seats.{column.seat}.{column.into}" if of_seat else column.into
        if column.into == "time":
            yield from ((key, value) for key, value in (("format", self.format), ("zone", self.zone)) if value)
        words = {word.cell: word.chosen for word in column.words if word.chosen}
        if words:
            yield "words", words


def _is_of_round(into: str) -> bool:
    return into in OF_ROUND or into.startswith(("context.", "outcomes."))


def read_sample(path: Path, sheet: str | None) -> TableSample:
    """Return the first rows of a table. Raises InputError if it cannot be read."""
    sheets: list[str] = []
    with path.open("rb") as stream:
        if path.name.lower().endswith(WORKBOOK_SUFFIXES):
            sheets = list_worksheets(stream, path.name)
            stream.seek(0)
        with open_rows(path.name, stream, sheet if sheets else None) as (headings, rows):
            first = list(islice(rows, MOST_ROWS))
            is_whole = next(rows, None) is None
    return TableSample(sheets=sheets, headings=headings, rows=first, is_whole=is_whole)


def parse_map(rulebook: Rulebook, name: str, text: str) -> TableMap:
    """Return a map. Raises InputError if it names what does not exist."""
    return read_table_map(decode_source(name, text.encode()), partial(find_wagers, rulebook))


ChooseWord = Callable[[int, int, str, Mapping[str, str]], str]
"""Function that returns the word of the game for a cell: of a column, at a place among its words, with the choices."""


def guess_columns(sample: TableSample, game: str, rules: Game, rows: str) -> ColumnForm:
    """Return the form with guesses from headings and cells."""
    targets = guess_targets(sample.headings, [*rules.wagers, *rules.bonuses], rows=rows)
    stated = {"game": game, "rows": rows}
    times = [number for number, heading in enumerate(sample.headings) if targets.get(heading) == "time"]
    if times:
        stated["format"] = guess_time_form(sample.list_cells(times[0]))
    return _build_form(sample, rules, targets, stated, lambda _, __, cell, choices: guess_word(cell, choices))


def show_map(sample: TableSample, table_map: TableMap, rules: Game) -> ColumnForm:
    """Return the form of a map that was made before."""
    stated = {key: getattr(table_map, key) or "" for key in ("game", "rows", "currency", "casino", "table")}
    for use in table_map.columns.values():
        if use.into == "time":
            stated |= {"format": use.format or "", "zone": use.zone or ""}
    targets = {heading: use.into for heading, use in table_map.columns.items()}
    words = [table_map.columns[heading].words if heading in targets else {} for heading in sample.headings]
    return _build_form(sample, rules, targets, stated, lambda number, _, cell, __: words[number].get(cell, ""))


def read_columns(sample: TableSample, game: str, rules: Game, form: FormData) -> ColumnForm:
    """Return a filled-in form."""
    fields = {name: str(value).strip()[:MAX_TEXT] for name, value in form.items()}
    is_round = fields.get("rows") == "round"
    targets: dict[str, str] = {}
    for number, heading in enumerate(sample.headings):
        into = fields.get(f"into-{number}", "")
        if into:
            seat = fields.get(f"seat-{number}", "") or "1"
            targets[heading] = f"seats.{seat}.{into}" if is_round and not _is_of_round(into) else into

    def choose_word(number: int, at: int, cell: str, choices: Mapping[str, str]) -> str:
        name = f"word-{number}-{at}"
        return fields[name] if name in fields else guess_word(cell, choices)

    return _build_form(sample, rules, targets, {**fields, "game": game}, choose_word)


_AT_SEAT = re.compile(r"seats\.(?P<seat>[^.]*)\.(?P<rest>.*)")


def _build_form(
    sample: TableSample, rules: Game, targets: Mapping[str, str], stated: Mapping[str, str], choose_word: ChooseWord
) -> ColumnForm:
    columns: list[MappedColumn] = []
    for number, heading in enumerate(sample.headings):
        target = targets.get(heading, "")
        placed = _AT_SEAT.fullmatch(target)
        into = target if placed is None else placed["rest"]
        choices = find_words(rules, into)
        cells = sample.list_cells(number)
        words = [] if choices is None else [cell for cell in cells if cell not in {*choices, NO_DECISION}][:MOST_WORDS]
        columns.append(
            MappedColumn(
                number=number,
                heading=heading,
                cells=cells[:SAMPLES],
                into=into,
                seat="1" if placed is None else placed["seat"],
                words=[
                    MappedWord(cell=cell, chosen=choose_word(number, at, cell, choices or {}))
                    for at, cell in enumerate(words)
                ],
                choices=choices or {},
            )
        )
    kept = {key: stated.get(key, "") for key in ("game", "rows", "casino", "table", "currency", "format", "zone")}
    return ColumnForm(**kept, columns=columns)


def guess_time_form(cells: Sequence[str]) -> str:
    """Return the form of day and time that fits all cells; that of ISO 8601 if none or several do."""
    fitting = [form for form in TIME_FORMS if all(_fits(cell, form) for cell in cells)]
    return fitting[0] if len(fitting) == 1 else ""


def _fits(cell: str, form: str) -> bool:
    try:
        return bool(datetime.strptime(cell, form) if form else datetime.fromisoformat(cell))
    except ValueError:
        return False


def list_time_forms(chosen: str) -> dict[str, str]:
    """Return the forms of day and time, the chosen one among them, with the same time in each."""
    return {
        form: _SAMPLE_TIME.strftime(form) if form else f"{_SAMPLE_TIME.isoformat(' ')} (ISO 8601)"
        for form in dict.fromkeys((*TIME_FORMS, chosen))
    }


def find_words(rules: Game, into: str) -> Mapping[str, str] | None:
    """Return the words of the game for a key by name, with titles; None for a key that holds no words of the game."""
    if into == "decision":
        return {name: decision.title for name, decision in rules.decisions.items()}
    if into == "wager":
        return {name: wager.title for name, wager in rules.wagers.items()}
    return {} if into == "selection" or into.startswith("outcomes.") else None


def guess_word(cell: str, choices: Mapping[str, str]) -> str:
    """Return the only word of the game that a cell may abbreviate; empty if there is none."""
    text = cell.casefold()
    fitting = [
        name for name, title in choices.items() if name.startswith(text.replace(" ", "-")) or title.casefold() == text
    ]
    return fitting[0] if len(fitting) == 1 else ""


def list_keys(rules: Game, rows: str, headings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the keys that a column may give, with titles, by group."""
    keys_of_round = {
        key: _TITLES.get(key, _write(key)) for key in OF_ROUND if rules.deck is not None or key not in _CARDS
    }
    results = {f"outcomes.{name}": f"Result: {name.replace('-', ' ')}" for name in rules.outcomes}
    keys_of_seat = {
        key: _TITLES.get(key, _write(key))
        for key in OF_SEAT
        if not (rows == "round" and key == "seat") and (rules.deck is not None or key not in _CARDS)
    }
    groups = {"Round": {**keys_of_round, **results}, "Seat": keys_of_seat}
    if rows == "wager":
        groups["Wager of the row"] = {key: _write(_AMOUNT_NAMES.get(key, key)) for key in OF_WAGER}
    for name, wager in rules.wagers.items():
        groups[wager.title] = {
            f"wagers.{name}.{amount}": f"{wager.title}: {_AMOUNT_NAMES[amount]}" for amount in AMOUNTS
        }
    for name, bonus in rules.bonuses.items():
        groups.setdefault("Bonuses", {})[f"bonuses.{name}.paid"] = f"{bonus.title}: paid"
    notes = dict.fromkeys((*_NOTES, *filter(None, map(_name_note, headings))))
    groups["Notes"] = {f"context.{name}": f"Note: {name.replace('-', ' ')}" for name in notes}
    return groups


_CARDS = frozenset({"deck", "dealer", "community", "cards", "discarded", "drawn"})
_TITLES = {
    "round": "Round: its id",
    "time": "Day and time",
    "number": "Number of the round at the table",
    "dealer": "Dealer's cards",
    "community": "Community cards",
    "seat": "Number of the seat",
    "cards": "Player's cards",
    "discarded": "Cards discarded",
    "drawn": "Cards drawn",
    "stack": "Chips before the round",
    "stack-after": "Chips after the round",
    "won": "Won from pots",
}


def _write(key: str) -> str:
    return key.replace("-", " ").capitalize()


def _name_note(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:40]
