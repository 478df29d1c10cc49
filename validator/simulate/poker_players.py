"""Players of simulated poker: their turns, habits and manners, and the mistakes that are planted in their acts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints, Ints8, Truths
from fairdeal.validator.engine.betting.betting_operators import INCOMPLETE_WORD
from fairdeal.validator.engine.betting.betting_predicates import evaluate_replay_predicate
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.betting.betting_replay import inject_live_state
from fairdeal.validator.engine.betting.betting_snapshots import BettingSnapshots
from fairdeal.validator.engine.betting.regular_betting import RegularBetting
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.engine.facts.seat_layout import mask_of_seat, seat_layout
from fairdeal.validator.engine.pots.side_pots import expand_masks
from fairdeal.validator.language.grammar import includes_grain
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.rules.betting_model import ActKind as Kind
from fairdeal.validator.rules.fault_model import ActFault, ActManner
from fairdeal.validator.rules.simulation_model import Size
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedSeat
from fairdeal.validator.simulate.round_view import RoundView, tabulate_acts
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse

ActChoice = tuple[str, int]
"""Decision, with the amount that goes in."""
NO_CHOICE: ActChoice = ("", 0)


class BettingNumbers(dict[str, list[int]]):
    """Quantities of the betting by their names in the rules, for every seat of a moment."""

    def __init__(self, scope: EvaluationContext) -> None:
        super().__init__()
        self._scope = scope

    def __missing__(self, name: str) -> list[int]:
        values: list[int] = evaluate_replay_quantity(self._scope, name)[0].tolist()
        self[name] = values
        return values


class SeatTurn(Struct, eq=False):
    """Turn of a seat to act."""

    number: int
    """Index of the turn in its moment."""
    numbers: BettingNumbers
    """Quantities of the betting at that moment."""
    seat: SimulatedSeat
    round_index: int
    """Index of its round among those that are played at once."""
    street: int
    may_raise: bool
    largest_answerable_bet: int
    """Largest bet that another player has the chips to call."""

    def __getitem__(self, name: str) -> int:
        """Return a quantity of the betting for the seat, by its name in the rules."""
        return self.numbers[name][self.number]


class BettingMoment:
    """Seats that are to act, in different rounds, with the state of the betting."""

    def __init__(self, base: RoundView, running: RegularBetting, who: Ints8) -> None:
        """Open the turns.

        Args:
            base: the rounds with all their cards, before anybody acts.
            running: state of the betting.
            who: row that acts in each round; ABSENT for none.
        """
        self._base, seats = base, seat_layout(base.scope).seat_of_row
        self._at = np.flatnonzero(who != ABSENT)
        running.observe(who)
        chips = (running.committed + running.stack_left).reshape(seats.shape)
        most = np.where(expand_masks(running.players_in & ~mask_of_seat(who), len(seats)), chips, 0).max(axis=0)
        states = running.snapshots.derive_snapshots(mask_of_seat(who))
        self._states = BettingSnapshots(
            **{name: getattr(states, name)[self._at] for name in BettingSnapshots.__struct_fields__}
        )
        self._index = seats[who[self._at], self._at]
        self.seats = [base.seats[at] for at in self._index.tolist()]
        self._answers = most[self._at].tolist()
        self._opened: dict[tuple[ActChoice, ...], EvaluationContext] = {}
        self._undecided = (NO_CHOICE,) * len(self.seats)

    @cached_property
    def turns(self) -> list[SeatTurn]:
        """Return the turns of the seats."""
        may_raise = (evaluate_replay_predicate(self._scope, "may-raise") == YES).tolist()
        rows = (self.seats, self._at.tolist(), self._states.street.tolist(), may_raise, self._answers)
        return [SeatTurn(number, self.numbers, *row) for number, row in enumerate(zip(*rows, strict=True))]

    @cached_property
    def numbers(self) -> BettingNumbers:
        """Return the quantities of the betting for each seat, by their names in the rules."""
        return BettingNumbers(self._scope)

    @cached_property
    def _scope(self) -> EvaluationContext:
        return self._open_with_choices(self._undecided)

    def _open_with_choices(self, choices: tuple[ActChoice, ...]) -> EvaluationContext:
        """Return the rounds with one event each: the intended act of the seat whose turn it is."""
        if choices not in self._opened:
            base, decisions = self._base, [decision for decision, _ in choices]
            owner, seats = self._at.astype(np.int32), self._index.astype(np.int32)
            columns = tabulate_acts(decisions, owner, seats, len(base.rounds), base.house)
            scope = EvaluationContext(
                replace(base.scope.batch, events=columns), base.house.prepared, base.house.configuration
            )
            inject_live_state(scope, base.scope, self._states, np.array([amount for _, amount in choices], np.int64))
            self._opened[choices] = scope
        return self._opened[choices]

    def holds(self, condition: Condition | None, choices: Sequence[ActChoice] | None = None) -> list[bool]:
        """Return whether a condition certainly holds for each seat, now or with an intended act.

        A condition on seats and cards alone is evaluated once a round.
        """
        if condition is None:
            return [True] * len(self.seats)
        holds: list[bool] = (self._evaluate(condition, (*(choices or self._undecided),)) == YES).tolist()
        return holds

    def _evaluate(self, condition: Condition, choices: tuple[ActChoice, ...]) -> Truths:
        base = self._base.scope
        if includes_grain("seat", base.compiled_game.find_grain(condition)):
            return base.evaluate(condition, "seat")[self._index]
        if condition.operator in ("all", "any"):
            parts = [self._evaluate(part, choices) for part in condition.operand]
            return kleene.every(parts) if condition.operator == "all" else kleene.some(parts)
        return self._open_with_choices(choices).evaluate(condition, "event")

    def find_least(self, quantity: Quantity) -> Ints:
        """Return the smallest possible value of a quantity for each seat, int64[m]."""
        return self._scope.compute_bounds(quantity, "event")[0]


_THOUSAND = 1000
_PASSIVE = ("check", "fold")
"""Kinds of act that a seat takes if it follows no habit."""

ChipMotion = tuple[int, int]
"""Chips that are put forward at once: their amount and number."""


class PlayerHabits:
    """Habits and manners of the players of a house."""

    def __init__(self, house: SimulatedHouse) -> None:
        self._house = house
        self._values = sorted({*house.stacks.chips}) or [house.wager_unit]

    def choose_acts(self, moment: BettingMoment, rng: RandomStream) -> list[ActChoice]:
        """Return the act of each seat. A seat whose act is excluded calls or checks instead."""
        simulation, turns = self._house.simulation, moment.turns
        open_ = self._find_open_kinds(moment)
        to_any = set().union(*open_)
        habits = [
            (habit, kind, moment.holds(habit.when), moment.find_least(habit.size.of).tolist() if habit.size else [])
            for habit in simulation.habits
            if (kind := self._house.kind_of_decision.get(habit.decision)) in to_any
        ]
        choices, to_call = list[ActChoice](), moment.numbers["to-call"]
        for at, (turn, is_open) in enumerate(zip(turns, open_, strict=True)):
            beyond = 0
            for habit, kind, fits, of in habits:
                if fits[at] and kind in is_open and rng.happens(habit.chance):
                    chosen = habit.decision
                    beyond = 0 if habit.size is None else _choose_size(habit.size, of[at], rng)
                    break
            else:
                usual: Kind = "complete" if is_open.isdisjoint(_PASSIVE) else "fold" if to_call[at] else "check"
                chosen = self._house.decision_of_kind[usual]
            choices.append((chosen, self.find_amount(chosen, turn, beyond)))
        barred = [moment.holds(condition, choices) for condition in simulation.never]
        for at, turn in enumerate(turns):
            if any(of_turns[at] for of_turns in barred):
                chosen = self._house.decision_of_kind["call" if to_call[at] else "check"]
                choices[at] = chosen, self.find_amount(chosen, turn)
        return choices

    def _find_open_kinds(self, moment: BettingMoment) -> list[set[Kind]]:
        """Return the kinds of act that are open to each seat."""
        words, numbers, every = self._house.decision_of_kind, moment.numbers, list[set[Kind]]()
        completed = numbers["smallest-bet"] if "complete" in words else [0] * len(moment.turns)
        rows = (moment.turns, numbers["to-call"], numbers["behind"], numbers["level"], completed)
        for turn, to_call, behind, level, least in zip(*rows, strict=True):
            answered = turn.largest_answerable_bet > level
            beyond = behind > to_call and answered and turn.may_raise
            kinds: set[Kind] = {"fold", "call" if to_call else "check"}
            if turn.street == 0 and level == 0 and "bring-in" in words:
                kinds = {"bring-in"}
            elif level == 0 and answered:
                kinds.add("bet")
            # A bring-in must be completed before it can be raised.
            if beyond and "complete" in words and turn.street == 0 and level < least:
                kinds.add("complete")
            elif beyond and level > 0:
                kinds.add("raise")
            every.append(kinds)
        return every

    def find_amount(self, decision: str, turn: SeatTurn, beyond: int = 0) -> int:
        """Return the amount of an act: the call, and the bet or raise beyond it in whole units within the limits.

        Args:
            decision: the decision.
            turn: turn of the seat.
            beyond: wanted amount beyond the call; 0 for the smallest.
        """
        kind, unit, further = self._house.kind_of_decision.get(decision), self._house.wager_unit, 0
        if kind not in ("call", "complete", "bet", "raise", "bring-in"):
            return 0
        if kind == "complete":
            further = max(turn["smallest-bet"] - turn["level"], 0)
        elif kind != "call":
            least = 1 if kind == "bring-in" else turn[f"smallest-{kind}"]
            further = min(-(-max(beyond, least, 1) // unit) * unit, max(turn["largest-raise"], 1))
        return min(turn["to-call"] + further, turn["behind"])

    def show_manners(
        self, moment: BettingMoment, choices: Sequence[ActChoice], silent: Sequence[bool], rng: RandomStream
    ) -> list[list[SimulatedEvent]]:
        """Return what seats show of their acts, unless they are silent."""
        shown_by_seat: list[list[SimulatedEvent] | None] = [None for _ in choices]
        for custom in self._house.simulation.manners:
            # Manners have their own random numbers, so that the acts do not depend on them.
            lucky = rng.draw_occurrences(custom.chance, len(silent) - sum(silent))
            follows = [at for at, still in enumerate(silent) if not still and next(lucky) and shown_by_seat[at] is None]
            holds = moment.holds(custom.when, choices) if follows else []
            for at in follows:
                shown_by_seat[at] = self.show_manner(custom, moment.turns[at], choices[at]) if holds[at] else None
        return [events or [] for events in shown_by_seat]

    def show_manner(self, manner: ActManner, turn: SeatTurn, choice: ActChoice) -> list[SimulatedEvent] | None:
        """Return what a seat shows when it follows a manner; None if it lacks the chips for it."""
        decision, amount = choice
        if manner.as_ is not None:
            decision, amount = manner.as_, self.find_amount(manner.as_, turn)
        motions = self._find_motions(manner, turn, amount)
        if motions is None:
            return None
        events = [SimulatedEvent("tender", seat=turn.seat, amount=value, chips=pieces) for value, pieces in motions]
        if manner.say == "incomplete":
            events.insert(1, SimulatedEvent("declare", seat=turn.seat, decision=INCOMPLETE_WORD))
        elif manner.say is not None:
            sized = manner.say == "total" and self._house.kind_of_decision.get(decision) in ("bet", "raise")
            total = turn["bets-to"] + amount if sized else None
            events.insert(0, SimulatedEvent("declare", seat=turn.seat, decision=decision, amount=total))
        return events

    def _find_motions(self, manner: ActManner, turn: SeatTurn, amount: int) -> list[ChipMotion] | None:
        """Return the motions of chips for an amount; None if the chips of the seat do not allow them."""
        smallest, whole = self._values[0], (amount, self._count_chips(amount))
        match manner.tender:
            case "whole":
                return [whole] if amount else None
            case "one-chip":
                return [(amount, 1)] if amount in self._values else None
            case "larger-chip":
                chip = next((value for value in self._values if value > amount), turn["behind"] + 1)
                return [(chip, 1)] if amount and chip <= turn["behind"] else None
            case "in-parts":
                first = amount // 2 // smallest * smallest
                rest = amount - first
                return [(first, self._count_chips(first)), (rest, self._count_chips(rest))] if first else None
            case "and-more":
                return [whole, (smallest, 1)] if amount and amount + smallest <= turn["behind"] else None
            case _:
                return []

    def _count_chips(self, amount: int) -> int:
        """Return the smallest number of chips for an amount; instead of a single chip, several of the next lower
        value."""
        chips, left = 0, amount
        for value in reversed(self._values):
            chips, left = chips + left // value, left % value
        chips += left > 0
        lower = next((lower for lower, value in pairwise(self._values) if value == amount), None)
        return -(-amount // lower) if chips == 1 and lower is not None else chips


def _choose_size(size: Size, of: int, rng: RandomStream) -> int:
    low, high = size.operand
    return of * rng.randint(low, max(low, high)) // (1 if size.operator == "times" else _THOUSAND)


_OFTEN = 400
"""Chance in a thousand of the mistake in each act that it fits, so that it is not always the first one."""
_BY_ANOTHER_SEAT = ("out-of-turn", "omitted")
_AFTER_THE_LAST_ACT = ("added", "folded")
_IN_THE_ACT = (*("decision", "less", "more", "passes-for", "puts-in"), *("below-smallest", "more-than-stack"))


class BettingMistake:
    """Mistake that is made once in every round in which it fits."""

    def __init__(self, house: SimulatedHouse, fault: ActFault, where: Condition | None) -> None:
        """Prepare the mistake.

        Args:
            house: the house.
            fault: the fault.
            where: condition on the act; None for any.
        """
        self._fault, self._where, self._house = fault, where, house
        rounds = house.prepared.betting.rounds
        self._streets = {at for at, street in enumerate(rounds) if not fault.rounds or street.round in fault.rounds}
        self.mistaken_rounds = set[int]()
        self._stopped, self._extra = set[tuple[int, int]](), set[int]()

    def choose_actors(
        self, running: RegularBetting, due: list[int], street: int, moment: BettingMoment, rng: RandomStream
    ) -> list[int]:
        """Return the row that acts in each round; ABSENT if nobody does.

        Args:
            running: state of the betting.
            due: row whose turn it is.
            street: number of the betting round.
            moment: turns of the rows in `due`.
            rng: source of random numbers.
        """
        kind, self._extra = self._fault.operator, set[int]()
        actors = [ABSENT if (at, street) in self._stopped else row for at, row in enumerate(due)]
        if street not in self._streets or kind not in (*_BY_ANOTHER_SEAT, *_AFTER_THE_LAST_ACT):
            return actors
        if kind in _AFTER_THE_LAST_ACT:
            fits = [at for at, row in enumerate(actors) if row == ABSENT]
        else:
            holds = zip(moment.turns, moment.holds(self._where), strict=True)
            fits = [turn.round_index for turn, yes in holds if yes and actors[turn.round_index] != ABSENT]
        for at in [at for at in fits if at not in self.mistaken_rounds and rng.happens(_OFTEN)]:
            other = self._find_other_actor(running, at, actors[at])
            if other != ABSENT or kind == "omitted":
                actors[at] = other
                self.mistaken_rounds.add(at)
                self._stopped |= {(at, street)} if kind == "omitted" else set()
                self._extra |= {at} if kind in _AFTER_THE_LAST_ACT else set()
        return actors

    def _find_other_actor(self, running: RegularBetting, at: int, row: int) -> int:
        """Return the row that acts out of turn, or after the betting is complete; ABSENT if nobody can."""
        players, last = int(running.players_in[at]), int(running.last_actor[at])
        able, several = players & int(running.with_chips[at]), players & (players - 1)
        match self._fault.operator:
            case "out-of-turn":
                return _find_next_row(
                    running, at, able & int((running.must_respond | ~running.has_acted)[at]) & ~(1 << row), row
                )
            case "added" if several:
                return _find_next_row(running, at, able, last)
            case "folded" if several and running.current_bet[at] == 0:
                return _find_next_row(running, at, int(running.all_seats[at]) & ~players, last)
            case _:
                return ABSENT

    def adjust_stages(self, running: RegularBetting, stages: list[int], most: int) -> list[int]:
        """Return the number of stages of the deal that each round gets, given the correct numbers."""
        if self._fault.operator == "dealt-on":
            for at, number in enumerate(stages):
                players = int(running.players_in[at])
                if players and not players & (players - 1) and number < most:
                    self.mistaken_rounds.add(at)
            return [number + (at in self.mistaken_rounds) for at, number in enumerate(stages)]
        return stages

    def alter_acts(
        self, habits: PlayerHabits, moment: BettingMoment, street: int, chosen: list[ActChoice], rng: RandomStream
    ) -> tuple[list[ActChoice], dict[int, list[SimulatedEvent]]]:
        """Return the acts of all seats, with the mistake in some.

        Returns:
            The acts; and, for each seat that makes the mistake, what it showed of the act that it meant.
        """
        turns, wrong = moment.turns, dict[int, list[SimulatedEvent]]()
        intended = [
            (self._house.decision_of_kind["check"], 0) if turn.round_index in self._extra else choice
            for turn, choice in zip(turns, chosen, strict=True)
        ]
        if street not in self._streets or self._fault.operator not in _IN_THE_ACT:
            return intended, wrong
        done = [self._make_mistake(habits, turn, choice) for turn, choice in zip(turns, intended, strict=True)]
        changed = [new or choice for new, choice in zip(done, intended, strict=True)]
        holds = moment.holds(self._where, changed) if any(done) else []
        for at, turn in enumerate(turns):
            if done[at] is None or turn.round_index in self.mistaken_rounds or not holds[at]:
                continue
            manner = self._fault.manner
            shown = [] if manner is None else habits.show_manner(manner, turn, intended[at])
            if shown is not None and rng.happens(_OFTEN):
                wrong[at] = shown
                self.mistaken_rounds.add(turn.round_index)
        return [changed[at] if at in wrong else choice for at, choice in enumerate(intended)], wrong

    def _make_mistake(self, habits: PlayerHabits, turn: SeatTurn, intended: ActChoice) -> ActChoice | None:
        """Return the act of a seat that makes the mistake; None if it cannot."""
        (decision, amount), by = intended, self._fault.operand
        kind, behind = self._house.kind_of_decision.get(decision), turn["behind"]
        wagering = kind in ("bet", "raise")
        match self._fault.operator:
            case "decision":
                new, possible = (by, habits.find_amount(by, turn)), by != decision
            case "passes-for":
                new, possible = (by, amount), wagering and amount > 0
            case "less":
                new, possible = (decision, amount - by), kind == "call" and by < amount < behind
            case "more":
                new, possible = (decision, amount + by), wagering and amount + by <= behind
            case "puts-in":
                new, possible = (decision, by), wagering and amount < by <= behind
            case "below-smallest":
                least = turn["smallest-bet" if kind == "bet" else "smallest-raise"]
                amount_in = turn["to-call"] + max(least - self._house.wager_unit, 0)
                # A bet that nobody else can call is not too small.
                met = turn["level"] - turn["to-call"] + amount_in < turn.largest_answerable_bet
                new, possible = (decision, amount_in), wagering and 0 < amount_in < behind and met
            case _:
                new, possible = (decision, behind + by), amount > 0
        return new if possible else None


def _find_next_row(running: RegularBetting, at: int, among: int, after: int) -> int:
    """Return the next of some rows, clockwise after a row; ABSENT if there is none."""
    count = int(running.seat_count[at])
    rows = ((after + step) % count for step in range(1, count + 1))
    return next((row for row in rows if among >> row & 1), ABSENT)
