"""Rounds between players as those of a table that goes on: the button moves, players keep their seats and their chips.

Rounds are played one by one, each with seats and chips of its own. Here they are put in a row. The seats are turned
until the button lies where it must. A player who never was all-in could have begun with any larger number of chips and
nothing would have been otherwise, so who can goes on with what was left of the round before; who cannot has bought
chips, or is somebody else who has sat down.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.columns.tables import end_to_end, rows
from validator.evidence.handlog.events import KIND
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.lapses import Turn
from validator.simulate.parts import Part, in_order
from validator.simulate.posting import stacks_of
from validator.simulate.sequences import sequenced

_NO_LIMIT = 2**60


class Tables:
    """The tables of a run, from batch to batch: who sits where with how many chips, how long they have been open."""

    def __init__(self, house: House) -> None:
        self._house = house
        shape = (len(house.tables), house.positions + 1)
        self._who = np.zeros(shape, np.int64)
        self._chips = np.zeros(shape, np.int64)
        self._open = np.zeros(len(house.tables), np.int64)
        self._shift = np.zeros(len(house.tables), np.int64)
        self._met = 0

    def go_on(
        self, batch: Batch, hands: Ints, turns: Sequence[Turn], rng: np.random.Generator
    ) -> tuple[Batch, list[tuple[int, str]]]:
        """The rounds in a row, with faults; and in which rounds (places in the batch) which requirement is broken by
        one. `hands` is int64[rounds], how many rounds each table has had before."""
        turns = [turn for turn in turns if turn.planting.fault.operator == "between"]
        batch = replace(batch, number=self._numbered(batch).astype(np.int32))
        shift, apart, planted = self._shifted(batch, turns)
        batch = _turned(batch, self._house.positions, shift, apart | self._dead(batch, rng.spawn(1)[0]))
        wrongs = [
            _Wrong(turn=turn, waiting=False) for turn in turns if turn.planting.fault.operand.operator != "button"
        ]
        stack, change, player, bought = self._carried(batch, hands, wrongs, planted, rng)
        return _with_chips(self._house, batch, stack, change, player, bought), planted

    def _shifted(self, batch: Batch, turns: Sequence[Turn]) -> tuple[Ints, Flags, list[tuple[int, str]]]:
        """int64[rounds]: by how many positions the button lies elsewhere than it would if it always moved on;
        bool[rounds], where the last of them is one that the seats do not go with; and where a fault makes it so."""
        apart = np.zeros(len(batch), np.bool_)
        shift = np.zeros(len(batch), np.int64)
        planted: list[tuple[int, str]] = []
        table, opens = batch.table.codes, batch.number == 1
        by = np.zeros(len(batch), np.int64)
        for turn in turns:
            fault = turn.planting.fault.operand
            if fault.operator == "button":
                fits = {"stays": ~opens, "opens-elsewhere": opens}.get(fault.operand, self._empty_next(batch))
                for first in _first_from(turn.at, fits, by != 0):
                    by[first] = -1 if fault.operand == "stays" else 1
                    apart[first] = fault.operand == "at-an-empty-seat"
                    planted.append((first, turn.planting.requirement))
        for one in np.unique(table).tolist():
            at = np.flatnonzero(table == one)
            total = np.cumsum(by[at]) + self._shift[one]
            opened = np.maximum.accumulate(np.where(opens[at], np.arange(len(at)), ABSENT))
            # With every opening of the table all that was before is forgotten.
            shift[at] = total - np.where(opened == ABSENT, 0, (total - by[at])[opened])
            self._shift[one] = shift[at[-1]]
        return shift, apart, planted

    def _dead(self, batch: Batch, luck: np.random.Generator) -> Flags:
        """bool[rounds]: where the button comes to an empty position."""
        dead = self._house.simulation.dead_button
        if dead is None:
            return np.zeros(len(batch), np.bool_)
        found = self._empty_next(batch) & happens(luck, len(batch), dead.chance)
        if dead.when is not None:
            scope = Scope(batch, self._house.prepared, self._house.configuration)
            found &= scope.truth(dead.when, "round") == YES
        return found

    def _empty_next(self, batch: Batch) -> Flags:
        """bool[rounds]: whether the position clockwise from the button is empty."""
        following = batch.button.astype(np.int64) % self._house.positions + 1
        taken = batch.seats.round[batch.seats.number == following[batch.seats.round]]
        empty = np.ones(len(batch), np.bool_)
        empty[taken] = False
        return empty

    def _numbered(self, batch: Batch) -> Ints:
        """int64[rounds]: which round it is since the table opened. It opens anew for a round in which somebody has so
        few chips, or so many, that nobody sits down with them."""
        stacks, chips = stacks_of(self._house), batch.seats.stack
        anew = np.zeros(len(batch), np.bool_)
        anew[batch.seats.round[(chips < stacks.least) | (chips > stacks.most)]] = True
        table = batch.table.codes
        number = np.zeros(len(batch), np.int64)
        for one in np.unique(table).tolist():
            at = np.flatnonzero(table == one)
            count = np.arange(1, len(at) + 1)
            before = np.maximum.accumulate(np.where(anew[at], count - 1, -self._open[one]))
            number[at] = count - before
            self._open[one] = number[at[-1]]
        return number

    def _carried(
        self,
        batch: Batch,
        hands: Ints,
        wrongs: Sequence[_Wrong],
        planted: list[tuple[int, str]],
        rng: np.random.Generator,
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """int64[seats] each: the chips at the start, how many more or less they are at the end, the player, and the
        chips bought before the round.

        What a player has hangs on the round before, so this goes on hand by hand, all tables at once.
        """
        stacks, seats = stacks_of(self._house), batch.seats
        most = _NO_LIMIT if stacks.leaves_above is None else stacks.leaves_above
        staked = np.zeros(len(seats.round), np.int64)
        np.add.at(staked, batch.stakes.seat, batch.stakes.amount)
        wants, change = happens(rng, len(staked), stacks.adds), seats.stack_after - seats.stack
        stack, player, bought = seats.stack.copy(), np.zeros_like(staked), np.zeros_like(staked)
        bounds = [0, *(np.flatnonzero(np.diff(hands)) + 1).tolist(), len(batch)]
        for first, last in pairwise(bounds):
            now = slice(int(seats.offsets[first]), int(seats.offsets[last]))
            table, number = batch.table.codes[seats.round[now]], seats.number[now]
            opened = batch.number[seats.round[now]] == 1
            who, had, brings = self._who[table, number], self._chips[table, number], seats.stack[now]
            there = (who > 0) & ~opened & (had <= most)
            keeps = there & (staked[now] < brings) & (staked[now] < had)
            adds = wants[now] & (had < stacks.least)
            goes_on = keeps & ~(adds & (had < brings))
            stays = goes_on | (there & (had <= brings) & (wants[now] | (had > 0)))
            stack[now] = np.where(goes_on, had, brings)
            bought[now] = np.where(opened, 0, stack[now] - np.where(stays, had, 0))
            for wrong in wrongs:
                wrong.waiting |= bool(wrong.turn.at[first:last].any())
                fault = wrong.turn.planting.fault.operand
                match fault.operator:
                    case "missing":
                        few = np.where(goes_on, had - fault.operand, 0)
                        fits = np.flatnonzero(goes_on & (staked[now] < few))
                    case "pocketed":
                        fits = np.flatnonzero(stack[now] + change[now] >= fault.operand)
                    case _:
                        few = np.full(len(had), fault.operand)
                        fits = np.flatnonzero(~stays & ~opened & (staked[now] < brings) & (staked[now] < few))
                if wrong.waiting and len(fits):
                    at = now.start + int(fits[0])
                    if fault.operator == "pocketed":
                        change[at] -= fault.operand
                    else:
                        stack[at] = few[fits[0]]
                        bought[at] = 0 if fault.operator == "missing" else fault.operand
                    planted.append((int(seats.round[at]), wrong.turn.planting.requirement))
                    wrong.waiting = False
            player[now] = np.where(stays, who, self._met + np.cumsum(~stays))
            self._met += int((~stays).sum())
            self._who[batch.table.codes[first:last]] = 0
            self._who[table, number], self._chips[table, number] = player[now], stack[now] + change[now]
        return stack, change, player, bought


class _Wrong(Struct, kw_only=True):
    """A fault in the chips that players have: `waiting` is whether its turn has come and it has not been planted."""

    turn: Turn
    waiting: bool


def _first_from(turns: Flags, fits: Flags, taken: Flags) -> list[int]:
    """From each turn on (bool[rounds]) the first round that fits and is not taken; one for all turns until then."""
    found: list[int] = []
    waiting = False
    for at, (begins, possible) in enumerate(zip(turns.tolist(), (fits & ~taken).tolist(), strict=True)):
        waiting |= begins
        if waiting and possible:
            found.append(at)
            waiting = False
    return found


def _turned(batch: Batch, positions: int, shift: Ints, apart: Flags) -> Batch:
    """The rounds with their seats moved round the table, all by as much, until the button lies where it must: at the
    last seat when the table opens, then at the next one each time. Where it lies `apart`, bool[rounds], it is in front
    of the seat before."""
    wanted = np.where(batch.number == 1, positions, batch.number - 1) + shift - 1
    button = wanted % positions + 1
    by = ((wanted - apart) % positions + 1 - batch.button)[batch.seats.round]
    number = (batch.seats.number - 1 + by) % positions + 1
    order = np.lexsort((number, batch.seats.round))
    place = np.empty(len(order) + 1, np.int32)  # an entry more than there are seats: where ABSENT finds itself
    place[order], place[-1] = np.arange(len(order)), ABSENT
    seats = rows(replace(batch.seats, number=number.astype(np.int16)), order, offsets=batch.seats.offsets)
    of_seat = place[batch.stakes.seat]
    by_seat = np.argsort(of_seat, kind="stable")
    return replace(
        batch,
        button=button.astype(np.int8),
        seats=seats,
        stakes=rows(replace(batch.stakes, seat=of_seat), by_seat),
        events=replace(batch.events, seat=place[batch.events.seat]),
    )


def _with_chips(house: House, batch: Batch, stack: Ints, change: Ints, player: Ints, bought: Ints) -> Batch:
    """The rounds with these chips and players; what was bought stands at the head of the round."""
    known, codes = np.unique(player, return_inverse=True)
    seats = replace(
        batch.seats,
        stack=stack,
        stack_after=stack + change,
        player=Coded(codes=codes.astype(np.int32), names=tuple(f"P{one}" for one in known.tolist())),
    )
    buys = np.flatnonzero(bought > 0)
    owner: Ints32 = seats.round[buys]
    part = Part(kind=KIND["chips-in"], round=owner, order=np.zeros(len(buys), np.int64), seat=buys, amount=bought[buys])
    told = in_order([part], len(batch), house.texts)
    both = end_to_end([told, batch.events])
    return replace(batch, seats=seats, events=sequenced(both, np.argsort(both.round, kind="stable"), len(batch)))
