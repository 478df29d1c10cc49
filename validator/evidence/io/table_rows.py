"""Rows of a table of rounds, turned into records of a hand log."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from fairdeal.validator.cards.ranking_models import JOKER_SIGN
from fairdeal.validator.evidence.io.table_map import (
    NOT_RECORDED,
    ColumnTarget,
    ColumnUse,
    TableMap,
    parse_target,
)
from fairdeal.validator.evidence.io.tables import build_table_problem
from fairdeal.validator.text.diagnostics import InputError, find_similar, quote
from fairdeal.validator.text.money import parse_money, written_in

_CARD = re.compile(r"(?P<joker>joker|jk)|(?P<rank>10|[2-9TJQKA])(?P<suit>[CDHS♣♦♥♠])|\?\?|XX", re.IGNORECASE)
_BETWEEN_CARDS = re.compile(r"[\s,;|/.\-\[\]]*")
_SUITS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}


class UnreadableRow(Struct, frozen=True, kw_only=True):
    """Row, or round, that cannot be read."""

    line: int
    """Line of the table."""
    column: str | None
    """Heading of the column."""
    reason: str


class ImportedRound(Struct, frozen=True, kw_only=True):
    """Round of a table."""

    line: int
    """Line of its first row."""
    record: dict[str, Any]
    """The record of a hand log."""


class TableReader:
    """Reader of the rows of one table by its map."""

    def __init__(
        self,
        table_map: TableMap,
        headings: Sequence[str],
        name: str,
        wagers: Collection[str] | None = None,
        bonuses: Mapping[str, str] | None = None,
    ) -> None:
        """Match the headings with the map.

        Args:
            table_map: the map.
            headings: headings of the table.
            name: name of the table in messages.
            wagers: wagers of the game that a row may name; None if they are not known.
            bonuses: bonuses of the game, each with the wager that it is computed from.

        Raises:
            InputError: If a column of the map is missing, or the map does not name one of the table.
        """
        self._map = table_map
        self._wagers = wagers
        self.unreadable: list[UnreadableRow] = []
        """Rows and rounds that could not be read so far; the caller may empty it."""
        problems = [
            build_table_problem(name, 1, f"the table has no column {quote(heading)}", _suggest(heading, headings))
            for heading in table_map.columns
            if heading not in headings
        ]
        problems += [
            build_table_problem(
                name, 1, f"the map does not name the column {quote(heading)}", "map it, or list it under `ignored`"
            )
            for heading in headings
            if heading and heading not in table_map.columns and heading not in table_map.ignored
        ]
        if problems:
            raise InputError(tuple(problems))
        self._columns: list[tuple[int, str, ColumnUse, ColumnTarget]] = []
        for number, heading in enumerate(headings):
            use = table_map.columns.get(heading)
            target = None if use is None else parse_target(use.into, table_map.rows)
            if use is not None and target is not None:
                self._columns.append((number, heading, use, target))
        given = {target.name for _, _, _, target in self._columns if target.kind == "bonus"}
        self._unrecorded = {bonus: wager for bonus, wager in (bonuses or {}).items() if bonus not in given}
        """Bonuses that the table has no column for. Without them, a log that states payments would deny the bonus."""

    def read(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[ImportedRound]:
        """Yield the rounds of rows. Those with an unreadable row are left out, whole, and listed in `unreadable`."""
        ended: set[tuple[str | None, ...]] = set()
        current: _OpenRound | None = None
        with written_in(self._map.currency):
            for line, row in rows:
                cells = self._read_row(row)
                key = (cells.get("casino"), cells.get("table"), cells.get("round"))
                if current is None or key != current.key or self._map.rows == "round":
                    yield from self._close(current)
                    if current is not None:
                        ended.add(current.key)
                    current = _OpenRound(key=key, line=line)
                    if key in ended:
                        self._refuse(line, None, f"round {key[2]} is in rows that do not follow each other", current)
                if cells.get("round") is None:
                    self._refuse(line, None, "the row names no round", current)
                else:
                    self._add_row(current, line, row)
            yield from self._close(current)

    def refuse_row(self, line: int, reason: str) -> None:
        """List a row that the table itself cannot give."""
        self.unreadable.append(UnreadableRow(line=line, column=None, reason=reason))

    def _read_row(self, row: Sequence[str]) -> dict[str, str]:
        """Return the cells that name the round of a row, by their keys."""
        return {
            target.name: row[number].strip()
            for number, _, _, target in self._columns
            if target.kind == "round" and number < len(row) and row[number].strip()
        }

    def _refuse(self, line: int, column: str | None, reason: str, into: _OpenRound) -> None:
        into.is_readable = False
        self.unreadable.append(UnreadableRow(line=line, column=column, reason=reason))

    def _add_row(self, into: _OpenRound, line: int, row: Sequence[str]) -> None:
        seats: dict[int | None, dict[str, Any]] = {}
        of_row: dict[str, Any] = {}
        for number, heading, use, target in self._columns:
            cell = row[number].strip() if number < len(row) else ""
            cell = use.words.get(cell, cell)
            if not cell or cell == NOT_RECORDED:
                continue
            try:
                value = _convert_cell(cell, use, target)
            except ValueError as error:
                self._refuse(line, heading, str(error), into)
                continue
            match target.kind:
                case "round" if into.record.setdefault(target.name, value) != value:
                    self._refuse(line, heading, f"the rows of round {into.key[2]} differ in `{target.name}`", into)
                case "context" | "outcome":
                    into.record.setdefault(f"{target.kind}{'s' * (target.kind == 'outcome')}", {})[target.name] = value
                case "row-wager":
                    of_row[target.name] = value
                case "seat" | "wager" | "bonus":
                    _add_to_seat(seats.setdefault(target.seat, {}), target, value)
        if self._map.rows == "wager":
            self._add_wager(into, line, seats.get(None, {}), of_row)
            return
        for seat, values in seats.items():
            number_of_seat = values.pop("seat", seat)
            wagers = [*_list_wagers(values.pop("wagers", {}))]
            paid_alone = [wager["wager"] for wager in wagers if not wager.get("amount")]
            if number_of_seat is None:
                self._refuse(line, None, "the row names no seat", into)
            elif any(known["seat"] == number_of_seat for known in into.seats):
                self._refuse(line, None, f"seat {number_of_seat} is listed twice in round {into.key[2]}", into)
            elif paid_alone:
                self._refuse(line, None, f"{', '.join(paid_alone)} was paid or taken without a stake", into)
            elif values or wagers:
                into.seats.append({"seat": number_of_seat, **values, "wagers": wagers})

    def _add_wager(self, into: _OpenRound, line: int, values: dict[str, Any], of_row: dict[str, Any]) -> None:
        """Add the wager of a row to its seat, to the stake on the same selection if there is one."""
        number = values.pop("seat", None)
        if number is None:
            if values or of_row:
                self._refuse(line, None, "the row names no seat", into)
            return
        wagers = [*_list_wagers(values.pop("wagers", {}))]
        seat = next((known for known in into.seats if known["seat"] == number), None)
        if seat is None:
            seat = {"seat": number, "wagers": wagers}
            into.seats.append(seat)
        for key, value in values.items():
            if seat.setdefault(key, value) != value:
                self._refuse(line, None, f"the rows of seat {number} differ in `{key}`", into)
        if not of_row:
            return
        if "wager" not in of_row or not of_row.get("amount"):
            self._refuse(line, None, "the row names no wager with a stake", into)
            return
        if self._wagers is not None and of_row["wager"] not in self._wagers:
            reason = f"the game has no wager {quote(of_row['wager'])}; `words` may map it to one of the game"
            self._refuse(line, None, reason, into)
            return
        stake = _settle_returned(of_row)
        same = (stake["wager"], stake.get("selection"))
        earlier = next((known for known in seat["wagers"] if (known["wager"], known.get("selection")) == same), None)
        if earlier is None:
            seat["wagers"].append(stake)
            return
        for key in ("amount", "paid", "taken"):
            if key in earlier and key in stake:
                earlier[key] += stake[key]
            else:
                earlier.pop(key, None)  # of one stake it is not known

    def _close(self, current: _OpenRound | None) -> Iterator[ImportedRound]:
        if current is None or not current.is_readable:
            return
        for seat in current.seats:
            paid = {stake["wager"] for stake in seat.get("wagers", ()) if stake.keys() & {"paid", "taken"}}
            unrecorded = [{"bonus": bonus} for bonus, wager in self._unrecorded.items() if wager in paid]
            if unrecorded:
                seat["bonuses"] = [*seat.get("bonuses", ()), *unrecorded]
        stated = {"casino": self._map.casino, "table": self._map.table, "currency": self._map.currency}
        record = {
            **{key: value for key, value in stated.items() if value is not None},
            **current.record,
            "game": self._map.game,
            "seats": sorted(current.seats, key=lambda seat: int(seat["seat"])),
        }
        yield ImportedRound(line=current.line, record=record)


class _OpenRound(Struct, kw_only=True):
    """Round whose rows are being read."""

    key: tuple[str | None, ...]
    """Casino, table and id."""
    line: int
    record: dict[str, Any] = field(default_factory=dict)
    seats: list[dict[str, Any]] = field(default_factory=list)
    is_readable: bool = True


def _suggest(heading: str, headings: Sequence[str]) -> str:
    near = find_similar(heading, headings)
    return f"did you mean {quote(near)}?" if near else f"its columns are {', '.join(map(quote, headings[:20]))}"


def _add_to_seat(seat: dict[str, Any], target: ColumnTarget, value: Any) -> None:
    match target.kind:
        case "wager":
            seat.setdefault("wagers", {}).setdefault(target.name, {})[target.amount] = value
        case "bonus":
            seat.setdefault("bonuses", []).append({"bonus": target.name, "paid": value})
        case _:
            seat[target.name] = value


def _list_wagers(wagers: dict[str, dict[str, int]]) -> Iterator[dict[str, Any]]:
    """Yield the wagers of a seat. A wager without a stake and without a payment was not placed."""
    for wager, amounts in wagers.items():
        if any(amounts.values()):
            yield _settle_returned({"wager": wager, **amounts})


def _settle_returned(stake: dict[str, Any]) -> dict[str, Any]:
    """Return a stake in which the amount returned is what was paid beyond it, and what was taken of it."""
    if "returned" not in stake:
        return stake
    gain = stake["returned"] - stake.get("amount", 0)
    others = {key: value for key, value in stake.items() if key != "returned"}
    return {"paid": max(gain, 0), "taken": max(-gain, 0), **others}


def _convert_cell(cell: str, use: ColumnUse, target: ColumnTarget) -> Any:
    """Return the value of a cell. Raises ValueError."""
    match target.kind, target.name:
        case ("wager" | "bonus", _) | ("seat", "stack" | "stack-after" | "won"):
            return parse_money(cell)
        case ("row-wager", "amount" | "paid" | "taken" | "returned"):
            return parse_money(cell)
        case ("seat", "seat") | ("round", "number"):
            return _parse_number(cell)
        case ("seat", "cards" | "discarded" | "drawn") | ("round", "dealer" | "community"):
            return parse_cards(cell)
        case ("round", "time"):
            return parse_time(cell, use)
    return cell


def _parse_number(cell: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", cell):
        raise ValueError(f"{quote(cell)} is not a whole number")
    return int(cell)


def parse_cards(cell: str) -> str:
    """Return cards as hand logs write them, from a text such as `10♥, K d` or `AH-KD`. Raises ValueError."""
    text = re.sub(r"(?<=[0-9TJQKA])\s+(?=[CDHS♣♦♥♠](?:$|[^a-z]))", "", cell, flags=re.IGNORECASE)
    cards, at = [], 0
    while at < len(text):
        gap = _BETWEEN_CARDS.match(text, at)
        at = at if gap is None else gap.end()
        if at == len(text):
            break
        card = _CARD.match(text, at)
        if card is None:
            raise ValueError(f"{quote(cell)} are not cards such as `Ah Kd 10c`")
        suit = (card["suit"] or "?").lower()
        rank = "?" if card["rank"] is None else card["rank"].upper().replace("10", "T")
        cards.append(JOKER_SIGN if card["joker"] else rank + _SUITS.get(suit, suit))
        at = card.end()
    return "".join(cards)


def parse_time(cell: str, use: ColumnUse) -> str:
    """Return day and time as hand logs write them, from ISO 8601 or the form of the map. Raises ValueError."""
    try:
        time = datetime.fromisoformat(cell)
    except ValueError:
        try:
            time = datetime.strptime(cell, use.format or "")
        except ValueError:
            expected = "in the form of ISO 8601; state `format`" if use.format is None else f"in the form {use.format}"
            raise ValueError(f"{quote(cell)} is not a time {expected}") from None
    if time.tzinfo is not None:
        return time.isoformat().replace("+00:00", "Z")
    if use.zone is None:
        raise ValueError(f"{quote(cell)} has no time zone: state `zone` in the map, such as `-07:00`")
    return f"{time.isoformat()}{use.zone}"


def encode_round(record: dict[str, Any]) -> bytes:
    """Encode a record as a line of a hand log."""
    return msgspec.json.encode(record) + b"\n"
