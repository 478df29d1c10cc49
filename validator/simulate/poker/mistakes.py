"""Mistakes in betting: one act in a round that is wrong, after which the round continues."""

from __future__ import annotations

from validator.arrays import ABSENT
from validator.engine.betting.machine import Running
from validator.language.conditions import Condition
from validator.rules.model.faults import ActFault
from validator.simulate.poker.habits import Habits
from validator.simulate.poker.turns import Choice, Moment, Turn
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Event

_OFTEN = 400
"""Chance in a thousand of the mistake in each act that it fits, so that it is not always the first one."""
_BY_ANOTHER_SEAT = ("out-of-turn", "omitted")
_AFTER_THE_LAST_ACT = ("added", "folded")
_IN_THE_ACT = (*("decision", "less", "more", "passes-for", "puts-in"), *("below-smallest", "more-than-stack"))


class Mistake:
    """Mistake that is made once in every round in which it fits."""

    def __init__(self, house: House, fault: ActFault, where: Condition | None) -> None:
        """Prepare the mistake.

        Args:
            house: the house.
            fault: the fault.
            where: condition on the act; None for any.
        """
        self._fault, self._where, self._house = fault, where, house
        rounds = house.prepared.betting.rounds
        self._streets = {at for at, street in enumerate(rounds) if not fault.rounds or street.round in fault.rounds}
        self.made = set[int]()
        self._stopped, self._extra = set[tuple[int, int]](), set[int]()

    def who(self, running: Running, due: list[int], street: int, moment: Moment, rng: Luck) -> list[int]:
        """Return the row that acts in each round; ABSENT if nobody does.

        Args:
            running: state of the betting.
            due: row whose turn it is.
            street: number of the betting round.
            moment: turns of the rows in `due`.
            rng: source of random numbers.
        """
        kind, self._extra = self._fault.operator, set[int]()
        actors = [ABSENT if (at, street) in self._stopped else row for at, row in enumerate(due)]
        if street not in self._streets or kind not in (*_BY_ANOTHER_SEAT, *_AFTER_THE_LAST_ACT):
            return actors
        if kind in _AFTER_THE_LAST_ACT:
            fits = [at for at, row in enumerate(actors) if row == ABSENT]
        else:
            holds = zip(moment.turns, moment.holds(self._where), strict=True)
            fits = [turn.at for turn, yes in holds if yes and actors[turn.at] != ABSENT]
        for at in [at for at in fits if at not in self.made and rng.happens(_OFTEN)]:
            other = self._find_other_actor(running, at, actors[at])
            if other != ABSENT or kind == "omitted":
                actors[at] = other
                self.made.add(at)
                self._stopped |= {(at, street)} if kind == "omitted" else set()
                self._extra |= {at} if kind in _AFTER_THE_LAST_ACT else set()
        return actors

    def _find_other_actor(self, running: Running, at: int, row: int) -> int:
        """Return the row that acts out of turn, or after the betting is complete; ABSENT if nobody can."""
        players, last = int(running.players[at]), int(running.last[at])
        able, several = players & int(running.chips[at]), players & (players - 1)
        match self._fault.operator:
            case "out-of-turn":
                return _find_next_row(running, at, able & int((running.owes | ~running.acted)[at]) & ~(1 << row), row)
            case "added" if several:
                return _find_next_row(running, at, able, last)
            case "folded" if several and running.level[at] == 0:
                return _find_next_row(running, at, int(running.all[at]) & ~players, last)
            case _:
                return ABSENT

    def stages(self, running: Running, stages: list[int], most: int) -> list[int]:
        """Return the number of stages of the deal that each round gets, given the correct numbers."""
        if self._fault.operator == "dealt-on":
            for at, number in enumerate(stages):
                players = int(running.players[at])
                if players and not players & (players - 1) and number < most:
                    self.made.add(at)
            return [number + (at in self.made) for at, number in enumerate(stages)]
        return stages

    def act(
        self, habits: Habits, moment: Moment, street: int, chosen: list[Choice], rng: Luck
    ) -> tuple[list[Choice], dict[int, list[Event]]]:
        """Return the acts of all seats, with the mistake in some.

        Returns:
            The acts; and, for each seat that makes the mistake, what it showed of the act that it meant.
        """
        turns, wrong = moment.turns, dict[int, list[Event]]()
        intended = [
            (self._house.words["check"], 0) if turn.at in self._extra else choice
            for turn, choice in zip(turns, chosen, strict=True)
        ]
        if street not in self._streets or self._fault.operator not in _IN_THE_ACT:
            return intended, wrong
        done = [self._make_mistake(habits, turn, choice) for turn, choice in zip(turns, intended, strict=True)]
        changed = [new or choice for new, choice in zip(done, intended, strict=True)]
        holds = moment.holds(self._where, changed) if any(done) else []
        for at, turn in enumerate(turns):
            if done[at] is None or turn.at in self.made or not holds[at]:
                continue
            manner = self._fault.manner
            shown = [] if manner is None else habits.shown(manner, turn, intended[at])
            if shown is not None and rng.happens(_OFTEN):
                wrong[at] = shown
                self.made.add(turn.at)
        return [changed[at] if at in wrong else choice for at, choice in enumerate(intended)], wrong

    def _make_mistake(self, habits: Habits, turn: Turn, intended: Choice) -> Choice | None:
        """Return the act of a seat that makes the mistake; None if it cannot."""
        (decision, amount), by = intended, self._fault.operand
        kind, behind = self._house.kinds.get(decision), turn["behind"]
        wagering = kind in ("bet", "raise")
        match self._fault.operator:
            case "decision":
                new, possible = (by, habits.amount(by, turn)), by != decision
            case "passes-for":
                new, possible = (by, amount), wagering and amount > 0
            case "less":
                new, possible = (decision, amount - by), kind == "call" and by < amount < behind
            case "more":
                new, possible = (decision, amount + by), wagering and amount + by <= behind
            case "puts-in":
                new, possible = (decision, by), wagering and amount < by <= behind
            case "below-smallest":
                least = turn["smallest-bet" if kind == "bet" else "smallest-raise"]
                amount_in = turn["to-call"] + max(least - self._house.wager_unit, 0)
                # A bet that nobody else can call is not too small.
                met = turn["level"] - turn["to-call"] + amount_in < turn.answer
                new, possible = (decision, amount_in), wagering and 0 < amount_in < behind and met
            case _:
                new, possible = (decision, behind + by), amount > 0
        return new if possible else None


def _find_next_row(running: Running, at: int, among: int, after: int) -> int:
    """Return the next of some rows, clockwise after a row; ABSENT if there is none."""
    count = int(running.count[at])
    rows = ((after + step) % count for step in range(1, count + 1))
    return next((row for row in rows if among >> row & 1), ABSENT)
