"""Rounds between players as those of a table that goes on: the button moves, players keep their seats and their chips.

Rounds are played one by one, each with seats and chips of its own. Here they are put in a row. The seats are turned
until the button lies where it must. A player who never was all-in could have begun with any larger number of chips and
nothing would have been otherwise, so who can goes on with what was left of the round before; who cannot has bought
chips, or is somebody else who has sat down.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from validator.simulate.sessions.lapses import Turn
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View


class _Table(Struct):
    """A table: who sits where with how many chips, how many rounds it has been open, and by how many positions the
    button lies elsewhere than it would if it always moved on."""

    players: dict[int, tuple[int, int]] = field(default_factory=dict)
    open: int = 0
    shift: int = 0


class Stacks:
    """The tables of a run, from batch to batch."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._tables = [_Table() for _ in house.tables]
        self._met = 0

    def go_on(self, rounds: list[Round], turns: Sequence[Turn], rng: Luck) -> None:
        """The rounds in a row, with faults."""
        turns = [turn for turn in turns if turn.planting.fault.operator == "between"]
        moved = [turn for turn in turns if turn.planting.fault.operand.operator == "button"]
        for round_ in rounds:
            table = self._tables[round_.table]
            round_.count = table.open = 1 if self._opens_anew(round_) else table.open + 1
        dead = self._dead_buttons(rounds, Luck(rng.getrandbits(64)))
        for round_ in rounds:
            table = self._tables[round_.table]
            self._move_button(round_, table, moved, is_dead=round_ in dead)
            self._carry(round_, table, [turn for turn in turns if turn not in moved], rng)

    def _opens_anew(self, one: Round) -> bool:
        """Whether somebody has so few chips, or so many, that nobody sits down with them."""
        stacks = self._house.stacks
        return any(not stacks.least <= seat.chips <= stacks.most for seat in one.seats)

    def _dead_buttons(self, rounds: list[Round], luck: Luck) -> set[Round]:
        """The rounds in which the button comes to an empty position."""
        dead = self._house.simulation.dead_button
        if dead is None:
            return set()
        lucky = [round_ for round_ in rounds if luck.happens(dead.chance) and self._is_empty_next(round_)]
        return View(self._house, lucky, events=True).rounds_where(dead.when)

    def _is_empty_next(self, one: Round) -> bool:
        """Whether the position clockwise from the button is empty."""
        following = (one.button or 0) % self._house.positions + 1
        return all(seat.number != following for seat in one.seats)

    def _move_button(self, one: Round, table: _Table, turns: Sequence[Turn], *, is_dead: bool) -> None:
        """Move all seats round the table until the button lies where it must: at the last seat when the table opens,
        then at the next one each time; where it is dead it lies in front of the seat before."""
        assert one.count is not None and one.button is not None
        positions, opens, broken = self._house.positions, one.count == 1, False
        if opens:  # all that was before is forgotten
            table.shift = 0
        for turn in turns:
            where = turn.planting.fault.operand.operand
            fits = not opens if where == "stays" else opens if where == "opens-elsewhere" else self._is_empty_next(one)
            if turn.due(one) and fits and not broken:
                table.shift += -1 if where == "stays" else 1
                is_dead, broken = is_dead or where == "at-an-empty-seat", True
                turn.plant(one)
        button = ((positions if opens else one.count - 1) + table.shift - 1) % positions + 1
        by, one.button = button - is_dead - one.button, button
        for seat in one.seats:
            seat.number = (seat.number - 1 + by) % positions + 1
        one.seats.sort(key=lambda seat: seat.number)

    def _carry(self, one: Round, table: _Table, turns: Sequence[Turn], rng: Luck) -> None:
        """The players of a round and their chips; what was bought stands at its head."""
        stacks, bought, goes_on, new = self._house.stacks, dict[Seat, int](), dict[Seat, int](), list[Seat]()
        change = {seat: (seat.stack_after or 0) - seat.chips for seat in one.seats}
        for seat in one.seats:
            who, had = table.players.get(seat.number, (0, 0)) if one.count != 1 else (0, 0)
            wants, brings, staked = rng.happens(stacks.adds), seat.chips, seat.staked
            there = who > 0 and (stacks.leaves_above is None or had <= stacks.leaves_above)
            adds = wants and had < stacks.least and had < brings
            if there and staked < brings and staked < had and not adds:
                goes_on[seat] = seat.stack = had
            elif not (there and had <= brings and (wants or had > 0)):
                self._met, who, had = self._met + 1, self._met + 1, 0
                if one.count != 1 and staked < brings:
                    new.append(seat)
            seat.player = who
            bought[seat] = seat.chips - had if one.count != 1 else 0
        for turn in turns:
            what, amount = turn.planting.fault.operand.operator, turn.planting.fault.operand.operand
            if what == "missing":
                fits = [seat for seat, had in goes_on.items() if seat.staked < had - amount]
            elif what == "pocketed":
                fits = [seat for seat in one.seats if seat.chips + change[seat] >= amount]
            else:
                fits = [seat for seat in new if seat.staked < amount]
            if turn.due(one) and fits:
                turn.plant(one)
                if what == "pocketed":
                    change[fits[0]] -= amount
                elif what == "missing":
                    fits[0].stack, bought[fits[0]] = goes_on[fits[0]] - amount, 0
                else:
                    fits[0].stack = bought[fits[0]] = amount
        for seat in one.seats:
            seat.stack_after = seat.chips + change[seat]
        table.players = {seat.number: (seat.player, seat.stack_after or 0) for seat in one.seats}
        one.events[:0] = [Event("chips-in", seat=seat, amount=bought[seat]) for seat in one.seats if bought[seat] > 0]
