"""Tables of a player game from round to round: the button moves, and players keep their seats and chips.

Rounds are simulated separately, each with its own seats and chips, and then put in order. The seats are rotated until
the button is in its place. A player who was never all-in would have acted the same with more chips. Such a player
continues with the chips of the previous round if possible. Other players have bought chips, or are new.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from validator.simulate.sessions.lapses import Turn
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View


class _TableState(Struct):
    """State of a table."""

    players: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Player and chips at each position."""
    open: int = 0
    """Number of rounds since the table opened."""
    shift: int = 0
    """Number of positions by which faults have displaced the button."""


class Stacks:
    """Tables of a run, from batch to batch."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._tables = [_TableState() for _ in house.tables]
        self._players_seen = 0

    def go_on(self, rounds: list[Round], turns: Sequence[Turn], rng: Luck) -> None:
        """Put rounds in order, with faults."""
        turns = [turn for turn in turns if turn.planting.fault.operator == "between"]
        moved = [turn for turn in turns if turn.planting.fault.operand.operator == "button"]
        for round_ in rounds:
            table = self._tables[round_.table]
            round_.count = table.open = 1 if self._reopens(round_) else table.open + 1
        dead = self._find_dead_buttons(rounds, Luck(rng.getrandbits(64)))
        for round_ in rounds:
            table = self._tables[round_.table]
            self._move_button(round_, table, moved, is_dead=round_ in dead)
            self._carry_players(round_, table, [turn for turn in turns if turn not in moved], rng)

    def _reopens(self, round_: Round) -> bool:
        """Return whether somebody has more or fewer chips than a new player may have."""
        stacks = self._house.stacks
        return any(not stacks.least <= seat.chips <= stacks.most for seat in round_.seats)

    def _find_dead_buttons(self, rounds: list[Round], luck: Luck) -> set[Round]:
        """Return the rounds with the button at an empty position."""
        dead_button = self._house.simulation.dead_button
        if dead_button is None:
            return set()
        chosen = [round_ for round_ in rounds if luck.happens(dead_button.chance) and self._is_empty_next(round_)]
        return View(self._house, chosen, events=True).rounds_where(dead_button.when)

    def _is_empty_next(self, round_: Round) -> bool:
        """Return whether the position clockwise from the button is empty."""
        following = (round_.button or 0) % self._house.positions + 1
        return all(seat.number != following for seat in round_.seats)

    def _move_button(self, round_: Round, table: _TableState, turns: Sequence[Turn], *, is_dead: bool) -> None:
        """Rotate all seats until the button is in its place: at the last seat when the table opens, then one further
        each round.

        A dead button is in front of the previous seat.
        """
        assert round_.count is not None and round_.button is not None
        positions, opens, is_planted = self._house.positions, round_.count == 1, False
        if opens:  # a new table begins without displacement
            table.shift = 0
        for turn in turns:
            where = turn.planting.fault.operand.operand
            fits = (
                not opens if where == "stays" else opens if where == "opens-elsewhere" else self._is_empty_next(round_)
            )
            if turn.due(round_) and fits and not is_planted:
                table.shift += -1 if where == "stays" else 1
                is_dead, is_planted = is_dead or where == "at-an-empty-seat", True
                turn.plant(round_)
        button = ((positions if opens else round_.count - 1) + table.shift - 1) % positions + 1
        moved_by, round_.button = button - is_dead - round_.button, button
        for seat in round_.seats:
            seat.number = (seat.number - 1 + moved_by) % positions + 1
        round_.seats.sort(key=lambda seat: seat.number)

    def _carry_players(self, round_: Round, table: _TableState, turns: Sequence[Turn], rng: Luck) -> None:
        """Assign the players of a round and their chips; purchases come first among its events."""
        stacks, bought, goes_on, new = self._house.stacks, dict[Seat, int](), dict[Seat, int](), list[Seat]()
        change = {seat: (seat.stack_after or 0) - seat.chips for seat in round_.seats}
        for seat in round_.seats:
            who, chips_before = table.players.get(seat.number, (0, 0)) if round_.count != 1 else (0, 0)
            wants, brings, staked = rng.happens(stacks.adds), seat.chips, seat.staked
            is_seated = who > 0 and (stacks.leaves_above is None or chips_before <= stacks.leaves_above)
            adds = wants and chips_before < stacks.least and chips_before < brings
            if is_seated and staked < brings and staked < chips_before and not adds:
                goes_on[seat] = seat.stack = chips_before
            elif not (is_seated and chips_before <= brings and (wants or chips_before > 0)):
                self._players_seen, who, chips_before = self._players_seen + 1, self._players_seen + 1, 0
                if round_.count != 1 and staked < brings:
                    new.append(seat)
            seat.player = who
            bought[seat] = seat.chips - chips_before if round_.count != 1 else 0
        for turn in turns:
            what, amount = turn.planting.fault.operand.operator, turn.planting.fault.operand.operand
            if what == "missing":
                fits = [seat for seat, chips_before in goes_on.items() if seat.staked < chips_before - amount]
            elif what == "pocketed":
                fits = [seat for seat in round_.seats if seat.chips + change[seat] >= amount]
            else:
                fits = [seat for seat in new if seat.staked < amount]
            if turn.due(round_) and fits:
                turn.plant(round_)
                if what == "pocketed":
                    change[fits[0]] -= amount
                elif what == "missing":
                    fits[0].stack, bought[fits[0]] = goes_on[fits[0]] - amount, 0
                else:
                    fits[0].stack = bought[fits[0]] = amount
        for seat in round_.seats:
            seat.stack_after = seat.chips + change[seat]
        table.players = {seat.number: (seat.player, seat.stack_after or 0) for seat in round_.seats}
        round_.events[:0] = [
            Event("chips-in", seat=seat, amount=bought[seat]) for seat in round_.seats if bought[seat] > 0
        ]
