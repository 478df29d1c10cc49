"""Facts about players: decisions, hands, hands of others, chips, and stakes that stayed from an earlier round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Indices,
    Ints,
    Ints32,
    Truths,
    are_all,
    find_true,
    has_any,
    is_one_of,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES, bounds_where_known, exact_bounds
from fairdeal.validator.engine.facts.seat_layout import may_seats_follow
from fairdeal.validator.engine.timeline.excused_acts import extend_if_truncated, is_truncated, may_stake_later
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.log_draft import number_lines
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.round_batch import CodedColumn, translate_codes
from fairdeal.validator.evidence.event_kinds import AT_PLAYER, NO_DECISION
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.round_conditions import Condition


@cached_fact
def seat_decisions(scope: EvaluationContext) -> CodedColumn:
    """Return the decision of each seat: as the summary states it, or else the last event if all decisions are
    recorded.
    """
    seats, events = scope.batch.seats, scope.batch.events
    silent = (seats.decision.codes == ABSENT) & are_kinds_recorded(scope, ("decide",))[seats.round]
    recorded = find_true((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))
    recorded = recorded[silent[events.seat[recorded]]]
    if not len(recorded):
        return seats.decision
    codes, names = translate_codes(events.decision, seats.decision)
    last = np.full(len(silent), ABSENT, np.int64)
    last[events.seat[recorded]] = recorded
    result = np.where(last == ABSENT, seats.decision.codes, codes[last])
    return CodedColumn(codes=result, names=names)


def is_decided(scope: EvaluationContext, decision: str, *, in_the_end: bool = False) -> Truths:
    """Return whether a seat made a decision.

    Args:
        in_the_end: count only the final decision.

    Returns:
        uint8[seats].
    """
    decision_of_seat = seat_decisions(scope)
    silent = decision_of_seat.codes == ABSENT
    taken = decision_of_seat.codes == decision_of_seat.code(decision)
    value = kleene.from_flags(taken if in_the_end else taken | _has_decision_event(scope, decision))
    rule = scope.compiled_game.game.decisions[decision]
    places = rule.places
    unrecorded = _is_decision_unknown(scope)
    if places is not None:
        # If the log names no decision, the stake that goes with it still shows it.
        staked, of = scope.staked_amounts(places, tip=False), scope.compiled_game.game.wagers[places].of
        shown = (silent | (_decides_several_times(scope) & ~_has_decided_otherwise(scope, decision))) & (staked > 0)
        if rule.amount is not None and of is not None:
            shown &= staked == rule.amount * scope.staked_amounts(of, tip=False)
        value = value | kleene.from_flags(shown)
        unrecorded = unrecorded & ~scope.batch.complete[scope.batch.seats.round]
    if _decides_several_times(scope) and not in_the_end:
        # The summary names the last decision; whether there was an earlier one, only events show.
        are_recorded = are_kinds_recorded(scope, ("decide",)) & scope.batch.complete
        unrecorded = unrecorded | ((value == NO) & ~are_recorded[scope.batch.seats.round])
    return kleene.unknown_where(unrecorded, value)


def _decides_several_times(scope: EvaluationContext) -> bool:
    """Return whether a seat decides in several acts of a regular round."""
    acts = (act for act in scope.compiled_game.game.acts.values() if act.decisions and "decide" in act.events)
    return sum(not act.said_again for act in acts) > 1


def _has_decided_otherwise(scope: EvaluationContext, decision: str) -> Flags:
    """Return whether the log names another decision of each seat in the act in which a decision is taken."""
    acts = (act for act in scope.compiled_game.game.acts.values() if decision in act.decisions)
    result = np.zeros(scope.count_items("seat"), bool)
    for other in {other for act in acts for other in act.decisions} - {decision}:
        result |= _has_decision_event(scope, other) | (seat_decisions(scope).codes == seat_decisions(scope).code(other))
    return result


def is_decision_permitted(scope: EvaluationContext) -> Truths:
    """Return whether the decision of a seat, if the log names one, is permitted to the seat.

    Returns:
        uint8[seats].
    """
    decision = seat_decisions(scope)
    value = kleene.from_flags((decision.codes == ABSENT) | (decision.codes == decision.code(NO_DECISION)))
    for name, decision_rule in scope.compiled_game.game.decisions.items():
        taken = kleene.from_flags(decision.codes == decision.code(name))
        value = np.maximum(value, np.minimum(taken, scope.evaluate(decision_rule.when, "seat")))
    return value


def _has_decision_event(scope: EvaluationContext, decision: str) -> Flags:
    """Return whether an event shows that a seat made a decision, final or not."""
    events, result = scope.batch.events, np.zeros(scope.count_items("seat"), bool)
    recorded = (events.kind == KIND_CODES["decide"]) & (events.decision.codes == events.decision.code(decision))
    result[events.seat[recorded & (events.seat != ABSENT)]] = True
    return result


@cached_fact
def _is_decision_unknown(scope: EvaluationContext) -> Flags:
    """Return whether the log neither states nor shows a decision, and would not record an event of it.

    In a truncated record, the seat may have decided later.
    """
    batch = scope.batch
    are_all_recorded = are_kinds_recorded(scope, ("decide",)) & batch.complete
    unrecorded = (seat_decisions(scope).codes == ABSENT) & ~are_all_recorded[batch.seats.round]
    for decision_rule in scope.compiled_game.game.decisions.values():
        if decision_rule.places is not None:
            unrecorded &= scope.staked_amounts(decision_rule.places, tip=False) <= 0
    return unrecorded


@cached_fact
def is_called_off(scope: EvaluationContext) -> Truths:
    """Return whether a misdeal is declared for a seat, or for all, and no stake of the seat is settled.

    Payments and collections show what is settled. A wager that is spent when it is placed does not count.

    Returns:
        uint8[seats].
    """
    events, seats = scope.batch.events, scope.batch.seats
    misdeals = events_of_kinds(scope, ("misdeal",))
    of_all = np.zeros(len(scope.batch), bool)
    of_all[events.round[misdeals[events.place[misdeals] != AT_PLAYER]]] = True
    spent = [
        events.wager.code(name) for name, wager in scope.compiled_game.game.wagers.items() if wager.stake == "spent"
    ]
    moved = events_of_kinds(scope, ("pay", "collect"))
    moved = moved[~is_one_of(events.wager.codes[moved], spent)]
    declared = _has_event(scope, misdeals, ("misdeal",), of_all[seats.round])
    settled = _has_event(scope, moved, ("pay", "collect"), np.zeros(len(seats.round), bool))
    return np.minimum(declared, kleene.negate(settled))


def _has_event(scope: EvaluationContext, chosen: Ints, kinds: tuple[str, ...], also: Flags) -> Truths:
    """Return whether a seat has one of some events; without one, unknown if a kind is not recorded.

    Args:
        chosen: int64[m], indices of the events.
        also: bool[seats], the seats for which another event shows the same.
    """
    seat, result = scope.batch.events.seat[chosen], also.copy()
    result[seat[seat != ABSENT]] = True
    return kleene.where_known(result, result | are_kinds_recorded(scope, kinds)[scope.batch.seats.round])


@cached_fact
def count_hands_so_far(scope: EvaluationContext) -> Bounds:
    """Return how many hands the player of each seat holds up to this seat, as bounds; 0 if the seat has no hand.

    A hand without a player's name may belong to anybody.
    """
    least, most = _bound_count(scope, _count_hands)
    seats, (is_certain, possible) = scope.batch.seats, _find_seats_with_hand(scope)
    unnamed = seats.player.codes == ABSENT
    if not has_any(unnamed & possible):
        return least, most

    def so_far(chosen: Flags) -> Ints:
        total = np.concatenate([[0], np.cumsum(chosen)])
        return total[1:] - total[seats.offsets[:-1]][seats.round]

    most = np.where(unnamed, so_far(possible), most + so_far(unnamed & possible))
    return np.where(unnamed, is_certain.astype(np.int64), least), np.where(possible, most, 0)


@cached_fact
def measure_hand_span(scope: EvaluationContext) -> Bounds:
    """Return the number of positions from the player's lowest to highest hand, both included, for each seat, as bounds.

    The result is 0 if the seat has no hand.
    """
    return _bound_count(scope, _measure_span)


def _bound_count(scope: EvaluationContext, count: Callable[[EvaluationContext, Flags], Ints]) -> Bounds:
    """Return bounds of a count over the hands of each seat's player.

    The lower bound counts the seats that surely have a hand, the upper bound those that may. The player must be named,
    unless the seat surely has no hand.
    """
    is_certain, possible = _find_seats_with_hand(scope)
    recorded = (scope.batch.seats.player.codes != ABSENT) | ~possible
    low = count(scope, is_certain)
    if are_all(recorded) and are_all(is_certain == possible):
        return exact_bounds(low)
    return np.where(recorded, low, -UNBOUNDED), np.where(recorded, count(scope, possible), UNBOUNDED)


def _find_seats_with_hand(scope: EvaluationContext) -> tuple[Flags, Flags]:
    """Return which seats surely have a hand, and which may: those with a stake or with cards."""
    dealt = scope.dealt_hands("player").count
    is_certain = dealt > 0
    is_certain[scope.batch.stakes.seat] = True
    unfinished = ~scope.batch.complete[scope.batch.seats.round]
    return is_certain, is_certain | (dealt == ABSENT) | unfinished


def _count_hands(scope: EvaluationContext, holding: Flags) -> Ints:
    seats = scope.batch.seats
    player, owner = seats.player.codes, seats.round
    count = holding.astype(np.int64)
    most = int(np.diff(seats.offsets).max(initial=0))
    for back in range(1, most):
        same = (player[back:] == player[:-back]) & (owner[back:] == owner[:-back])
        count[back:] += same & holding[back:] & holding[:-back]
    return count


def _measure_span(scope: EvaluationContext, holding: Flags) -> Ints:
    seats = scope.batch.seats
    names = len(seats.player.names) + 1
    _, owner = np.unique(seats.round.astype(np.int64) * names + seats.player.codes + 1, return_inverse=True)
    number = seats.number.astype(np.int64)
    players = int(owner.max(initial=-1)) + 1
    lowest, highest = np.full(players, np.iinfo(np.int64).max), np.zeros(players, np.int64)
    np.minimum.at(lowest, owner[holding], number[holding])
    np.maximum.at(highest, owner[holding], number[holding])
    return np.where(holding, (highest - lowest + 1)[owner], 0)


class OtherPlayers(Struct, frozen=True, kw_only=True):
    """Seats that fulfil a condition, for sums over the seats of other players."""

    offsets: Ints
    """First seat of each round, and the number of all seats, int64[rounds + 1]."""
    round: Ints32
    """Round of each seat, int32[seats]."""
    first_seat_of_player: Ints
    """First seat of the same player in the round if the log names the player, else the seat itself, int64[seats]."""
    fulfils: Flags
    """Seats that fulfil the condition, bool[seats]."""
    is_uncertain: Flags
    """Seats for which the condition is unknown, bool[seats]."""

    def sum_over_others(self, values: Ints) -> Ints:
        """Return the sum of the values of all seats of other players in the round, for each seat.

        Returns:
            int64[seats].
        """
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
        in_round = running[self.offsets[1:]] - running[self.offsets[:-1]]
        own = np.zeros(len(values), np.int64)
        np.add.at(own, self.first_seat_of_player, values)
        return in_round[self.round] - own[self.first_seat_of_player]


def find_other_players(scope: EvaluationContext, condition: Condition) -> OtherPlayers:
    """Find the seats of other players that fulfil a condition.

    If the log names both players, other players are those with another name; else all other seats count.
    """

    def look() -> OtherPlayers:
        seats, holds = scope.batch.seats, scope.evaluate(condition, "seat")
        player = np.arange(len(seats.round))
        named = find_true(seats.player.codes != ABSENT)
        keys = np.stack([seats.round[named], seats.player.codes[named]])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        player[named] = named[first][inverse.reshape(-1)]
        return OtherPlayers(
            offsets=seats.offsets,
            round=seats.round,
            first_seat_of_player=player,
            fulfils=holds == YES,
            is_uncertain=holds == UNKNOWN,
        )

    return scope.compute_once(("others", condition.identity), look)


MOVEMENT_KINDS = {"added": "chips-in", "removed": "chips-out"}
"""Kind of event for chips in each direction."""


def sum_staked(scope: EvaluationContext, whose: str) -> Ints:
    """Return the sum of the stakes on all wagers, tips included.

    Returns:
        int64[seats] for `this-seat`, else int64[rounds].
    """
    stakes = scope.batch.stakes
    result = np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(result, stakes.seat, stakes.amount)
    if whose == "this-seat":
        return result
    total = np.zeros(len(scope.batch), np.int64)
    np.add.at(total, scope.batch.seats.round, result)
    return total


class ChipMovement(Struct, frozen=True, kw_only=True):
    """Chips that each seat added, or removed, in the record of the round, int64[seats] in minor units."""

    before_play: Ints
    """Chips moved before anybody wagered."""
    during_play: Ints
    """Chips moved later."""
    is_recorded: Flags
    """True if the log records such movements, bool[seats]."""


@cached_fact
def collect_chip_movement(scope: EvaluationContext, way: str) -> ChipMovement:
    """Return the chips added, or removed. Movements of a player who has left the seat do not count."""
    return _collect_movement(scope, MOVEMENT_KINDS[way])


def _collect_movement(scope: EvaluationContext, kind: str) -> ChipMovement:
    events, seats = scope.batch.events, scope.count_items("seat")
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    left, came = find_last_seat_changes(scope)
    # A returning player may have bought chips before arriving, and cashed out after leaving.
    since = np.where((left != ABSENT) & (came > left), left if kind == MOVEMENT_KINDS["added"] else came, ABSENT)
    chosen = chosen[chosen > since[events.seat[chosen]]]
    before, during = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    late = ~_is_before_play(scope, chosen)
    np.add.at(before, events.seat[chosen[~late]], events.amount[chosen[~late]])
    np.add.at(during, events.seat[chosen[late]], events.amount[chosen[late]])
    return ChipMovement(
        before_play=before, during_play=during, is_recorded=are_kinds_recorded(scope, (kind,))[scope.batch.seats.round]
    )


def find_last_seat_changes(scope: EvaluationContext) -> tuple[Ints, Ints]:
    """Return the last departure of a player from each seat, and the last arrival at it, before anybody wagered.

    Returns:
        int64[seats] each, the events; ABSENT if there is none.
    """
    events, seats = scope.batch.events, scope.count_items("seat")
    result = []
    for kind in ("leave", "arrive"):
        chosen = events_of_kinds(scope, (kind,))
        chosen = chosen[events.seat[chosen] != ABSENT]
        chosen = chosen[_is_before_play(scope, chosen)]
        last = np.full(seats, ABSENT, np.int64)
        last[events.seat[chosen]] = chosen
        result.append(last)
    return result[0], result[1]


def _is_before_play(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether events come before anybody wagers or decides."""
    return chosen < _find_first_wager(scope)[scope.batch.events.round[chosen]]


@cached_fact
def _find_first_wager(scope: EvaluationContext) -> Ints:
    """Return the first wager or decision of each round; a number beyond all events if there is none."""
    events = scope.batch.events
    first = np.full(scope.count_items("round"), np.iinfo(np.int64).max)
    placed = find_true((events.kind == KIND_CODES["wager"]) | (events.kind == KIND_CODES["decide"]))[::-1]
    first[events.round[placed]] = placed
    return first


def bound_chips_moved(scope: EvaluationContext, way: str) -> Bounds:
    """Return bounds of the chips added or removed at each seat in the record of the round.

    Movements during the round may be counted before it or not. More may follow a truncated record.
    """
    chips = collect_chip_movement(scope, way)
    low, high = bounds_where_known(chips.is_recorded, chips.before_play)
    if has_any(chips.during_play):
        high = high + chips.during_play
    return extend_if_truncated(scope, "seat", (low, high))


def count_players(scope: EvaluationContext, which: str) -> Bounds:
    """Return bounds of the number of seats that play in each round, or are at the table."""
    owner = scope.batch.seats.round
    counted = owner[scope.batch.seats.playing] if which == "dealt-in" else owner
    listed = np.bincount(counted, minlength=len(scope.batch))
    follow = may_seats_follow(scope) if which == "dealt-in" else is_truncated(scope, "round")
    return listed, np.where(follow, UNBOUNDED, listed) if has_any(follow) else listed


@cached_fact
def bound_brought(scope: EvaluationContext) -> Bounds:
    """Return bounds of the part of each stake that was brought; unknown only if neither summary nor events show it.

    Returns:
        int64[stakes], twice.
    """
    stakes = scope.batch.stakes
    stated, known = stakes.brought != ABSENT, is_recorded(scope.batch, "wager")[scope.rounds_of("stake")]
    least = np.maximum(stakes.brought, 0)
    return least, np.where(stated | known, least, stakes.amount)


def bound_brought_on(scope: EvaluationContext, line: str) -> Bounds:
    """Return bounds of what each seat brought on a wager, with stakes that it took back.

    A summary need not list a stake that was taken back. Without a record of that, there may have been one.

    Returns:
        int64[seats], twice.
    """
    stakes, seats = scope.batch.stakes, scope.count_items("seat")
    own = scope.stake_indices(line)
    own = own[~stakes.tip[own]]
    low, high = bound_brought(scope)
    least, most = _sum_by_seat(stakes.seat[own], low[own], seats), _sum_by_seat(stakes.seat[own], high[own], seats)
    back = _sum_unlisted(scope, line)
    is_known = is_recorded(scope.batch, "wager", "withdraw")[scope.batch.seats.round]
    return least + back, np.where(is_known, most + back, UNBOUNDED)


@cached_fact
def bound_behind(scope: EvaluationContext) -> Bounds:
    """Return bounds of the seat's own stake on the wager behind which each stake lies, on the same selection.

    Returns:
        int64[stakes], twice.
    """
    stakes, wagers = scope.batch.stakes, scope.compiled_game.game.wagers
    low, high = np.zeros((2, scope.count_items("stake")), np.int64)
    width = len(stakes.selection.names) + 1
    key = stakes.seat.astype(np.int64) * width + stakes.selection.codes + 1
    for name in stakes.wager.used_names():
        behind = wagers[name].behind if name in wagers else None
        if behind is None:
            continue
        chosen, other = scope.stake_indices(name), scope.stake_indices(behind)
        other = other[~stakes.tip[other]]
        keys, at = np.unique(np.concatenate([key[other], key[chosen]]), return_inverse=True)
        sums = _sum_by_seat(at[: len(other)], stakes.amount[other], len(keys))[at[len(other) :]]
        later = may_stake_later(scope, behind)[stakes.seat[chosen]]
        low[chosen], high[chosen] = np.where(later, 0, sums), np.where(later, UNBOUNDED, sums)
    return low, high


def _sum_by_seat(seat: Indices | Ints32, amounts: Ints, seats: int) -> Ints:
    sums = np.zeros(seats, np.int64)
    np.add.at(sums, seat, amounts)
    return sums


def _sum_unlisted(scope: EvaluationContext, line: str) -> Ints:
    """Return what each seat took back beyond what it placed, of stakes on a wager that the summary does not list.

    Returns:
        int64[seats].
    """
    events, stakes, seats = scope.batch.events, scope.batch.stakes, scope.count_items("seat")
    moves = (events.kind == KIND_CODES["wager"]) | (events.kind == KIND_CODES["withdraw"])
    moves &= (events.wager.codes == events.wager.code(line)) & ~events.tip & (events.seat != ABSENT)
    chosen = find_true(moves)
    if not has_any(events.kind[chosen] == KIND_CODES["withdraw"]):
        return np.zeros(seats, np.int64)
    lines, line_of, names = number_lines(scope.batch)
    key = events.seat[chosen].astype(np.int64) * len(names) + line_of[chosen]
    listed = stakes.seat.astype(np.int64) * len(names) + lines
    keys, at = np.unique(key, return_inverse=True)
    signs = np.where(events.kind[chosen] == KIND_CODES["withdraw"], 1, -1)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, at, events.amount[chosen] * signs)
    sums[is_one_of(keys, listed[~stakes.tip])] = 0
    return _sum_by_seat(keys // len(names), np.maximum(sums, 0), seats)
