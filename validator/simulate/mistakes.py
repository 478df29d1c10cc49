"""Acts of betting that go wrong: one in a round, from which it goes on as it stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.engine.betting.actions_recorded import betting_in
from validator.engine.betting.machine import Running
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.seats.seat_sets import bit_of, next_of, several
from validator.engine.turns.quantities import betting_number
from validator.simulate.bets import Shown
from validator.simulate.choosing import Acts, Chooser, Waiting
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.manners import Manners
from validator.simulate.planting import Planting

_OFTEN = 400
"""In so many of a thousand acts that it fits the mistake is made, so that it is not always the first one."""
_ANOTHER = ("out-of-turn", "omitted")
_AFTER = ("added", "folded")
_NO_ACT = ("dealt-on",)


class Acted(NamedTuple):
    """What seats do: `acts` as they do it, `wrong` bool[m], which of them make a mistake in it, and what those showed
    before of what they meant to do."""

    acts: Acts
    wrong: Flags
    shown: list[Shown]


class Mistake:
    """A mistake that is made once in every round in which it fits; `made` is bool[rounds], where it was."""

    def __init__(self, house: House, planting: Planting, rounds: int) -> None:
        self._house, self._where = house, planting.fault.where
        self._fault = planting.fault.operand
        self._streets = [
            not self._fault.rounds or one.round in self._fault.rounds for one in betting_in(house.game).rounds
        ]
        self.made = np.zeros(rounds, np.bool_)
        self._stopped = np.full(rounds, -1, np.int64)
        self._extra = np.zeros(rounds, np.bool_)

    def who(self, running: Running, due: Ints8, street: int, fits: Flags, rng: np.random.Generator) -> Ints8:
        """Who acts, int8[rounds], where it is the turn of `due`; `fits` is bool[rounds], where a mistake may be."""
        kind = self._fault.operator
        stopped = np.where(self._stopped == street, np.int8(ABSENT), due)
        self._extra[:] = False
        if not self._streets[street] or kind not in (*_ANOTHER, *_AFTER):
            return stopped
        lucky = happens(rng, len(due), _OFTEN) & ~self.made
        if kind in _AFTER:
            return self._after_the_end(running, stopped, lucky)
        chosen = lucky & fits & (stopped != ABSENT)
        if kind == "omitted":
            self._stopped[chosen] = street
            other = np.full_like(due, ABSENT)
        else:
            waiting = running.players & running.chips & (running.owes | ~running.acted) & ~bit_of(due)
            other = next_of(waiting, np.maximum(due, 0).astype(np.uint32), running.count)
            chosen &= other != ABSENT
        self.made |= chosen
        return np.where(chosen, other, stopped)

    def _after_the_end(self, running: Running, due: Ints8, lucky: Flags) -> Ints8:
        """Somebody acts when the betting round is complete, and nobody's turn."""
        able = running.players & running.chips
        if self._fault.operator == "folded":
            able = running.all & ~running.players & np.where(running.level == 0, running.all, np.uint32(0))
        chosen = lucky & (due == ABSENT) & several(running.players) & (able != 0)
        self._extra = chosen
        self.made |= chosen
        return np.where(chosen, next_of(able, running.last, running.count), due)

    def dealt(self, stages: Ints, running: Running, most: int) -> Ints:
        """int64[rounds]: how many stages of the deal come, where `stages` of at `most` so many should."""
        if self._fault.operator not in _NO_ACT:
            return stages
        self.made |= ~several(running.players) & (running.players != 0) & (stages < most)
        return stages + self.made

    def fits(self, chooser: Chooser, moment: Scope, waiting: Waiting) -> Flags:
        """bool[m]: whose turn a mistake may befall."""
        if self._where is None or self._fault.operator not in _ANOTHER:
            return np.ones(len(waiting.seat), np.bool_)
        fits: Flags = chooser.truth(self._where, moment, waiting.seat) == YES
        return fits

    def act(
        self,
        chooser: Chooser,
        manners: Manners,
        moment: Scope,
        waiting: Waiting,
        street: int,
        chosen: Acts,
        rng: np.random.Generator,
    ) -> Acted:
        """What seats do, where one of them makes a mistake in it."""
        extra = self._extra[waiting.round]
        meant = np.where(extra, chooser.code("check"), chosen[0]), np.where(extra, 0, chosen[1])
        if not self._streets[street] or self._fault.operator in (*_ANOTHER, *_AFTER, *_NO_ACT):
            return Acted(acts=meant, wrong=np.zeros(len(extra), np.bool_), shown=[])
        (new, put), possible = self._otherwise(chooser, moment, waiting, meant)
        manner = self._fault.manner
        if manner is not None:
            possible &= manners.can(manner, moment, waiting, meant)
        wrong = possible & ~self.made[waiting.round]
        if self._where is not None and wrong.any():
            making = chooser.making(waiting, (new, put))
            wrong &= chooser.truth(self._where, making, waiting.seat) == YES
        wrong &= happens(rng, len(wrong), _OFTEN)
        self.made[waiting.round[wrong]] = True
        return Acted(
            acts=(np.where(wrong, new, meant[0]), np.where(wrong, put, meant[1])),
            wrong=wrong,
            shown=[] if manner is None else manners.shown(manner, wrong, moment, waiting, meant),
        )

    def _otherwise(self, chooser: Chooser, moment: Scope, waiting: Waiting, meant: Acts) -> tuple[Acts, Flags]:
        """What seats do that make the mistake, and bool[m], which of them can."""
        decision, amount = meant
        states, unit = waiting.states, self._house.wager_unit
        lacking = np.maximum(states.level - states.put, 0)
        wagering = (decision == chooser.code("bet")) | (decision == chooser.code("raise"))
        new, put = decision, amount
        match self._fault.operator:
            case "decision":
                new = np.full_like(decision, self._house.decisions.index(self._fault.operand))
                put = chooser.usual(new, moment, waiting)
                possible = new != decision
            case "less":
                put = amount - self._fault.operand
                possible = (decision == chooser.code("call")) & (put > 0) & (amount < states.behind)
            case "more":
                put = amount + self._fault.operand
                possible = wagering & (put <= states.behind)
            case "passes-for":
                new = np.full_like(decision, self._house.decisions.index(self._fault.operand))
                possible = wagering & (put > 0)
            case "puts-in":
                put = np.full_like(amount, self._fault.operand)
                possible = wagering & (put > amount) & (put <= states.behind)
            case "below-smallest":
                bets = decision == chooser.code("bet")
                least = np.where(
                    bets, *(betting_number(moment, name)[0] for name in ("smallest-bet", "smallest-raise"))
                )
                put = lacking + np.maximum(least - unit, 0)
                possible = wagering & (put > 0) & (put < states.behind)
            case _:
                put = states.behind + self._fault.operand
                possible = amount > 0
        return (new, put), possible
