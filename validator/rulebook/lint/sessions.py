"""Semantic errors in checks across rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.language.conditions import Condition, Problem, Quantity
from validator.rules.core.visitor import Parts
from validator.rules.model.game import Game
from validator.rules.model.sessions import EveryCheck, NeededCheck, SuccessionCheck
from validator.text.trees.tree import Path


def spanning_problems(game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: Path) -> Iterator[Problem]:
    """Yield the problems of a check across rounds that is located at `here`."""
    match check:
        case SuccessionCheck() if check.each == "player" and check.operator != "must":
            yield (*here, "each"), "`each: player` requires `must`"
        case SuccessionCheck() if check.deck != "other" and (check.received or check.removed):
            name = "received" if check.received else "removed"
            yield (*here, name), "requires `deck: other`, which checks two decks in turn"
        case EveryCheck() if check.counts is not None and check.within.operator == "hours":
            yield (*here, "counts"), "hours pass in every round: only rounds can be counted selectively"
        case SuccessionCheck() if check.operator == "number":
            for name, quantity in (("of", check.number.of), (check.number.operator, check.number.operand)):
                grain = quantity.grain(game)
                if grain != "round":
                    yield (*here, "number", name), f"refers to each {grain}, but is evaluated for each round"
        case NeededCheck() if check.per == "round" and "table-opens" in check.occasions:
            yield (
                (*here, "since"),
                "a table opens outside rounds: use `per: table` or `per: deck`",
            )


def looking_back(parts: Parts) -> Iterator[Problem]:
    """Yield references to the previous round outside checks that compare rounds with it."""
    references = [path for path, part in parts if isinstance(part, Condition | Quantity) and part.meaning.looks_back]
    allowed = set(_list_allowed_places(parts)) if references else set()
    for path in references:
        if path not in allowed:
            yield (
                path,
                "only `succession` with `must` can refer to the previous round, not facts, counts or totals",
            )


def _list_allowed_places(parts: Parts) -> Iterator[Path]:
    """Yield the places of conditions and quantities that may refer to the previous round."""
    open_: list[Path] = []
    closed: list[Path] = []
    for path, part in parts:
        if isinstance(part, SuccessionCheck) and part.operator == "must":
            open_, closed = [(*path, "must"), (*path, "when")], []
        elif isinstance(part, Condition | Quantity) and _is_inside(path, open_) and not _is_inside(path, closed):
            yield path
            if not part.meaning.may_hold_back:
                closed.append(path)


def _is_inside(path: Path, places: Sequence[Path]) -> bool:
    return any(path[: len(place)] == place for place in places)
