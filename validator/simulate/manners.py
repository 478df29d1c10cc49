"""What seats say and put forward ahead of their acts of betting."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.turns.verbal_declarations import INCOMPLETE
from validator.evidence.handlog.events import KIND
from validator.rules.simulation.manners import Manner
from validator.simulate.bets import Shown
from validator.simulate.choosing import Acts, Chooser, Waiting
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.posting import stacks_of

MOST_SHOWN = 4
"""How many events there are ahead of an act at most."""
_WORDS, _FIRST, _INCOMPLETE, _SECOND = range(MOST_SHOWN)

Motion = tuple[Ints, Ints]
"""Chips put forward at once: int64[m] what they come to, and int64[m] how many they are."""


class Manners:
    """The manners of a house."""

    def __init__(self, house: House, chooser: Chooser) -> None:
        self._house, self._chooser = house, chooser
        self._values = sorted({*stacks_of(house).chips}) or [house.wager_unit]

    def usual(self, waiting: Waiting, acts: Acts, silent: Flags, rng: np.random.Generator) -> list[Shown]:
        """What seats show of their acts, if they are not silent (bool[m])."""
        found: list[Shown] = []
        customs = self._house.simulation.manners
        if not customs or silent.all():
            return found
        making = self._chooser.making(waiting, acts)
        free = ~silent
        for custom in customs:
            follows = free & happens(rng, len(free), custom.chance) & self.can(custom, making, waiting, acts)
            if custom.when is not None and follows.any():
                follows &= self._chooser.truth(custom.when, making, waiting.seat) == YES
            free &= ~follows
            found += self.shown(custom, follows, making, waiting, acts)
        return found

    def can(self, manner: Manner, moment: Scope, waiting: Waiting, acts: Acts) -> Flags:
        """bool[m]: the seats that have the chips to follow a manner."""
        return self._motions(manner, waiting, self._of(manner, moment, waiting, acts)[1])[1]

    def shown(self, manner: Manner, chosen: Flags, moment: Scope, waiting: Waiting, acts: Acts) -> list[Shown]:
        """What is shown by the seats that follow a manner (bool[m]), who can."""
        at = np.flatnonzero(chosen)
        if not len(at):
            return []
        decision, amount = self._of(manner, moment, waiting, acts)
        found: list[Shown] = []
        if manner.say == "incomplete":
            found.append(_declared(at, _INCOMPLETE, self._house.decisions.index(INCOMPLETE), ABSENT))
        elif manner.say is not None:
            sized = np.isin(decision, [self._chooser.code("bet"), self._chooser.code("raise")])
            total = np.where(sized & (manner.say == "total"), waiting.states.put + amount, ABSENT)
            found.append(_declared(at, _WORDS, decision[at], total[at]))
        motions, _ = self._motions(manner, waiting, amount)
        for detail, (value, pieces) in zip((_FIRST, _SECOND), motions, strict=False):
            found.append(_row(at, "tender", detail, amount=value[at], chips=pieces[at]))
        return found

    def _of(self, manner: Manner, moment: Scope, waiting: Waiting, acts: Acts) -> Acts:
        """The acts that are shown."""
        if manner.as_ is None:
            return acts
        decision = np.full(len(waiting.seat), self._house.decisions.index(manner.as_), np.int64)
        return decision, self._chooser.usual(decision, moment, waiting)

    def _motions(self, manner: Manner, waiting: Waiting, amount: Ints) -> tuple[list[Motion], Flags]:
        """How chips are put forward that come to these amounts, and bool[m], whose chips allow it."""
        behind, smallest = waiting.states.behind, self._values[0]
        one, whole = np.ones_like(amount), (amount, self._pieces(amount))
        match manner.tender:
            case "whole":
                return [whole], amount > 0
            case "one-chip":
                return [(amount, one)], np.isin(amount, self._values)
            case "larger-chip":
                values = np.array([*self._values, np.iinfo(np.int64).max])
                chip = values[np.searchsorted(values[:-1], amount, side="right")]
                return [(chip, one)], (amount > 0) & (chip <= behind)
            case "in-parts":
                first = amount // 2 // smallest * smallest
                rest = amount - first
                return [(first, self._pieces(first)), (rest, self._pieces(rest))], first > 0
            case "and-more":
                more = np.full_like(amount, smallest)
                return [whole, (more, one)], (amount > 0) & (amount + smallest <= behind)
            case _:
                return [], np.ones(len(amount), np.bool_)

    def _pieces(self, amount: Ints) -> Ints:
        """int64[m]: how few chips an amount takes; several of the next lower value where one would do."""
        pieces, left = np.zeros_like(amount), amount
        for value in reversed(self._values):
            pieces, left = pieces + left // value, left % value
        pieces = pieces + (left > 0)
        for lower, value in pairwise(self._values):
            pieces = np.where((pieces == 1) & (amount == value), -(-value // lower), pieces)
        return pieces


def _declared(at: Ints, detail: int, decision: int | Ints, total: int | Ints) -> Shown:
    return _row(at, "declare", detail, decision=decision, amount=total)


def _row(
    at: Ints, kind: str, detail: int, *, decision: int | Ints = ABSENT, amount: int | Ints, chips: int | Ints = ABSENT
) -> Shown:
    def column(value: int | Ints) -> Ints:
        return np.broadcast_to(np.asarray(value, np.int64), len(at))

    return Shown(
        act=at,
        kind=np.full(len(at), KIND[kind], np.uint8),
        detail=column(detail),
        decision=column(decision),
        amount=column(amount),
        chips=column(chips),
    )


def nothing_shown() -> Shown:
    """What nobody said and put forward."""
    return _row(np.zeros(0, np.int64), "declare", _WORDS, amount=ABSENT)


def all_shown(parts: Sequence[tuple[int, Shown]]) -> Shown:
    """What was shown of several lots of acts as of one, each lot with the number of the first of its acts there."""
    lots = [*parts, (0, nothing_shown())]
    return Shown(
        act=np.concatenate([one.act + first for first, one in lots]),
        kind=np.concatenate([one.kind for _, one in lots]),
        detail=np.concatenate([one.detail for _, one in lots]),
        decision=np.concatenate([one.decision for _, one in lots]),
        amount=np.concatenate([one.amount for _, one in lots]),
        chips=np.concatenate([one.chips for _, one in lots]),
    )
