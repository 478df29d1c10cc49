"""Simulated tables from round to round: decks, occasional steps, chips, and faults that span rounds.

Faults that span rounds are planted when rounds are put in order, because no single round shows them. Poker rounds
are simulated separately, each with its own seats and chips. The seats are rotated until the button is in its place.
A player who was never all-in would have acted the same with more chips, and continues with the chips of the
previous round if possible. Other players have bought chips, or are new.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from fairdeal.validator.rules.check_model import EveryCheck, NeededCheck
from fairdeal.validator.rules.simulation_model import SimulatedSession
from fairdeal.validator.simulate import occasional_steps
from fairdeal.validator.simulate.batch_processes import carries_rounds
from fairdeal.validator.simulate.fault_planting import FaultContext, PlannedFault
from fairdeal.validator.simulate.round_faults import EVENT_FAULTS
from fairdeal.validator.simulate.round_records import SimulatedEvent, SimulatedRound, SimulatedSeat
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse

_HOUR = 3600 * 10**6


class SpanningFault(Struct, kw_only=True):
    """Fault that is planted when rounds are put in order. It waits until a round fits it."""

    planting: PlannedFault
    planned_rounds: set[SimulatedRound]
    """Rounds in which it is planned."""
    waiting: bool = False
    """True from a planned round until the fault is planted."""

    def is_due(self, round_: SimulatedRound) -> bool:
        """Return whether the fault is to be planted now, or since an earlier round."""
        self.waiting |= round_ in self.planned_rounds
        return self.waiting

    def plant(self, round_: SimulatedRound) -> None:
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


class SessionState(Struct):
    """State of the steps and decks of all tables, from batch to batch."""

    steps: dict[tuple[str, int], _StepState] = field(default_factory=dict)
    """State of each postponed step, by requirement and table."""
    shifts: dict[int, int] = field(default_factory=dict)
    """Number of decks by which faults have displaced those of a table."""
    previous_rounds: occasional_steps.PreviousRounds = field(default_factory=occasional_steps.PreviousRounds)
    shoes: occasional_steps.SimulatedShoes = field(default_factory=occasional_steps.SimulatedShoes)


class SimulatedSessions:
    """Tables of a run, from batch to batch."""

    def __init__(self, house: SimulatedHouse, session: SimulatedSession) -> None:
        self._house, self._session = house, session
        self.state = SessionState()

    def arrange_rounds(self, rounds: list[SimulatedRound], turns: Sequence[SpanningFault]) -> RoundView:
        """Return a view of the rounds, numbered and with decks, occasional steps and faults that span rounds."""
        house, session = self._house, self._session
        for round_ in rounds:
            before = (round_.line - 1) // len(house.tables)
            if not carries_rounds(house):
                round_.count = (before % session.rounds if session.rounds else before) + 1
            round_.deck_in_play = self._name_deck((round_.count or 1) - 1)
        view = RoundView(house, rounds, events=True)
        done = occasional_steps.find_due_rounds(view, self.state.previous_rounds, self.state.shoes)
        for turn in turns:
            if turn.planting.fault.operator == "deck":
                self._keep_deck(view, turn)
                view = RoundView(house, rounds, events=True)
            elif postpones_step(turn.planting):
                self._postpone_step(view, turn, done)
        occasional_steps.record_occasional_steps(view, done)
        altered = self._name_other_decks(view)
        for turn in turns:
            if turn.planting.fault.operator not in ("deck", "between") and not postpones_step(turn.planting):
                self._plant_in_steps(rounds, turn)
                altered = view.events  # a fault may change any of them
        return view.reopen_with_events(altered)

    def _name_deck(self, number: int) -> str | None:
        """Return the name of a deck by its number, if several take turns; otherwise None."""
        decks = self._house.decks
        return decks[number % len(decks)] if decks else None

    def _name_other_decks(self, view: RoundView) -> list[SimulatedEvent]:
        """Name the next deck in events of steps with the deck that is not in play, and return these events."""
        house, decks = self._house, self._house.decks
        steps = [name for name, habit in house.simulation.steps.items() if habit.deck == "other" and len(decks) > 1]
        named = list[SimulatedEvent]()
        view = view.reopen_with_events() if steps else view
        for round_, events in (entry for name in steps for entry in view.find_step_events(name).items()):
            for event in events:
                if event.deck is None and round_.deck_in_play is not None:
                    event.deck = self._name_deck(decks.index(round_.deck_in_play) + 1)
                    named.append(event)
        return named

    def _keep_deck(self, view: RoundView, turn: SpanningFault) -> None:
        """Keep the deck of the previous round in play for a round; later decks follow in turn."""
        applies = view.rounds_where(turn.planting.check.when)
        fits = applies & self.state.previous_rounds(turn.planting.requirement, applies, view.rounds)
        for round_ in view.rounds:
            if round_.count == 1:
                self.state.shifts[round_.table] = 0
            if turn.is_due(round_) and len(self._house.decks) > 1 and round_ in fits:
                self.state.shifts[round_.table] = self.state.shifts.get(round_.table, 0) + 1
                turn.plant(round_)
            round_.deck_in_play = self._name_deck((round_.count or 0) - 1 - self.state.shifts.get(round_.table, 0))

    def _postpone_step(self, view: RoundView, turn: SpanningFault, done: list[set[SimulatedRound]]) -> None:
        """Postpone a step until a round finds it overdue, then do it in the next one.

        Occasions at the opening of a table are not postponed, nor are mishaps.
        """
        check, step, kept = turn.planting.check, turn.planting.fault.operand, set[SimulatedRound]()
        now_and_then = self._house.simulation.regular_occurrences
        occasions_of_step = [at for at, occasion in enumerate(now_and_then) if step in occasion.steps]
        regular = set[SimulatedRound]().union(*(done[at] for at in occasions_of_step))
        after = (done[at] for at in occasions_of_step if now_and_then[at].operator == "following")
        with_mishap = occasional_steps.find_mishap_rounds(view, step).union(*after)
        applies, counts = view.rounds_where(check.when), view.rounds_where(check.counts)
        for round_ in view.rounds:
            key, opens = (turn.planting.requirement, round_.table), round_.count == 1
            if key not in self.state.steps or opens or round_ not in applies:
                self.state.steps[key] = _StepState(last=round_.time)
            state = self.state.steps[key]
            state.put_off |= round_ in turn.planned_rounds and round_ in applies and not state.overdue
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

    def _plant_in_steps(self, rounds: list[SimulatedRound], turn: SpanningFault) -> None:
        """Plant a fault in occasional steps, in the next round that has them and no other fault."""
        view, following = RoundView(self._house, rounds, events=True), turn.planting.previous_round_condition
        breach, possible = FaultContext(view, turn.planting, RandomStream(0)), {*rounds}
        if following is not None:
            check = turn.planting.check
            by_deck = isinstance(check, NeededCheck) and check.each == "deck"
            held_before = view.rounds_where(following)
            possible = self.state.previous_rounds(turn.planting.requirement, held_before, rounds, by_deck=by_deck)
        for round_ in rounds:
            if (
                turn.is_due(round_)
                and round_ in possible
                and not round_.planted
                and breach.break_round(round_, EVENT_FAULTS)
            ):
                turn.plant(round_)


def _is_overdue(check: EveryCheck, table: _StepState, time: int) -> bool:
    bound, unit = check.within.operand, check.within.operator
    if unit == "hours":
        return bool(time - table.last > bound * _HOUR)
    return bool(table.rounds >= bound and (unit == "rounds" or table.counted % bound == 0))


def postpones_step(planting: PlannedFault) -> bool:
    """Return whether the fault is to leave out a step for so long that a periodic requirement fails."""
    return planting.fault.operator == "omit" and isinstance(planting.check, EveryCheck)


def spans_rounds(house: SimulatedHouse, planting: PlannedFault) -> bool:
    """Return whether a fault is planted when rounds are put in order: it concerns decks or occasional steps."""
    fault, operand = planting.fault, planting.fault.operand
    step = operand if isinstance(operand, str) else getattr(operand, "step", None)
    is_occasional = any(step in occasion.steps for occasion in house.simulation.regular_occurrences)
    of_decks = fault.operator == "deck"
    of_steps = fault.operator in ("omit", "swap", "alter", "move") and is_occasional
    return planting.previous_round_condition is not None or fault.operator == "between" or of_decks or of_steps


class _TableState(Struct):
    """State of a table."""

    players: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Player and chips at each position."""
    open: int = 0
    """Number of rounds since the table opened."""
    shift: int = 0
    """Number of positions by which faults have displaced the button."""


class StacksState(Struct):
    """State of all tables with chips, from batch to batch."""

    tables: list[_TableState]
    players_seen: int = 0
    """Number of players so far, the number of the last one."""


class TableStacks:
    """Tables of a run, from batch to batch."""

    def __init__(self, house: SimulatedHouse) -> None:
        self._house = house
        self.state = StacksState(tables=[_TableState() for _ in house.tables])

    def link_rounds(self, rounds: list[SimulatedRound], turns: Sequence[SpanningFault], rng: RandomStream) -> None:
        """Put rounds in order, with faults."""
        turns = [turn for turn in turns if turn.planting.fault.operator == "between"]
        moved = [turn for turn in turns if turn.planting.fault.operand.operator == "button"]
        for round_ in rounds:
            table = self.state.tables[round_.table]
            round_.count = table.open = 1 if self._reopens(round_) else table.open + 1
        dead = self._find_dead_buttons(rounds, RandomStream(rng.getrandbits(64)))
        for round_ in rounds:
            table = self.state.tables[round_.table]
            self._move_button(round_, table, moved, is_dead=round_ in dead)
            self._carry_players(round_, table, [turn for turn in turns if turn not in moved], rng)

    def _reopens(self, round_: SimulatedRound) -> bool:
        """Return whether somebody has more or fewer chips than a new player may have."""
        stacks = self._house.stacks
        return any(not stacks.at_least <= seat.chips <= stacks.at_most for seat in round_.seats)

    def _find_dead_buttons(self, rounds: list[SimulatedRound], luck: RandomStream) -> set[SimulatedRound]:
        """Return the rounds with the button at an empty position."""
        dead_button = self._house.simulation.dead_button
        if dead_button is None:
            return set()
        chosen = [round_ for round_ in rounds if luck.happens(dead_button.chance) and self._is_empty_next(round_)]
        return RoundView(self._house, chosen, events=True).rounds_where(dead_button.when)

    def _is_empty_next(self, round_: SimulatedRound) -> bool:
        """Return whether the position clockwise from the button is empty."""
        following = (round_.button or 0) % self._house.positions + 1
        return all(seat.number != following for seat in round_.seats)

    def _move_button(
        self, round_: SimulatedRound, table: _TableState, turns: Sequence[SpanningFault], *, is_dead: bool
    ) -> None:
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
            if turn.is_due(round_) and fits and not is_planted:
                table.shift += -1 if where == "stays" else 1
                is_dead, is_planted = is_dead or where == "at-an-empty-seat", True
                turn.plant(round_)
        button = ((positions if opens else round_.count - 1) + table.shift - 1) % positions + 1
        moved_by, round_.button = button - is_dead - round_.button, button
        for seat in round_.seats:
            seat.number = (seat.number - 1 + moved_by) % positions + 1
        round_.seats.sort(key=lambda seat: seat.number)

    def _carry_players(
        self, round_: SimulatedRound, table: _TableState, turns: Sequence[SpanningFault], rng: RandomStream
    ) -> None:
        """Assign the players of a round and their chips; purchases come first among its events."""
        stacks, bought, goes_on, new = (
            self._house.stacks,
            dict[SimulatedSeat, int](),
            dict[SimulatedSeat, int](),
            list[SimulatedSeat](),
        )
        change = {seat: (seat.stack_after or 0) - seat.chips for seat in round_.seats}
        for seat in round_.seats:
            who, chips_before = table.players.get(seat.number, (0, 0)) if round_.count != 1 else (0, 0)
            wants, brings, staked = rng.happens(stacks.adds), seat.chips, seat.staked
            is_seated = who > 0 and (stacks.leaves_above is None or chips_before <= stacks.leaves_above)
            adds = wants and chips_before < stacks.at_least and chips_before < brings
            if is_seated and staked < brings and staked < chips_before and not adds:
                goes_on[seat] = seat.stack = chips_before
            elif not (is_seated and chips_before <= brings and (wants or chips_before > 0)):
                self.state.players_seen += 1
                who, chips_before = self.state.players_seen, 0
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
            if turn.is_due(round_) and fits:
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
            SimulatedEvent("chips-in", seat=seat, amount=bought[seat]) for seat in round_.seats if bought[seat] > 0
        ]
