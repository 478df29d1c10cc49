"""Stakes, decisions and settlement of simulated rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from fairdeal.validator.engine.core.decision_points import DecisionPoint
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.payout_limits import limit_lines, pay_within_limits
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.batch_processes import close_meters, round_dues
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse


def settle_stakes(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Settle the rounds.

    A house without posted pay tables pays by the first printed one. Where the document leaves a case open, the next
    case applies. Stakes under a common limit have the number of the limit, which follows the numbers of the cases.
    """
    view = RoundView(house, rounds)
    if _mark_debts(view, rng):
        view = view.reopen_with_stakes()
    judged, lines = line_settlement.settle_lines(view.scope), line_settlement.settle_lines_definitely(view.scope)
    stakes: dict[str, list[round_records.SimulatedStake]] = {}
    for name, line in lines.items():
        owners = zip(line.seat.tolist(), line.tip.tolist(), _list_selections(view, line), strict=True)
        stakes[name] = [
            view.seats[seat].stakes.setdefault((name, tip, on), round_records.SimulatedStake())
            for seat, tip, on in owners
        ]
        taken = round_dues(line, line.due_taken[0])
        due = (round_dues(line, line.due_paid[0]).tolist(), taken.tolist(), judged[name].case.tolist())
        for stake, paid, taken, case in zip(stakes[name], *due, strict=True):
            stake.paid, stake.taken, stake.case = paid, taken, case
    close_meters(view)  # subtracts the amounts due, even if a limit reduces them
    for number, limited in enumerate(limit_lines(view.scope, lines), start=len(house.game.settlement.cases)):
        within = pay_within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number


def _mark_debts(view: RoundView, rng: RandomStream) -> bool:
    """Mark the commissions that become owed, and collect some debts; return whether the house has debts."""
    debts = [name for name, wager in view.house.game.wagers.items() if wager.placed == "with-a-payment"]
    debts = [name for name in debts if view.house.find_offer(name) is not None]
    for name in debts:
        for seat, owed in zip(view.seats, line_settlement.bound_owed_on(view.scope, name)[0].tolist(), strict=True):
            seat.set_stake(name, seat.staked_on(name) + owed)
            if seat.staked_on(name) and rng.happens(view.house.simulation.chances.wagers.get(name, _EVEN_CHANCE)):
                seat.stakes[name, False, None].taken = seat.staked_on(name)
    return bool(debts)


def _list_selections(view: RoundView, line: line_settlement.SettledLine) -> list[str | None]:
    """Return the selection of each stake of a line; None for a stake that has none."""
    if line.name not in view.house.prepared.selections:
        return [None] * len(line.seat)
    on = view.scope.batch.stakes.selection
    return [on.text(stake) for stake in line.stake.tolist()]


_EVEN_CHANCE = 500
_PERCENT = 100
_ALWAYS = 1000
_STEPS = 100
"""Largest number of units by which a stake exceeds the minimum."""
_MOST_SELECTIONS = 3
"""Most selections on which a seat places one wager."""
_MOST_IN_TIPS = 5
"""Largest number of units in a tip."""


def take_seats(house: SimulatedHouse, count: int, rng: RandomStream) -> list[round_records.SimulatedRound]:
    """Return rounds with seats taken and other positions empty. At times a player has adjacent seats, where the
    house allows it."""
    allowed, chance = max(house.submission.hands_per_player or 1, 1), house.simulation.chances.second_hand
    rounds = []
    for _ in range(count):
        numbers = sorted(rng.sample(range(1, house.positions + 1), rng.randint(*house.seats)))
        players: list[int] = []
        for number in numbers:
            another = players and rng.happens(chance) and players.count(players[-1]) < allowed
            players.append(players[-1] if another else number)
        rounds.append(
            round_records.SimulatedRound(
                seats=[
                    round_records.SimulatedSeat(number=at, player=who) for at, who in zip(numbers, players, strict=True)
                ]
            )
        )
    return rounds


def place_opening_wagers(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Place at least one of the independent wagers for every seat, then wagers that need something.

    Without independent wagers, a seat that has placed nothing places one that it may place, if there is one.
    """
    wagers, chances = house.game.wagers, house.simulation.chances.wagers
    shares = {name: share for name, share in house.game.bank_shares.items() if name in house.opening_wagers}
    free = [name for name in house.opening_wagers if wagers[name].is_free and name not in shares]
    needing = [name for name in house.opening_wagers if name not in free and name not in shares]
    banks = _choose_banks(house, rounds, rng)
    sharing = {name: _choose_sharing_seats(house, name, rounds, banks, rng) for name in shares}
    seats = [seat for round_ in rounds for seat in round_.seats if str(seat.number) not in banks.get(round_, ())]
    sharing_seats = {seat for chosen in sharing.values() for seat in chosen.values()}
    seats = [seat for seat in seats if seat not in sharing_seats]
    for seat in seats:
        placed = [name for name in free if rng.happens(chances.get(name, _EVEN_CHANCE))]
        for name in placed or [rng.choice(free)] if free else []:
            _place_anew(house, seat, name, rng)
    view = RoundView(house, rounds)
    for name in needing:
        view = _place_needing(view, seats, name, chances.get(name, _EVEN_CHANCE), rng)
    idle = [] if free else [seat for seat in seats if not seat.stakes]
    for name in rng.sample(needing, len(needing)) if idle else []:
        view = _place_needing(view, [seat for seat in idle if not seat.stakes], name, _ALWAYS, rng)
    for name, share in shares.items():
        for round_, seat in sharing[name].items():
            staked = sum(other.staked_on(share.of) for other in round_.seats)
            units = -(-staked * share.percent // (house.wager_unit * _PERCENT))
            seat.set_stake(name, units * house.wager_unit)
    place_tips(view, house.opening_wagers, rng)


_OTHER_SEATS: Final = frozenset({"some-seat", "every-seat", "seats", "total", "largest"})
"""Operators by which a condition on a seat depends on other seats."""


def _place_needing(
    view: RoundView, seats: Sequence[round_records.SimulatedSeat], name: str, chance: int, rng: RandomStream
) -> RoundView:
    """Place a wager that needs something at seats that may place it, and return the rounds with it.

    If one seat may depend on another, the seats of a round place it one after the other.
    """
    house, needs = view.house, view.house.game.wagers[name].when
    turns = [seats]
    if needs is not None and any(part.operator in _OTHER_SEATS for part in house.prepared.iterate_parts(needs)):
        turn_of = {seat: turn for round_ in view.rounds for turn, seat in enumerate(round_.seats)}
        turns = [[seat for seat in seats if turn_of[seat] == turn] for turn in sorted(set(turn_of.values()))]
    for turn in turns:
        able, has_changed = view.seats_where(needs), False
        for seat in turn:
            if rng.happens(chance) and seat in able:
                _place_anew(house, seat, name, rng)
                has_changed = True
        view = view.reopen_with_stakes() if has_changed else view
    return view


def _choose_sharing_seats(
    house: SimulatedHouse,
    name: str,
    rounds: list[round_records.SimulatedRound],
    banks: Mapping[round_records.SimulatedRound, set[str]],
    rng: RandomStream,
) -> dict[round_records.SimulatedRound, round_records.SimulatedSeat]:
    """Draw a seat that shares the bank in some rounds, unless a seat has the bank or nobody else sits there."""
    chance = house.simulation.chances.wagers.get(name, _EVEN_CHANCE)
    return {
        round_: rng.choice(round_.seats)
        for round_ in rounds
        if len(round_.seats) > 1
        and banks.get(round_, set()).isdisjoint(str(seat.number) for seat in round_.seats)
        and rng.happens(chance)
    }


def _choose_banks(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream
) -> dict[round_records.SimulatedRound, set[str]]:
    """Draw the results that name a seat with the bank: a seat of the round, unless nobody else sits there."""
    banks: dict[round_records.SimulatedRound, set[str]] = {}
    for name in house.game.banking_outcomes:
        outcome = house.game.outcomes[name]
        for round_ in RoundView(house, rounds).list_rounds_where(outcome.when):
            seats = [str(seat.number) for seat in round_.seats if len(round_.seats) > 1]
            values = [value for value in outcome.weights if value in seats or outcome.read_number(value) is None]
            round_.outcomes[name] = rng.choice(values)
            banks.setdefault(round_, set()).add(round_.outcomes[name])
    return banks


def _place_anew(house: SimulatedHouse, seat: round_records.SimulatedSeat, name: str, rng: RandomStream) -> None:
    """Place a wager, on some selections if it has any, except where a stake on it lies already."""
    behind = house.game.wagers[name].behind
    if behind is None:
        chosen = _choose_selections(house, name, rng)
    else:
        chosen = [
            on for (wager, tip, on), lying in seat.stakes.items() if wager == behind and not tip and lying.brought
        ]
    for on in chosen:
        if (name, False, on) not in seat.stakes:
            seat.set_stake(name, choose_stake(house, seat, name, rng), on=on)


def _choose_selections(house: SimulatedHouse, name: str, rng: RandomStream) -> list[str | None]:
    """Return the selections that a seat places a wager on: several at times. A wager without selections has None."""
    selection = house.prepared.selections.get(name)
    if selection is None or selection.when == "stays":
        return [None]
    return [*rng.sample(selection.permitted, min(rng.randint(1, _MOST_SELECTIONS), len(selection.permitted)))]


def bring_chips(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Place the button at a seat, and give every seat chips in multiples of the unit."""
    stacks, unit = house.stacks, house.wager_unit
    low, high = max(-(-stacks.at_least // unit), 1), max(stacks.at_most // unit, 1)
    for round_ in rounds:
        round_.button, short = rng.choice(round_.seats).number, rng.happens(stacks.short)
        for seat in round_.seats:
            units = rng.randint(low, max(low, high))
            if short:  # uniform number of binary digits, so that small stacks are as likely as large ones
                units = max(units >> rng.randrange(max(high.bit_length(), 1)), 1)
            seat.stack = units * unit


def post_forced_bets(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Put in what is forced before anybody acts, within the chips of each seat. Uses no random numbers.

    Raises ValueError if the house has posted no minimum for it.
    """
    view = RoundView(house, rounds)
    for number, forced in enumerate(house.simulation.forced):
        offer = house.find_offer(forced.wager)
        # A position may depend on earlier forced bets.
        view = view.reopen_with_stakes() if number else view
        for seat in view.seats_where(forced.when):
            if offer is None or not offer.minimum:
                raise ValueError(
                    f"the submission posts no minimum for `{forced.wager}`, the amount that players put in"
                )
            seat.set_stake(forced.wager, min(offer.minimum, seat.chips - seat.staked))


def choose_stake(
    house: SimulatedHouse, seat: round_records.SimulatedSeat, name: str, rng: RandomStream, factor: int | None = None
) -> int:
    """Return the stake of a seat: the multiple of another wager, or a multiple of the unit within the posted limits.

    Args:
        house: the house.
        seat: the seat.
        name: the wager.
        rng: source of random numbers.
        factor: the factor of the other wager that a decision chooses; None for the first that is permitted.
    """
    wager, offer, unit = house.game.wagers[name], house.find_offer(name), house.wager_unit
    if wager.factors and wager.of is not None:
        return (factor or wager.factors[0]) * seat.staked_on(wager.of)
    least = unit if offer is None or offer.minimum is None else max(offer.minimum, 1)
    most = least + _STEPS * unit
    if offer is not None and offer.maximum is not None:
        most = min(most, offer.maximum)
    low, high = -(-least // unit), most // unit
    return rng.randint(low, high) * unit if low <= high else least


def place_tips(view: RoundView, names: Sequence[str], rng: RandomStream) -> None:
    """Place tips on some wagers, where the rules and the house allow them.

    The condition on tips is evaluated after they are placed, because it may depend on the amount.

    Args:
        view: the rounds, with stakes that may have changed since.
        names: the wagers.
        rng: source of random numbers.
    """
    house = view.house
    for name in filter(partial(_takes_tips, house), names):
        for seat in view.seats:
            placed = rng.happens(house.simulation.chances.tip)
            seat.set_stake(name, rng.randint(1, _MOST_IN_TIPS) * house.tip_unit if placed else 0, tip=True)
        for seat in {*view.seats} - view.reopen_with_stakes().seats_where(house.game.wagers[name].tip):
            seat.set_stake(name, 0, tip=True)


def _takes_tips(house: SimulatedHouse, name: str) -> bool:
    """Return whether the rules and the house allow tips on a wager."""
    offer = house.find_offer(name)
    return house.game.wagers[name].tip is not None and offer is not None and bool(offer.tips)


BringCards: TypeAlias = Callable[
    [
        SimulatedHouse,
        list[round_records.SimulatedRound],
        int,
        RandomStream,
        set[round_records.SimulatedSeat] | None,
    ],
    None,
]
"""Function that brings the cards which seats receive just before a decision point, to some seats or to all (None)."""


def make_decisions(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream, *, bring_cards: BringCards
) -> None:
    """Make the first decisions of all seats, with the wagers that they place, tips on those, and cards in between.

    A seat follows the first habit that fits and occurs. A seat that may take a decision with a wager must decide
    something; others need not, unless seats decide several times.
    """
    for at, point in enumerate(house.decision_points):
        bring_cards(house, rounds, at, rng, None)
        view = RoundView(house, rounds)
        decide_at_point(view, point, view.seats, rng, take_decision)
    placing = dict.fromkeys(decision.places for decision in house.game.decisions.values() if decision.places)
    if any(_takes_tips(house, name) for name in placing):
        place_tips(RoundView(house, rounds), [*placing], rng)


def decide_again(
    house: SimulatedHouse,
    rounds: list[round_records.SimulatedRound],
    seats: set[round_records.SimulatedSeat],
    decision: str,
    rng: RandomStream,
) -> None:
    """Let some seats decide once more at the point of a decision, with the wagers of earlier decisions."""
    view, point = RoundView(house, rounds), house.decision_points[find_point(house, decision)]
    decide_at_point(view, point, [seat for seat in view.seats if seat in seats], rng, add_decision)


def decide_at_point(
    view: RoundView,
    point: DecisionPoint,
    seats: Sequence[round_records.SimulatedSeat],
    rng: RandomStream,
    take: Callable[[SimulatedHouse, round_records.SimulatedSeat, DecisionPoint, str | None, RandomStream], None],
) -> None:
    """Make the decisions of some seats at a point, by a function that takes one."""
    house = view.house
    decisions = {name: house.game.decisions[name] for name in point.decisions}
    present = {*view.seats}.intersection(
        *([view.seats_at_any(step.when for step in point.steps)] if point.steps else ())
    )
    open_to = {name: present & view.seats_where(decision.when) for name, decision in decisions.items()}
    must_decide = set[round_records.SimulatedSeat]().union(
        *(
            open_to[name]
            for name, decision in decisions.items()
            if decision.places is not None or len(house.decision_points) > 1
        )
    )
    offered_decisions = [
        name
        for name, decision in decisions.items()
        if decision.places is None or house.find_offer(decision.places) is not None
    ]
    habits = [
        (
            habit,
            open_to[habit.decision] & view.seats_where(habit.when)
            if habit.decision in offered_decisions
            else set[round_records.SimulatedSeat](),
        )
        for habit in house.simulation.habits
    ]
    for seat in seats:
        chosen = (habit.decision for habit, fits in habits if rng.happens(habit.chance) and seat in fits)
        decision, is_open = next(chosen, None), [name for name in offered_decisions if seat in open_to[name]]
        if decision is None and seat in must_decide and is_open:
            decision = rng.choice(is_open)
        take(house, seat, point, decision, rng)


def find_point(house: SimulatedHouse, decision: str | None) -> int:
    """Return the index of the point at which a decision is taken; the first for None."""
    return next((at for at, point in enumerate(house.decision_points) if decision in point.decisions), 0)


def change_decision(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    seat: round_records.SimulatedSeat,
    decision: str | None,
    rng: RandomStream,
    bring_cards: BringCards,
) -> None:
    """Let a seat take a decision instead of its own, or none, and decide anew at all later points."""
    at = find_point(house, decision)
    for point in house.decision_points[at + 1 :]:
        take_decision(house, seat, point, None, rng)
    take_decision(house, seat, house.decision_points[at], decision, rng)
    for later in range(at + 1, len(house.decision_points)):
        bring_cards(house, [round_], later, rng, {seat})
        decide_at_point(RoundView(house, [round_]), house.decision_points[later], [seat], rng, take_decision)


def take_decision(
    house: SimulatedHouse,
    seat: round_records.SimulatedSeat,
    point: DecisionPoint,
    decision: str | None,
    rng: RandomStream,
) -> None:
    """Let a seat decide this at a point, or nothing: it places the wager of its decision and of no other there."""
    before = next((name for name in reversed(seat.decisions) if name in point.decisions), None)
    if decision == before:
        return
    seat.decisions = [name for name in seat.decisions if name not in point.decisions]
    seat.decisions += [] if decision is None else [decision]
    own = house.game.decisions.get(decision or "")
    here = (house.game.decisions[name].places for name in point.decisions)
    for name in dict.fromkeys(places for places in here if places is not None):
        placed = own is not None and own.places == name
        factor = None if own is None else own.amount
        seat.set_stake(name, choose_stake(house, seat, name, rng, factor) if placed else 0)
        if not placed:
            seat.set_stake(name, 0, tip=True)


def add_decision(
    house: SimulatedHouse,
    seat: round_records.SimulatedSeat,
    point: DecisionPoint,
    decision: str | None,
    rng: RandomStream,
) -> None:
    """Let a seat take a further decision, or none: it places the wager of the decision, and keeps all others."""
    if decision is None:
        return
    seat.decisions.append(decision)
    own = house.game.decisions[decision]
    if own.places is not None and not seat.staked_on(own.places):
        seat.set_stake(own.places, choose_stake(house, seat, own.places, rng, own.amount))


def claim_wins(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Record the wins that seats claim: most of those that would be paid."""
    for name in house.claimable_wagers:
        placed = [seat for round_ in rounds for seat in round_.seats if seat.staked_on(name)]
        for seat in placed:
            seat.claims[name] = True
        view = RoundView(house, rounds)
        line = line_settlement.settle_line_definitely(view.scope, name)
        paid = (line.due_paid[0] > 0) & ~line.tip & line.is_settled
        wins = {view.seats[at] for at in line.seat[paid].tolist()}
        for seat in placed:
            declared = rng.happens(house.simulation.chances.claims.get(name, _ALWAYS))
            seat.claims[name] = declared and seat in wins
