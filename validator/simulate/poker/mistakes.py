"""Acts of betting that go wrong: one in a round, from which it goes on as it stands."""

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
"""In so many of a thousand acts that it fits the mistake is made, so that it is not always the first one."""
_ANOTHER = ("out-of-turn", "omitted")
_AFTER = ("added", "folded")
_IN_THE_ACT = (*("decision", "less", "more", "passes-for", "puts-in"), *("below-smallest", "more-than-stack"))


class Mistake:
    """A mistake that is made once in every round in which it fits; `made` are the rounds in which it was, by their
    places among those that are played at once."""

    def __init__(self, house: House, fault: ActFault, where: Condition | None) -> None:
        self._fault, self._where, self._house = fault, where, house
        rounds = house.prepared.betting.rounds
        self._streets = {at for at, street in enumerate(rounds) if not fault.rounds or street.round in fault.rounds}
        self.made = set[int]()
        self._stopped, self._extra = set[tuple[int, int]](), set[int]()

    def who(self, running: Running, due: list[int], street: int, moment: Moment, rng: Luck) -> list[int]:
        """The rows that act where it is the turn of `due`, which `moment` is of; ABSENT where nobody does."""
        kind, self._extra = self._fault.operator, set[int]()
        who = [ABSENT if (at, street) in self._stopped else row for at, row in enumerate(due)]
        if street not in self._streets or kind not in (*_ANOTHER, *_AFTER):
            return who
        if kind in _AFTER:
            fits = [at for at, row in enumerate(who) if row == ABSENT]
        else:
            holds = zip(moment.turns, moment.holds(self._where), strict=True)
            fits = [turn.at for turn, yes in holds if yes and who[turn.at] != ABSENT]
        for at in [at for at in fits if at not in self.made and rng.happens(_OFTEN)]:
            another = self._another(running, at, who[at])
            if another != ABSENT or kind == "omitted":
                who[at] = another
                self.made.add(at)
                self._stopped |= {(at, street)} if kind == "omitted" else set()
                self._extra |= {at} if kind in _AFTER else set()
        return who

    def _another(self, running: Running, at: int, row: int) -> int:
        """The row that acts in place of one or, once the betting round is complete, though it is nobody's turn; ABSENT
        where nobody does, as the betting round is over for all."""
        players, last = int(running.players[at]), int(running.last[at])
        able, several = players & int(running.chips[at]), players & (players - 1)
        match self._fault.operator:
            case "out-of-turn":
                return _first_after(running, at, able & int((running.owes | ~running.acted)[at]) & ~(1 << row), row)
            case "added" if several:
                return _first_after(running, at, able, last)
            case "folded" if several and running.level[at] == 0:
                return _first_after(running, at, int(running.all[at]) & ~players, last)
            case _:
                return ABSENT

    def stages(self, running: Running, stages: list[int], most: int) -> list[int]:
        """How many stages of the deal come to each round, where `stages` of at `most` so many should."""
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
        """What seats do where one of them makes a mistake in it; and, by their places, which of them do and what those
        showed before of what they meant to do."""
        turns, wrong = moment.turns, dict[int, list[Event]]()
        meant = [
            (self._house.words["check"], 0) if turn.at in self._extra else choice
            for turn, choice in zip(turns, chosen, strict=True)
        ]
        if street not in self._streets or self._fault.operator not in _IN_THE_ACT:
            return meant, wrong
        done = [self._otherwise(habits, turn, choice) for turn, choice in zip(turns, meant, strict=True)]
        changed = [new or choice for new, choice in zip(done, meant, strict=True)]
        holds = moment.holds(self._where, changed) if any(done) else []
        for at, turn in enumerate(turns):
            if done[at] is None or turn.at in self.made or not holds[at]:
                continue
            manner = self._fault.manner
            shown = [] if manner is None else habits.shown(manner, turn, meant[at])
            if shown is not None and rng.happens(_OFTEN):
                wrong[at] = shown
                self.made.add(turn.at)
        return [changed[at] if at in wrong else choice for at, choice in enumerate(meant)], wrong

    def _otherwise(self, habits: Habits, turn: Turn, meant: Choice) -> Choice | None:
        """What a seat does that makes the mistake; None where it cannot."""
        (decision, amount), by = meant, self._fault.operand
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
                put = turn["to-call"] + max(least - self._house.wager_unit, 0)
                # A bet that nobody else can meet is not too small.
                met = turn["level"] - turn["to-call"] + put < turn.answer
                new, possible = (decision, put), wagering and 0 < put < behind and met
            case _:
                new, possible = (decision, behind + by), amount > 0
        return new if possible else None


def _first_after(running: Running, at: int, among: int, after: int) -> int:
    """The row of the next of some seats, clockwise after a row; ABSENT without one."""
    count = int(running.count[at])
    rows = ((after + step) % count for step in range(1, count + 1))
    return next((row for row in rows if among >> row & 1), ABSENT)
