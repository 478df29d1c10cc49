"""What is defined and never used: mostly a name that was meant elsewhere and is another there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.language.operands import ReadingIs
from validator.rules.core.references import references
from validator.rules.core.visitor import walk
from validator.rules.model.document import Document, ReadingFile
from validator.rules.model.game import Game
from validator.text.models.model import Closed
from validator.text.trees.tree import Path

Used = Mapping[str, frozenset[str]]
"""The names that files use, by the kind of thing they name."""

_DROP = "use it where it was meant, or take it away"


OPTIONS = "options of "
"""Stands before the name of a reading, for those of its options that rules ask for."""


def used_in(models: Iterable[BaseModel]) -> Used:
    """The names that files use, and the options of readings that they ask for."""
    found: dict[str, set[str]] = {}
    for model in models:
        for _, kind, name in references(model, ()):
            found.setdefault(kind, set()).add(name)
        for _, part in walk(model, ()):
            if isinstance(part, ReadingIs):
                found.setdefault(f"{OPTIONS}{part.name}", set()).add(part.is_)
    return {kind: frozenset(names) for kind, names in found.items()}


def unused(used: Used, model: Closed) -> Iterator[Caution]:
    """Everything that a file defines and no file uses."""
    match model:
        case Game():
            yield from _of_game(used, model)
        case ReadingFile():
            yield from _readings(used, model)
        case Document():
            for name in model.lists:
                if name not in used.get("list", frozenset()):
                    yield _unused("list", name, ("lists", name))


def _of_game(used: Used, game: Game) -> Iterator[Caution]:
    defined: list[tuple[str, str, Path]] = []
    for kind, key, names in (
        ("hand", "hands", game.hands),
        ("fact", "facts", game.facts),
        ("drawing", "drawing", game.drawing),
        ("scale", "scales", game.scales),
        ("pay-table", "pay-tables", game.pay_tables),
        ("position", "table", {} if game.table is None else game.table.positions),
    ):
        inside: Path = ("table", "positions") if kind == "position" else (key,)
        defined += [(kind, name, (*inside, name)) for name in names]
    # Settlement pays a line by any table of the line, unless requirements name some of its tables and leave out others.
    lines = {case.due.operand.of for case in game.settlement.cases if case.due.operator == "pay-table"}
    lines -= {table.for_ for name, table in game.pay_tables.items() if name in used.get("pay-table", frozenset())}
    paid_by = {name for name, table in game.pay_tables.items() if table.for_ in lines}
    for kind, name, here in defined:
        if kind == "pay-table" and name in paid_by:
            continue
        also = used.get("first-seat", frozenset()) if kind == "position" else frozenset()
        if name not in used.get(kind, frozenset()) | also:
            yield _unused(kind.replace("-", " "), name, here)


def _readings(used: Used, file: ReadingFile) -> Iterator[Caution]:
    """Of the options of a reading one at the most is what holds where no condition asks for another, and something
    hangs on one that is asked for."""
    for index, reading in enumerate(file.readings):
        asked = used.get(f"{OPTIONS}{reading.reading}", frozenset())
        alike = [option for option in reading.options if option not in asked]
        if len(alike) > 1 and reading.changes != "nothing":
            yield Caution(
                code="unused",
                at=("readings", index, "alternatives", alike[1]),
                at_key=True,
                severity="warning",
                message=f"no rule tells the options {' and '.join(alike)} of {reading.reading} apart, though "
                f"{reading.changes} is said to hang on it",
                help="ask for the option with `reading` where it makes a difference, or say `changes: nothing`",
            )
        if asked and reading.changes == "nothing":
            yield Caution(
                code="changes-something",
                at=("readings", index, "changes"),
                severity="warning",
                message=f"nothing is said to hang on {reading.reading}, and rules ask whether it is read as "
                f"{' or '.join(sorted(asked))}",
                help="say `changes: money` where payments hang on it, else `changes: verdict`",
            )


def _unused(what: str, name: str, here: Path) -> Caution:
    return Caution(code="unused", at=here, severity="warning", message=f"nothing uses the {what} {name}", help=_DROP)
