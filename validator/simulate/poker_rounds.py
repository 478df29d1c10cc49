"""Simulated poker rounds: betting, act by act in many rounds at once, showdown, rake and pots.

The engine that checks betting and pots also provides whose turn it is, what is open, and who wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, count

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.engine.betting import betting_terms
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.betting.betting_snapshots import (
    AS_BET,
    BET,
    DEAD,
    LIVE,
    OTHER,
    BettingTerms,
    StepActions,
)
from fairdeal.validator.engine.betting.plain_betting import PlainAction, PlainBetting
from fairdeal.validator.engine.betting.recorded_betting import CODE_BY_DECISION_KIND
from fairdeal.validator.engine.betting.regular_betting import RegularBetting
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.final_hands import collect_open_cards
from fairdeal.validator.engine.facts.seat_layout import has_several_seats, mask_of_seat, seat_layout
from fairdeal.validator.engine.pots.pot_receipts import take_from_main_pot_first
from fairdeal.validator.engine.pots.pot_shares import SettledPots, is_winning, pot_division, settle_pots
from fairdeal.validator.engine.pots.pot_totals import bound_rake_due
from fairdeal.validator.engine.pots.split_pots import NetPots, share_each_pot
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.poker_players import BettingMistake, BettingMoment, PlayerHabits
from fairdeal.validator.simulate.procedure_steps import record_rounds
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_deal import exchange_at_seats
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse

_FORCED = {"apart": DEAD, "toward-the-bet": LIVE, "as-the-bet": AS_BET}


def play_betting(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    rng: RandomStream,
    mistake: BettingMistake | None = None,
) -> None:
    """Play all acts of betting, with a mistake in every round that it fits. Cards that were never dealt are removed."""
    _Betting(house, rounds, mistake).play(rng)


class MistakenBetting(RegularBetting):
    """Betting in which players make mistakes that the table accepts at once; each round advances by itself."""

    def __init__(self, terms: BettingTerms) -> None:
        """Begin the betting of the rounds of the terms."""
        super().__init__(terms, 0)
        self._rounds = [PlainBetting(terms, number, accepts_all_bets=True) for number in range(self.round_count)]

    def observe(self, row: Ints8) -> Ints8:
        """Store the states as in `RegularBetting`."""
        states = [
            betting.take_snapshot(PlainAction(OTHER, who, 0, 0))
            for betting, who in zip(self._rounds, row.tolist(), strict=True)
        ]
        for state in states:
            state.is_late_action = False  # as in columns, where nobody acts yet
        self.snapshots.store(np.arange(self.round_count), states)
        self._copy_states()
        return self.snapshots.seat_to_act.copy()

    def apply_actions(self, step: StepActions, due: Ints8) -> None:
        """Apply actions as in `RegularBetting`."""
        columns = (step.op, step.row, step.amount, step.minimum_bet)
        actions = zip(*(column.tolist() for column in columns), strict=True)
        for betting, action, row in zip(self._rounds, actions, due.tolist(), strict=True):
            state = betting.take_snapshot(None)
            state.seat_to_act = row
            betting.apply(PlainAction(*action), state, acts_follow=False)
        self._copy_states()

    def set_row_before_opener(self, street: int, rows: Bits32) -> None:
        """Set the row as in `RegularBetting`."""
        super().set_row_before_opener(street, rows)
        for betting, row in zip(self._rounds, rows.tolist(), strict=True):
            betting.row_before_opener[street] = row
            betting.last_actor = betting.last_actor if street else row

    def call_off(self, rounds: Flags) -> None:
        """Call rounds off as in `RegularBetting`."""
        super().call_off(rounds)
        for number in np.flatnonzero(rounds).tolist():
            self._rounds[number].players_in = 0

    def begin_streets(self, rounds: Ints, street: Ints8) -> None:
        """Begin betting rounds as in `RegularBetting`."""
        for number, begun in zip(rounds.tolist(), street.tolist(), strict=True):
            self._rounds[number].begin_street(begun)
        self._copy_states()

    def _copy_states(self) -> None:
        """Copy what the players see into the columns."""
        for name in ("players_in", "with_chips", "has_acted", "must_respond", "last_actor", "current_bet"):
            getattr(self, name)[:] = [getattr(betting, name) for betting in self._rounds]
        self.committed[:] = np.array([betting.committed for betting in self._rounds]).T.reshape(-1)
        self.stack_left[:] = np.array([betting.stack_left for betting in self._rounds]).T.reshape(-1)


class _Betting:
    """Betting in many rounds at once."""

    def __init__(
        self, house: SimulatedHouse, rounds: list[round_records.SimulatedRound], mistake: BettingMistake | None
    ) -> None:
        self._house, self._rounds, self._mistake = house, rounds, mistake
        self._view = RoundView(house, rounds)
        # This scope gets its open cards stage by stage.
        self._opening = EvaluationContext(self._view.scope.batch, house.prepared, house.configuration)
        terms, self._seats = betting_terms.build_betting_terms(self._view.scope), seat_layout(self._view.scope)
        terms = replace(terms, row_before_opener=terms.row_before_opener.copy())
        self._running = RegularBetting(terms, 0) if mistake is None else MistakenBetting(terms)
        self._habits = PlayerHabits(house)
        self._dealt = 0

    def play(self, rng: RandomStream) -> None:
        """Play all betting rounds."""
        running, dealt, betting = self._running, _count_stages_dealt(self._house), self._house.prepared.betting
        # Manners have their own random numbers, so that the acts do not depend on them.
        luck = RandomStream(rng.getrandbits(64))
        self._put_in_forced_bets()
        running.call_off(np.array([round_.is_dead for round_ in self._rounds]))
        reached = np.zeros(len(self._rounds), np.int64)
        for street in range(len(betting.rounds)):
            running.set_row_before_opener(
                street, self._find_row_before_opener(street, running.players_in, dealt[street])
            )
            if street:
                self._exchange(range(dealt[street - 1], dealt[street]), rng)
                begun = np.flatnonzero(has_several_seats(running.players_in))
                running.begin_streets(begun, np.full(len(begun), street, np.int8))
                reached[begun] = street
            self._play_street(street, rng, luck)
        whole = len(self._house.game.deal.stages)
        stages = np.where(has_several_seats(running.players_in), whole, np.array(dealt)[reached]).tolist()
        if self._mistake is not None:
            stages = self._mistake.adjust_stages(running, stages, whole)
        deal = self._house.game.deal
        cards_by_stage = {
            place: [0, *accumulate((stage.cards or {}).get(place, 0) for stage in deal.stages)] for place in deal.cards
        }
        for round_, number in zip(self._rounds, stages, strict=True):
            self._finish_round(round_, number, dealt, cards_by_stage)

    def _put_in_forced_bets(self) -> None:
        for forced in self._house.prepared.betting.forced:
            on_it = np.array([*(seat.staked_on(forced.wager) for seat in self._view.seats), 0], np.int64)
            offer = self._house.find_offer(forced.wager)
            floor = 0 if offer is None else offer.minimum or 0
            for row, of_row in enumerate(self._seats.seat_of_row):
                amount = on_it[of_row]  # the last entry, 0, is for rows without a seat
                who = np.where(amount > 0, np.int8(row), np.int8(ABSENT))
                self._apply_acts(np.where(amount > 0, _FORCED[forced.counts], OTHER), who, amount, who, floor)

    def _apply_acts(self, op: object, row: Ints8, amount: object, due: Ints8, floor: int = 0) -> None:
        """Apply an act in every round; OTHER if nothing happens. `due` is the row whose turn it is."""
        floors, ops = np.full(len(row), floor, np.int64), np.asarray(op, np.uint8)
        step = StepActions(
            op=ops,
            row=row,
            bit=mask_of_seat(row),
            cell=self._running.locate_cells(row),
            amount=np.asarray(amount, np.int64),
            minimum_bet=floors,
        )
        self._running.apply_actions(step, due)

    def _find_row_before_opener(self, street: int, players: Bits32, dealt: int) -> Bits32:
        """Return the row before the one that opens a betting round, uint32[rounds]. Open cards may decide it.

        Args:
            street: number of the betting round.
            players: seats that are still in, as bits.
            dealt: number of stages that have been dealt, the last of them to those still in.
        """
        deal, scope = self._house.game.deal, self._opening
        faces = [face == "up" for face in deal.list_faces("player")]
        still_in = (players[scope.batch.seats.round] & mask_of_seat(self._seats.row_of_seat)) != 0
        is_contested = has_several_seats(players)
        for stage in range(self._dealt, dealt):
            scope.set_fact(
                betting_terms.find_stage_players,
                betting_terms.StagePlayers(
                    were_cards_dealt=is_contested, still_in=still_in, is_known=np.ones_like(is_contested)
                ),
                stage,
            )
            cards = sum((dealt_stage.cards or {}).get("player", 0) for dealt_stage in deal.stages[: stage + 1])
            open_ones = scope.batch.seats.hands.cards[:, :cards][:, faces[:cards]]
            shown = np.where(still_in[:, None], open_ones, np.uint8(NO_CARD))
            held = Hands(cards=shown, count=(still_in * shown.shape[1]).astype(np.int16))
            scope.set_fact(collect_open_cards, held, "player", stage)
        self._dealt = dealt
        return betting_terms.find_row_before_opener(scope, self._house.prepared.betting.rounds[street].opens)[0]

    def _exchange(self, stages: range, rng: RandomStream) -> None:
        """Exchange cards in these stages of the deal if two or more players are left, and reopen the rounds with the
        new cards."""
        exchanging = [number for number in stages if number in self._house.game.deal.exchanging_stages]
        if exchanging:
            left = np.where(has_several_seats(self._running.players_in), self._running.players_in, np.uint32(0))
            here = (left[self._view.scope.batch.seats.round] & mask_of_seat(self._seats.row_of_seat)) != 0
            still_in = {seat for seat, yes in zip(self._view.seats, here.tolist(), strict=True) if yes}
            for number in exchanging:
                exchange_at_seats(self._house, self._rounds, rng, number=number, still_in=still_in)
            self._view = RoundView(self._house, self._rounds, held=True)

    def _play_street(self, street: int, rng: RandomStream, luck: RandomStream) -> None:
        """Play one betting round of all rounds; `luck` decides what seats show of their acts."""
        running, mistake = self._running, self._mistake
        length = len(self._rounds)
        nobody = np.full(length, ABSENT, np.int8)
        for _ in count():
            due = running.observe(nobody)
            who = due
            if mistake is not None:
                rows = mistake.choose_actors(
                    running, due.tolist(), street, BettingMoment(self._view, running, due), rng
                )
                who = np.array(rows, np.int8)
            if (who == ABSENT).all():
                return
            moment = BettingMoment(self._view, running, who)
            choices, wrong = self._habits.choose_acts(moment, rng), dict[int, list[round_records.SimulatedEvent]]()
            if mistake is not None:
                choices, wrong = mistake.alter_acts(self._habits, moment, street, choices, rng)
            silent = [
                at in wrong or bool(who[turn.round_index] != due[turn.round_index])
                for at, turn in enumerate(moment.turns)
            ]
            shown = self._habits.show_manners(moment, choices, silent, luck)
            op, amounts = np.full(length, OTHER, np.uint8), np.zeros(length, np.int64)
            for at, (turn, (decision, amount)) in enumerate(zip(moment.turns, choices, strict=True)):
                op[turn.round_index], amounts[turn.round_index] = (
                    CODE_BY_DECISION_KIND.get(self._house.kind_of_decision.get(decision, ""), BET),
                    amount,
                )
                act = round_records.BettingAct(turn.seat, street, decision, amount, wrong.get(at, shown[at]))
                self._rounds[turn.round_index].acts.append(act)
            self._apply_acts(op, who, amounts, due)

    def _finish_round(
        self,
        round_: round_records.SimulatedRound,
        stages: int,
        dealt: list[int],
        cards_by_stage: Mapping[Place, list[int]],
    ) -> None:
        """Record the bets of a round, and the cards that were dealt to it and to each seat.

        Args:
            round_: the round.
            stages: number of stages of the deal that were dealt.
            dealt: number of stages that precede each betting round.
            cards_by_stage: number of cards that the first stages deal to each place.
        """
        round_.stages, stages_of_seat = stages, dict[round_records.SimulatedSeat, int]()
        line, kinds = self._house.prepared.betting.wager, self._house.kind_of_decision
        staked = dict.fromkeys(round_.seats, 0)
        for act in round_.acts:
            staked[act.seat] += act.amount
            if kinds.get(act.decision) == "fold":
                act.seat.folded = True
                stages_of_seat[act.seat] = min(stages_of_seat.get(act.seat, stages), dealt[act.street])
        for seat, amount in staked.items():
            seat.set_stake(line, amount)
        for place, each in cards_by_stage.items():
            for owner, hand in round_.list_hands_with_seats(place):
                hand.cards = (hand.cards or [])[: each[stages if owner is None else stages_of_seat.get(owner, stages)]]


def _count_stages_dealt(house: SimulatedHouse) -> list[int]:
    """Return the number of stages of the deal that precede each betting round."""
    names, steps = [dealt.stage for dealt in house.game.deal.stages], house.game.acts
    after = [steps.get(round_.after or "") for round_ in house.prepared.betting.rounds]
    return [1 if step is None or step.stage is None else names.index(step.stage) + 1 for step in after]


def divide_pots(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Play the showdowns, then rake, award or return the stakes."""
    before = RoundView(house, rounds)
    record_rounds(house, rounds, rng, view=before)
    view = before.reopen_with_events()
    _show_hands(view, rng)
    record_rounds(house, rounds, rng, view=before)
    # Mishaps find their places anew whenever a round is recorded.
    view = view.reopen_with_events(event for round_ in rounds for event in round_.mishaps)
    made, shared = settle_pots(view.scope), pot_division(view.scope)
    # If the rules leave open who gets odd chips, divide the pots to the last minor unit.
    chips = shared.chips if shared.chips.unit else replace(shared.chips, unit=1)
    rake, _, known = bound_rake_due(view.scope, made.pots, made.uncalled_bets)
    rake = np.where(known, rake, 0)
    left = made.pots.amount - take_from_main_pot_first(made.pots, rake[made.pots.round])
    net = NetPots(least=left, most=left, by_rule=left, is_rake_known=np.ones(len(left), np.bool_))
    wins = {seat for seat, yes in zip(view.seats, (is_winning(view.scope) == YES).tolist(), strict=True) if yes}
    for at, (round_, taken) in enumerate(zip(rounds, rake.tolist(), strict=True)):
        round_.required_ending.rake, round_.required_ending.divided = taken, True
        # Return uncalled bets, and all stakes of dead rounds.
        if round_.is_dead:
            stakes = [(seat, name, stake) for seat in round_.seats for (name, _, _), stake in seat.stakes.items()]
            round_.required_ending.returned = [(seat, name, stake.amount) for seat, name, stake in stakes]
        else:
            round_.required_ending.winning, round_.required_ending.returned = (
                wins.intersection(round_.seats),
                _return_uncalled(view, made, at),
            )
    due = share_each_pot(made.pots, net, shared.boards[0].showdown, chips).by_rule
    for number in range(int(made.pots.count.max(initial=0))):
        chosen = np.flatnonzero(made.pots.number == number)
        share = due[:, chosen]
        rows, at_hand = np.nonzero(share > 0)
        hands = made.pots.round[chosen[at_hand]]
        seats = made.contributions.seats[rows, hands].tolist()
        for seat, hand, amount in zip(seats, hands.tolist(), share[rows, at_hand].tolist(), strict=True):
            if not rounds[hand].is_dead:
                rounds[hand].required_ending.awards.append((view.seats[seat], number, amount))
    for round_ in rounds:
        count_chips(round_)


def _show_hands(view: RoundView, rng: RandomStream) -> None:
    """Let every remaining seat show its hand in turn; a seat that has lost may concede."""
    house, play, rank = view.house, replay_betting(view.scope), _rank_seats(view)
    is_betting_over = (
        play.snapshots.seat_to_act[play.end_index] == ABSENT
    ).tolist()  # nobody concedes while betting continues
    won = dict(zip(view.seats, is_winning(view.scope).tolist(), strict=True))
    habits = [
        (habit.chance, view.seats_where(habit.when))
        for habit in house.simulation.habits
        if house.game.decisions[habit.decision].kind == "concede"
    ]
    for round_, betting_over in zip(view.rounds, is_betting_over, strict=True):
        remaining = [seat for seat in round_.seats if seat.playing and not seat.folded]
        if len(remaining) < 2 or round_.is_dead:
            remaining = []
        gives_up = {seat for chance, fits in habits for seat in remaining if rng.happens(chance) and seat in fits}
        concedes = {seat for seat in gives_up if betting_over and won[seat] == NO}
        round_.ending = round_records.RoundEnd(
            showing_seats={*remaining} - concedes,
            conceding_seats=concedes,
            rank={seat: rank[seat] for seat in round_.seats},
        )


def _rank_seats(view: RoundView) -> dict[round_records.SimulatedSeat, int]:
    """Return the order of seats at the showdown, clockwise from the first."""
    steps = (view.house.find_habit(step).from_ for step in view.house.acts if "reveal" in step.events)
    return view.rank_seats(*next((first for first in steps if isinstance(first, list)), ()))


def _return_uncalled(view: RoundView, made: SettledPots, at: int) -> list[tuple[round_records.SimulatedSeat, str, int]]:
    """Return the uncalled amount of a round, from bets first, then from forced bets."""
    prepared, left, returned = view.house.prepared, int(made.uncalled_bets.amount[at]), []
    forced = [bet.wager for bet in reversed(prepared.betting.forced) if bet.counts != "apart"]
    seat = view.seats[made.contributions.seats[made.uncalled_bets.row[at], at]]
    for name in dict.fromkeys([prepared.pots.uncalled, *forced]):
        amount = min(left, seat.staked_on(name))
        left -= amount
        returned += [(seat, name, amount)] if amount else []
    return returned


def count_chips(round_: round_records.SimulatedRound) -> None:
    """Set the winnings of every seat, and the chips that it then has."""
    ending = round_.required_ending
    won, returned = dict.fromkeys(round_.seats, 0), dict.fromkeys(round_.seats, 0)
    for seat, _, amount in ending.awards:
        won[seat] += amount
    for seat, _, amount in ending.returned:
        returned[seat] += amount
    for seat in round_.seats:
        seat.won = won[seat]
        seat.stack_after = max(seat.chips - seat.staked + returned[seat] + won[seat], 0)
