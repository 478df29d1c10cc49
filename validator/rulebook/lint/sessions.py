"""What cannot be meant in checks that span rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.language.conditions import Condition, Problem, Quantity
from validator.rules.core.visitor import Parts
from validator.rules.model.game import Game
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck
from validator.text.trees.tree import Path


def spanning_problems(game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: Path) -> Iterator[Problem]:
    """Everything that cannot be meant in such a check, which stands at `here`."""
    match check:
        case SuccessionCheck() if check.each == "player" and check.operator != "must":
            yield (*here, "each"), "players are judged one by one only by a statement: it goes with `must`"
        case SuccessionCheck() if check.deck != "other" and (check.received or check.removed):
            name = "received" if check.received else "removed"
            yield (*here, name), "which decks a table has is asked only of two in turn: it goes with `deck: other`"
        case EveryCheck() if check.counts is not None and check.within.operator == "hours":
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


def looking_back(parts: Parts) -> Iterator[Problem]:
    """What speaks of the round before must stand in a check that holds rounds against it."""
    looking = [path for path, one in parts if isinstance(one, Condition | Quantity) and one.meaning.looks_back]
    allowed = set(_across(parts)) if looking else set()
    for path in looking:
        if path not in allowed:
            yield (
                path,
                "the round before is known only to `succession` with `must`, not to facts, counts or totals",
            )


def _across(parts: Parts) -> Iterator[Path]:
    """The places of conditions and quantities that may speak of the round before."""
    open_: list[Path] = []
    closed: list[Path] = []
    for path, found in parts:
        if isinstance(found, SuccessionCheck) and found.operator == "must":
            open_, closed = [(*path, "must"), (*path, "when")], []
        elif isinstance(found, Condition | Quantity) and _inside(path, open_) and not _inside(path, closed):
            yield path
            if not found.meaning.may_hold_back:
                closed.append(path)


def _inside(path: Path, places: Sequence[Path]) -> bool:
    return any(path[: len(one)] == one for one in places)
