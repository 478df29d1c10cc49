"""Preview of an uploaded table: its first rounds as a map reads them, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fairdeal.cli.common.table_import import convert_rounds, describe_row, find_bonuses, find_wagers
from fairdeal.cli.desk.tables.table_columns import TableSample, parse_map
from fairdeal.validator.evidence.io.table_rows import TableReader
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.money import format_money, written_in

MOST_SHOWN = 12
"""Seats of the first rounds that are shown."""
MOST_PROBLEMS = 20
"""Limit of the problems that are shown."""
_OF_MAP = frozenset({"game", "seats"})


class TablePreview(Struct, frozen=True, kw_only=True):
    """First rounds of a table as a map reads them."""

    rounds: int = 0
    """Number of rounds that can be read."""
    rows: int = 0
    """Number of rows that were tried."""
    unreadable: int = 0
    """Number of rows that cannot be read."""
    is_whole: bool = True
    """True if the table has no more rows."""
    headings: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()
    """A line for each seat of the first rounds."""
    problems: Sequence[str] = ()
    """Problems of the map, or else of rows."""
    is_map_wrong: bool = False
    """True if nothing can be read with this map."""


def preview_table(rulebook: Rulebook, sample: TableSample, name: str, text: str) -> TablePreview:
    """Return what the first rows of a table give.

    Args:
        name: name of the table.
        text: the map.
    """
    try:
        table_map = parse_map(rulebook, name, text)
        wagers, bonuses = find_wagers(rulebook, table_map.game), find_bonuses(rulebook, table_map.game)
        reader = TableReader(table_map, sample.headings, name, wagers, bonuses)
    except InputError as error:
        problems = list(dict.fromkeys(problem.message for problem in error.diagnostics))
        return TablePreview(problems=problems[:MOST_PROBLEMS], is_map_wrong=True)
    records: list[dict[str, Any]] = []
    rounds = 0
    wrong = {}
    for part in convert_rounds(reader, iter(sample.rows)):
        batches, unreadable = part.decode(name, rulebook)
        rounds += sum(map(len, batches))
        wrong.update({(row.line, row.column, row.reason): row for row in unreadable})
        records += [json.loads(line) for line in part.lines[:MOST_SHOWN]]
    with written_in(table_map.currency):
        shown = [line for record in records for line in _list_lines(record)][:MOST_SHOWN]
    headings = list(dict.fromkeys(key for line in shown for key in line))
    rows = sorted(wrong.values(), key=lambda row: row.line)
    return TablePreview(
        rounds=rounds,
        rows=len(sample.rows),
        unreadable=len({row.line for row in rows}),
        is_whole=sample.is_whole,
        headings=[heading.replace("-", " ").capitalize() for heading in headings],
        lines=[[line.get(heading, "") for heading in headings] for line in shown],
        problems=[f"Line {row.line}: {describe_row(row, name).message}" for row in rows[:MOST_PROBLEMS]],
    )


def _list_lines(record: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield a line for each seat of a round, with what the round states at its first seat."""
    of_round = {key: _write(value) for key, value in record.items() if key not in _OF_MAP}
    for seat in record["seats"] or [{}]:
        stakes = "; ".join(_describe_stake(stake) for stake in seat.get("wagers", ()))
        paid = (bonus for bonus in seat.get("bonuses", ()) if "paid" in bonus)
        bonuses = "; ".join(f"{bonus['bonus']} {format_money(bonus['paid'])}" for bonus in paid)
        stated = {key: _write_of_seat(key, value) for key, value in seat.items() if key not in ("wagers", "bonuses")}
        yield {**of_round, **stated, "wagers": stakes, **({"bonuses": bonuses} if bonuses else {})}


def _write(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {part}" for key, part in value.items())
    return str(value)


def _write_of_seat(key: str, value: Any) -> str:
    return format_money(value) if key in ("stack", "stack-after", "won") else str(value)


def _describe_stake(stake: Mapping[str, Any]) -> str:
    amounts = [f"{key} {format_money(stake[key])}" for key in ("paid", "taken") if key in stake]
    selection = f" on {stake['selection']}" if "selection" in stake else ""
    return ", ".join([f"{stake['wager']}{selection} {format_money(stake['amount'])}", *amounts])
