"""Simulated betting, act by act, for all rounds with a pending act at once.

The betting engine provides whose turn it is, what must be met and what is open; seats act by their habits.
"""

from __future__ import annotations

from itertools import accumulate, count

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits32, Ints8
from validator.cards.cards import NO_CARD
from validator.engine.betting.action_codes import AS_BET, BET, DEAD, LIVE, OTHER
from validator.engine.betting.actions_recorded import ACTS
from validator.engine.betting.betting_terms import terms_of
from validator.engine.betting.machine import Running
from validator.engine.betting.offers import Step
from validator.engine.betting.opens_by_upcards import Served, served_in
from validator.engine.betting.positions import opener
from validator.engine.cards.upcards import lying_open
from validator.engine.core.context import Scope
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of, several
from validator.evidence.columns.batch import Hands
from validator.simulate.cards import exchange_at_seats
from validator.simulate.poker.habits import Habits
from validator.simulate.poker.mistakes import Mistake
from validator.simulate.poker.turns import Moment
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Act, Event, Round, Seat
from validator.simulate.table.view import View

_FORCED = {"apart": DEAD, "toward-the-bet": LIVE, "as-the-bet": AS_BET}


def bet(house: House, rounds: list[Round], rng: Luck, mistake: Mistake | None = None) -> None:
    """Play all acts of betting, with a mistake in every round that it fits. Cards that were never dealt are removed."""
    _Betting(house, rounds, mistake).play(rng)


class _Betting:
    """Betting in many rounds at once."""

    def __init__(self, house: House, rounds: list[Round], mistake: Mistake | None) -> None:
        self._house, self._rounds, self._mistake = house, rounds, mistake
        self._view = View(house, rounds)
        # This scope gets its open cards stage by stage.
        self._opening = Scope(self._view.scope.batch, house.prepared, house.configuration)
        terms, self._seats = terms_of(self._view.scope), seating(self._view.scope)
        self._running = Running(replace(terms, before=terms.before.copy()), 0, at_once=True)
        self._habits = Habits(house)
        self._dealt = 0

    def play(self, rng: Luck) -> None:
        """Play all betting rounds."""
        running, dealt, betting = self._running, _count_stages_dealt(self._house), self._house.prepared.betting
        # Manners have their own random numbers, so that the acts do not depend on them.
        luck = Luck(rng.getrandbits(64))
        self._put_in_forced_bets()
        running.players[[round_.is_dead for round_ in self._rounds]] = 0
        reached = np.zeros(len(self._rounds), np.int64)
        for street in range(len(betting.rounds)):
            running.terms.before[street] = self._find_row_before_opener(street, running.players, dealt[street])
            if not street:
                running.last = running.terms.before[0].copy()
            else:
                self._exchange(range(dealt[street - 1], dealt[street]), rng)
                begun = np.flatnonzero(several(running.players))
                running.begin(begun, np.full(len(begun), street, np.int8))
                reached[begun] = street
            self._play_street(street, rng, luck)
        whole = len(self._house.game.deal.stages)
        stages = np.where(several(running.players), whole, np.array(dealt)[reached]).tolist()
        if self._mistake is not None:
            stages = self._mistake.stages(running, stages, whole)
        for round_, number in zip(self._rounds, stages, strict=True):
            self._finish_round(round_, number, dealt)

    def _put_in_forced_bets(self) -> None:
        for forced in self._house.prepared.betting.forced:
            on_it = np.array([*(seat.on(forced.wager) for seat in self._view.seats), 0], np.int64)
            offer = self._house.offer(forced.wager)
            floor = 0 if offer is None else offer.minimum or 0
            for row, of_row in enumerate(self._seats.seats):
                amount = on_it[of_row]  # the last entry, 0, is for rows without a seat
                who = np.where(amount > 0, np.int8(row), np.int8(ABSENT))
                self._apply_acts(np.where(amount > 0, _FORCED[forced.counts], OTHER), who, amount, who, floor)

    def _apply_acts(self, op: object, row: Ints8, amount: object, due: Ints8, floor: int = 0) -> None:
        """Apply an act in every round; OTHER if nothing happens. `due` is the row whose turn it is."""
        floors, ops = np.full(len(row), floor, np.int64), np.asarray(op, np.uint8)
        self._running.pay(
            Step(op=ops, row=row, bit=bit_of(row), amount=np.asarray(amount, np.int64), floor=floors), due
        )

    def _find_row_before_opener(self, street: int, players: Bits32, dealt: int) -> Bits32:
        """Return the row before the one that opens a betting round, uint32[rounds]. Open cards may decide it.

        Args:
            street: number of the betting round.
            players: seats that are still in, as bits.
            dealt: number of stages that have been dealt, the last of them to those still in.
        """
        deal, scope = self._house.game.deal, self._opening
        faces = [face == "up" for face in deal.faces("player")]
        still_in = (players[scope.batch.seats.round] & bit_of(self._seats.row)) != 0
        is_contested = several(players)
        for stage in range(self._dealt, dealt):
            scope.take(served_in, Served(came=is_contested, still_in=still_in, told=np.ones_like(is_contested)), stage)
            cards = sum((dealt_stage.cards or {}).get("player", 0) for dealt_stage in deal.stages[: stage + 1])
            open_ones = scope.batch.seats.hands.cards[:, :cards][:, faces[:cards]]
            shown = np.where(still_in[:, None], open_ones, np.uint8(NO_CARD))
            scope.take(lying_open, Hands(cards=shown, count=(still_in * shown.shape[1]).astype(np.int16)), stage)
        self._dealt = dealt
        return opener(scope, self._house.prepared.betting.rounds[street].opens)[0]

    def _exchange(self, stages: range, rng: Luck) -> None:
        """Exchange cards in these stages of the deal if two or more players are left, and reopen the rounds with the
        new cards."""
        exchanging = [number for number in stages if number in self._house.game.deal.exchanging]
        if exchanging:
            left = np.where(several(self._running.players), self._running.players, np.uint32(0))
            here = (left[self._view.scope.batch.seats.round] & bit_of(self._seats.row)) != 0
            still_in = {seat for seat, yes in zip(self._view.seats, here.tolist(), strict=True) if yes}
            for number in exchanging:
                exchange_at_seats(self._house, self._rounds, rng, number=number, still_in=still_in)
            self._view = View(self._house, self._rounds, held=True)

    def _play_street(self, street: int, rng: Luck, luck: Luck) -> None:
        """Play one betting round of all rounds; `luck` decides what seats show of their acts."""
        running, mistake = self._running, self._mistake
        length = len(self._rounds)
        nobody = np.full(length, ABSENT, np.int8)
        for _ in count():
            due = running.see(slice(0, length), nobody, bit_of(nobody))
            who = due
            if mistake is not None:
                rows = mistake.who(running, due.tolist(), street, Moment(self._view, running, due), rng)
                who = np.array(rows, np.int8)
            if (who == ABSENT).all():
                return
            moment = Moment(self._view, running, who)
            choices, wrong = self._habits.choose(moment, rng), dict[int, list[Event]]()
            if mistake is not None:
                choices, wrong = mistake.act(self._habits, moment, street, choices, rng)
            silent = [at in wrong or bool(who[turn.at] != due[turn.at]) for at, turn in enumerate(moment.turns)]
            shown = self._habits.usual(moment, choices, silent, luck)
            op, amounts = np.full(length, OTHER, np.uint8), np.zeros(length, np.int64)
            for at, (turn, (decision, amount)) in enumerate(zip(moment.turns, choices, strict=True)):
                op[turn.at], amounts[turn.at] = ACTS.get(self._house.kinds.get(decision, ""), BET), amount
                act = Act(turn.seat, street, decision, amount, wrong.get(at, shown[at]))
                self._rounds[turn.at].acts.append(act)
            self._apply_acts(op, who, amounts, due)

    def _finish_round(self, round_: Round, stages: int, dealt: list[int]) -> None:
        """Record the bets of a round, and the cards that were dealt to it and to each seat."""
        round_.stages, stages_of_seat = stages, dict[Seat, int]()
        line = self._house.prepared.betting.wager
        for seat in round_.seats:
            seat.put(line, sum(act.amount for act in round_.acts if act.seat is seat))
        for act in round_.acts:
            if self._house.kinds.get(act.decision) == "fold":
                act.seat.folded = True
                stages_of_seat[act.seat] = min(stages_of_seat.get(act.seat, stages), dealt[act.street])
        for place in self._house.game.deal.cards:
            each = [0, *accumulate((stage.cards or {}).get(place, 0) for stage in self._house.game.deal.stages)]
            for owner, hand in round_.held_at(place):
                hand.cards = (hand.cards or [])[: each[stages if owner is None else stages_of_seat.get(owner, stages)]]


def _count_stages_dealt(house: House) -> list[int]:
    """Return the number of stages of the deal that precede each betting round."""
    names, steps = [dealt.stage for dealt in house.game.deal.stages], {step.step: step for step in house.course}
    after = [steps.get(round_.after or "") for round_ in house.prepared.betting.rounds]
    return [1 if step is None or step.stage is None else names.index(step.stage) + 1 for step in after]
