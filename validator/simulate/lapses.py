"""Faults that span rounds: a step put off for as long as it takes, a deck that stays in play.

They are made while the rounds of a run are put together, since no round has them by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Batch, Coded
from validator.language.conditions import Condition
from validator.rules.model.sessions import EveryCheck, NeededCheck
from validator.rules.simulation.simulation import Session
from validator.simulate.house import House
from validator.simulate.planting import Planting
from validator.simulate.sessions import Before, befell, happening, numbered, told_between, where_usual
from validator.simulate.told_faults import break_events, rounds_to_break

_HOUR = 3600 * 10**6


class Turn(Struct, frozen=True, kw_only=True):
    """A fault that is planted while a run is put together: `at` is bool[rounds], when its turn is."""

    planting: Planting
    at: Flags


class _Table(Struct):
    """How a table stands with a step that must happen again and again: how many rounds have counted, for how many of
    them it has not happened, when it last did, whether it is being put off, and whether it is now to be made up for."""

    counted: int = 0
    rounds: int = 0
    last: int = 0
    put_off: bool = False
    overdue: bool = False


class Sessions(Struct, kw_only=True):
    """The tables of a run, from batch to batch."""

    house: House
    session: Session
    _tables: dict[tuple[str, int], _Table] = field(default_factory=dict)
    _shifts: dict[int, int] = field(default_factory=dict)
    _before: Before = field(default_factory=Before)

    def keep(self, batch: Batch, hands: Ints, turns: Sequence[Turn]) -> tuple[Batch, list[tuple[int, str]]]:
        """The rounds as those of their tables, with faults; and in which rounds (places in the batch) which
        requirement is broken by one. `hands` is int64[rounds], how many rounds each table has had before."""
        house, session = self.house, self.session
        batch = numbered(house, session, batch, hands)
        taken = dict(happening(house, session, batch, self._before))
        planted: list[tuple[int, str]] = []
        for turn in turns:
            scope = Scope(batch, house.prepared, house.configuration)
            if turn.planting.fault.operator == "deck":
                batch, found = self._same_deck(batch, scope, turn)
            elif puts_off(turn.planting):
                found = self._put_off(batch, scope, turn, taken)
            else:
                continue
            planted += [(at, turn.planting.requirement) for at in found]
        batch = told_between(house, session, batch, taken)
        for turn in turns:
            if turn.planting.fault.operator != "deck" and not puts_off(turn.planting):
                batch, found = self._told_otherwise(batch, turn, [at for at, _ in planted])
                planted += [(at, turn.planting.requirement) for at in found]
        return batch, planted

    def _same_deck(self, batch: Batch, scope: Scope, turn: Turn) -> tuple[Batch, list[int]]:
        """The deck of the round before stays in play for a round; from there decks go on in turn."""
        speaks = _certainly(scope, turn.planting.check.when)
        shift = np.zeros(len(batch), np.int64)
        found: list[int] = []
        before: dict[int, bool] = {}
        waiting = False
        for at, (table, number) in enumerate(zip(batch.table.codes.tolist(), batch.number.tolist(), strict=True)):
            if number == 1:
                self._shifts[table] = 0
            waiting |= bool(turn.at[at])
            if waiting and number > 1 and speaks[at] and before.get(table, False):
                self._shifts[table] = self._shifts.get(table, 0) + 1
                found.append(at)
                waiting = False
            before[table] = bool(speaks[at])
            shift[at] = self._shifts.get(table, 0)
        decks = max(len(self.house.decks), 1)
        codes = np.where(batch.deck.codes == ABSENT, ABSENT, (batch.deck.codes - shift) % decks).astype(np.int32)
        return replace(batch, deck=Coded(codes=codes, names=batch.deck.names)), found if decks > 1 else []

    def _put_off(self, batch: Batch, scope: Scope, turn: Turn, taken: dict[tuple[int, str], Flags]) -> list[int]:
        """The occasions of a step are put off until one round finds it overdue, and come in the next; those of an
        opening are not put off, nor what a mishap asks for."""
        check: EveryCheck = turn.planting.check
        occasions = {index for index, step in taken if step == turn.planting.fault.operand}
        regular = np.logical_or.reduce([taken[key] for key in taken if key[0] in occasions])
        speaks, counts = _certainly(scope, check.when), _certainly(scope, check.counts)
        by_mishap = befell(self.house, scope, turn.planting.fault.operand)
        for (index, _), flags in taken.items():
            if index in occasions and self.session.occasions[index].operator == "following":
                by_mishap |= flags
        done = regular.copy()
        found: list[int] = []
        columns = (batch.table.codes, batch.number, batch.time, speaks, counts, regular, by_mishap, turn.at)
        for at, (table, number, time, asked, counted, usual, befallen, begins) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            state = self._tables.setdefault((turn.planting.requirement, table), _Table(last=time))
            if number == 1 or not asked:
                state.counted, state.rounds, state.last, state.put_off, state.overdue = 0, 0, time, False, False
            state.put_off |= begins and asked and not state.overdue
            happens = (usual and number == 1) or ((usual or state.overdue) and not state.put_off) or befallen
            state.overdue = False
            state.counted += counted
            state.rounds = 0 if happens else state.rounds + counted
            state.last = time if happens else state.last
            if state.put_off and counted and _overdue(check, state, time):
                found.append(at)
                state.put_off, state.overdue = False, True
            done[at] = happens
        made_up, last = done & ~regular & ~by_mishap, max(occasions)
        for (index, step), flags in list(taken.items()):
            if index in occasions:
                now = made_up & (index == last) & where_usual(self.house, scope, step)
                taken[index, step] = (flags & done) | now
        return found

    def _told_otherwise(self, batch: Batch, turn: Turn, taken: Sequence[int]) -> tuple[Batch, list[int]]:
        """Steps of occasions told otherwise, in the first round from each turn on that has them and no other fault."""
        scope, following = Scope(batch, self.house.prepared, self.house.configuration), turn.planting.following
        possible = rounds_to_break(scope, turn.planting)
        if following is not None:
            held, track = _certainly(scope, following), _track(self.house, batch, turn.planting.check)
            possible &= self._before(turn.planting.requirement, held, track, batch)
        possible[list(taken)] = False
        chosen = np.zeros(len(batch), np.bool_)
        waiting = False
        for at, (begins, fits) in enumerate(zip(turn.at.tolist(), possible.tolist(), strict=True)):
            waiting |= begins
            if waiting and fits:
                chosen[at], waiting = True, False
        batch, broken = break_events(scope, turn.planting.fault, chosen)
        return batch, np.flatnonzero(broken).tolist()


def _track(house: House, batch: Batch, check: object) -> Ints:
    """int64[rounds]: what a check goes along: the decks of tables, or the tables."""
    table = batch.table.codes.astype(np.int64)
    if isinstance(check, NeededCheck) and check.per == "deck":
        return table * max(len(house.decks), 1) + np.maximum(batch.deck.codes, 0)
    return table


def _overdue(check: EveryCheck, table: _Table, time: int) -> bool:
    match check.within.operator:
        case "hours":
            return time - table.last > check.within.operand * _HOUR
        case "blocks-of":
            return table.rounds >= check.within.operand and table.counted % check.within.operand == 0
        case _:
            return table.rounds >= check.within.operand


def _certainly(scope: Scope, condition: Condition | None) -> Flags:
    """bool[rounds]: where a condition certainly holds."""
    if condition is None:
        return np.ones(scope.length("round"), np.bool_)
    return scope.truth(condition, "round") == YES


def puts_off(planting: Planting) -> bool:
    """Whether a step is left out for so long that what must happen again and again does not."""
    check = planting.check
    return planting.fault.operator == "omit" and isinstance(check, EveryCheck)


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
