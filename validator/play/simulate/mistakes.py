"""Acts of betting that go wrong: one in a round, from which it goes on as it stands."""

from __future__ import annotations

import numpy as np

from validator.evidence.columns import Flags, Ints
from validator.play.betting.loop import Running
from validator.play.betting.masks import NONE, Rows, bit_of, next_of, several
from validator.play.betting.numbers import betting_number
from validator.play.betting.record import betting_in
from validator.play.scope import Scope
from validator.play.simulate.choosing import Chooser, Waiting
from validator.play.simulate.draws import happens
from validator.play.simulate.house import House
from validator.play.simulate.planting import Planting
from validator.play.tri import YES

_OFTEN = 400
"""In so many of a thousand acts that it fits the mistake is made, so that it is not always the first one."""
_ANOTHER = ("out-of-turn", "omitted")
_AFTER = ("added", "folded")


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

    def who(self, running: Running, due: Rows, street: int, fits: Flags, rng: np.random.Generator) -> Rows:
        """Who acts, int8[rounds], where it is the turn of `due`; `fits` is bool[rounds], where a mistake may be."""
        kind = self._fault.operator
        stopped = np.where(self._stopped == street, np.int8(NONE), due)
        self._extra[:] = False
        if not self._streets[street] or kind not in (*_ANOTHER, *_AFTER):
            return stopped
        lucky = happens(rng, len(due), _OFTEN) & ~self.made
        if kind in _AFTER:
            return self._after_the_end(running, stopped, lucky)
        chosen = lucky & fits & (stopped != NONE)
        if kind == "omitted":
            self._stopped[chosen] = street
            other = np.full_like(due, NONE)
        else:
            waiting = running.players & running.chips & (running.owes | ~running.acted) & ~bit_of(due)
            other = next_of(waiting, np.maximum(due, 0).astype(np.uint32), running.count)
            chosen &= other != NONE
        self.made |= chosen
        return np.where(chosen, other, stopped)

    def _after_the_end(self, running: Running, due: Rows, lucky: Flags) -> Rows:
        """Somebody acts when the betting round is complete, and nobody's turn."""
        able = running.players & running.chips
        if self._fault.operator == "folded":
            able = running.all & ~running.players & np.where(running.level == 0, running.all, np.uint32(0))
        chosen = lucky & (due == NONE) & several(running.players) & (able != 0)
        self._extra = chosen
        self.made |= chosen
        return np.where(chosen, next_of(able, running.last, running.count), due)

    def fits(self, chooser: Chooser, moment: Scope, waiting: Waiting) -> Flags:
        """bool[m]: the acts that a mistake may be made in."""
        if self._where is None:
            return np.ones(len(waiting.seat), np.bool_)
        fits: Flags = chooser.truth(self._where, moment, waiting.seat) == YES
        return fits

    def act(
        self,
        chooser: Chooser,
        moment: Scope,
        waiting: Waiting,
        street: int,
        chosen: tuple[Ints, Ints],
        rng: np.random.Generator,
    ) -> tuple[Ints, Ints]:
        """What seats decide and put in, int64[m] both, where one of them makes a mistake in it."""
        decision, amount = chosen
        extra = self._extra[waiting.round]
        decision = np.where(extra, chooser.code("check"), decision)
        amount = np.where(extra, 0, amount)
        kind = self._fault.operator
        if not self._streets[street] or kind in (*_ANOTHER, *_AFTER):
            return decision, amount
        states, unit = waiting.states, self._house.wager_unit
        lacking = np.maximum(states.level - states.put, 0)
        new, put = decision, amount
        match kind:
            case "decision":
                new = np.full_like(decision, self._house.decisions.index(self._fault.operand))
                put = chooser.usual(new, moment, waiting)
                possible = new != decision
            case "less":
                put = amount - self._fault.operand
                possible = (decision == chooser.code("call")) & (put > 0) & (amount < states.behind)
            case "below-smallest":
                bets = decision == chooser.code("bet")
                least = np.where(
                    bets, *(betting_number(moment, name)[0] for name in ("smallest-bet", "smallest-raise"))
                )
                put = lacking + np.maximum(least - unit, 0)
                possible = (bets | (decision == chooser.code("raise"))) & (put > 0) & (put < states.behind)
            case _:
                put = states.behind + self._fault.operand
                possible = amount > 0
        now = possible & self.fits(chooser, moment, waiting) & ~self.made[waiting.round]
        now &= happens(rng, len(now), _OFTEN)
        self.made[waiting.round[now]] = True
        return np.where(now, new, decision), np.where(now, put, amount)
