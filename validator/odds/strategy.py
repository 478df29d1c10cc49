"""What is best for the player, told as a rule where it is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.engine.compiled.game import Prepared
from validator.odds.figures import PartOfStrategy
from validator.odds.rounds.play import Table
from validator.odds.rounds.solution import PointChoice, Solution


def strategy_of(table: Table, solution: Solution) -> tuple[PartOfStrategy, ...]:
    """Return the decisions that are best for some hand, the most costly first; none where one is best for all."""
    choice = solution.choice
    if choice is None:
        return tuple(part for point in solution.points for part in _at_point(table.prepared, point))
    decisions = list(dict.fromkeys(alternative.name for alternative in reversed(solution.alternatives)))
    of = np.array([decisions.index(alternative.name) for alternative in solution.alternatives])[choice.best]
    return tuple(_parts(table.prepared, decisions, of, choice.weight, choice.cards))


def _at_point(prepared: Prepared, point: PointChoice) -> Iterator[PartOfStrategy]:
    """Yield the decisions that are best at a decision point, the most costly first."""
    decisions = list(reversed(point.decisions))
    best = len(decisions) - 1 - point.best
    for part in _parts(prepared, decisions, best, point.weight, point.cards.get("player")):
        yield replace(part, after=point.after)


def _parts(
    prepared: Prepared, decisions: Sequence[str | None], best: Ints, weight: Ints, cards: Codes | None
) -> list[PartOfStrategy]:
    """Return the decisions that are best for some hands, in order; none where one is best for all."""
    parts = [
        PartOfStrategy(
            decision=decision or "none",
            hands=int(weight[best == number].sum()),
            of=int(weight.sum()),
            when=None if cards is None else _in_words(prepared, cards, best == number),
        )
        for number, decision in enumerate(decisions)
        if (best == number).any()
    ]
    return parts if len(parts) > 1 else []


def _in_words(prepared: Prepared, cards: Codes, chosen: Flags) -> str | None:
    """The hands that were chosen, where they are all that are so high, or all that are no higher, by some hand that is
    made of the player's own cards."""
    for hand in prepared.hands.values():
        if hand.places != ("player",) or hand.cards == "open" or hand.sizes[0] != cards.shape[1]:
            continue
        strengths: Ints32 = hand.strength(cards)
        inside, outside = strengths[chosen], strengths[~chosen]
        if not len(outside):
            return None
        if inside.min() > outside.max():
            return f"{hand.ranking.describe(int(inside.min()))} or better"
        if inside.max() < outside.min():
            return f"lower than {hand.ranking.describe(int(outside.min()))}"
    return None
