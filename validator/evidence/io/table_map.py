"""Map of the columns of a table to the keys of a hand log, and a guess of one from a header."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import Field, StringConstraints

from fairdeal.validator.text.closed_model import ClosedModel, make_list
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, quote
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import Source
from fairdeal.validator.text.validation import validate

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
    words: dict[Name, Name] = Field(default_factory=dict)
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
    ignored: list[Name] = Field(default_factory=make_list)
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
