"""What cannot be meant in checks that span rounds."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rulebook.asked import Problem, asked
from validator.rulebook.grain import grain_of_quantity
from validator.rulebook.language.game import Game
from validator.rulebook.language.sessions import EveryCheck, NeededCheck, SuccessionCheck
from validator.text.tree import Path


def spanning_problems(game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: Path) -> Iterator[Problem]:
    """Everything that cannot be meant in such a check, which stands at `here`."""
    yield from asked(check.when, "round", game, (*here, "when"))
    match check:
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
