"""Rows of a table of rounds, turned into records of a hand log by a map from columns to keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct, field
from pydantic import Field, StringConstraints

from fairdeal.validator.cards.ranking_models import JOKER_SIGN
from fairdeal.validator.evidence.io.tables import build_table_problem
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, quote
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.plain_values import parse_money, written_in
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import Source

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
OF_ROUND = ("round", "casino", "table", "time", "number", "deck", "dealer", "community")
"""Keys of a round that a column may give; `context.NAME` and `outcomes.NAME` are others."""
OF_SEAT = ("seat", "player", "cards", "discarded", "drawn", "decision", "stack", "stack-after", "won")
"""Keys of a seat that a column may give; `wagers.NAME.amount` and `bonuses.NAME.paid` are others."""
AMOUNTS = ("amount", "paid", "taken", "returned")
"""Amounts of a wager; `returned` is the stake, if it is given back, and the payment together."""
OF_WAGER = ("wager", "selection", *AMOUNTS)
"""Keys of a wager that a column may give if a row is a wager."""
_CONTEXT = re.compile(r"context\.(?P<name>\S{1,40})")
_WAGER = re.compile(r"wagers\.(?P<name>[a-z0-9-]{1,60})\.(?P<amount>amount|paid|taken|returned)")
_BONUS = re.compile(r"bonuses\.(?P<name>[a-z0-9-]{1,60})\.paid")
_OUTCOME = re.compile(r"outcomes\.(?P<name>[a-z0-9-]{1,60})")
_AT_SEAT = re.compile(r"seats\.(?P<seat>[1-9][0-9]?)\.(?P<rest>.+)")
NOT_RECORDED = "(not recorded)"
"""Word of a map for a cell that counts as empty."""


class ColumnUse(ClosedModel):
    """Use of a column."""

    into: Name
    """The key that the column gives: one of a round, or one of a seat, such as `cards` or `wagers.ante.paid`. If a row
    is a round, keys of seats begin with `seats.1.`."""
    format: Name | None = None
    """The form of day and time, as in `strptime`: `%m/%d/%Y %H:%M`. ISO 8601, and times of a workbook, need none."""
    zone: Annotated[str, StringConstraints(pattern=r"^(Z|[+-][0-9]{2}:[0-9]{2})$")] | None = None
    """The offset from UTC of times that state none, such as `-07:00`."""
    words: dict[Name, Name] = {}
    """The words of the game for words of the table: `{F: fold, P: play}`. `(not recorded)` leaves the cell out."""


class TableMap(ClosedModel):
    """Map of a table of rounds."""

    CURRENCY_AT = ("currency",)

    game: Name
    """The document of the game."""
    rows: Literal["wager", "seat", "round"] = "seat"
    """The part of a round in a row: one wager or one seat, so that rows with the same round follow each other, or all
    of it."""
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    """The currency of the amounts, which are in units of it. If left out, they have two decimals."""
    casino: Name | None = None
    """The casino, if no column names it."""
    table: Name | None = None
    """The table, if no column names it."""
    columns: Annotated[dict[Name, ColumnUse], Field(min_length=1, max_length=500)]
    """The columns by their headings. Columns of JSON are JSON Pointers in which `*` is each entry of a list:
    `/players/*/bets/*/stake`."""
    ignored: list[Name] = []
    """Columns that are not used; of JSON, with all that is below them. A column of the table that the map names nowhere
    is an error."""


class ColumnTarget(Struct, frozen=True, kw_only=True):
    """Place in a record that a column gives."""

    seat: int | None
    """Number of the seat, if a row is a round; None for the seat of the row, or for the round."""
    kind: Literal["round", "outcome", "context", "seat", "wager", "bonus", "row-wager"]
    name: str
    """Key, or name of the wager, bonus or note."""
    amount: str | None = None
    """Amount of the wager."""


def parse_target(into: str, rows: str) -> ColumnTarget | None:
    """Return the place that a path of a map names; None if there is none such."""
    at_seat = _AT_SEAT.fullmatch(into)
    if at_seat is None:
        if into in OF_ROUND:
            return ColumnTarget(seat=None, kind="round", name=into)
        outcome = _OUTCOME.fullmatch(into)
        if outcome is not None:
            return ColumnTarget(seat=None, kind="outcome", name=outcome["name"])
        context = _CONTEXT.fullmatch(into)
        if context is not None:
            return ColumnTarget(seat=None, kind="context", name=context["name"])
    if rows == "wager" and into in OF_WAGER:
        return ColumnTarget(seat=None, kind="row-wager", name=into)
    if (at_seat is None) != (rows != "round"):
        return None
    rest, seat = (into, None) if at_seat is None else (at_seat["rest"], int(at_seat["seat"]))
    if rest in OF_SEAT and (seat is None or rest != "seat"):
        return ColumnTarget(seat=seat, kind="seat", name=rest)
    wager, bonus = _WAGER.fullmatch(rest), _BONUS.fullmatch(rest)
    if wager is not None:
        return ColumnTarget(seat=seat, kind="wager", name=wager["name"], amount=wager["amount"])
    return None if bonus is None else ColumnTarget(seat=seat, kind="bonus", name=bonus["name"])


def read_table_map(source: Source, find_wagers: Callable[[str], Sequence[str] | None]) -> TableMap:
    """Read a map.

    Args:
        source: the map, YAML or JSON.
        find_wagers: returns the wagers and bonuses of the game of a document; None if it has no game.

    Raises:
        InputError: If it breaks its schema, or names a game, a wager or a key that does not exist.
    """
    tree = load_document(source)
    table_map = validate(tree, TableMap)
    problems = tuple(_list_problems(table_map, tree, find_wagers(table_map.game)))
    if problems:
        raise InputError(problems)
    return table_map


def _list_problems(table_map: TableMap, tree: PositionedDocument, wagers: Sequence[str] | None) -> Iterator[Diagnostic]:
    if wagers is None:
        message = f"{quote(table_map.game)} is no document with a game"
        yield tree.build_diagnostic(("game",), "unknown-game", message, help="`fairdeal rules list` shows them")
    used: dict[str, str] = {}
    for heading, use in table_map.columns.items():
        target = parse_target(use.into, table_map.rows)
        at = ("columns", heading, "into")
        if target is None:
            prefix = "seats.1." if table_map.rows == "round" else ""
            help_ = f"for example `round`, `{prefix}cards`, `{prefix}wagers.NAME.paid`, `context.dealer`"
            yield tree.build_diagnostic(at, "unknown-key", f"{quote(use.into)} is no key of a record", help=help_)
        elif use.into in used:
            message = f"{quote(heading)} gives the same key as {quote(used[use.into])}"
            yield tree.build_diagnostic(at, "key-twice", message)
        elif target.kind in ("wager", "bonus") and target.name not in (wagers or (target.name,)):
            names = ", ".join(wagers or ())
            message = f"the game has no wager {quote(target.name)}"
            yield tree.build_diagnostic(at, "unknown-wager", message, help=f"its wagers and bonuses are {names}")
        used[use.into] = heading
    for needed in ("round", *(() if table_map.table else ("table",)), "time"):
        if needed not in used:
            yield tree.build_diagnostic(("columns",), "missing-column", f"no column gives the `{needed}` of a round")
    of_row = {"seat": ("seat",), "wager": ("seat", "wager", "amount"), "round": ()}[table_map.rows]
    for needed in of_row:
        if needed not in used:
            yield tree.build_diagnostic(("columns",), "missing-column", f"no column gives the `{needed}` of a row")


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
