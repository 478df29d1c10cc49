"""Betting as the log records it: actions for the replay, kinds of decision, and what is not recorded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Codes,
    Flags,
    Ints,
    Ints32,
    find_true,
    flag_items,
    has_any,
    is_one_of,
    look_up,
)
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.derived_contexts import restrict
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.engine.timeline import recorded_acts, step_events
from fairdeal.validator.engine.timeline.deal_stages import is_dealt_beyond_stage
from fairdeal.validator.engine.timeline.excused_acts import find_reported_acts
from fairdeal.validator.evidence.columns.recorded_events import records_only_play
from fairdeal.validator.evidence.columns.round_batch import CodedColumn
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.round_conditions import Quantity
from fairdeal.validator.rules.betting_model import Betting, FoldedBy
from fairdeal.validator.rules.game_model import Game

CALLS = frozenset({"call"})
OPENINGS = frozenset({"bet", "bring-in"})
RAISES = frozenset({"raise", "complete"})
COMPLETIONS = frozenset({"complete"})
BROUGHT_IN = frozenset({"bring-in"})
WAGERS = CALLS | OPENINGS | RAISES
"""Decisions that put chips in."""
PASSES = frozenset({"fold", "check", "concede"})
"""Decisions that put no chips in."""


_FORCED = {
    "apart": betting_snapshots.DEAD,
    "toward-the-bet": betting_snapshots.LIVE,
    "as-the-bet": betting_snapshots.AS_BET,
}
CODE_BY_DECISION_KIND = {
    "fold": betting_snapshots.FOLD,
    "concede": betting_snapshots.CONCEDE,
    "check": betting_snapshots.CHECK,
    "call": betting_snapshots.CALL,
    "bring-in": betting_snapshots.BRING_IN,
    "bet": betting_snapshots.BET,
    "raise": betting_snapshots.RAISE,
    "complete": betting_snapshots.COMPLETE,
    "discard": betting_snapshots.OTHER,
    "stand-pat": betting_snapshots.OTHER,
}
"""Effect of each kind of decision."""
_UNKNOWN_DECISION = 255
"""Code of a decision that the game does not have."""
_ENDS_OF_HANDS = ("reveal", "award")
"""Kinds of event that show a hand still in play at the end."""
_DEALT, _WAGER, _DECIDE, _MISDEAL = KIND_CODES["deal"], KIND_CODES["wager"], KIND_CODES["decide"], KIND_CODES["misdeal"]


class RecordedBetting(Struct, frozen=True, kw_only=True):
    """Betting that the log of a batch records."""

    events: Ints
    """Event of each action, int64[A], in log order."""
    op: Codes
    """Effect of each action, uint8[A]."""
    amount: Ints
    """Chips that go in, int64[A]."""
    minimum_bet: Ints
    """Least bet that an AS_BET sets, int64[A]."""
    first_unclear_event: Ints
    """First event after which amounts, or the players in the hand, are unknown, int64[rounds]; number of events if
    none.
    """
    is_recorded: Flags
    """True if the log records all kinds of betting events, bool[rounds]."""
    misplaced_actions: Mapping[int, int]
    """Events that a milestone before the betting reports, with the effect of each in its proper position."""


@cached_fact
def betting_actions(scope: EvaluationContext) -> RecordedBetting:
    """Return the betting that the log records.

    All events with a seat are included, whatever they are, so that the state before each of them is known. Deals to a
    hand are left out, since no check needs the state there.
    """
    betting, events = scope.compiled_game.betting, scope.batch.events
    op = np.full(len(events.round), betting_snapshots.OTHER, np.uint8)
    is_wager, is_decision = events.kind == _WAGER, events.kind == _DECIDE
    np.copyto(op, _code_wagers(betting, events.wager), where=is_wager)
    np.copyto(op, _code_decisions(scope.compiled_game.game, events.decision), where=is_decision)
    op[(events.kind == _MISDEAL) & (events.seat != ABSENT)] = betting_snapshots.VOID  # a dead hand is out of play
    unknown_decisions = op == _UNKNOWN_DECISION
    op[unknown_decisions] = betting_snapshots.OTHER
    is_action = is_wager | is_decision | ((events.seat != ABSENT) & (events.kind != _DEALT))
    steps = [betting_round.after for betting_round in betting.rounds[1:] if betting_round.after is not None]
    for street, step in enumerate(steps, start=1):
        last = _find_last_of_step(scope, step)
        op[last] = betting_snapshots.STREET + street
        is_action[last] = True
    is_amount_recorded = events.amount != ABSENT
    minimum_bet, is_minimum_unclear = _find_minimum_bets(scope, betting, op)
    is_unclear = unknown_decisions | (betting_snapshots.is_bet_or_call(op) & ~is_amount_recorded) | is_minimum_unclear
    first_unclear = step_events.find_first_by_round(scope, find_true(is_unclear))
    rounds, exits = _find_uncertain_exits(scope)
    np.minimum.at(first_unclear, rounds, exits)
    # A fold out of order still takes the seat out; other actions out of order only put chips in.
    misplaced = misplaced_decisions(scope)
    reported = [*misplaced.tolist(), *_find_reported_events(scope, _WAGER).tolist()]
    op_in_place = {event: int(op[event]) for event in reported}
    op[misplaced[(op[misplaced] >= betting_snapshots.CHECK) & (op[misplaced] < betting_snapshots.STREET)]] = (
        betting_snapshots.DEAD
    )
    op[silent_folds(scope)] = betting_snapshots.MUCK
    op[_find_hands_taken_out(scope)] = betting_snapshots.VOID
    op[_find_idle_concessions(scope, op)] = betting_snapshots.OTHER
    actions = find_true(is_action)
    return RecordedBetting(
        events=actions,
        op=op[actions],
        amount=np.where(is_amount_recorded, events.amount, 0)[actions],
        minimum_bet=minimum_bet[actions],
        first_unclear_event=first_unclear,
        is_recorded=step_events.are_kinds_recorded(scope, ("wager", "decide"))
        & step_events.are_steps_recorded(scope, steps),
        misplaced_actions=op_in_place,
    )


@cached_fact
def silent_folds(scope: EvaluationContext) -> Ints:
    """Return the events by which a player who must act, or faces a bet, gives up the hand without a word.

    Seats that act later, or have folded before, are left out.

    Returns:
        int64[m].
    """
    betting = scope.compiled_game.betting
    if betting.folded_by is None:
        return np.zeros(0, np.int64)
    chosen = step_events.certain_events(scope, betting.folded_by.step)
    chosen = chosen.compress(scope.batch.events.seat.take(chosen) != ABSENT)
    folds, acts = recorded_acts.is_decision_of_kind(scope, ("fold",)), recorded_acts.betting_decisions(scope)
    playing_on = recorded_acts.has_later_act(scope, chosen, acts.compress(~folds.take(acts)))
    has_folded = look_up(folds, recorded_acts.last_betting_decision(scope, chosen), missing=False)
    chosen = chosen.compress(~has_folded & ~playing_on)
    return chosen.compress(restrict(scope, "event", chosen).evaluate(betting.folded_by.when, "event") == YES)


def _find_hands_taken_out(scope: EvaluationContext) -> Ints:
    """Return the events that take a hand out of play without a word, whoever must act."""
    folded_by = scope.compiled_game.betting.folded_by
    if folded_by is None or folded_by.out is None:
        return np.zeros(0, np.int64)
    chosen = _find_possible_exits(scope, folded_by)
    chosen = chosen.compress(scope.batch.events.seat.take(chosen) != ABSENT)
    return chosen.compress(restrict(scope, "event", chosen).evaluate(folded_by.out, "event") == YES)


def _find_possible_exits(scope: EvaluationContext, folded_by: FoldedBy) -> Ints:
    """Return the events that may take a hand out of play without a word, in log order.

    Events are left out if the player acts or concedes afterwards. So are events after an award, when all cards are
    collected.
    """
    events = scope.batch.events
    decisions = find_true((events.kind == _DECIDE) & (events.seat != ABSENT))
    may_take_out = np.zeros(scope.count_items("event"), bool)
    for step in (folded_by.step, *folded_by.out_at):
        may_take_out[step_events.certain_events(scope, step)] = True
    chosen = find_true(may_take_out)
    awarded = step_events.find_first_by_round(scope, step_events.events_of_kinds(scope, ("award",)))
    in_time = chosen < awarded.take(events.round.take(chosen))
    return chosen.compress(in_time & ~recorded_acts.has_later_act(scope, chosen, decisions))


def _is_before_play_and_misdeal(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Flags:
    """Return whether betting goes on after each event in a round that is misdealt later.

    A misdeal collects every hand, but not before it is declared.
    """
    events = scope.batch.events
    owner = events.round[chosen]
    goes_on: Flags = step_events.find_last_by_round(scope, acts)[owner] > chosen
    return goes_on & (find_table_misdeals(scope)[owner] > chosen) & scope.batch.seats.playing[events.seat[chosen]]


def find_table_misdeals(scope: EvaluationContext) -> Ints:
    """Return the last event that calls off the whole round, per round; ABSENT if none does."""
    misdeals = step_events.events_of_kinds(scope, ("misdeal",))
    return step_events.find_last_by_round(scope, misdeals.compress(scope.batch.events.seat.take(misdeals) == ABSENT))


def _faces_a_bet(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether somebody bet, raised or posted a bet after the last action of the seat of each event."""
    events, raising = scope.batch.events, find_true(_is_raise(scope))
    acts = find_true((events.kind == _DECIDE) | (events.kind == _WAGER))
    last = look_up(raising, np.searchsorted(raising, chosen) - 1, ABSENT)
    faced: Flags = last >= np.maximum(
        events.offsets[events.round[chosen]], recorded_acts.last_act_of_seat(scope, chosen, acts) + 1
    )
    return faced


def _is_raise(scope: EvaluationContext) -> Flags:
    """Return the events that open or raise a bet, or post it."""
    events = scope.batch.events
    posted = (events.kind == _WAGER) & (
        _code_wagers(scope.compiled_game.betting, events.wager) == betting_snapshots.AS_BET
    )
    return recorded_acts.is_decision_of_kind(scope, tuple(OPENINGS | RAISES)) | posted


def _find_uncertain_exits(scope: EvaluationContext) -> tuple[Ints32, Ints]:
    """Return the rounds, and the events, after which it is open whether a hand is still in play.

    This concerns hands whose cards are collected while the log shows no reason, or omits the events that would show
    one. If the log omits collections, it also concerns seats with chips that never answer a bet. If it omits what
    would take hands out, it concerns seats that won nothing: a lost hand need not be collected. A hand that plays on,
    folds, concedes, is shown or wins a pot is not concerned.
    """
    folded_by = scope.compiled_game.betting.folded_by
    if folded_by is None or folded_by.out is None:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    events, seats, acts = scope.batch.events, scope.batch.seats, recorded_acts.betting_decisions(scope)
    ending = recorded_acts.is_decision_of_kind(scope, ("fold", "concede"))
    ended = flag_items(events.seat[ending], len(seats.round))
    chosen = _find_possible_exits(scope, folded_by)
    chosen = chosen.compress(~look_up(ended, events.seat.take(chosen), missing=False))
    selected = restrict(scope, "event", chosen)
    when, out = selected.evaluate(folded_by.when, "event"), selected.evaluate(folded_by.out, "event")
    thrown = (when == UNKNOWN) & _faces_a_bet(scope, chosen)
    thrown |= (when != YES) & (out != YES) & _is_before_play_and_misdeal(scope, chosen, acts)
    thrown &= is_one_of(chosen, step_events.certain_events(scope, folded_by.step))
    chosen = chosen.compress((out == UNKNOWN) | thrown)

    silent = ~step_events.are_steps_recorded(scope, (folded_by.step,))[seats.round] & ~ended & seats.playing
    uncollected = ~step_events.are_steps_recorded(scope, folded_by.out_at)[seats.round] & ~ended & seats.playing
    if not has_any(silent | uncollected):
        return events.round[chosen], chosen
    seen = flag_items(events.seat[step_events.events_of_kinds(scope, _ENDS_OF_HANDS)], len(seats.round))
    only_play = records_only_play(scope.batch)[seats.round]
    may_be_out = ~seen & (
        step_events.are_kinds_recorded(scope, _ENDS_OF_HANDS)[seats.round] | ((seats.won <= 0) & ~only_play)
    )
    out = scope.evaluate(folded_by.out, "seat")
    last = np.array(events.offsets[:-1][seats.round], np.int64)
    np.maximum.at(last, events.seat[acts], acts + 1)
    staked = np.zeros(len(seats.round), np.int64)
    np.add.at(staked, scope.batch.stakes.seat, scope.batch.stakes.amount)
    answers = (seats.stack == ABSENT) | (staked < seats.stack)
    unanswered = step_events.find_last_by_round(scope, find_true(_is_raise(scope)))[seats.round] >= last
    thrown_away = answers & unanswered & ~seen & ~only_play
    passing = [step_events.certain_events(scope, step) for step in scope.compiled_game.betting.complete_at]
    goes_on = step_events.find_last_by_round(scope, np.unique(np.concatenate([acts, *passing])))[seats.round] >= last
    may_be_out &= (silent | (uncollected & goes_on)) & (out == UNKNOWN)
    lost = find_true((silent & ((out == YES) | thrown_away)) | may_be_out)
    return np.append(events.round[chosen], seats.round[lost]), np.append(chosen, last[lost])


@cached_fact
def misplaced_decisions(scope: EvaluationContext) -> Ints:
    """Return the decisions that a milestone before the betting reports as out of place.

    A round with several of them has none: then the deal was late and the decisions were not early.

    Returns:
        int64[m].
    """
    result = _find_reported_events(scope, _DECIDE)
    owner = scope.batch.events.round.take(result)
    return result.compress(np.bincount(owner, minlength=len(scope.batch)).take(owner) == 1)


def _find_idle_concessions(scope: EvaluationContext, op: Codes) -> Ints:
    """Return the concessions of players who were awarded a pot when no award is left to come.

    Their pots remain theirs.

    Args:
        op: the effect of each event.
    """
    conceding = find_true(op == betting_snapshots.CONCEDE)
    if not len(conceding):
        return conceding
    events, awards = scope.batch.events, step_events.events_of_kinds(scope, ("award",))
    late = conceding > step_events.find_last_by_round(scope, awards).take(events.round.take(conceding))
    return conceding.compress(late & is_one_of(events.seat.take(conceding), events.seat.take(awards)))


def _find_reported_events(scope: EvaluationContext, kind: int) -> Ints:
    """Return the events of a kind that a milestone before the betting reports as out of place."""
    events = np.array([*find_reported_acts(scope, before_betting=True)], np.int64)
    return events.compress(scope.batch.events.kind.take(events) == kind)


def _find_last_of_step(scope: EvaluationContext, step: str) -> Ints:
    """Return the last event of a step in every round that has any.

    A surplus card that is dealt after somebody has acted does not count.
    """
    chosen = step_events.certain_events(scope, step)
    beyond, acts = is_dealt_beyond_stage(scope)[chosen], recorded_acts.betting_decisions(scope)
    last = step_events.find_last_by_round(scope, chosen[~beyond])
    if has_any(beyond):
        proper = last[scope.batch.events.round[chosen]]
        at_once = np.searchsorted(acts, chosen) == np.searchsorted(acts, proper)
        last = step_events.find_last_by_round(scope, chosen[~beyond | at_once])
    return last[last != ABSENT]


def _code_wagers(betting: Betting, wager: CodedColumn) -> Codes:
    """Return the effect of each event's wager."""
    ops = {forced_bet.wager: _FORCED[forced_bet.counts] for forced_bet in betting.forced}
    return _look_up_codes(wager, [ops.get(name, betting_snapshots.OTHER) for name in wager.names])


def _code_decisions(game: Game, decision: CodedColumn) -> Codes:
    """Return the effect of each event's decision."""
    ops = {
        name: betting_snapshots.OTHER if decision_rule.kind is None else CODE_BY_DECISION_KIND[decision_rule.kind]
        for name, decision_rule in game.decisions.items()
    }
    return _look_up_codes(decision, [ops.get(name, _UNKNOWN_DECISION) for name in decision.names])


def _look_up_codes(column: CodedColumn, ops: list[int]) -> Codes:
    return np.array([*ops, betting_snapshots.OTHER], np.uint8)[column.codes]


def _find_minimum_bets(scope: EvaluationContext, betting: Betting, op: Codes) -> tuple[Ints, Flags]:
    """Return the least bet that each event sets, and whether it is uncertain.

    It is uncertain if the posted amount is unknown and the player may have put in all chips.
    """
    events = scope.batch.events
    minimum, is_unclear = np.zeros(len(op), np.int64), np.zeros(len(op), bool)
    for forced_bet in betting.forced:
        if forced_bet.counts != "as-the-bet":
            continue
        chosen = find_true(
            (op == betting_snapshots.AS_BET) & (events.wager.codes == events.wager.code(forced_bet.wager))
        )
        if not len(chosen):
            continue
        least, most = scope.compute_bounds(_build_posted_minimum(scope.compiled_game, forced_bet.wager), "round")
        owner = events.round[chosen]
        known = (least == most)[owner]
        minimum[chosen] = np.where(known, least[owner], 0)
        is_unclear[chosen] = ~known & ~_has_chips_left(scope, chosen)
    return minimum, is_unclear


@cached_by_game
def _build_posted_minimum(_: CompiledGame, wager: str) -> Quantity:
    """Build the quantity of the posted minimum of a wager."""
    return Quantity.build("minimum", wager)


def _has_chips_left(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether the seat of a forced bet surely has chips left after all of its forced bets."""
    events, seats = scope.batch.events, scope.batch.seats
    forced = find_true((events.kind == _WAGER) & (events.seat != ABSENT))
    put = np.zeros(len(seats.number), np.int64)
    np.add.at(put, events.seat[forced], events.amount[forced])
    left = (seats.stack != ABSENT) & (seats.stack > put)
    return left[events.seat[chosen]]
