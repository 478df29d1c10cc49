"""Faults that span rounds: a step put off for as long as it takes, a deck that stays in play.

They are made while the rounds of a run are put together, since no round has them by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from validator.rules.model.sessions import EveryCheck, NeededCheck
from validator.rules.simulation.simulation import Session
from validator.simulate.faults.event_faults import break_events, rounds_to_break
from validator.simulate.faults.planting import Planting
from validator.simulate.sessions.occasions import (
    Before,
    Happening,
    number_rounds,
    occasions_in,
    record_between,
    rounds_with_mishap,
    usual_rounds,
)
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

    def take(self, one: Round, *, fits: bool) -> bool:
        """Whether the fault is planted in a round: its turn has come, in it or before, and the round fits."""
        self.waiting |= one in self.at
        taken = self.waiting and fits
        self.waiting &= not taken
        return taken


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

    def keep(self, rounds: list[Round], hands: list[int], turns: Sequence[Turn]) -> None:
        """The rounds as those of their tables, with faults. `hands` is how many rounds each table has had before."""
        house, session = self._house, self._session
        number_rounds(house, session, rounds, hands)
        view, broken = View(house, rounds, events=True), set[Round]()
        taken = occasions_in(view, session, self._before)
        for turn in turns:
            if turn.planting.fault.operator == "deck":
                broken |= self._same_deck(view, turn)
                view = View(house, rounds, events=True)
            elif puts_off(turn.planting):
                broken |= self._put_off(view, turn, taken)
        record_between(view, session, taken)
        for turn in turns:
            if turn.planting.fault.operator not in ("deck", "between") and not puts_off(turn.planting):
                broken |= self._record_otherwise(rounds, turn, broken)

    def _same_deck(self, view: View, turn: Turn) -> set[Round]:
        """The deck of the round before stays in play for a round; from there decks go on in turn."""
        speaks = view.rounds_where(turn.planting.check.when)
        found, before = list[Round](), set[int]()
        decks = len(self._house.decks)
        for one in view.rounds:
            if one.count == 1:
                self._shifts[one.table] = 0
            if turn.take(one, fits=one.count != 1 and one in speaks and one.table in before):
                self._shifts[one.table] = self._shifts.get(one.table, 0) + 1
                found.append(one)
            (before.add if one in speaks else before.discard)(one.table)
            if one.in_play is not None:
                one.in_play = (one.in_play - self._shifts.get(one.table, 0)) % decks
        return plant(turn, found if decks > 1 else [])

    def _put_off(self, view: View, turn: Turn, taken: Happening) -> set[Round]:
        """The occasions of a step are put off until one round finds it overdue, and come in the next; those of an
        opening are not put off, nor what a mishap asks for."""
        check, step = turn.planting.check, turn.planting.fault.operand
        occasions = {index for index, name in taken if name == step}
        regular = set[Round]().union(*(taken[key] for key in taken if key[0] in occasions))
        speaks, counts = view.rounds_where(check.when), view.rounds_where(check.counts)
        befallen = rounds_with_mishap(view, step).union(
            *(
                taken[key]
                for key in taken
                if self._session.occasions[key[0]].operator == "following" and key[0] in occasions
            )
        )
        done, found = set[Round](), list[Round]()
        for one in view.rounds:
            state = self._tables.setdefault((turn.planting.requirement, one.table), _Table(last=one.time))
            if one.count == 1 or one not in speaks:
                state.counted, state.rounds, state.last, state.put_off, state.overdue = 0, 0, one.time, False, False
            state.put_off |= one in turn.at and one in speaks and not state.overdue
            usual = one in regular
            due = usual and one.count == 1
            happens = due or ((usual or state.overdue) and not state.put_off) or one in befallen
            state.overdue = False
            state.counted += one in counts
            state.rounds = 0 if happens else state.rounds + (one in counts)
            state.last = one.time if happens else state.last
            if state.put_off and one in counts and _overdue(check, state, one.time):
                found.append(one)
                state.put_off, state.overdue = False, True
            if happens:
                done.add(one)
        made_up = done - regular - befallen
        for index, name in [key for key in taken if key[0] in occasions]:
            now = made_up & usual_rounds(view, name) if index == max(occasions) else set()
            taken[index, name] = (taken[index, name] & done) | now
        return plant(turn, found)

    def _record_otherwise(self, rounds: list[Round], turn: Turn, broken: set[Round]) -> set[Round]:
        """Steps of occasions told otherwise, in the first round from each turn on that has them and no other fault."""
        view, following = View(self._house, rounds, events=True), turn.planting.following
        possible = rounds_to_break(view, turn.planting) - broken
        if following is not None:
            check = turn.planting.check
            by_deck = isinstance(check, NeededCheck) and check.per == "deck"
            held = view.rounds_where(following)
            track = (lambda one: (one.table, one.in_play)) if by_deck else (lambda one: one.table)
            possible &= self._before(turn.planting.requirement, held, rounds, track)
        chosen = {one for one in rounds if turn.take(one, fits=one in possible)}
        return plant(turn, break_events(view, turn.planting, chosen))


def plant(turn: Turn, found: Sequence[Round]) -> set[Round]:
    """Note in rounds that they break the requirement of a fault."""
    for one in found:
        one.planted = (*one.planted, turn.planting.requirement)
    return {*found}


def _overdue(check: EveryCheck, table: _Table, time: int) -> bool:
    match check.within.operator:
        case "hours":
            return bool(time - table.last > check.within.operand * _HOUR)
        case "blocks-of":
            return table.rounds >= check.within.operand and table.counted % check.within.operand == 0
        case _:
            return bool(table.rounds >= check.within.operand)


def puts_off(planting: Planting) -> bool:
    """Whether a step is left out for so long that what must happen again and again does not."""
    return planting.fault.operator == "omit" and isinstance(planting.check, EveryCheck)


def spans_rounds(house: House, planting: Planting) -> bool:
    """Whether a fault is made while the rounds of a run are put together: no round by itself has a deck, or what is
    done now and then."""
    session, fault = house.simulation.session, planting.fault
    if planting.following is not None:
        return True
    now_and_then = set() if session is None else {step for one in session.occasions for step in one.steps}
    match fault.operator:
        case "deck" | "between":
            return True
        case "omit" | "swap":
            return fault.operand in now_and_then
        case "alter":
            return fault.operand.deck is not None or fault.operand.step in now_and_then
        case "move":
            return fault.operand.step in now_and_then
        case _:
            return False
