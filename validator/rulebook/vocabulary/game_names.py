"""The names by which submissions and hand logs speak of a game: what somebody who writes one by hand has to know."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.submission.conditions import Value
from validator.operators.house import OptionIs
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game

Names = dict[str, str] | dict[str, list[str]] | list[str]

_OPTION = "options."


def names_of(regulation: Regulation) -> dict[str, Names]:
    """What the game of a document calls things, by kind: names with their titles, or the names alone.

    `rows` are those that pay tables of a line may have, `options` the choices that its rules ask about, with the
    values they ask for, `what` the words they look for in events of a kind. A kind of which there is nothing is left
    out; so is everything where there is no game.
    """
    game = regulation.game
    if game is None:
        return {}
    found: dict[str, Names] = {
        "wagers": {name: wager.title for name, wager in game.wagers.items()},
        "bonuses": {name: bonus.title for name, bonus in game.bonuses.items()},
        "decisions": {name: decision.title for name, decision in game.decisions.items()},
        "dealing": list(dict.fromkeys(name for stage in game.deal.stages for name in stage.ways)),
        "rows": _rows(game),
        "meters": sorted({table.meter for table in game.pay_tables.values() if table.meter is not None}),
        "options": {name: sorted(map(_written, values)) for name, values in choices_of(regulation).items()},
        "what": _what(game),
    }
    return {kind: names for kind, names in found.items() if names}


def _rows(game: Game) -> dict[str, list[str]]:
    rows: dict[str, dict[str, None]] = {}
    for table in game.pay_tables.values():
        rows.setdefault(table.for_, {}).update(dict.fromkeys(table.rows))
    return {line: list(names) for line, names in rows.items()}


def _what(game: Game) -> dict[str, list[str]]:
    words: dict[str, dict[str, None]] = {}
    for step in game.procedure:
        named = [*(step.what_is or ()), *(() if step.what is None else (step.what,))]
        for kind in step.events if named else ():
            words.setdefault(kind, {}).update(dict.fromkeys(named))
    return {kind: list(names) for kind, names in words.items()}


def choices_of(regulation: Regulation) -> dict[str, list[bool | str]]:
    """The choices of the licensee that rules ask about, by name, with the values they ask for."""
    found: dict[str, dict[bool | str, None]] = {}
    for model in (*(() if regulation.game is None else (regulation.game,)), *regulation.requirements):
        for name, values in _asked(model):
            asked = found.setdefault(name, {})
            asked.update(dict.fromkeys(one if isinstance(one, bool) else str(one) for one in values))
    return {name: list(values) for name, values in sorted(found.items())}


def _written(value: bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _asked(model: BaseModel) -> Iterator[tuple[str, list[object]]]:
    """Every choice of the licensee that rules ask about, with the values they ask for."""
    for _, part in walk(model, ()):
        if isinstance(part, OptionIs):
            yield part.name, [part.is_]
            continue
        for field in part.model_fields_set:
            path = getattr(part, field)
            if isinstance(path, str) and path.startswith(_OPTION):
                wanted: list[object] = []
                if isinstance(part, Value) and field == "at":
                    wanted = part.operand if part.operator == "one-of" else [part.operand] * (part.operator == "equals")
                yield path.removeprefix(_OPTION), wanted
