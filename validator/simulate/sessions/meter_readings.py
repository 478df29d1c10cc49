"""Meters from round to round: where one closes, the next one at the table opens, and awards go by what it then reads.

Every round was played as if its meters stood where they first did. Here they are moved to where they stand, and what
was paid of them with them; nothing else about a round hangs on a meter.
"""

from __future__ import annotations

from collections import defaultdict, deque

from validator.simulate.procedure.stated_numbers import stated_by
from validator.simulate.stakes.settlement import Due, left_on, meter_dues, moved_payment
from validator.simulate.table.house import House
from validator.simulate.table.meters import Meter
from validator.simulate.table.records import Event, Reading, Round, Seat
from validator.simulate.table.view import View

Reads = dict[tuple[int, str], int]
"""What the meters of every table read, by the table and the name of the meter."""


def first_readings(house: House) -> Reads:
    """What meters read before the first round."""
    return {(table, meter.name): meter.start for table in range(len(house.tables)) for meter in house.meters}


def carry(house: House, rounds: list[Round], reads: Reads) -> Reads:
    """Move the meters of rounds to where they stand at their tables, whose meters read `reads` before them; returns
    what they read after them."""
    view = View(house, rounds)
    played = {meter.name: meter_dues(view, meter) for meter in house.meters}
    wins = {view.round_of[seat] for due in played.values() for seat, *_ in due}
    winning = [one for one in rounds if one in wins]
    before, stated = View(house, winning), stated_by(house, winning)
    odd: dict[tuple[Round, str], int] = {}  # what a meter reads that it should not
    for meter in house.meters:
        for one, left in left_on(before, meter, played[meter.name]).items():
            odd[one, meter.name] = (one.meters[meter.name].closing or 0) - left
    after, ahead = dict(reads), defaultdict[int, deque[Round]](deque)
    for one in rounds:
        ahead[one.table].append(one)
    while any(ahead.values()):
        paying = [won for queue in ahead.values() if (won := _up_to_a_win(queue, wins, after)) is not None]
        now = View(house, paying)
        for meter in house.meters:
            for one, left in left_on(now, meter, played[meter.name]).items():
                reading = one.meters[meter.name]
                reading.closing = after[one.table, meter.name] = left + odd[one, meter.name]
    _pay_anew(house, winning, house.meters, played)
    for (event, was), (_, should) in zip(stated, stated_by(house, winning), strict=True):
        if event.amount == was and should is not None:
            event.amount = should
    return after


def _up_to_a_win(queue: deque[Round], wins: set[Round], reads: Reads) -> Round | None:
    """Move the meters of the rounds next in line at a table, up to one that wins of them, which is returned."""
    while queue:
        one = queue.popleft()
        for name, was in one.meters.items():
            start, opening = reads[one.table, name], was.opening or 0
            closing = start + (was.closing or 0) - opening
            one.meters[name] = Reading(start, start + (was.shown or 0) - opening, closing)
            reads[one.table, name] = closing
        if one in wins:
            return one
    return None


def _pay_anew(house: House, winning: list[Round], meters: tuple[Meter, ...], played: dict[str, Due]) -> None:
    """Pay stakes that were paid by meters as they stood when they were played by what these read now."""
    view, paid = View(house, winning), defaultdict[tuple[Seat, str, bool], list[Event]](list)
    for event in (event for one in winning for event in one.events):
        if event.kind == "pay" and event.seat is not None and event.wager is not None:
            paid[event.seat, event.wager, event.tip].append(event)
    for meter in meters:
        for (seat, name, tip), due in meter_dues(view, meter).items():
            more, stake = due - played[meter.name].get((seat, name, tip), due), seat.stakes[name, tip]
            stake.paid = moved_payment(stake.paid, more)
            for event in paid[seat, name, tip]:
                event.amount = moved_payment(event.amount or 0, more)
