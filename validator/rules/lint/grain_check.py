"""Whether a condition can be asked where it stands: of a round, of each seat, stake or event."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rules.conditions.conditions import Condition, Quantity
from validator.rules.core.grain import Grain, MixedGrains, covers, grain_of_condition, grain_of_quantity
from validator.rules.model.game import Game
from validator.text.trees.tree import Path

Problem = tuple[Path, str]


def asked(condition: Condition | None, grain: Grain, game: Game, here: Path) -> Iterator[Problem]:
    """The problem of a condition that does not speak at the grain at which it is asked."""
    if condition is None:
        return
    try:
        inner = grain_of_condition(condition, game)
    except MixedGrains as error:
        yield here, str(error)
        return
    if not covers(grain, inner):
        yield here, f"speaks of each {inner}, but is asked of each {grain}"


def measured(quantity: Quantity, grain: Grain, game: Game, here: Path) -> Iterator[Problem]:
    """The problem of a quantity that does not speak at the grain at which it is asked."""
    try:
        inner = grain_of_quantity(quantity, game)
    except MixedGrains as error:
        yield here, str(error)
        return
    if not covers(grain, inner):
        yield here, f"speaks of each {inner}, but is asked of each {grain}"
