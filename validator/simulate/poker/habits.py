"""What a seat does when it is its turn, how much goes in, and what it says and puts forward ahead of that."""

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
"""Chips put forward at once: what they come to, and how many they are."""


class Habits:
    """The habits of players in a house, and their manners."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._values = sorted({*house.stacks.chips}) or [house.wager_unit]

    def choose(self, moment: Moment, rng: Luck) -> list[Choice]:
        """What each seat does. Who would do what nobody does calls or checks instead."""
        simulation, turns = self._house.simulation, moment.turns
        open_ = self._open(moment)
        to_any = set().union(*open_)
        habits = [
            (habit, kind, moment.holds(habit.when), moment.least(habit.size.of).tolist() if habit.size else [])
            for habit in simulation.habits
            if (kind := self._house.kinds.get(habit.decision)) in to_any
        ]
        choices: list[Choice] = []
        for at, (turn, is_open) in enumerate(zip(turns, open_, strict=True)):
            follows = (
                (habit.decision, 0 if habit.size is None else _sized(habit.size, of[at], rng))
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

    def _open(self, moment: Moment) -> list[set[Kind]]:
        """The kinds of act that are open to each seat."""
        words, numbers, every = self._house.words, moment.numbers, list[set[Kind]]()
        completed = numbers["smallest-bet"] if "complete" in words else [0] * len(moment.turns)
        rows = (moment.turns, numbers["to-call"], numbers["behind"], numbers["level"], completed)
        for turn, to_call, behind, level, least in zip(*rows, strict=True):
            answered = turn.answer > level
            beyond = behind > to_call and answered and turn.may_raise
            found: set[Kind] = {"fold", "call" if to_call else "check"}
            if turn.street == 0 and level == 0 and "bring-in" in words:
                found = {"bring-in"}
            elif level == 0 and answered:
                found.add("bet")
            # What was brought in is completed, and raised only then.
            if beyond and "complete" in words and turn.street == 0 and level < least:
                found.add("complete")
            elif beyond and level > 0:
                found.add("raise")
            every.append(found)
        return every

    def amount(self, decision: str, turn: Turn, beyond: int = 0) -> int:
        """What goes in: to the bet and, by who bets or raises, beyond it, in whole units within what is allowed; the
        least unless more is wanted."""
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
        """What seats show of their acts, if they are not silent."""
        found: list[list[Event] | None] = [None for _ in choices]
        for custom in self._house.simulation.manners:
            # On no other luck than this hangs what is shown of acts, so that they are the same whatever that is.
            lucky = [not still and rng.happens(custom.chance) for still in silent]
            follows = [at for at, may in enumerate(lucky) if may and found[at] is None]
            holds = moment.holds(custom.when, choices) if follows else []
            for at in follows:
                found[at] = self.shown(custom, moment.turns[at], choices[at]) if holds[at] else None
        return [shown or [] for shown in found]

    def shown(self, manner: Manner, turn: Turn, choice: Choice) -> list[Event] | None:
        """What is shown by a seat that follows a manner; None where it has not the chips to follow it."""
        decision, amount = choice
        if manner.as_ is not None:
            decision, amount = manner.as_, self.amount(manner.as_, turn)
        motions = self._motions(manner, turn, amount)
        if motions is None:
            return None
        found = [Event("tender", seat=turn.seat, amount=value, chips=pieces) for value, pieces in motions]
        if manner.say == "incomplete":
            found.insert(1, Event("declare", seat=turn.seat, decision=INCOMPLETE))
        elif manner.say is not None:
            sized = manner.say == "total" and self._house.kinds.get(decision) in ("bet", "raise")
            total = turn["bets-to"] + amount if sized else None
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
                chip = next((value for value in self._values if value > amount), turn["behind"] + 1)
                return [(chip, 1)] if amount and chip <= turn["behind"] else None
            case "in-parts":
                first = amount // 2 // smallest * smallest
                rest = amount - first
                return [(first, self._pieces(first)), (rest, self._pieces(rest))] if first else None
            case "and-more":
                return [whole, (smallest, 1)] if amount and amount + smallest <= turn["behind"] else None
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


def _sized(size: Size, of: int, rng: Luck) -> int:
    low, high = size.operand
    return of * rng.randint(low, max(low, high)) // (1 if size.operator == "times" else _THOUSAND)
