"""Quantities of a batch: amounts, counts and limits, each as far as it is known (`play.bounds`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints16
from validator.engine.cards.final_hands import exchanged, held
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR, Bounds, certain, reckoned, unless, within
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.deal_checks.cards_seen import cards_out
from validator.engine.expressions.player_quantities import AMONG_PLAYERS
from validator.engine.facts.hands_per_player import hands_so_far, span_of_hands
from validator.engine.facts.meters import meter_reads
from validator.engine.facts.next_seat import next_numbers
from validator.engine.submission.house_conditions import view_of
from validator.engine.timeline.step_events import cards_of_step, count_of_step, number_of_step
from validator.engine.timeline.truncated_records import dealing, so_far, staked_later
from validator.rules.conditions.conditions import RECKONED, Quantity, Total
from validator.rules.conditions.particulars import MeterAt, MeterTerm
from validator.rules.core.grain import Grain, grain_of_place, grain_of_quantity

Numbers = tuple[Ints, Flags]


def numbers(scope: Scope, quantity: Quantity, grain: Grain) -> Numbers:
    """A quantity for each item of a grain, as int64[n], and where it is known, as bool[n]."""
    low, high = bounds(scope, quantity, grain)
    return low, np.ones(len(low), bool) if low is high else low == high


def bounds(scope: Scope, quantity: Quantity, grain: Grain) -> Bounds:
    """The least and the most a quantity may be for each item of a grain, int64[n] both (one array where all is
    known), `FAR` out where the evidence sets no bound."""
    if quantity.operator == "exactly":
        return certain(np.full(scope.length(grain), quantity.operand, np.int64))
    own = grain_of_quantity(quantity, scope.prepared.game)
    if quantity.operator in RECKONED:
        low, high = reckoned(quantity, [bounds(scope, part, own) for part in quantity.parts()])
    else:
        low, high = _OPERATORS[quantity.operator](scope, quantity.operand, own)
    if own == grain:
        return low, high
    if own == "seat" and grain == "event":
        return _of_events(scope, low, high)
    spread = scope.spread(low, own, grain)
    return spread, spread if low is high else scope.spread(high, own, grain)


def _of_events(scope: Scope, low: Ints, high: Ints) -> Bounds:
    """Bounds of seats for events: nothing is known of the seat of an event that has none."""
    seat = scope.seat_of("event")
    named = seat != ABSENT
    if not len(low):
        return unless(named, np.zeros(len(seat), np.int64))
    if named.all() and low is high:
        return certain(low[seat])
    return np.where(named, low[seat], -FAR), np.where(named, high[seat], FAR)


def _amount(scope: Scope, line: str, grain: Grain) -> Bounds:
    return certain(scope.batch.stakes.amount) if line == "this" else _placed(scope, line, tip=False)


def _tip(scope: Scope, line: str, grain: Grain) -> Bounds:
    return certain(beside(scope, tip=True)) if line == "this" else _placed(scope, line, tip=True)


def _placed(scope: Scope, line: str, *, tip: bool) -> Bounds:
    amount = scope.amount(line, tip=tip)
    later = staked_later(scope, line)
    return (amount, np.where(later & (amount == 0), FAR, amount)) if later.any() else certain(amount)


def _minimum(scope: Scope, line: str, grain: Grain) -> Bounds:
    return _limit(scope, "minimum", line)


def _maximum(scope: Scope, line: str, grain: Grain) -> Bounds:
    return _limit(scope, "maximum", line)


def _limit(scope: Scope, side: str, line: str) -> Bounds:
    """A posted limit: for one wager, a number a round; for `this`, that of the wager each stake lies on."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    if line != "this":
        return _constant(scope, getattr(offers.get(line), side, None))
    names = scope.batch.stakes.wager.names
    posted_by_code = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes
    values = np.array([limit or 0 for limit in posted_by_code], np.int64)[codes]
    return unless(np.array([limit is not None for limit in posted_by_code], bool)[codes], values)


def _constant(scope: Scope, value: object) -> Bounds:
    """A whole number that holds for all rounds, or anything where it is none."""
    rounds = scope.length("round")
    known = isinstance(value, int) and not isinstance(value, bool)
    return unless(np.full(rounds, known), np.full(rounds, value if known else 0, np.int64))


def _paid(scope: Scope, line: str, grain: Grain) -> Bounds:
    return _outcome(scope, "paid", line)


def _taken(scope: Scope, line: str, grain: Grain) -> Bounds:
    return _outcome(scope, "taken", line)


def _outcome(scope: Scope, column: str, line: str) -> Bounds:
    """What became of a stake; where a seat has none on a line, nothing."""
    stakes = scope.batch.stakes
    if line == "this":
        values = np.where((column == "taken") & stakes.bonus, 0, getattr(stakes, column))
        return unless(values != ABSENT, values)
    if line in scope.prepared.game.bonuses and column == "taken":
        return certain(np.zeros(scope.length("seat"), np.int64))
    chosen = scope.stakes_on(line)
    chosen = chosen[~stakes.tip[chosen]]
    values = np.zeros(scope.length("seat"), np.int64)
    values[stakes.seat[chosen]] = getattr(stakes, column)[chosen]
    return unless(values != ABSENT, values)


def _cards(scope: Scope, place: Any, grain: Grain) -> Bounds:
    if place == "everywhere":
        total, told = cards_out(scope)
        return unless(told, total)
    low, high = _count(scope.hands_at(place).count)
    owed = (low < scope.prepared.game.deal.cards.get(place, 0)) & dealing(scope)[0][
        scope.round_of(grain_of_place(place))
    ]
    return (low, np.where(owed, FAR, high)) if owed.any() else (low, high)


def _count(count: Ints16) -> Bounds:
    return unless(count >= 0, count.astype(np.int64))


def _hands_of_player(scope: Scope, how: str, grain: Grain) -> Bounds:
    return hands_so_far(scope) if how == "so-far" else span_of_hands(scope)


def _length(scope: Scope, hand: str, grain: Grain) -> Bounds:
    length = scope.prepared.hands[hand].ranking.length(scope.strength(hand))
    return unless(length >= 0, length)


def _events(scope: Scope, step: str, grain: Grain) -> Bounds:
    return so_far(scope, grain, _between(*count_of_step(scope, step, grain)))


def _cards_in(scope: Scope, step: str, grain: Grain) -> Bounds:
    return so_far(scope, grain, _between(*cards_of_step(scope, step, grain)))


def _between(least: Ints, most: Ints, evident: Flags) -> Bounds:
    if least is most:
        return unless(evident, least)
    return np.where(evident, least, -FAR), np.where(evident, most, FAR)


def _counted(scope: Scope, step: str, grain: Grain) -> Bounds:
    number = number_of_step(scope, step, grain)
    return unless(number != ABSENT, number)


def _stated(scope: Scope, what: str, grain: Grain) -> Bounds:
    if what == "pot":
        return certain(np.maximum(scope.batch.events.pot, 0).astype(np.int64))
    number = scope.batch.events.amount
    return unless(number != ABSENT, number)


def _seats(scope: Scope, condition: Any, grain: Grain) -> Bounds:
    fulfil = scope.truth(condition, "seat")
    owner, rounds = scope.batch.seats.round, scope.length("round")
    low = np.bincount(owner[fulfil == YES], minlength=rounds)
    doubtful = owner[fulfil == UNKNOWN]
    return certain(low) if not len(doubtful) else (low, low + np.bincount(doubtful, minlength=rounds))


def _total(scope: Scope, operand: Total, grain: Grain) -> Bounds:
    fulfil = scope.truth(operand.over, "seat")
    low, high = bounds(scope, operand.of, "seat")
    # A seat that may or may not count adds its number or nothing.
    low = np.where(fulfil == YES, low, np.where(fulfil == UNKNOWN, np.minimum(low, 0), 0))
    high = np.where(fulfil == YES, high, np.where(fulfil == UNKNOWN, np.maximum(high, 0), 0))
    owner, rounds = scope.batch.seats.round, scope.length("round")
    # No sum of known numbers comes near the 2**53 up to which the floats of bincount are exact.
    return within(np.bincount(owner, low, rounds)), within(np.bincount(owner, high, rounds))


def _submitted(scope: Scope, path: str, grain: Grain) -> Bounds:
    if scope.configuration is None:
        return _constant(scope, None)
    view = view_of(scope, scope.configuration)
    return _constant(scope, view.value(view.path(path)))


def _meter(scope: Scope, operand: MeterAt, grain: Grain) -> Bounds:
    values, known = meter_reads(scope, operand.name, operand.at)
    return unless(known, values)


def _term(scope: Scope, operand: MeterTerm, grain: Grain) -> Bounds:
    submitted = [] if scope.configuration is None else scope.configuration.data.get("meters") or []
    stated = [one.get(operand.is_) for one in submitted if one["meter"] == operand.meter]
    return _constant(scope, stated[0] if len(stated) == 1 else None)


def _next_seat(scope: Scope, from_: Quantity, grain: Grain) -> Bounds:
    """The next seat from a number, each round's own; unknown where the number is."""
    low, high = bounds(scope, from_, "round")
    seats = scope.batch.seats
    number = next_numbers(seats.round[seats.playing], seats.number[seats.playing], np.where(low == high, low, 0))
    return unless((low == high) & (number != ABSENT), number)


def beside(scope: Scope, *, tip: bool) -> Ints:
    """int64[stakes]: the seat's own stake, or its tip, on the wager each stake lies on."""

    def look() -> Ints:
        stakes = scope.batch.stakes
        found = np.zeros(len(stakes.seat), np.int64)
        for line in stakes.wager.names:
            chosen = scope.stakes_on(line)
            found[chosen] = scope.amount(line, tip=tip)[stakes.seat[chosen]]
        return found

    return scope.once(("beside", tip), look)


def _asked_of_players(look: Callable[[Scope, Any], Bounds]) -> Callable[[Scope, Any, Grain], Bounds]:
    return lambda scope, operand, _: look(scope, operand)


_OPERATORS: dict[str, Callable[[Scope, Any, Grain], Bounds]] = {
    "amount": _amount,
    "tip": _tip,
    "minimum": _minimum,
    "maximum": _maximum,
    "paid": _paid,
    "taken": _taken,
    "cards": _cards,
    "discarded": lambda scope, place, _: _count(exchanged(scope, place, "discard").count),
    "drawn": lambda scope, place, _: _count(exchanged(scope, place, "draw").count),
    "held": lambda scope, place, _: _count(held(scope, place).count),
    "hands-of-player": _hands_of_player,
    "length": _length,
    "events": _events,
    "cards-in": _cards_in,
    "counted": _counted,
    "stated": _stated,
    "seats": _seats,
    "total": _total,
    "submitted": _submitted,
    "meter": _meter,
    "term": _term,
    "next-seat": _next_seat,
    **{name: _asked_of_players(look) for name, look in AMONG_PLAYERS.items()},
}
