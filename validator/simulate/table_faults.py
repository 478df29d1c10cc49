"""Faults made while a round is played: it goes on from them as from anything that happened."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.evidence.handlog.event_values import NO_DECISION
from validator.simulate.closing_faults import break_award, break_rake
from validator.simulate.dealing import deal_otherwise
from validator.simulate.deciding import UNDECIDED, with_decisions
from validator.simulate.draws import one_of_each
from validator.simulate.exchange_faults import break_discard, break_draw, in_the_last_exchange
from validator.simulate.house import House
from validator.simulate.metering import CLOSING, SHOWN, awards_from
from validator.simulate.miscounting import break_count
from validator.simulate.opening import with_stakes
from validator.simulate.planting import Planting
from validator.simulate.posting import staked_by
from validator.simulate.rounds import OWN, TIP, Rounds, scope_of, seats_where


def break_play(house: House, planting: Planting, rounds: Rounds, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    """The rounds with the fault in every one that it fits, and bool[rounds], which those are."""
    fits = seats_where(scope_of(house, rounds), planting.fault.where)
    match planting.fault.operator:
        case "stake":
            return _stake(house, planting, rounds, fits, rng)
        case "decision" | "other-decision":
            return _decision(house, planting, rounds, fits, rng)
        case "pay":
            return _payment(house, planting, rounds, fits, rng)
        case "discard":
            return in_the_last_exchange(break_discard, house, planting.fault.operand, rounds, fits, rng)
        case "draw":
            return in_the_last_exchange(break_draw, house, planting.fault.operand, rounds, fits, rng)
        case "meter":
            return _meter(house, planting, rounds, fits)
        case "dealt":
            return _dealt_otherwise(house, rounds, fits, rng)
        case "miscount":
            return break_count(house, planting.fault.operand, rounds, fits, rng)
        case "award":
            return break_award(rounds, planting.fault.operand, fits, rng)
        case "rake":
            return break_rake(house, rounds, planting.fault.operand, fits, rng)
        case "hands-of-one":
            return _one_player(planting, rounds, fits)
        case "stack":
            return _stack(rounds, planting.fault.operand, fits & (staked_by(house, rounds) < rounds.stack), rng)
        case "seats":
            return rounds, _rounds_of(rounds, np.flatnonzero(fits))  # they sat down for it
        case _:
            return _repeated_card(house, rounds, fits)


def _rounds_of(rounds: Rounds, seats: Ints) -> Flags:
    """bool[rounds]: the rounds of these seats."""
    found = np.zeros(len(rounds), np.bool_)
    found[rounds.round[seats]] = True
    return found


def _stake(
    house: House, planting: Planting, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """One seat's stakes on a wager changed."""
    fault = planting.fault.operand
    own, tip = rounds.amount[house.names.index(fault.wager)]
    offer = house.offer(fault.wager)
    change: int = 0 if fault.operand is True or fault.operator == "renamed" else fault.operand
    match fault.operator:
        case "more":
            eligible, new_own, new_tip = own > 0, own + change, tip
        case "less":
            eligible, new_own, new_tip = own > change, own - change, tip
        case "above-maximum":
            maximum = None if offer is None else offer.maximum
            eligible = (own > 0) & (maximum is not None)
            new_own, new_tip = np.full_like(own, (maximum or 0) + change), tip
        case "removed":
            eligible, new_own, new_tip = own > 0, np.zeros_like(own), np.zeros_like(tip)
        case "added":
            eligible, new_own, new_tip = (own == 0) & (tip == 0), np.full_like(own, change), tip
        case _:
            eligible, new_own, new_tip = tip == 0, own, np.full_like(tip, change)
    chosen = np.flatnonzero(eligible & fits)
    seat = one_of_each(rng, chosen, rounds.round[chosen])
    there = np.zeros(len(own), np.bool_)
    there[seat] = True
    broken = with_stakes(house, rounds, fault.wager, OWN, np.where(there, new_own, own))
    broken = with_stakes(house, broken, fault.wager, TIP, np.where(there, new_tip, tip))
    return broken, _rounds_of(rounds, seat)


def _decision(
    house: House, planting: Planting, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """One seat decides otherwise than it did."""
    name = planting.fault.operand
    code = UNDECIDED if name == NO_DECISION else house.decisions.index(name)
    chosen = np.flatnonzero(fits & (rounds.decision != code))
    seat = one_of_each(rng, chosen, rounds.round[chosen])
    decision = rounds.decision.astype(np.int64)
    decision[seat] = code
    return with_decisions(house, rounds, decision, rng), _rounds_of(rounds, seat)


def _payment(
    house: House, planting: Planting, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """One stake is paid too much, or, where it should be taken, left; or it is not paid, or, where nothing is
    due, taken."""
    base = rounds.amount.copy()
    for name, bonus in house.game.bonuses.items():
        base[house.names.index(name)] = rounds.amount[house.names.index(bonus.reckoned_on)]
    eligible = np.isin(rounds.case, planting.cases) & (base > 0) & fits
    paid, taken = rounds.paid, rounds.taken
    spent = _of_names(house, lambda name: name in house.game.wagers and house.game.wagers[name].stake == "spent")
    if planting.fault.operand == "over":
        # What was spent is gone: only more can be paid.
        new_paid = np.where((taken > 0) & ~(spent & (paid > 0)), paid, paid + base)
        new_taken = np.where(spent & (paid > 0), taken, 0)
    else:
        is_bonus = _of_names(house, lambda name: name in house.game.bonuses)
        eligible &= (paid > 0) | ((taken == 0) & ~is_bonus)
        new_paid, new_taken = np.zeros_like(paid), np.where(paid > 0, taken, base)
    cells = np.flatnonzero(eligible)
    cell = one_of_each(rng, cells, rounds.round[cells % len(rounds.round)])
    there = np.zeros_like(eligible)
    there.flat[cell] = True
    broken = replace(rounds, paid=np.where(there, new_paid, paid), taken=np.where(there, new_taken, taken))
    if house.meters:
        broken = replace(broken, meters=_less_what_was_paid(house, rounds, broken))
    return broken, _rounds_of(rounds, cell % len(rounds.round))


def _less_what_was_paid(house: House, rounds: Rounds, broken: Rounds) -> Ints:
    """What meters read when something else than was due has been paid of them."""
    as_due, as_paid, meters = scope_of(house, rounds), scope_of(house, broken), rounds.meters.copy()
    for index, meter in enumerate(house.meters):
        meters[index, CLOSING] = awards_from(as_paid, meter, as_due).left(meter, meters[index, SHOWN])
    return meters


def _of_names(house: House, fits: Callable[[str], bool]) -> Flags:
    """bool[names, 1, 1]: the names that a test fits."""
    return np.array([fits(name) for name in house.names], np.bool_)[:, None, None]


def _meter(house: House, planting: Planting, rounds: Rounds, fits: Flags) -> tuple[Rounds, Flags]:
    """A meter that reads otherwise than it should."""
    fault = planting.fault.operand
    index = [meter.name for meter in house.meters].index(fault.name)
    at = ("opening", "shown", "closing").index(fault.at)
    by = fault.operand if fault.operator == "more" else -fault.operand
    chosen = _rounds_of(rounds, np.flatnonzero(fits)) & (rounds.meters[index, at] + by >= 0)
    meters = rounds.meters.copy()
    meters[index, at] += np.where(chosen, by, 0)
    return replace(rounds, meters=meters), chosen


def _one_player(planting: Planting, rounds: Rounds, fits: Flags) -> tuple[Rounds, Flags]:
    """All hands of a round are its first player's."""
    chosen = _rounds_of(rounds, np.flatnonzero(fits)) & (np.diff(rounds.offsets) >= planting.fault.operand)
    first = rounds.player[rounds.offsets[rounds.round]]
    return replace(rounds, player=np.where(chosen[rounds.round], first, rounds.player)), chosen


def _stack(rounds: Rounds, chips: int, able: Flags, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    """One of the seats (bool[seats]) that have chips left after what was forced has so many."""
    chosen = np.flatnonzero(able)
    seat = one_of_each(rng, chosen, rounds.round[chosen])
    stack = rounds.stack.copy()
    stack[seat] = chips
    return replace(rounds, stack=stack), _rounds_of(rounds, seat)


def _dealt_otherwise(house: House, rounds: Rounds, fits: Flags, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    """Cards dealt in a way that the house has not chosen, where the game has any."""
    chosen = _rounds_of(rounds, np.flatnonzero(fits)) & (house.own_ways < len(house.ways))
    return (deal_otherwise(house, rounds, chosen, rng) if chosen.any() else rounds), chosen


def _repeated_card(house: House, rounds: Rounds, fits: Flags) -> tuple[Rounds, Flags]:
    """The first card of the dealer, or of the community where the dealer has none, is the first card of the first
    seat; that of the second seat where it is not certain that any other cards will come."""
    first = rounds.offsets[:-1]
    if house.game.betting is not None:
        chosen = _rounds_of(rounds, np.flatnonzero(fits)) & (np.diff(rounds.offsets) > 1)
        cards = rounds.hands.cards.copy()
        cards[first[chosen] + 1, 0] = cards[first[chosen], 0]
        return replace(rounds, hands=replace(rounds.hands, cards=cards)), chosen
    theirs = rounds.dealer if (rounds.dealer.count > 0).any() else rounds.community
    chosen = _rounds_of(rounds, np.flatnonzero(fits)) & (theirs.count > 0) & (rounds.hands.count[first] > 0)
    cards = theirs.cards.copy()
    cards[chosen, 0] = rounds.hands.cards[first[chosen], 0]
    repeated = replace(theirs, cards=cards)
    if theirs is rounds.dealer:
        return replace(rounds, dealer=repeated), chosen
    return replace(rounds, community=repeated), chosen
