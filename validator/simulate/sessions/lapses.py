"""Faults that span rounds: a step put off for as long as it takes, a deck that stays in play.

They are made while the rounds of a run are put together, since no round has them by itself.
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
    """A fault that is planted while a run is put together: `at` are the rounds in which its turn comes. It is waiting
    until a round fits it."""

    planting: Planting
    at: set[Round]
    waiting: bool = False

    def due(self, one: Round) -> bool:
        """Whether the fault is to be planted in a round that it fits: its turn has come, in it or before."""
        self.waiting |= one in self.at
        return self.waiting

    def plant(self, one: Round) -> None:
        """Note in a round that it breaks the requirement of the fault."""
        self.waiting = False
        one.planted = (*one.planted, self.planting.requirement)


class _Table(Struct):
    """How a table stands with a step that must happen again and again: how many rounds have counted, for how many of
    them it has not happened, when it last did, whether it is being put off, and whether it is now to be made up for."""

    last: int
    counted: int = 0
    rounds: int = 0
    put_off: bool = False
    overdue: bool = False


class Sessions:
    """The tables of a run, from batch to batch."""

    def __init__(self, house: House, session: Session) -> None:
        self._house, self._session = house, session
        self._tables: dict[tuple[str, int], _Table] = {}
        self._shifts: dict[int, int] = {}
        self._before = Before()

    def keep(self, rounds: list[Round], turns: Sequence[Turn]) -> View:
        """Return the rounds as those of their tables, with faults, opened for questions."""
        house, session = self._house, self._session
        for round_ in rounds:
            before = (round_.line - 1) // len(house.tables)
            round_.count = (before % session.rounds if session.rounds else before) + 1
            round_.in_play = self._deck(round_.count - 1)
        view = View(house, rounds, events=True)
        done = done_in(view, self._before)
        for turn in turns:
            if turn.planting.fault.operator == "deck":
                self._same_deck(view, turn)
                view = View(house, rounds, events=True)
            elif puts_off(turn.planting):
                self._put_off(view, turn, done)
        record_between(view, done)
        self._name_other_decks(rounds)
        for turn in turns:
            if turn.planting.fault.operator not in ("deck", "between") and not puts_off(turn.planting):
                self._record_otherwise(rounds, turn)
        return view.retold()

    def _deck(self, number: int) -> str | None:
        """A deck by its number, where they take turns."""
        decks = self._house.decks
        return decks[number % len(decks)] if decks else None

    def _name_other_decks(self, rounds: Sequence[Round]) -> None:
        """What is done with the deck that comes next in turn names that one."""
        house, decks = self._house, self._house.decks
        steps = [name for name, habit in house.simulation.steps.items() if habit.deck == "other" and len(decks) > 1]
        view = View(house, rounds if steps else (), events=True)
        for round_, events in (entry for name in steps for entry in view.of_step(name).items()):
            for event in events:
                if event.deck is None and round_.in_play is not None:
                    event.deck = self._deck(decks.index(round_.in_play) + 1)

    def _same_deck(self, view: View, turn: Turn) -> None:
        """The deck of the round before stays in play for a round; from there decks go on in turn."""
        speaks = view.rounds_where(turn.planting.check.when)
        fits = speaks & self._before(turn.planting.requirement, speaks, view.rounds)
        for round_ in view.rounds:
            if round_.count == 1:
                self._shifts[round_.table] = 0
            if turn.due(round_) and len(self._house.decks) > 1 and round_ in fits:
                self._shifts[round_.table] = self._shifts.get(round_.table, 0) + 1
                turn.plant(round_)
            round_.in_play = self._deck((round_.count or 0) - 1 - self._shifts.get(round_.table, 0))

    def _put_off(self, view: View, turn: Turn, done: list[set[Round]]) -> None:
        """The occasions of a step are put off until one round finds it overdue, and come in the next; those of an
        opening are not put off, nor what a mishap asks for."""
        check, step, kept = turn.planting.check, turn.planting.fault.operand, set[Round]()
        now_and_then = self._house.simulation.now_and_then
        mine = [at for at, occasion in enumerate(now_and_then) if step in occasion.steps]
        regular = set[Round]().union(*(done[at] for at in mine))
        after = (done[at] for at in mine if now_and_then[at].operator == "following")
        befallen = rounds_with_mishap(view, step).union(*after)
        speaks, counts = view.rounds_where(check.when), view.rounds_where(check.counts)
        for round_ in view.rounds:
            key, opens = (turn.planting.requirement, round_.table), round_.count == 1
            if key not in self._tables or opens or round_ not in speaks:
                self._tables[key] = _Table(last=round_.time)
            state = self._tables[key]
            state.put_off |= round_ in turn.at and round_ in speaks and not state.overdue
            due = round_ in befallen or state.overdue or (round_ in regular and (opens or not state.put_off))
            state.counted += round_ in counts
            state.rounds += round_ in counts
            if due:
                state.rounds, state.last, state.overdue = 0, round_.time, False
                kept.add(round_)
            if state.put_off and round_ in counts and _overdue(check, state, round_.time):
                state.put_off, state.overdue = False, True
                turn.plant(round_)
        for at in mine:
            done[at] &= kept
        done[mine[-1]] |= kept - regular - befallen

    def _record_otherwise(self, rounds: list[Round], turn: Turn) -> None:
        """Steps of occasions told otherwise, in the first round from each turn on that has them and no other fault."""
        view, following = View(self._house, rounds, events=True), turn.planting.following
        breach, possible = Breach(view, turn.planting, Luck(0)), {*rounds}
        if following is not None:
            check = turn.planting.check
            by_deck = isinstance(check, NeededCheck) and check.per == "deck"
            held = view.rounds_where(following)
            possible = self._before(turn.planting.requirement, held, rounds, by_deck=by_deck)
        for round_ in rounds:
            if turn.due(round_) and round_ in possible and not round_.planted and breach.make(round_, EVENT_FAULTS):
                turn.plant(round_)


def _overdue(check: EveryCheck, table: _Table, time: int) -> bool:
    many, unit = check.within.operand, check.within.operator
    if unit == "hours":
        return bool(time - table.last > many * _HOUR)
    return bool(table.rounds >= many and (unit == "rounds" or table.counted % many == 0))


def puts_off(planting: Planting) -> bool:
    """Whether a step is left out for so long that what must happen again and again does not."""
    return planting.fault.operator == "omit" and isinstance(planting.check, EveryCheck)


def spans_rounds(house: House, planting: Planting) -> bool:
    """Whether a fault is made while the rounds of a run are put together: no round by itself has a deck, or what is
    done now and then."""
    fault, operand = planting.fault, planting.fault.operand
    step = operand if isinstance(operand, str) else getattr(operand, "step", None)
    taken = any(step in occasion.steps for occasion in house.simulation.now_and_then)
    of_decks = fault.operator == "deck" or (fault.operator == "alter" and operand.deck is not None)
    of_steps = fault.operator in ("omit", "swap", "alter", "move") and taken
    return planting.following is not None or fault.operator == "between" or of_decks or of_steps
