"""Faults that span rounds, such as a step that is postponed or a deck that stays in play.

They are planted when the rounds of a run are put in order, because no single round shows them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from validator.rules.model.sessions import EveryCheck, NeededCheck
from validator.rules.simulation.simulation import Session
from validator.simulate.faults.event_faults import EVENT_FAULTS
from validator.simulate.faults.planting import Breach, Planting
from validator.simulate.procedure.occurrences import Before, done_in, record_between, rounds_with_mishap
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.view import View

_HOUR = 3600 * 10**6


class Turn(Struct, kw_only=True):
    """Fault that is planted when rounds are put in order. It waits until a round fits it."""

    planting: Planting
    at: set[Round]
    """Rounds in which it is planned."""
    waiting: bool = False
    """True from a planned round until the fault is planted."""

    def due(self, round_: Round) -> bool:
        """Return whether the fault is to be planted now, or since an earlier round."""
        self.waiting |= round_ in self.at
        return self.waiting

    def plant(self, round_: Round) -> None:
        """Record in a round that it breaks the requirement."""
        self.waiting = False
        round_.planted = (*round_.planted, self.planting.requirement)


class _StepState(Struct):
    """State of a table for a step that must happen again and again."""

    last: int
    """Time at which the step last happened."""
    counted: int = 0
    """Number of rounds that counted."""
    rounds: int = 0
    """Number of these since the step last happened."""
    put_off: bool = False
    """True while the step is postponed."""
    overdue: bool = False
    """True if the step must happen now."""


class Sessions:
    """Tables of a run, from batch to batch."""

    def __init__(self, house: House, session: Session) -> None:
        self._house, self._session = house, session
        self._tables: dict[tuple[str, int], _StepState] = {}
        self._shifts: dict[int, int] = {}
        self._before = Before()

    def keep(self, rounds: list[Round], turns: Sequence[Turn]) -> View:
        """Return a view of the rounds, numbered and with decks, occasional steps and faults that span rounds."""
        house, session = self._house, self._session
        for round_ in rounds:
            before = (round_.line - 1) // len(house.tables)
            round_.count = (before % session.rounds if session.rounds else before) + 1
            round_.in_play = self._name_deck(round_.count - 1)
        view = View(house, rounds, events=True)
        done = done_in(view, self._before)
        for turn in turns:
            if turn.planting.fault.operator == "deck":
                self._keep_deck(view, turn)
                view = View(house, rounds, events=True)
            elif puts_off(turn.planting):
                self._postpone_step(view, turn, done)
        record_between(view, done)
        self._name_other_decks(rounds)
        for turn in turns:
            if turn.planting.fault.operator not in ("deck", "between") and not puts_off(turn.planting):
                self._plant_in_steps(rounds, turn)
        return view.retold()

    def _name_deck(self, number: int) -> str | None:
        """Return the name of a deck by its number, if several take turns; otherwise None."""
        decks = self._house.decks
        return decks[number % len(decks)] if decks else None

    def _name_other_decks(self, rounds: Sequence[Round]) -> None:
        """Name the next deck in events of steps with the deck that is not in play."""
        house, decks = self._house, self._house.decks
        steps = [name for name, habit in house.simulation.steps.items() if habit.deck == "other" and len(decks) > 1]
        view = View(house, rounds if steps else (), events=True)
        for round_, events in (entry for name in steps for entry in view.of_step(name).items()):
            for event in events:
                if event.deck is None and round_.in_play is not None:
                    event.deck = self._name_deck(decks.index(round_.in_play) + 1)

    def _keep_deck(self, view: View, turn: Turn) -> None:
        """Keep the deck of the previous round in play for a round; later decks follow in turn."""
        applies = view.rounds_where(turn.planting.check.when)
        fits = applies & self._before(turn.planting.requirement, applies, view.rounds)
        for round_ in view.rounds:
            if round_.count == 1:
                self._shifts[round_.table] = 0
            if turn.due(round_) and len(self._house.decks) > 1 and round_ in fits:
                self._shifts[round_.table] = self._shifts.get(round_.table, 0) + 1
                turn.plant(round_)
            round_.in_play = self._name_deck((round_.count or 0) - 1 - self._shifts.get(round_.table, 0))

    def _postpone_step(self, view: View, turn: Turn, done: list[set[Round]]) -> None:
        """Postpone a step until a round finds it overdue, then do it in the next one.

        Occasions at the opening of a table are not postponed, nor are mishaps.
        """
        check, step, kept = turn.planting.check, turn.planting.fault.operand, set[Round]()
        now_and_then = self._house.simulation.now_and_then
        occasions_of_step = [at for at, occasion in enumerate(now_and_then) if step in occasion.steps]
        regular = set[Round]().union(*(done[at] for at in occasions_of_step))
        after = (done[at] for at in occasions_of_step if now_and_then[at].operator == "following")
        with_mishap = rounds_with_mishap(view, step).union(*after)
        applies, counts = view.rounds_where(check.when), view.rounds_where(check.counts)
        for round_ in view.rounds:
            key, opens = (turn.planting.requirement, round_.table), round_.count == 1
            if key not in self._tables or opens or round_ not in applies:
                self._tables[key] = _StepState(last=round_.time)
            state = self._tables[key]
            state.put_off |= round_ in turn.at and round_ in applies and not state.overdue
            due = round_ in with_mishap or state.overdue or (round_ in regular and (opens or not state.put_off))
            state.counted += round_ in counts
            state.rounds += round_ in counts
            if due:
                state.rounds, state.last, state.overdue = 0, round_.time, False
                kept.add(round_)
            if state.put_off and round_ in counts and _is_overdue(check, state, round_.time):
                state.put_off, state.overdue = False, True
                turn.plant(round_)
        for at in occasions_of_step:
            done[at] &= kept
        done[occasions_of_step[-1]] |= kept - regular - with_mishap

    def _plant_in_steps(self, rounds: list[Round], turn: Turn) -> None:
        """Plant a fault in occasional steps, in the next round that has them and no other fault."""
        view, following = View(self._house, rounds, events=True), turn.planting.following
        breach, possible = Breach(view, turn.planting, Luck(0)), {*rounds}
        if following is not None:
            check = turn.planting.check
            by_deck = isinstance(check, NeededCheck) and check.per == "deck"
            held_before = view.rounds_where(following)
            possible = self._before(turn.planting.requirement, held_before, rounds, by_deck=by_deck)
        for round_ in rounds:
            if turn.due(round_) and round_ in possible and not round_.planted and breach.make(round_, EVENT_FAULTS):
                turn.plant(round_)


def _is_overdue(check: EveryCheck, table: _StepState, time: int) -> bool:
    bound, unit = check.within.operand, check.within.operator
    if unit == "hours":
        return bool(time - table.last > bound * _HOUR)
    return bool(table.rounds >= bound and (unit == "rounds" or table.counted % bound == 0))


def puts_off(planting: Planting) -> bool:
    """Return whether the fault is to leave out a step for so long that a periodic requirement fails."""
    return planting.fault.operator == "omit" and isinstance(planting.check, EveryCheck)


def spans_rounds(house: House, planting: Planting) -> bool:
    """Return whether a fault is planted when rounds are put in order: it concerns decks or occasional steps."""
    fault, operand = planting.fault, planting.fault.operand
    step = operand if isinstance(operand, str) else getattr(operand, "step", None)
    is_occasional = any(step in occasion.steps for occasion in house.simulation.now_and_then)
    of_decks = fault.operator == "deck" or (fault.operator == "alter" and operand.deck is not None)
    of_steps = fault.operator in ("omit", "swap", "alter", "move") and is_occasional
    return planting.following is not None or fault.operator == "between" or of_decks or of_steps
