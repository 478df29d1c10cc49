"""Dependencies of a part of the rules: the part itself, the facts it names, the steps whose events it uses."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.conditions import Condition, Quantity
from validator.rules.core.visitor import walk
from validator.rules.model.betting import BettingRound
from validator.rules.model.game import Game, Step


def worked_out_from(game: Game, model: BaseModel) -> Iterator[BaseModel]:
    """Yield all models within a model and within the facts and step conditions it depends on, and those steps, each
    once."""
    steps = {step.step: step for step in game.procedure}
    seen: set[tuple[str, str]] = set()
    pending = [model]
    while pending:
        for _, part in walk(pending.pop(), ()):
            yield part
            for kind, name in _list_references(part):
                if (kind, name) in seen:
                    continue
                seen.add((kind, name))
                if kind == "fact":
                    pending.append(game.facts[name])
                else:
                    yield steps[name]
                    pending += [] if (when := steps[name].when) is None else [when]


def of_seats(part: BaseModel) -> bool:
    """Return whether a part is a step of the seats that win pots, or of those that do not."""
    return isinstance(part, Step) and part.of_seats is not None


def _list_references(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts that a part names, and the steps whose events it uses."""
    if isinstance(part, Condition | Quantity):
        yield from (("fact", name) for name in part.meaning.facts(part.operand))
        yield from (("step", name) for name in part.meaning.steps(part.operand))
    elif isinstance(part, BettingRound) and part.after is not None:
        yield "step", part.after
