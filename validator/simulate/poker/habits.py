"""Habits of players: what a seat does in its turn, the amount, and what it declares or shows before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from validator.engine.turns.verbal_declarations import INCOMPLETE
from validator.rules.model.betting import Act as Kind
from validator.rules.simulation.manners import Manner
from validator.rules.simulation.simulation import Size
from validator.simulate.poker.turns import Choice, Moment, Turn
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Event

_THOUSAND = 1000

Motion = tuple[int, int]
"""Chips that are put forward at once: their amount and number."""


class Habits:
    """Habits and manners of the players of a house."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._values = sorted({*house.stacks.chips}) or [house.wager_unit]

    def choose(self, moment: Moment, rng: Luck) -> list[Choice]:
        """Return the act of each seat. A seat whose act is excluded calls or checks instead."""
        simulation, turns = self._house.simulation, moment.turns
        open_ = self._find_open_kinds(moment)
        to_any = set().union(*open_)
        habits = [
            (habit, kind, moment.holds(habit.when), moment.least(habit.size.of).tolist() if habit.size else [])
            for habit in simulation.habits
            if (kind := self._house.kinds.get(habit.decision)) in to_any
        ]
        choices: list[Choice] = []
        for at, (turn, is_open) in enumerate(zip(turns, open_, strict=True)):
            follows = (
                (habit.decision, 0 if habit.size is None else _choose_size(habit.size, of[at], rng))
                for habit, kind, fits, of in habits
                if fits[at] and kind in is_open and rng.happens(habit.chance)
            )
            usual: Kind = "complete" if not is_open & {"check", "fold"} else "fold" if turn["to-call"] else "check"
            chosen, beyond = next(follows, None) or (self._house.words[usual], 0)
            choices.append((chosen, self.amount(chosen, turn, beyond)))
        barred = [moment.holds(condition, choices) for condition in simulation.never]
        for at, turn in enumerate(turns):
            if any(of_turns[at] for of_turns in barred):
                chosen = self._house.words["call" if turn["to-call"] else "check"]
                choices[at] = chosen, self.amount(chosen, turn)
        return choices

    def _find_open_kinds(self, moment: Moment) -> list[set[Kind]]:
        """Return the kinds of act that are open to each seat."""
        words, numbers, every = self._house.words, moment.numbers, list[set[Kind]]()
        completed = numbers["smallest-bet"] if "complete" in words else [0] * len(moment.turns)
        rows = (moment.turns, numbers["to-call"], numbers["behind"], numbers["level"], completed)
        for turn, to_call, behind, level, least in zip(*rows, strict=True):
            answered = turn.answer > level
            beyond = behind > to_call and answered and turn.may_raise
            kinds: set[Kind] = {"fold", "call" if to_call else "check"}
            if turn.street == 0 and level == 0 and "bring-in" in words:
                kinds = {"bring-in"}
            elif level == 0 and answered:
                kinds.add("bet")
            # A bring-in must be completed before it can be raised.
            if beyond and "complete" in words and turn.street == 0 and level < least:
                kinds.add("complete")
            elif beyond and level > 0:
                kinds.add("raise")
            every.append(kinds)
        return every

    def amount(self, decision: str, turn: Turn, beyond: int = 0) -> int:
        """Return the amount of an act: the call, and the bet or raise beyond it in whole units within the limits.

        Args:
            decision: the decision.
            turn: turn of the seat.
            beyond: wanted amount beyond the call; 0 for the smallest.
        """
        kind, unit, further = self._house.kinds.get(decision), self._house.wager_unit, 0
        if kind not in ("call", "complete", "bet", "raise", "bring-in"):
            return 0
        if kind == "complete":
            further = max(turn["smallest-bet"] - turn["level"], 0)
        elif kind != "call":
            least = 1 if kind == "bring-in" else turn[f"smallest-{kind}"]
            further = min(-(-max(beyond, least, 1) // unit) * unit, max(turn["largest-raise"], 1))
        return min(turn["to-call"] + further, turn["behind"])

    def usual(self, moment: Moment, choices: Sequence[Choice], silent: Sequence[bool], rng: Luck) -> list[list[Event]]:
        """Return what seats show of their acts, unless they are silent."""
        shown_by_seat: list[list[Event] | None] = [None for _ in choices]
        for custom in self._house.simulation.manners:
            # Manners have their own random numbers, so that the acts do not depend on them.
            lucky = [not still and rng.happens(custom.chance) for still in silent]
            follows = [at for at, may in enumerate(lucky) if may and shown_by_seat[at] is None]
            holds = moment.holds(custom.when, choices) if follows else []
            for at in follows:
                shown_by_seat[at] = self.shown(custom, moment.turns[at], choices[at]) if holds[at] else None
        return [events or [] for events in shown_by_seat]

    def shown(self, manner: Manner, turn: Turn, choice: Choice) -> list[Event] | None:
        """Return what a seat shows when it follows a manner; None if it lacks the chips for it."""
        decision, amount = choice
        if manner.as_ is not None:
            decision, amount = manner.as_, self.amount(manner.as_, turn)
        motions = self._find_motions(manner, turn, amount)
        if motions is None:
            return None
        events = [Event("tender", seat=turn.seat, amount=value, chips=pieces) for value, pieces in motions]
        if manner.say == "incomplete":
            events.insert(1, Event("declare", seat=turn.seat, decision=INCOMPLETE))
        elif manner.say is not None:
            sized = manner.say == "total" and self._house.kinds.get(decision) in ("bet", "raise")
            total = turn["bets-to"] + amount if sized else None
            events.insert(0, Event("declare", seat=turn.seat, decision=decision, amount=total))
        return events

    def _find_motions(self, manner: Manner, turn: Turn, amount: int) -> list[Motion] | None:
        """Return the motions of chips for an amount; None if the chips of the seat do not allow them."""
        smallest, whole = self._values[0], (amount, self._count_chips(amount))
        match manner.tender:
            case "whole":
                return [whole] if amount else None
            case "one-chip":
                return [(amount, 1)] if amount in self._values else None
            case "larger-chip":
                chip = next((value for value in self._values if value > amount), turn["behind"] + 1)
                return [(chip, 1)] if amount and chip <= turn["behind"] else None
            case "in-parts":
                first = amount // 2 // smallest * smallest
                rest = amount - first
                return [(first, self._count_chips(first)), (rest, self._count_chips(rest))] if first else None
            case "and-more":
                return [whole, (smallest, 1)] if amount and amount + smallest <= turn["behind"] else None
            case _:
                return []

    def _count_chips(self, amount: int) -> int:
        """Return the smallest number of chips for an amount; instead of a single chip, several of the next lower
        value."""
        chips, left = 0, amount
        for value in reversed(self._values):
            chips, left = chips + left // value, left % value
        chips += left > 0
        lower = next((lower for lower, value in pairwise(self._values) if value == amount), None)
        return -(-amount // lower) if chips == 1 and lower is not None else chips


def _choose_size(size: Size, of: int, rng: Luck) -> int:
    low, high = size.operand
    return of * rng.randint(low, max(low, high)) // (1 if size.operator == "times" else _THOUSAND)
