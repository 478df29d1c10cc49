"""What a seat does when it is its turn: the first of its habits that fits what is open to it, and how much goes in."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Tri
from validator.engine.betting.actions_recorded import betting_in
from validator.engine.betting.replay import smallest_bets, stand
from validator.engine.betting.states import States
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.turns.quantities import betting_number
from validator.evidence.columns.batch import Events
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Condition
from validator.language.registry import covers
from validator.rules.model.betting import Act
from validator.rules.simulation.simulation import Habit, Size
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.parts import Part, in_order

Acts = tuple[Ints, Ints]
"""What seats decide, int64[m] codes of decisions, and what goes in with it, int64[m] minor units."""

_NEEDED: tuple[Act, ...] = ("fold", "check", "call")
_THOUSAND = 1000


class Waiting(Struct, frozen=True, kw_only=True):
    """Seats whose turn it is, in different rounds, rising: `round` and `seat` int64[m]; their `states`, an entry each;
    `answered` bool[m], whether anybody else has the chips to answer more than the bet there is."""

    round: Ints
    seat: Ints
    states: States
    answered: Flags


class Chooser:
    """The habits of a house. `scope` has the rounds with all their cards, before anybody acts."""

    def __init__(self, house: House, scope: Scope) -> None:
        self._house, self._scope = house, scope
        self._codes: dict[Act, int] = {}
        for name, one in reversed(house.game.decisions.items()):
            if one.kind is not None:
                self._codes[one.kind] = house.decisions.index(name)
        lacking = [kind for kind in _NEEDED if kind not in self._codes]
        if lacking:
            raise ValueError(f"betting cannot be simulated without a decision to {lacking[0]}")

    def code(self, kind: Act) -> int:
        """The code of the decision of a kind, one that nobody takes where the game has none."""
        return self._codes.get(kind, ABSENT - 1)

    def choose(self, moment: Scope, waiting: Waiting, rng: np.random.Generator) -> Acts:
        """What each seat does."""
        possible = self._open(waiting)
        seats = len(waiting.seat)
        faced = waiting.states.level > waiting.states.put
        chosen = np.full(seats, ABSENT, np.int64)
        beyond = np.zeros(seats, np.int64)
        for habit in self._house.simulation.habits:
            kind = self._house.game.decisions[habit.decision].kind
            may = np.zeros(seats, np.bool_) if kind is None else possible.get(kind, np.zeros(seats, np.bool_))
            takes = may & happens(rng, seats, habit.chance) & (chosen == ABSENT) & self._fits(habit, moment, waiting)
            chosen[takes] = self._house.decisions.index(habit.decision)
            if habit.size is not None:
                beyond[takes] = self._sized(habit.size, moment, rng)[takes]
        usual = np.where(faced, self.code("fold"), self.code("check"))
        usual = np.where(possible["check"] | possible["fold"], usual, self.code("complete"))
        chosen = np.where(chosen == ABSENT, usual, chosen)
        amount = self._amounts(chosen, beyond, moment, waiting)
        barred = self._barred(waiting, (chosen, amount))
        if not barred.any():
            return chosen, amount
        chosen = np.where(barred, np.where(faced, self.code("call"), self.code("check")), chosen)
        return chosen, np.where(barred, self.usual(chosen, moment, waiting), amount)

    def _barred(self, waiting: Waiting, acts: Acts) -> Flags:
        """bool[m]: the acts that nobody makes."""
        never = self._house.simulation.never
        barred = np.zeros(len(waiting.seat), np.bool_)
        if never:
            making = self.making(waiting, acts)
            for condition in never:
                barred |= self.truth(condition, making, waiting.seat) == YES
        return barred

    def moment(self, waiting: Waiting) -> Scope:
        """The rounds with one event each, of the seat whose turn it is."""
        nothing = np.zeros(len(waiting.seat), np.int64)
        return self.making(waiting, (np.full_like(nothing, ABSENT), nothing))

    def making(self, waiting: Waiting, acts: Acts) -> Scope:
        """The rounds with one event each: what the seat whose turn it is is about to do."""
        decision, amount = acts
        batch = replace(self._scope.batch, events=self._turns(waiting, decision))
        scope = Scope(batch, self._house.prepared, self._house.configuration)
        stand(scope, self._scope, waiting.states, amount)
        return scope

    def _turns(self, waiting: Waiting, decision: Ints) -> Events:
        owner = waiting.round.astype(np.int32)
        place = np.zeros(len(owner), np.int64)
        part = Part(kind=KIND["decide"], round=owner, order=place, seat=waiting.seat, decision=decision)
        return in_order([part], len(self._scope.batch), self._house.texts)

    def _open(self, waiting: Waiting) -> dict[Act, Flags]:
        """The kinds of act that are open to each seat, bool[m]."""
        states, most = waiting.states, betting_in(self._house.game).sizes.raises
        lacking = np.maximum(states.level - states.put, 0)
        raising = (states.level > 0) & states.may_raise & (states.behind > lacking) & waiting.answered
        if most is not None:
            raising &= states.raises < most
        owed = self._bring_in_owed(states)
        opening = (states.level == 0) & waiting.answered
        # What was brought in is completed, and raised only then.
        short = np.zeros_like(owed) if self.code("complete") < 0 else self._short(waiting)
        return {
            "fold": ~owed,
            "check": (lacking == 0) & ~owed,
            "call": lacking > 0,
            "bet": opening & ~owed,
            "raise": raising & ~short,
            "bring-in": owed,
            "complete": short & (states.behind > lacking) & waiting.answered & states.may_raise,
        }

    def _bring_in_owed(self, states: States) -> Flags:
        """bool[m]: where the first to act must bring it in, or complete it."""
        return (states.street == 0) & (states.level == 0) & (self.code("bring-in") >= 0)

    def _short(self, waiting: Waiting) -> Flags:
        """bool[m]: where there is less than a bet in the first betting round."""
        smallest = smallest_bets(self._scope)[0, waiting.round]
        found: Flags = (waiting.states.street == 0) & (waiting.states.level < smallest)
        return found

    def _fits(self, habit: Habit, moment: Scope, waiting: Waiting) -> Flags:
        if habit.when is None:
            return np.ones(len(waiting.seat), np.bool_)
        fits: Flags = self.truth(habit.when, moment, waiting.seat) == YES
        return fits

    def truth(self, condition: Condition, moment: Scope, seats: Ints) -> Tri:
        """uint8[m]: a condition at a moment. What hangs on seats and cards alone is worked out once a round."""
        if covers("seat", self._scope.prepared.grain(condition)):
            return self._scope.truth(condition, "seat")[seats]
        match condition.operator:
            case "all":
                return kleene.every([self.truth(part, moment, seats) for part in condition.operand])
            case "any":
                return kleene.some([self.truth(part, moment, seats) for part in condition.operand])
            case "not":
                return kleene.negated(self.truth(condition.operand, moment, seats))
            case _:
                return moment.truth(condition, "event")

    def _sized(self, size: Size, moment: Scope, rng: np.random.Generator) -> Ints:
        of, _ = moment.bounds(size.of, "event")
        low, high = size.operand
        factor = rng.integers(low, max(low, high), len(of), endpoint=True)
        return of * factor // (1 if size.operator == "times" else _THOUSAND)

    def usual(self, chosen: Ints, moment: Scope, waiting: Waiting) -> Ints:
        """The least that goes in with decisions, int64[m], in whole units."""
        return self._amounts(chosen, np.zeros_like(chosen), moment, waiting)

    def _amounts(self, chosen: Ints, beyond: Ints, moment: Scope, waiting: Waiting) -> Ints:
        """What goes in: to the bet and, by who bets or raises, beyond it, in whole units within what is allowed."""
        states, unit = waiting.states, self._house.wager_unit
        lacking = np.maximum(states.level - states.put, 0)
        bets, raises = chosen == self.code("bet"), chosen == self.code("raise")
        smallest, _ = betting_number(moment, "smallest-bet")
        least = np.where(bets, smallest, betting_number(moment, "smallest-raise")[0])
        most, _ = betting_number(moment, "largest-raise")
        brings, completes = chosen == self.code("bring-in"), chosen == self.code("complete")
        least = np.where(brings, 1, least)
        further = np.minimum(-(-np.maximum(beyond, np.maximum(least, 1)) // unit) * unit, np.maximum(most, 1))
        further = np.where(completes, np.maximum(smallest - states.level, 0), further)
        beyond_it = bets | raises | brings | completes
        put = np.where(beyond_it, lacking + further, np.where(chosen == self.code("call"), lacking, 0))
        return np.minimum(put, states.behind)
