"""What a seat does when it is its turn: the first of its habits that fits what is open to it, and how much goes in."""

from __future__ import annotations

from random import Random

from validator.engine.betting.actions_recorded import betting_in
from validator.rules.model.betting import Act as Kind
from validator.rules.simulation.simulation import Size
from validator.simulate.poker.turns import Choice, Moment, Turn
from validator.simulate.table.chance import happens
from validator.simulate.table.house import House

_NEEDED: tuple[Kind, ...] = ("fold", "check", "call")
_THOUSAND = 1000


class Habits:
    """The habits of a house."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._most_raises = betting_in(house.game).sizes.raises
        self.word = {one.kind: name for name, one in reversed(house.game.decisions.items()) if one.kind is not None}
        """The decision of each kind."""
        lacking = [kind for kind in _NEEDED if kind not in self.word]
        if lacking:
            raise ValueError(f"betting cannot be simulated without a decision to {lacking[0]}")

    def kind(self, decision: str) -> Kind | None:
        """The kind of a decision, None for one that the game does not have or that is no act of betting."""
        one = self._house.game.decisions.get(decision)
        return None if one is None else one.kind

    def choose(self, moment: Moment, rng: Random) -> list[Choice]:
        """What each seat does. Who would do what nobody does calls or checks instead."""
        simulation, turns = self._house.simulation, moment.turns
        holds = [moment.holds(habit.when) for habit in simulation.habits]
        sizes = [None if habit.size is None else moment.least(habit.size.of).tolist() for habit in simulation.habits]
        choices: list[Choice] = []
        for at, turn in enumerate(turns):
            is_open, chosen, beyond = self._open(turn), "", 0
            for habit, fits, of in zip(simulation.habits, holds, sizes, strict=True):
                if fits[at] and self.kind(habit.decision) in is_open and happens(rng, habit.chance):
                    chosen = habit.decision
                    beyond = 0 if of is None or habit.size is None else _sized(habit.size, of[at], rng)
                    break
            if not chosen:
                usual: Kind = "fold" if turn.level > turn.in_ else "check"
                chosen = self.word[usual if is_open & {"check", "fold"} else "complete"]
            choices.append((chosen, self.amount(chosen, turn, beyond)))
        barred = [moment.holds(condition, choices) for condition in simulation.never]
        for at, turn in enumerate(turns):
            if any(of_turns[at] for of_turns in barred):
                chosen = self.word["call" if turn.level > turn.in_ else "check"]
                choices[at] = chosen, self.amount(chosen, turn)
        return choices

    def _open(self, turn: Turn) -> set[Kind]:
        """The kinds of act that are open to a seat."""
        if turn.street == 0 and turn.level == 0 and "bring-in" in self.word:
            owed: set[Kind] = {"bring-in"}
            return owed | ({"complete"} if self._completes(turn) else set())
        found: set[Kind] = {"fold", "call" if turn.lacking else "check"}
        if turn.level == 0 and turn.answered:
            found.add("bet")
        raising = turn.level > 0 and turn.may_raise and turn.behind > turn.lacking and turn.answered
        most = self._most_raises
        # What was brought in is completed, and raised only then.
        if raising and (most is None or turn.raises < most) and not ("complete" in self.word and turn.short):
            found.add("raise")
        if self._completes(turn):
            found.add("complete")
        return found

    def _completes(self, turn: Turn) -> bool:
        able = turn.behind > turn.lacking and turn.answered and turn.may_raise
        return "complete" in self.word and turn.short and able

    def amount(self, decision: str, turn: Turn, beyond: int = 0) -> int:
        """What goes in: to the bet and, by who bets or raises, beyond it, in whole units within what is allowed; the
        least unless more is wanted."""
        kind, unit = self.kind(decision), self._house.wager_unit
        match kind:
            case "call":
                return min(turn.lacking, turn.behind)
            case "complete":
                return min(turn.lacking + max(turn.smallest_bet - turn.level, 0), turn.behind)
            case "bet" | "raise" | "bring-in":
                least = 1 if kind == "bring-in" else turn.smallest_bet if kind == "bet" else turn.smallest_raise
                further = -(-max(beyond, least, 1) // unit) * unit
                return min(turn.lacking + min(further, max(turn.largest_raise, 1)), turn.behind)
            case _:
                return 0


def _sized(size: Size, of: int, rng: Random) -> int:
    low, high = size.operand
    return of * rng.randint(low, max(low, high)) // (1 if size.operator == "times" else _THOUSAND)
