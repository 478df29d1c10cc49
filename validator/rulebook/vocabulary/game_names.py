"""The names by which submissions and hand logs refer to a game, for people who write one by hand."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.submission.conditions import Value
from validator.operators.house import OptionIs
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game

Names = dict[str, str] | dict[str, list[str]] | list[str]
"""Names with titles, names with further names, or names only."""

_OPTION_PREFIX = "options."


def names_of(regulation: Regulation) -> dict[str, Names]:
    """Return the names that a document uses for its game, by kind, with titles where they have one.

    `rows` are the rows that pay tables of a line may have. `options` are the options that rules test, with the expected
    values. `what` are the words that rules look for in events of a kind. Empty kinds are left out; a document without a
    game has none.
    """
    game = regulation.game
    if game is None:
        return {}
    names_by_kind: dict[str, Names] = {
        "wagers": {name: wager.title for name, wager in game.wagers.items()},
        "bonuses": {name: bonus.title for name, bonus in game.bonuses.items()},
        "decisions": {name: decision.title for name, decision in game.decisions.items()},
        "dealing": list(dict.fromkeys(name for stage in game.deal.stages for name in stage.ways)),
        "rows": _collect_rows(game),
        "meters": sorted({table.meter for table in game.pay_tables.values() if table.meter is not None}),
        "options": {name: sorted(map(_format_value, values)) for name, values in choices_of(regulation).items()},
        "what": _collect_event_words(game),
    }
    return {kind: names for kind, names in names_by_kind.items() if names}


def _collect_rows(game: Game) -> dict[str, list[str]]:
    rows: dict[str, dict[str, None]] = {}
    for table in game.pay_tables.values():
        rows.setdefault(table.for_, {}).update(dict.fromkeys(table.rows))
    return {line: list(names) for line, names in rows.items()}


def _collect_event_words(game: Game) -> dict[str, list[str]]:
    words: dict[str, dict[str, None]] = {}
    for step in game.procedure:
        named = [*(step.what_is or ()), *(() if step.what is None else (step.what,))]
        for kind in step.events if named else ():
            words.setdefault(kind, {}).update(dict.fromkeys(named))
    return {kind: list(names) for kind, names in words.items()}


def choices_of(regulation: Regulation) -> dict[str, list[bool | str]]:
    """Return the options of the licensee that rules test, with the expected values."""
    values_by_option: dict[str, dict[bool | str, None]] = {}
    for model in (*(() if regulation.game is None else (regulation.game,)), *regulation.requirements):
        for name, values in _list_tested_options(model):
            tested = values_by_option.setdefault(name, {})
            tested.update(dict.fromkeys(value if isinstance(value, bool) else str(value) for value in values))
    return {name: list(values) for name, values in sorted(values_by_option.items())}


def _format_value(value: bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _list_tested_options(model: BaseModel) -> Iterator[tuple[str, list[object]]]:
    """Yield every option of the licensee that rules test, with the expected values."""
    for _, part in walk(model, ()):
        if isinstance(part, OptionIs):
            yield part.name, [part.is_]
            continue
        for field in part.model_fields_set:
            path = getattr(part, field)
            if isinstance(path, str) and path.startswith(_OPTION_PREFIX):
                expected: list[object] = []
                if isinstance(part, Value) and field == "at":
                    expected = (
                        part.operand if part.operator == "one-of" else [part.operand] * (part.operator == "equals")
                    )
                yield path.removeprefix(_OPTION_PREFIX), expected
