"""Replayed betting of a batch: the state at every event, the final state, and the contributions to the pots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints32, find_true, is_one_of
from fairdeal.validator.engine.betting import betting_snapshots, betting_terms, misplaced_actions
from fairdeal.validator.engine.betting.betting_snapshots import is_bet_or_call, is_betting_action
from fairdeal.validator.engine.betting.recorded_betting import RecordedBetting, betting_actions, find_table_misdeals
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.seat_layout import MOST_SEATS, find_event_rows, mask_of_first, seat_layout
from fairdeal.validator.engine.timeline.step_events import certain_events, events_of_kinds
from fairdeal.validator.evidence.log_events import KIND_CODES

Item = TypeVar("Item", bound=np.generic)


class Contributions(Struct, frozen=True, kw_only=True):
    """Contributions at the end of the betting of H rounds. S is the most seats of any round (at most 32).

    Rows are seats clockwise from the button: row 0 is the first seat dealt in to the left of the button. Bit i of a
    mask is the seat of row i. A round has as many rows as seats dealt in; below them `seats` is -1 and every amount is
    0.
    """

    seats: Ints32
    """Seat of each row, [S, H]; -1 if there is none."""
    matched: Ints
    """Minor units on lines that are matched seat by seat, [S, H]; an unmatched part is an uncalled bet."""
    capped: Ints
    """Minor units on lines with their own levels, [S, H]; no part of these is uncalled."""
    whole: Ints
    """Minor units on lines that join the main pot in full, [S, H]."""
    dealt_in: Bits32
    """Seats that took part, [H]."""
    remaining: Bits32
    """Seats that had neither folded nor conceded at the end of the round, [H]."""
    conceded: Bits32
    """Seats that conceded their hands, [H]."""
    is_known: Flags
    """True if the record shows all of this, [H]; if false, the other fields mean nothing for the round."""
    last_bettor: Ints8
    """Row of the last bet or raise in the last betting round in which anybody could act, [H]; -1 if there is none."""


class BettingReplay(Struct, frozen=True, kw_only=True):
    """Betting of every round of a batch, replayed.

    If a single misplaced action explains a round, all other actions are checked with that action in its proper
    position.
    """

    snapshots: betting_snapshots.BettingSnapshots
    """Snapshots before every action, then one for the end of each round."""
    snapshot_index: Ints
    """Snapshot of each event, int64[events].

    It is the event's own, or that of an action of its seat in the same state. Other events use the snapshot of the next
    action or of the end, which differs only in the fields of the seat.
    """
    has_own_snapshot: Flags
    """True if the snapshot is of the event's own seat, bool[events]."""
    precedes_own_action: Flags
    """True if the event is no action, and the seat's own fold, call, bet or raise follows in the same state,
    bool[events].
    """
    row: Ints8
    """Row of the event's seat, int8[events]."""
    seat_to_act: Ints8
    """Row of the seat that may act, int8[events]; a skipped seat's own row."""
    end_index: Ints
    """Snapshot of the end of each round, int64[rounds]."""
    final_state: betting_snapshots.FinalBettingState
    """State at the end of each round."""
    misplaced_events: Ints
    """Events of misplaced actions, int64[m]."""
    is_recorded: Flags
    """True if the log records all kinds of betting events, bool[rounds]."""
    chips_put_in: Ints
    """Chips that the event puts in, int64[events]; 0 if it is no betting action."""
    amounts_known_before: Flags
    """True if all chips put in before the event are known, bool[events]."""
    amounts_known: Flags
    """True if the event's own chips are known as well, bool[events]."""
    is_turn_known: Flags
    """True if it is known whose turn it is, provided that amounts are known, bool[events]."""
    is_fully_known: Flags
    """True if the betting is known from the first action to the end, bool[rounds]."""
    smallest_bet: Ints
    """Smallest bet of each betting round, int64[B, rounds]."""
    is_smallest_bet_known: Flags
    """True if the smallest bet is known, bool[B, rounds]."""
    half_bet: Ints
    """Half of a bet that counts as a whole bet, int64[B, rounds]; 0 if none does."""
    is_reopening_known: Flags
    """True if the raises that reopen the betting are known and can be recognised, bool[rounds]."""

    def at_events(self, values: NDArray[Item]) -> NDArray[Item]:
        """Return values of snapshots at the events."""
        return values.take(self.snapshot_index)


@cached_fact
def replay_betting(scope: EvaluationContext) -> BettingReplay:
    """Return the replayed betting of a batch, corrected for single misplaced actions.

    What follows a fold that may be missing is unknown. If a waiver lifts requirements, these may be the ones that
    would report the misplaced action, so the betting is replayed as recorded.
    """
    return replay_as_recorded(scope) if scope.waived_checks else _replay(scope, in_place=True)


def replay_as_recorded(scope: EvaluationContext) -> BettingReplay:
    """Return the replayed betting with every action as recorded."""
    return _replay(scope, in_place=False)


def _replay(scope: EvaluationContext, *, in_place: bool) -> BettingReplay:
    batch, record, count = scope.batch, betting_actions(scope), scope.count_items("event")
    following = _find_equivalent_actions(scope, record)
    actions = _arrange_actions(scope, record, find_true(following == ABSENT))
    terms = betting_terms.build_betting_terms(scope)
    is_fully_known = record.is_recorded & (record.first_unclear_event == count) & batch.complete
    betting = misplaced_actions.PlayedBetting.replay(
        actions, batch.events.kind.take(actions.events), terms.select(actions.round_order)
    )
    betting, misplaced = _correct_misplaced(scope, betting, is_fully_known) if in_place else (betting, [])
    snapshots = betting.snapshots

    events, owners, rows = np.arange(count), batch.events.round, find_event_rows(scope, np.arange(count))
    own_index, precedes_own_action = _find_own_snapshots(scope, record, actions, following, misplaced)
    end_index = len(actions.events) + actions.round_rank
    snapshot_index = _find_snapshots(scope, own_index, misplaced, end_index)
    is_late = (own_index != ABSENT) & snapshots.is_late_action[snapshot_index]
    seat_to_act = np.where(is_late, rows, snapshots.seat_to_act[snapshot_index])
    for action in misplaced:
        if action.reporting_event != ABSENT:
            seat_to_act[action.reporting_event] = action.seat_due
    chips_put_in = np.zeros(count, np.int64)
    chips_put_in[record.events] = np.where(record.op >= betting_snapshots.DEAD, record.amount, 0)
    first_unclear = record.first_unclear_event
    is_turn_known = terms.is_turn_known[snapshots.street[snapshot_index], owners]
    if in_place:
        unanswered = _find_missing_answers(
            scope,
            record,
            snapshots=snapshots,
            seat_to_act=seat_to_act,
            is_turn_known=is_turn_known,
            snapshot_index=snapshot_index,
        )
        is_fully_known &= unanswered == count
        first_unclear = np.minimum(first_unclear, unanswered)
    is_recorded, first_unclear = record.is_recorded[owners], first_unclear[owners]
    smallest_bet, is_smallest_bet_known = betting_terms.find_smallest_bets(scope)
    reopened_by, is_rule_known = betting_terms.find_reopening_rules(scope)
    is_full_raise_known = (reopened_by == betting_snapshots.ANY_RAISE) | is_smallest_bet_known.all(axis=0)
    return BettingReplay(
        snapshots=snapshots,
        snapshot_index=snapshot_index,
        has_own_snapshot=own_index != ABSENT,
        precedes_own_action=precedes_own_action,
        row=rows,
        seat_to_act=seat_to_act,
        end_index=end_index,
        final_state=betting.final_state.select(actions.round_rank),
        misplaced_events=np.array([action.event for action in misplaced], np.int64),
        is_recorded=record.is_recorded,
        chips_put_in=chips_put_in,
        amounts_known_before=is_recorded & (events <= first_unclear),
        amounts_known=is_recorded & (events < first_unclear),
        is_turn_known=is_turn_known,
        is_fully_known=is_fully_known,
        smallest_bet=smallest_bet,
        is_smallest_bet_known=is_smallest_bet_known,
        half_bet=terms.half_bet,
        is_reopening_known=is_rule_known & is_full_raise_known,
    )


def _arrange_actions(
    scope: EvaluationContext, record: RecordedBetting, chosen: Ints
) -> betting_snapshots.BettingActions:
    """Arrange recorded actions by step.

    Args:
        chosen: the actions, as indices of the record.
    """
    events = record.events[chosen]
    actions, _ = betting_snapshots.BettingActions.arrange(
        scope.batch.events.round[events],
        len(scope.batch),
        events=events,
        op=record.op[chosen],
        row=find_event_rows(scope, events),
        amount=record.amount[chosen],
        minimum_bet=record.minimum_bet[chosen],
    )
    return actions


def _find_missing_answers(
    scope: EvaluationContext,
    record: RecordedBetting,
    *,
    snapshots: betting_snapshots.BettingSnapshots,
    seat_to_act: Ints8,
    is_turn_known: Flags,
    snapshot_index: Ints,
) -> Ints:
    """Return the first event of each round that passes over a seat whose answer to a bet is missing.

    The seat owes chips, never acts again, and neither shows its hand nor wins a pot, so that the log may omit its fold.
    The event itself is out of turn; after it nobody knows who is in play. If the turn is not known, only events that
    wait for the end of the betting pass over seats. In a round that is called off nobody shows a hand, so that such an
    event must pass over the seat as well.

    Returns:
        int64[rounds]; the number of all events for a round without such an event.
    """
    events, rows = scope.batch.events, find_event_rows(scope, np.arange(len(seat_to_act)))
    acts = is_betting_action(record.op) | (record.op == betting_snapshots.MUCK)
    waits, completes = np.zeros((2, len(rows)), bool)
    waits[record.events.compress(acts)] = True
    for step in scope.compiled_game.betting.complete_at:
        completes[certain_events(scope, step)] = True
    is_passed = (waits | completes) & (seat_to_act != ABSENT) & (seat_to_act != rows)
    passing = find_true(np.where(is_turn_known, is_passed, completes))
    first = np.full(len(scope.batch), len(rows), np.int64)
    if not len(passing):
        return first
    last = np.full((len(scope.batch), MOST_SEATS), ABSENT, np.int64)
    of_seats = record.events.compress(acts | (record.op == betting_snapshots.VOID))
    plays_on = np.append(of_seats, events_of_kinds(scope, ("reveal", "award")))
    plays_on = plays_on.compress(rows[plays_on] != ABSENT)
    np.maximum.at(last, (events.round[plays_on], rows[plays_on]), plays_on)
    seats, is_called_off = seat_layout(scope), find_table_misdeals(scope) != ABSENT
    at_the_end = {
        (int(events.round[event]), int(seat_to_act[event])) for event in passing.compress(completes.take(passing))
    }
    owes: dict[tuple[int, int, int], bool] = {}  # a seat that never acts again owes as much at later events of a street
    for event in passing.tolist():
        owner, entry = int(events.round[event]), snapshot_index[event]
        players = int(snapshots.players_in[entry])
        for row in [int(seat_to_act[event])] if is_turn_known[event] else range(players.bit_length()):
            if first[owner] < event or last[owner, row] >= event or not players >> row & 1:
                continue
            if is_called_off[owner] and (owner, row) not in at_the_end:
                continue
            key = owner, row, int(snapshots.street[entry])
            if key not in owes:
                committed, spent = _sum_put_in(scope, record, event, row)
                has_chips = not seats.are_stacks_known[owner] or spent < seats.stacks[row, owner]
                owes[key] = committed < snapshots.current_bet[entry] and has_chips
            if owes[key]:
                first[owner] = event
    return first


def _sum_put_in(scope: EvaluationContext, record: RecordedBetting, event: int, row: int) -> tuple[int, int]:
    """Return what the seat of a row put in before an event, in minor units: toward the bet, and in the whole round."""
    owner = scope.batch.events.round[event]
    start, end = np.searchsorted(record.events, [scope.batch.events.offsets[owner], event])
    ops, amounts = record.op[start:end], record.amount[start:end]
    is_own = (find_event_rows(scope, record.events[start:end]) == row) & (ops < betting_snapshots.STREET)
    streets = find_true(ops >= betting_snapshots.STREET)
    is_in_street = np.arange(end - start) > (streets[-1] if len(streets) else -1)
    return (
        int(amounts[is_own & (ops > betting_snapshots.DEAD) & is_in_street].sum()),
        int(amounts[is_own & (ops >= betting_snapshots.DEAD)].sum()),
    )


def _find_equivalent_actions(scope: EvaluationContext, record: RecordedBetting) -> Ints:
    """Return the following action of the same seat for actions that change nothing; ABSENT for all others.

    The state is the same if no action in between changes anything.

    Returns:
        int64[A], as indices of the record.
    """
    rows, owner = find_event_rows(scope, record.events), scope.batch.events.round[record.events]
    changes, count = record.op != betting_snapshots.OTHER, len(record.op)
    following = np.minimum.accumulate(np.where(changes, np.arange(count), count)[::-1])[::-1]
    at = np.minimum(following, count - 1)
    same_seat = (following < count) & (rows != ABSENT) & (rows[at] == rows) & (owner[at] == owner)
    return np.where(~changes & same_seat, following, ABSENT)


def _correct_misplaced(
    scope: EvaluationContext, betting: misplaced_actions.PlayedBetting, is_fully_known: Flags
) -> tuple[misplaced_actions.PlayedBetting, list[misplaced_actions.MisplacedAction]]:
    """Return the betting with misplaced actions corrected in the snapshots, and these actions."""
    terms = betting.terms
    return misplaced_actions.correct_misplaced_actions(
        betting,
        known=is_fully_known[betting.actions.round_order] & terms.are_stacks_known & terms.is_turn_known.all(axis=0),
        reported_elsewhere=betting_actions(scope).misplaced_actions,
        waiting=[certain_events(scope, step) for step in scope.compiled_game.betting.complete_at],
    )


def _find_own_snapshots(
    scope: EvaluationContext,
    record: RecordedBetting,
    actions: betting_snapshots.BettingActions,
    following: Ints,
    misplaced: Sequence[misplaced_actions.MisplacedAction],
) -> tuple[Ints, Flags]:
    """Find the snapshot of each event's own seat.

    Args:
        following: int64[A], the equivalent action of each action of the record; ABSENT if there is none.

    Returns:
        int64[events], ABSENT if there is none; bool[events], whether the seat's own fold, call, bet or raise follows.
    """
    own_index = np.full(scope.count_items("event"), ABSENT, np.int64)
    precedes_own_action = np.zeros(len(own_index), bool)
    own_index[actions.events] = np.arange(len(actions.events))
    # Events before a misplaced action do not belong to it, except words and chips.
    is_before_misplaced = is_one_of(record.events.take(following), [action.event for action in misplaced])
    kinds = scope.batch.events.kind.take(record.events)
    is_before_misplaced &= ~is_one_of(kinds, misplaced_actions.ANNOUNCEMENTS)
    equivalent = find_true((following != ABSENT) & ~is_before_misplaced)
    own_index[record.events[equivalent]] = own_index[record.events[following[equivalent]]]
    next_op = record.op[following[equivalent]]
    precedes_own_action[record.events[equivalent]] = (next_op == betting_snapshots.FOLD) | is_bet_or_call(next_op)
    return own_index, precedes_own_action


def _find_snapshots(
    scope: EvaluationContext,
    own_index: Ints,
    misplaced: Sequence[misplaced_actions.MisplacedAction],
    end_index: Ints,
) -> Ints:
    """Return the snapshot of each event: its own, that of the next action, or that of the end of the round.

    Misplaced cards count at their proper position; other misplaced actions do not count as next.

    Args:
        own_index: int64[events], the snapshot of the event's own seat; ABSENT if it has none.
        end_index: int64[rounds], the snapshot of the end of each round.
    """
    owner = scope.batch.events.round
    in_place = own_index != ABSENT
    in_place[[action.event for action in misplaced]] = False
    cards = [action for action in misplaced if action.belongs_before != ABSENT]
    # Positions are doubled: cards belong between two events.
    cards_at = np.array([2 * action.belongs_before - 1 for action in cards], np.int64)
    positions = np.append(2 * find_true(in_place), cards_at)
    snapshots = np.append(own_index[in_place], own_index[[action.event for action in cards]])
    order = np.argsort(positions, kind="stable")
    positions, snapshots = np.append(positions[order], 2 * len(owner)), np.append(snapshots[order], ABSENT)
    following = np.cumsum(np.bincount(positions + 1, minlength=2 * len(owner)))[: 2 * len(owner) : 2]
    inside = np.append(owner, ABSENT)[(positions[following] + 1) // 2] == owner
    return np.where(own_index != ABSENT, own_index, np.where(inside, snapshots[following], end_index[owner]))


def inject_live_state(
    scope: EvaluationContext, known: EvaluationContext, states: betting_snapshots.BettingSnapshots, put_in: Ints
) -> None:
    """Set the betting of a context to a state in the middle of play, in which every event is by a seat about to act.

    Args:
        known: a context of the same rounds that supplies their terms.
        states: one snapshot per event.
        put_in: int64[events], the chips about to go in.
    """
    events, seats = scope.batch.events, seat_layout(known)
    smallest, sized = betting_terms.find_smallest_bets(known)
    rounds, acts = len(scope.batch), len(events.round)
    every, nobody = np.ones(rounds, bool), np.zeros(rounds, np.uint32)
    none = np.full(rounds, ABSENT, np.int8)
    play = BettingReplay(
        snapshots=states,
        snapshot_index=np.arange(acts),
        has_own_snapshot=np.ones(acts, bool),
        precedes_own_action=np.zeros(acts, bool),
        row=seats.row_of_seat[events.seat],
        seat_to_act=states.seat_to_act,
        end_index=np.zeros(rounds, np.int64),
        final_state=betting_snapshots.FinalBettingState(
            players_in=nobody, conceded=nobody, last_bettor=none, last_bettor_of_hand=none
        ),
        misplaced_events=np.zeros(0, np.int64),
        is_recorded=every,
        chips_put_in=put_in,
        amounts_known_before=np.ones(acts, bool),
        amounts_known=np.ones(acts, bool),
        is_turn_known=np.ones(acts, bool),
        is_fully_known=~every,
        smallest_bet=smallest,
        is_smallest_bet_known=sized,
        half_bet=betting_terms.find_half_bets(known),
        is_reopening_known=every,
    )
    scope.set_fact(replay_betting, play)


def find_last_bettor(scope: EvaluationContext, span: str) -> betting_terms.PositionRows:
    """Return the row of the last bet or raise, in the last betting round or in the whole hand."""
    play, seats = replay_betting(scope), seat_layout(scope)
    row = play.final_state.last_bettor if span == "last-betting-round" else play.final_state.last_bettor_of_hand
    return row, play.is_fully_known & seats.is_order_known & seats.are_stacks_known


JOIN_WAYS = ("matched", "capped", "whole")
"""Ways in which chips on a wager join the pots; a code is an index of this list."""


def collect_contributions(scope: EvaluationContext, joins: Mapping[str, Ints8]) -> Contributions:
    """Return what the players had put in at the end of the betting.

    Args:
        joins: for each wager, int8[rounds], how its chips join the pots, as an index of `JOIN_WAYS`; ABSENT if they do
            not.
    """
    play, seats = replay_betting(scope), seat_layout(scope)
    matched, capped, whole = sum_chips_by_row(scope, joins, len(scope.batch.events.kind))
    dealt_in = mask_of_first(seats.seat_count)
    return Contributions(
        seats=seats.seat_of_row,
        matched=matched,
        capped=capped,
        whole=whole,
        dealt_in=dealt_in,
        remaining=play.final_state.players_in,
        conceded=play.final_state.conceded,
        is_known=play.is_fully_known & seats.is_order_known & seats.are_stacks_known,
        last_bettor=play.final_state.last_bettor,
    )


def sum_chips_by_row(scope: EvaluationContext, joins: Mapping[str, Ints8], before: int) -> Ints:
    """Return the chips that each row put in by the betting actions before an event.

    Args:
        scope: the rounds.
        joins: as in `collect_contributions`.
        before: index of an event; the number of events includes all actions.

    Returns:
        int64[ways, S, rounds], by the ways of `JOIN_WAYS`, in minor units.
    """
    seats, record = seat_layout(scope), betting_actions(scope)
    events, betting = scope.batch.events, scope.compiled_game.betting
    parts = np.zeros((len(JOIN_WAYS), *seats.seat_of_row.shape), np.int64)
    row = replay_betting(scope).row[record.events]
    forced = (
        (record.op == betting_snapshots.DEAD)
        | (record.op == betting_snapshots.LIVE)
        | (record.op == betting_snapshots.AS_BET)
    )
    for wager, code in joins.items():
        on_line = forced & (events.wager.codes[record.events] == events.wager.code(wager))
        if wager == betting.wager:
            on_line = (record.op >= betting_snapshots.DEAD) & (events.kind[record.events] == KIND_CODES["decide"])
        chosen = find_true(on_line & (row != ABSENT) & (record.events < before))
        owner = events.round[record.events[chosen]]
        chosen = chosen[code[owner] != ABSENT]
        owner = events.round[record.events[chosen]]
        # One index is several times as fast as three.
        cell = np.ravel_multi_index((code[owner], row[chosen], owner), parts.shape)
        np.add.at(parts.reshape(-1), cell, record.amount[chosen])
    return parts
