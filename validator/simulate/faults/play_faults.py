"""Faults made while a round is played: it goes on from them as from anything that happened.

Each function makes one kind of fault in every round that it fits and returns those rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random

from validator.evidence.handlog.event_values import NO_DECISION
from validator.simulate.faults.breach import PlayBreach
from validator.simulate.faults.card_faults import deal_in_another_way, discard, draw, miscount, repeat_card
from validator.simulate.faults.planting import Planting
from validator.simulate.poker.showdown import count_chips, divide_again
from validator.simulate.stakes.meters import close_meters
from validator.simulate.stakes.wagers import take_decision
from validator.simulate.table.house import House
from validator.simulate.table.records import Ending, Round, Seat, Stake
from validator.simulate.table.view import View


def break_play(house: House, planting: Planting, rounds: list[Round], rng: Random) -> set[Round]:
    """Make the fault in every round that it fits; returns those rounds."""
    fits, operand = View(house, rounds).seats_where(planting.fault.where), planting.fault.operand
    fits = {seat for seat in fits if seat.playing}
    breach = PlayBreach(house=house, planting=planting, operand=operand, rounds=rounds, fits=fits, rng=rng)
    return {*_BREAK[planting.fault.operator](breach)}


def _stake(breach: PlayBreach) -> Iterable[Round]:
    """One seat's stakes on a wager changed."""
    fault, name = breach.operand, breach.operand.wager
    offer, by = breach.house.offer(name), fault.operand
    maximum = None if offer is None else offer.maximum
    able: Mapping[str, Callable[[Seat], bool]] = {
        "more": lambda seat: seat.on(name) > 0,
        "less": lambda seat: seat.on(name) > by,
        "above-maximum": lambda seat: seat.on(name) > 0 and maximum is not None,
        "removed": lambda seat: seat.on(name) > 0,
        "added": lambda seat: not seat.on(name) and not seat.on(name, tip=True),
        "tipped": lambda seat: not seat.on(name, tip=True),
    }
    for one, seat in breach.one_of_each(able[fault.operator]):
        match fault.operator:
            case "more" | "less":
                seat.put(name, seat.on(name) + (by if fault.operator == "more" else -by))
            case "above-maximum":
                seat.put(name, (maximum or 0) + by)
            case "removed":
                seat.put(name, 0)
                seat.put(name, 0, tip=True)
            case _:
                seat.put(name, by, tip=fault.operator == "tipped")
        yield one


def _decision(breach: PlayBreach) -> Iterable[Round]:
    """One seat decides otherwise than it did."""
    decision = None if breach.operand == NO_DECISION else breach.operand
    for one, seat in breach.one_of_each(lambda seat: seat.decision != decision):
        take_decision(breach.house, seat, decision, breach.rng)
        yield one


def _payment(breach: PlayBreach) -> Iterable[Round]:
    """One stake is paid too much, or, where it should be taken, left; or it is not paid, or, where nothing is
    due, taken."""
    house, over = breach.house, breach.operand == "over"
    found = []
    for one in breach.rounds:
        stakes = [
            (seat, name, stake, base)
            for seat in one.seats
            if seat in breach.fits
            for (name, tip), stake in seat.stakes.items()
            if stake.case in breach.planting.cases
            and (base := _base(house, seat, name, stake, tip=tip))
            and (over or stake.paid or (not stake.taken and name not in house.game.bonuses))
        ]
        if stakes:
            _, name, stake, base = breach.rng.choice(stakes)
            _pay_otherwise(house, name, stake, base, over=over)
            found.append(one)
    close_meters(View(house, breach.rounds))
    return found


def _base(house: House, seat: Seat, name: str, stake: Stake, *, tip: bool) -> int:
    """What a payment on a stake goes by."""
    bonus = house.game.bonuses.get(name)
    return stake.amount if bonus is None else seat.on(bonus.reckoned_on, tip=tip)


def _pay_otherwise(house: House, name: str, stake: Stake, base: int, *, over: bool) -> None:
    wager = house.game.wagers.get(name)
    spent = wager is not None and wager.stake == "spent" and stake.paid > 0
    if not over:
        stake.taken = stake.taken if stake.paid else base
        stake.paid = 0
    elif stake.taken and not spent:
        stake.taken = 0
    else:  # what was spent is gone: only more can be paid
        stake.paid += base


def _meter(breach: PlayBreach) -> Iterable[Round]:
    """A meter that reads otherwise than it should."""
    fault = breach.operand
    by = fault.operand if fault.operator == "more" else -fault.operand
    for one in breach.fitting:
        reading = getattr(one.meters[fault.name], fault.at)
        if reading + by >= 0:
            setattr(one.meters[fault.name], fault.at, reading + by)
            yield one


def _hands_of_one(breach: PlayBreach) -> Iterable[Round]:
    """All hands of a round are its first player's."""
    for one in breach.fitting:
        if len(one.seats) >= breach.operand:
            for seat in one.seats:
                seat.player = one.seats[0].player
            yield one


def _stack(breach: PlayBreach) -> Iterable[Round]:
    """One of the seats that have chips left after what was forced has so many."""
    for one, seat in breach.one_of_each(lambda seat: seat.staked < seat.chips):
        seat.stack = breach.operand
        yield one


def _seats(breach: PlayBreach) -> Iterable[Round]:
    """As many hands as they sat down for."""
    return breach.fitting


def _award(breach: PlayBreach) -> Iterable[Round]:
    """All that one seat won goes to another that was in at the end, or one award is short."""
    for one in breach.rounds:
        ending = _ending(one)
        if breach.operand.operator == "short":
            less = breach.operand.operand
            awards = [award for award in ending.awards if award[2] > less and award[0] in breach.fits]
            if awards:
                chosen = breach.rng.choice(awards)
                at = ending.awards.index(chosen)
                ending.awards[at] = (chosen[0], chosen[1], chosen[2] - less)
                count_chips(one)
                yield one
            continue
        won = [seat for seat in one.seats if seat in ending.shows and seat.won and seat in breach.fits]
        lost = [seat for seat in one.seats if seat in ending.shows and not seat.won]
        if won and lost:
            winner, loser = breach.rng.choice(won), breach.rng.choice(lost)
            ending.awards = [(loser if seat is winner else seat, pot, amount) for seat, pot, amount in ending.awards]
            count_chips(one)
            yield one


def _rake(breach: PlayBreach) -> Iterable[Round]:
    """Another rake, as far as there is one and it leaves something of the pots."""
    fault = breach.operand
    by = fault.operand if fault.operator == "more" else -fault.operand
    chosen = [
        one
        for one in breach.fitting
        if (rake := _ending(one).rake) > 0 and rake + by >= 0 and sum(seat.won or 0 for seat in one.seats) > by
    ]
    another = [_ending(one).rake + (by if one in chosen else 0) for one in breach.rounds]
    divide_again(breach.house, breach.rounds, another, breach.rng)
    return chosen


def _ending(one: Round) -> Ending:
    if one.ending is None:
        raise ValueError("the pots have not been divided yet")
    return one.ending


_BREAK: Mapping[str, Callable[[PlayBreach], Iterable[Round]]] = {
    "stake": _stake,
    "decision": _decision,
    "other-decision": _decision,
    "pay": _payment,
    "discard": discard,
    "draw": draw,
    "miscount": miscount,
    "meter": _meter,
    "hands-of-one": _hands_of_one,
    "stack": _stack,
    "seats": _seats,
    "dealt": deal_in_another_way,
    "card": repeat_card,
    "award": _award,
    "rake": _rake,
}
"""What makes a fault, by its operator."""
