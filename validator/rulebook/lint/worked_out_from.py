"""What a part of the rules is worked out from: itself, the facts it names, the steps whose events it looks at."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.conditions import Condition, Quantity
from validator.rules.core.visitor import walk
from validator.rules.model.betting import BettingRound
from validator.rules.model.game import Game, Step


def worked_out_from(game: Game, model: BaseModel) -> Iterator[BaseModel]:
    """Everything within a model, and within the facts and the conditions of steps that it leads to, each once; and
    those steps."""
    steps = {step.step: step for step in game.procedure}
    seen: set[tuple[str, str]] = set()
    waiting = [model]
    while waiting:
        for _, found in walk(waiting.pop(), ()):
            yield found
            for kind, name in _named(found):
                if (kind, name) in seen:
                    continue
                seen.add((kind, name))
                if kind == "fact":
                    waiting.append(game.facts[name])
                else:
                    yield steps[name]
                    waiting += [] if (when := steps[name].when) is None else [when]


def of_seats(found: BaseModel) -> bool:
    """Whether it is a step of those seats that win the pots, or of those that do not."""
    return isinstance(found, Step) and found.of_seats is not None


def _named(found: BaseModel) -> Iterator[tuple[str, str]]:
    """The facts that a part names, and the steps whose events it looks at."""
    if isinstance(found, Condition | Quantity):
        yield from (("fact", name) for name in found.meaning.facts(found.operand))
        yield from (("step", name) for name in found.meaning.steps(found.operand))
    elif isinstance(found, BettingRound) and found.after is not None:
        yield "step", found.after
