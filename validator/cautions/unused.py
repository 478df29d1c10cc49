"""Warnings about definitions that nothing uses, often because another name is misspelt."""

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

_REMEDY = "use it where it was meant, or remove it"


OPTIONS = "options of "
"""Prefix of the kind under which the options of a reading that rules use are listed."""


def used_in(models: Iterable[BaseModel]) -> Used:
    """Return the names that files use, and the options of readings that rules distinguish."""
    names_by_kind: dict[str, set[str]] = {}
    for model in models:
        for _, kind, name in references(model, ()):
            names_by_kind.setdefault(kind, set()).add(name)
        for _, part in walk(model, ()):
            if isinstance(part, ReadingIs):
                names_by_kind.setdefault(f"{OPTIONS}{part.name}", set()).add(part.is_)
    return {kind: frozenset(names) for kind, names in names_by_kind.items()}


def unused(used: Used, model: Closed) -> Iterator[Caution]:
    """Yield a warning for everything that a file defines and no file uses."""
    match model:
        case Game():
            yield from _check_game(used, model)
        case ReadingFile():
            yield from _check_readings(used, model)
        case Document():
            for name in model.lists:
                if name not in used.get("list", frozenset()):
                    yield _build_unused_warning("list", name, ("lists", name))


def _check_game(used: Used, game: Game) -> Iterator[Caution]:
    defined: list[tuple[str, str, Path]] = []
    for kind, key, names in (
        ("hand", "hands", game.hands),
        ("fact", "facts", game.facts),
        ("drawing", "drawing", game.drawing),
        ("scale", "scales", game.scales),
        ("pay-table", "pay-tables", game.pay_tables),
        ("position", "table", {} if game.table is None else game.table.positions),
    ):
        parent: Path = ("table", "positions") if kind == "position" else (key,)
        defined += [(kind, name, (*parent, name)) for name in names]
    # Settlement pays a line by any table of the line, unless requirements name some of its tables and leave out others.
    lines = {case.due.operand.of for case in game.settlement.cases if case.due.operator == "pay-table"}
    lines -= {table.for_ for name, table in game.pay_tables.items() if name in used.get("pay-table", frozenset())}
    paid_by = {name for name, table in game.pay_tables.items() if table.for_ in lines}
    for kind, name, here in defined:
        if kind == "pay-table" and name in paid_by:
            continue
        also = used.get("first-seat", frozenset()) if kind == "position" else frozenset()
        if name not in used.get(kind, frozenset()) | also:
            yield _build_unused_warning(kind.replace("-", " "), name, here)


def _check_readings(used: Used, file: ReadingFile) -> Iterator[Caution]:
    """Yield warnings about options of readings.

    At most one option may be unused by rules: the one that holds if no condition names another. Something must depend
    on a reading whose options rules distinguish.
    """
    for index, reading in enumerate(file.readings):
        distinguished = used.get(f"{OPTIONS}{reading.reading}", frozenset())
        undistinguished = [option for option in reading.options if option not in distinguished]
        if len(undistinguished) > 1 and reading.changes != "nothing":
            yield Caution(
                code="unused",
                at=("readings", index, "alternatives", undistinguished[1]),
                at_key=True,
                severity="warning",
                message=f"no rule distinguishes the options {' and '.join(undistinguished)} of {reading.reading}, "
                "although "
                f"`changes` is {reading.changes}",
                help="use the option in a `reading` condition where it matters, or write `changes: nothing`",
            )
        if distinguished and reading.changes == "nothing":
            yield Caution(
                code="reading-has-effect",
                at=("readings", index, "changes"),
                severity="warning",
                message=f"`changes` of {reading.reading} is `nothing`, but rules distinguish whether it is read as "
                f"{' or '.join(sorted(distinguished))}",
                help="write `changes: money` if payments depend on it, otherwise `changes: verdict`",
            )


def _build_unused_warning(kind: str, name: str, here: Path) -> Caution:
    return Caution(code="unused", at=here, severity="warning", message=f"nothing uses the {kind} {name}", help=_REMEDY)
