"""Best strategy of the player, described by a rule where possible."""

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
    """Return the decisions that are best for some hands, the most costly first; none if one is best for all."""
    choice = solution.choice
    if choice is None:
        return tuple(part for point in solution.points for part in _describe_point(table.prepared, point))
    decisions = list(dict.fromkeys(alternative.name for alternative in reversed(solution.alternatives)))
    of = np.array([decisions.index(alternative.name) for alternative in solution.alternatives])[choice.best]
    return tuple(_list_parts(table.prepared, decisions, of, choice.weight, choice.cards))


def _describe_point(prepared: Prepared, point: PointChoice) -> Iterator[PartOfStrategy]:
    """Yield the decisions that are best at a decision point, the most costly first."""
    decisions = list(reversed(point.decisions))
    best = len(decisions) - 1 - point.best
    for part in _list_parts(prepared, decisions, best, point.weight, point.cards.get("player")):
        yield replace(part, after=point.after)


def _list_parts(
    prepared: Prepared, decisions: Sequence[str | None], best: Ints, weight: Ints, cards: Codes | None
) -> list[PartOfStrategy]:
    """Return the decisions that are best for some hands, in order; none if one is best for all."""
    parts = [
        PartOfStrategy(
            decision=decision or "none",
            hands=int(weight[best == number].sum()),
            of=int(weight.sum()),
            when=None if cards is None else _describe_hands(prepared, cards, best == number),
        )
        for number, decision in enumerate(decisions)
        if (best == number).any()
    ]
    return parts if len(parts) > 1 else []


def _describe_hands(prepared: Prepared, cards: Codes, chosen: Flags) -> str | None:
    """Return a description of the chosen hands, if they are all hands above or below a threshold of the player's own
    hand."""
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
