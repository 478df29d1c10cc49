"""What cannot be meant in checks that span rounds."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.language.conditions import Condition, Problem, Quantity, asked_at
from validator.language.grains import Grain
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck
from validator.text.trees.tree import Path


def spanning_problems(game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: Path) -> Iterator[Problem]:
    """Everything that cannot be meant in such a check, which stands at `here`."""
    grain: Grain = "seat" if isinstance(check, SuccessionCheck) and check.each == "player" else "round"
    yield from asked_at(check.when, grain, game, (*here, "when"))
    match check:
        case SuccessionCheck() if check.operator == "must":
            yield from asked_at(check.must, grain, game, (*here, "must"))
        case SuccessionCheck() if check.each == "player":
            yield (*here, "each"), "players are judged one by one only by a statement: it goes with `must`"
        case EveryCheck():
            yield from asked_at(check.counts, "round", game, (*here, "counts"))
            if check.operator == "happens":
                yield from asked_at(check.happens, "round", game, (*here, "happens"))
            if check.counts is not None and check.within.operator == "hours":
                yield (*here, "counts"), "hours go by in every round: only rounds can be counted or not"
        case SuccessionCheck() if check.operator == "number":
            for name, quantity in (("of", check.number.of), (check.number.operator, check.number.operand)):
                grain = quantity.grain(game)
                if grain != "round":
                    yield (*here, "number", name), f"speaks of each {grain}, but is asked of each round"
        case NeededCheck() if check.per == "round" and "table-opens" in check.occasions:
            yield (
                (*here, "since"),
                "the opening of the table lies in no round: it goes with `per: table` or `per: deck`",
            )


def looking_back(model: BaseModel) -> Iterator[Problem]:
    """What speaks of the round before must stand in a check that holds rounds against it."""
    looking = [
        path for path, one in walk(model, ()) if isinstance(one, Condition | Quantity) and one.meaning.looks_back
    ]
    allowed = set(_across(model)) if looking else set()
    for path in looking:
        if path not in allowed:
            yield (
                path,
                "the round before is known only to `succession` with `must`, not to facts, counts or totals",
            )


def _across(model: BaseModel) -> Iterator[Path]:
    """The places of conditions and quantities that may speak of the round before."""
    for path, found in walk(model, ()):
        if isinstance(found, SuccessionCheck) and found.operator == "must":
            for key, condition in (("must", found.must), ("when", found.when)):
                if condition is not None:
                    yield from _within(condition, (*path, key))


def _within(condition: Condition, here: Path) -> Iterator[Path]:
    closed: list[Path] = []
    for path, found in walk(condition, here):
        if isinstance(found, Condition | Quantity) and not any(path[: len(one)] == one for one in closed):
            yield path
            if not found.meaning.may_hold_back:
                closed.append(path)
