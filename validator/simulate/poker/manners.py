"""What seats say and put forward ahead of their acts of betting."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from validator.engine.turns.verbal_declarations import INCOMPLETE
from validator.rules.simulation.manners import Manner
from validator.simulate.poker.chips import stacks_of
from validator.simulate.poker.habits import Habits
from validator.simulate.poker.turns import Choice, Moment, Turn
from validator.simulate.table.chance import happens
from validator.simulate.table.house import House
from validator.simulate.table.records import Event

Motion = tuple[int, int]
"""Chips put forward at once: what they come to, and how many they are."""


class Manners:
    """The manners of a house."""

    def __init__(self, house: House, habits: Habits) -> None:
        self._house, self._habits = house, habits
        self._values = sorted({*stacks_of(house).chips}) or [house.wager_unit]

    def usual(
        self, moment: Moment, choices: Sequence[Choice], silent: Sequence[bool], rng: Random
    ) -> list[list[Event]]:
        """What seats show of their acts, if they are not silent."""
        customs = self._house.simulation.manners
        # What of an act is shown hangs on no luck but this, so that the acts are the same whatever is shown of them.
        lucky = [
            [not still and happens(rng, custom.chance) for still in silent] if not all(silent) else []
            for custom in customs
        ]
        found: list[list[Event]] = [[] for _ in choices]
        free = [not still for still in silent]
        for custom, luck in zip(customs, lucky, strict=True):
            follows = [at for at, may in enumerate(luck) if may and free[at]]
            holds = moment.holds(custom.when, choices) if follows else []
            for at in follows:
                shown = self.shown(custom, moment.turns[at], choices[at])
                if holds[at] and shown is not None:
                    found[at], free[at] = shown, False
        return found

    def shown(self, manner: Manner, turn: Turn, choice: Choice) -> list[Event] | None:
        """What is shown by a seat that follows a manner; None where it has not the chips to follow it."""
        decision, amount = choice
        if manner.as_ is not None:
            decision, amount = manner.as_, self._habits.amount(manner.as_, turn)
        motions = self._motions(manner, turn, amount)
        if motions is None:
            return None
        found = [Event("tender", seat=turn.seat, amount=value, chips=pieces) for value, pieces in motions]
        if manner.say == "incomplete":
            found.insert(1, Event("declare", seat=turn.seat, decision=INCOMPLETE))
        elif manner.say is not None:
            sized = manner.say == "total" and self._habits.kind(decision) in ("bet", "raise")
            total = turn.in_ + amount if sized else None
            found.insert(0, Event("declare", seat=turn.seat, decision=decision, amount=total))
        return found

    def _motions(self, manner: Manner, turn: Turn, amount: int) -> list[Motion] | None:
        """How chips are put forward that come to an amount; None where one's chips do not allow it."""
        smallest, whole = self._values[0], (amount, self._pieces(amount))
        match manner.tender:
            case "whole":
                return [whole] if amount else None
            case "one-chip":
                return [(amount, 1)] if amount in self._values else None
            case "larger-chip":
                chip = next((value for value in self._values if value > amount), turn.behind + 1)
                return [(chip, 1)] if amount and chip <= turn.behind else None
            case "in-parts":
                first = amount // 2 // smallest * smallest
                rest = amount - first
                return [(first, self._pieces(first)), (rest, self._pieces(rest))] if first else None
            case "and-more":
                return [whole, (smallest, 1)] if amount and amount + smallest <= turn.behind else None
            case _:
                return []

    def _pieces(self, amount: int) -> int:
        """How few chips an amount takes; several of the next lower value where one would do."""
        pieces, left = 0, amount
        for value in reversed(self._values):
            pieces, left = pieces + left // value, left % value
        pieces += left > 0
        lower = next((lower for lower, value in pairwise(self._values) if value == amount), None)
        return -(-amount // lower) if pieces == 1 and lower is not None else pieces
