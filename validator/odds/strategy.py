"""What is best for the player, told as a rule where it is one."""

from __future__ import annotations

import numpy as np

from validator.arrays import Flags, Ints32
from validator.engine.compiled.game import Prepared
from validator.odds.figures import PartOfStrategy
from validator.odds.rounds.play import Table
from validator.odds.rounds.solution import Choice, Solution


def strategy_of(table: Table, solution: Solution) -> tuple[PartOfStrategy, ...]:
    """The decisions that are best for some hand, the most costly first; nothing where one is best for all."""
    choice = solution.choice
    if choice is None:
        return ()
    decisions = list(dict.fromkeys(one.decision for one in reversed(solution.alternatives)))
    of = np.array([decisions.index(one.decision) for one in solution.alternatives])[choice.best]
    total = int(choice.weight.sum())
    parts = [
        PartOfStrategy(
            decision=decision or "none",
            hands=int(choice.weight[of == number].sum()),
            of=total,
            when=_in_words(table.prepared, choice, of == number),
        )
        for number, decision in enumerate(decisions)
        if (of == number).any()
    ]
    return tuple(parts) if len(parts) > 1 else ()


def _in_words(prepared: Prepared, choice: Choice, chosen: Flags) -> str | None:
    """The hands that were chosen, where they are all that are so high, or all that are no higher, by some hand that is
    made of the player's own cards."""
    for hand in prepared.hands.values():
        if hand.places != ("player",) or hand.cards == "open" or hand.sizes[0] != choice.cards.shape[1]:
            continue
        strengths: Ints32 = hand.strength(choice.cards)
        inside, outside = strengths[chosen], strengths[~chosen]
        if not len(outside):
            return None
        if inside.min() > outside.max():
            return f"{hand.ranking.describe(int(inside.min()))} or better"
        if inside.max() < outside.min():
            return f"lower than {hand.ranking.describe(int(outside.min()))}"
    return None
