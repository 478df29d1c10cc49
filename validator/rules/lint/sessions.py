"""What cannot be meant in checks that span rounds."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.rules.conditions.conditions import Condition, Quantity
from validator.rules.core.grain import Grain, grain_of_quantity
from validator.rules.core.visitor import walk
from validator.rules.lint.grain_check import Problem, asked
from validator.rules.model.game import Game
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck
from validator.text.trees.tree import Path


def spanning_problems(game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: Path) -> Iterator[Problem]:
    """Everything that cannot be meant in such a check, which stands at `here`."""
    grain: Grain = "seat" if isinstance(check, SuccessionCheck) and check.each == "player" else "round"
    yield from asked(check.when, grain, game, (*here, "when"))
    match check:
        case SuccessionCheck() if check.operator == "must":
            yield from asked(check.must, grain, game, (*here, "must"))
        case SuccessionCheck() if check.each == "player":
            yield (*here, "each"), "players are judged one by one only by a statement: it goes with `must`"
        case EveryCheck():
            yield from asked(check.counts, "round", game, (*here, "counts"))
            if check.operator == "happens":
                yield from asked(check.happens, "round", game, (*here, "happens"))
            if check.counts is not None and check.within.operator == "hours":
                yield (*here, "counts"), "hours go by in every round: only rounds can be counted or not"
        case SuccessionCheck() if check.operator == "number":
            for name, quantity in (("of", check.number.of), (check.number.operator, check.number.operand)):
                grain = grain_of_quantity(quantity, game)
                if grain != "round":
                    yield (*here, "number", name), f"speaks of each {grain}, but is asked of each round"
        case NeededCheck() if check.per == "round" and "table-opens" in check.occasions:
            yield (
                (*here, "since"),
                "the opening of the table lies in no round: it goes with `per: table` or `per: deck`",
            )


def looking_back(model: BaseModel) -> Iterator[Problem]:
    """What speaks of the round before must stand in a check that holds rounds against it."""
    allowed = {id(one) for _, one in _across(model)}
    for path, found in walk(model, ()):
        back = isinstance(found, Quantity) and found.operator in ("previous", "passed-over")
        back |= isinstance(found, Condition) and found.operator == "new-player"
        if back and id(found) not in allowed:
            yield (
                path,
                "the round before is known only to `succession` with `must`, not to facts, counts or totals",
            )


def _across(model: BaseModel) -> Iterator[tuple[Path, BaseModel]]:
    """The quantities and conditions that may speak of the round before."""
    for path, found in walk(model, ()):
        if isinstance(found, SuccessionCheck) and found.operator == "must":
            for condition in (found.must, found.when):
                if condition is not None:
                    yield from _within(condition, path)


def _within(condition: Condition, path: Path) -> Iterator[tuple[Path, BaseModel]]:
    yield path, condition
    match condition.operator:
        case "all" | "any":
            for part in condition.operand:
                yield from _within(part, path)
        case "not":
            yield from _within(condition.operand, path)
        case "number":
            for quantity in (condition.operand.of, condition.operand.operand):
                yield from _measuring(quantity, path)


def _measuring(quantity: Quantity, path: Path) -> Iterator[tuple[Path, BaseModel]]:
    yield path, quantity
    for part in quantity.parts():
        yield from _measuring(part, path)
