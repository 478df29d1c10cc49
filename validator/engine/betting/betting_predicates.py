"""Predicates of the betting at every event, of positions and of turns.

A turn lasts from the moment a seat must act until its action, inclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints32, Truths, find_true, has_any, look_up
from fairdeal.validator.engine.betting.betting_replay import BettingReplay, find_last_bettor, replay_betting
from fairdeal.validator.engine.betting.betting_terms import PositionRows, locate_position
from fairdeal.validator.engine.betting.recorded_betting import silent_folds
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.seat_layout import has_several_seats, mask_of_seat, seat_layout
from fairdeal.validator.engine.timeline.excused_acts import reported_out_of_order
from fairdeal.validator.engine.timeline.recorded_acts import betting_decisions, has_later_act
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, certain_events, has_any_by_round
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import CONTENDS_AT_THE_END


class TurnSpans(Struct, frozen=True, kw_only=True):
    """Turns of a batch, which are spans of its events."""

    first_event: Ints
    """First event of the turn that each event is in, int64[events]; events between turns share one as well."""
    is_own_turn: Flags
    """True if the event is by the seat whose turn it is, bool[events]."""
    is_known: Flags
    """True if both are known, bool[events]."""


@cached_fact
def turn_spans(scope: EvaluationContext) -> TurnSpans:
    """Return the turns of a batch."""
    play, owner = replay_betting(scope), scope.batch.events.round
    due, street = play.seat_to_act, play.at_events(play.snapshots.street)
    own = (play.row != ABSENT) & (play.row == due)
    # A seat that has acted may have to act again at once if a pending bet became the bet.
    acted = own & (scope.batch.events.kind == KIND_CODES["decide"])
    changed = np.ones(len(owner), bool)
    changed[1:] = (owner[1:] != owner[:-1]) | (due[1:] != due[:-1]) | (street[1:] != street[:-1]) | acted[:-1]
    return TurnSpans(
        first_event=np.maximum.accumulate(np.where(changed, np.arange(len(owner)), 0)),
        is_own_turn=own,
        is_known=play.amounts_known_before & play.is_turn_known,
    )


def is_in_own_turn(scope: EvaluationContext, kind: str) -> Flags:
    """Return the events of a kind that are in the turn of their own seat.

    Returns:
        bool[events].
    """
    return (scope.batch.events.kind == KIND_CODES[kind]) & turn_spans(scope).is_own_turn


@cached_fact
def lacks_kind(scope: EvaluationContext, kind: str) -> Flags:
    """Return whether the round of each event has no event of a kind.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    return ~has_any_by_round(scope, events.kind == KIND_CODES[kind])[events.round]


@cached_fact
def is_kind_known_in_turn(scope: EvaluationContext, kind: str) -> Flags:
    """Return whether the earlier events of a kind in the turn of each event's seat are known.

    They are known, whatever the turns are, if the round has none at all. Once another seat has put chips in ahead of
    the turn, they may belong to an act that the log omits.

    Returns:
        bool[events].
    """
    events, turns = scope.batch.events, turn_spans(scope)
    recorded = are_kinds_recorded(scope, (kind,))[events.round] & (events.seat != ABSENT)
    known = turns.is_known
    ahead = (events.kind == KIND_CODES["decide"]) & ~turns.is_own_turn & (replay_betting(scope).chips_put_in > 0)
    if has_any(ahead):
        last = np.maximum.accumulate(np.where(ahead, np.arange(len(ahead)), ABSENT))
        first = find_events_before(scope, is_in_own_turn(scope, kind)).first
        known = known & ((first == ABSENT) | (first >= last))
    return recorded & (known | lacks_kind(scope, kind))


class EventsBefore(Struct, frozen=True, kw_only=True):
    """Earlier events within the same turn, for every event of a batch."""

    count: Ints32
    """Number of earlier events, int32[events]."""
    first: Ints32
    """First of them, int32[events]; ABSENT if there is none."""


def find_events_before(scope: EvaluationContext, chosen: Flags) -> EventsBefore:
    """Find the earlier events within the same turn. Events of other seats than the one to act have none.

    Args:
        chosen: bool[events], the events to find, which are in the turn of their own seat.
    """
    turns, places = turn_spans(scope), find_true(chosen)
    count, first = np.zeros(len(chosen), np.int32), np.full(len(chosen), ABSENT, np.int32)
    # Most turns have none of them.
    some = np.zeros(len(chosen), bool)
    some[turns.first_event.take(places)] = True
    followers = find_true(some.take(turns.first_event) & turns.is_own_turn)
    before: Ints = np.cumsum(chosen) - chosen.astype(np.int64)
    earlier = before.take(turns.first_event.take(followers))
    since = before.take(followers) - earlier
    followers, earlier, since = followers.compress(since > 0), earlier.compress(since > 0), since.compress(since > 0)
    count[followers], first[followers] = since, places.take(earlier)
    return EventsBefore(count=count, first=first)


@cached_fact
def reported_by_betting(scope: EvaluationContext) -> Flags:
    """Return the events that the betting reports, so that the order of seats need not report them again.

    These are misplaced actions, and events that must wait for the end of the betting but come while a seat must act.
    The result is empty if a waiver lifts requirements, which may be the ones that would report them.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    if scope.compiled_game.game.betting is None or scope.waived_checks:
        return result
    play = replay_betting(scope)
    result[play.misplaced_events] = True
    for step in scope.compiled_game.betting.complete_at:
        chosen = certain_events(scope, step)
        result[chosen.compress((play.seat_to_act.take(chosen) != ABSENT) & turn_spans(scope).is_known.take(chosen))] = (
            True
        )
    return result


def is_betting_left_open(scope: EvaluationContext, play: BettingReplay) -> Flags:
    """Return the events at which a seat must still act.

    Skipped seats that owe no chips do not count: the action ahead of the turn reports them. Of the steps that wait for
    the end of the betting, only one event per turn counts: the first event of the step that the game lists first. A
    card that a course reports as out of order does not count. If a waiver lifts requirements, every event counts, and
    so does every skipped seat.

    Returns:
        bool[events].
    """
    steps = scope.compiled_game.betting.complete_at
    result: Flags = play.seat_to_act != ABSENT
    if scope.waived_checks:
        return result
    result &= ~play.at_events(play.snapshots.only_skipped_left) & ~(
        reported_out_of_order(scope) & (scope.batch.events.kind == KIND_CODES["deal"])
    )
    turns = turn_spans(scope)
    known = result & turns.is_known
    waiting = [chosen.compress(known.take(chosen)) for chosen in (certain_events(scope, step) for step in steps)]
    if not any(len(chosen) for chosen in waiting):
        return result
    recorded = np.zeros(len(result), bool)  # indexed by the first event of each turn
    reporting = []
    for chosen in waiting:
        began, first = np.unique(turns.first_event.take(chosen), return_index=True)
        new = ~recorded.take(began)
        recorded[began] = True
        reporting.append(chosen.take(first.compress(new)))
    result[np.concatenate(waiting)] = False
    result[np.concatenate(reporting)] = True
    return result


def find_position_rows(scope: EvaluationContext, name: str) -> PositionRows:
    """Return the row of a position in every round, ABSENT if no seat has it, and whether it is known."""
    return locate_position(scope, name, find_last_bettor)


def is_position(scope: EvaluationContext, name: str) -> Truths:
    """Return whether each seat holds the position.

    Returns:
        uint8[seats].
    """
    rows, known = find_position_rows(scope, name)
    owner, row = scope.batch.seats.round, seat_layout(scope).row_of_seat
    return kleene.where_known((row != ABSENT) & (row == rows[owner]), known[owner])


def is_in_betting_round(scope: EvaluationContext, operand: Sequence[str]) -> Truths:
    """Return whether each event happened in one of the betting rounds."""
    play = replay_betting(scope)
    selected = np.array([betting_round.round in operand for betting_round in scope.compiled_game.betting.rounds])
    return kleene.where_known(
        play.at_events(selected[play.snapshots.street]), play.is_recorded[scope.batch.events.round]
    )


def evaluate_replay_predicate(scope: EvaluationContext, word: str) -> Truths:
    """Return whether a predicate holds at each event; `contends-at-the-end` is evaluated for each seat."""
    if word == CONTENDS_AT_THE_END:
        return _is_contender(scope)
    yes, known = _PREDICATES[word](scope, replay_betting(scope))
    return kleene.where_known(yes, known)


KnownFlags = tuple[Flags, Flags]


def _is_turn_known(scope: EvaluationContext, play: BettingReplay) -> Flags:
    return play.amounts_known_before & play.is_turn_known


def is_seat_state_known(play: BettingReplay) -> Flags:
    """Return whether the state of the event's own seat is known.

    Returns:
        bool[events].
    """
    return play.has_own_snapshot & (play.row != ABSENT)


def is_stack_recorded(scope: EvaluationContext) -> Flags:
    """Return whether the stack of the event's own seat is recorded; false for an event without a seat.

    Returns:
        bool[events].
    """
    return look_up(scope.batch.seats.stack != ABSENT, scope.batch.events.seat, missing=False)


def _is_open(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.seat_to_act != ABSENT, _is_turn_known(scope, play)


def _is_left_open(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return is_betting_left_open(scope, play), _is_turn_known(scope, play)


def _does_act_next(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.precedes_own_action, play.amounts_known_before


def _is_out_of_order(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.at_events(play.snapshots.out_of_order), _is_turn_known(scope, play) & play.has_own_snapshot


def _is_in_turn(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    mine = (play.row != ABSENT) & (play.seat_to_act == play.row)
    return mine, _is_turn_known(scope, play) & _is_seat_known(scope, play)


def _is_seat_known(scope: EvaluationContext, play: BettingReplay) -> Flags:
    """Return whether an event has a seat whose state is known; a seat that does not play is not in."""
    return play.has_own_snapshot & (scope.batch.events.seat != ABSENT)


def _is_still_in(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.at_events(play.snapshots.still_in), play.amounts_known_before & _is_seat_known(scope, play)


def _is_giving_up(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    result, chosen = np.zeros(len(play.snapshot_index), bool), silent_folds(scope)
    # A hand that still acts was not folded without a word.
    result[chosen.compress(~has_later_act(scope, chosen, betting_decisions(scope)))] = True
    return result, play.amounts_known_before & _is_seat_known(scope, play)


def _is_facing_bet(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    faced = play.at_events(play.snapshots.current_bet > play.snapshots.committed)
    return faced, play.amounts_known_before & is_seat_state_known(play)


def _is_unopened(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.at_events(play.snapshots.current_bet == 0), play.amounts_known_before


def _may_raise_bet(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    states, most = play.snapshots, scope.compiled_game.betting.sizes.raises
    # A seat that has not acted in the betting round may raise, whichever raises reopen it.
    open_to, decided = states.may_raise, ~states.has_acted
    if most is not None:
        capped = states.raise_count >= most
        open_to, decided = open_to & ~capped, decided | capped
    recorded = play.is_reopening_known[scope.batch.events.round] | play.at_events(decided)
    return play.at_events(open_to), play.amounts_known_before & is_seat_state_known(play) & recorded


def _is_all_in(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    recorded = is_seat_state_known(play) & play.amounts_known & is_stack_recorded(scope)
    return (play.chips_put_in > 0) & (play.chips_put_in >= play.at_events(play.snapshots.stack_left)), recorded


def _is_contested(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.at_events(has_several_seats(play.snapshots.players_in)), play.amounts_known_before


def _is_option_owed(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    owed = play.snapshots.is_option_owed
    if not scope.waived_checks:  # the action ahead of the turn reports a seat that was skipped
        owed = owed & ~play.snapshots.only_skipped_left
    return play.at_events(owed), _is_turn_known(scope, play)


def _is_option_moot(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    return play.at_events(play.snapshots.is_option_moot), _is_turn_known(scope, play) & is_seat_state_known(play)


def _is_check_raising(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    states = play.snapshots
    beyond = play.chips_put_in > play.at_events(states.current_bet - states.committed)
    return play.at_events(states.has_checked) & beyond, play.amounts_known & is_seat_state_known(play)


def _has_more_to_come(scope: EvaluationContext, play: BettingReplay) -> KnownFlags:
    owner, street = scope.batch.events.round, play.at_events(play.snapshots.street)
    follows = street < play.snapshots.street[play.end_index][owner]
    last = street == len(scope.compiled_game.betting.rounds) - 1
    return follows & play.at_events(play.snapshots.can_bet_continue), _is_turn_known(scope, play) & (
        follows | last | scope.batch.complete[owner]
    )


_PREDICATES: dict[str, Callable[[EvaluationContext, BettingReplay], KnownFlags]] = {
    "open": _is_open,
    "left-open": _is_left_open,
    "in-turn": _is_in_turn,
    "out-of-order": _is_out_of_order,
    "acts-next": _does_act_next,
    "still-in": _is_still_in,
    "gives-up": _is_giving_up,
    "faced": _is_facing_bet,
    "unopened": _is_unopened,
    "may-raise": _may_raise_bet,
    "all-in": _is_all_in,
    "contested": _is_contested,
    "option-owed": _is_option_owed,
    "option-moot": _is_option_moot,
    "check-raising": _is_check_raising,
    "more-to-come": _has_more_to_come,
}


def _is_contender(scope: EvaluationContext) -> Truths:
    """Return whether a seat did not fold, and some other seat neither folded nor conceded, or it conceded itself."""
    play, owner = replay_betting(scope), scope.batch.seats.round
    left, conceded = play.final_state.players_in[owner], play.final_state.conceded[owner]
    own = mask_of_seat(seat_layout(scope).row_of_seat)
    stayed = ((left | conceded) & own) != 0
    alone = ~has_several_seats(left) & ((left & own) != 0)
    return kleene.where_known(stayed & ~alone, play.is_fully_known[owner])
