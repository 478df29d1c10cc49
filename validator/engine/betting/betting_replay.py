"""Replayed betting of a batch: the state at every event, the final state, and the contributions to the pots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8, Ints32, find_true, is_one_of
from fairdeal.validator.engine.betting import betting_snapshots, betting_state, misplaced_actions
from fairdeal.validator.engine.betting.betting_run import play_actions
from fairdeal.validator.engine.betting.recorded_betting import RecordedBetting, betting_actions, find_table_misdeals
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.seat_layout import find_event_rows, mask_of_first, seat_layout
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


_MOST_ROWS = 32
"""Rows that a set of seats holds, one for each of its bits."""


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
    batch, rounds = scope.batch, len(scope.batch)
    record, owners = betting_actions(scope), batch.events.round
    owner, row = owners[record.events], find_event_rows(scope, record.events)
    following = _find_equivalent_actions(record.op, row, owner)
    taken = find_true(following == ABSENT)
    starts, places, order, rank = betting_snapshots.arrange_by_step(rounds, record.events[taken], owner[taken])
    places = taken[places]
    acts = betting_snapshots.BettingActions(
        step_starts=starts,
        events=record.events[places],
        op=record.op[places],
        row=row[places],
        amount=record.amount[places],
        minimum_bet=record.minimum_bet[places],
        round_order=order,
        round_rank=rank,
    )
    terms = betting_state.build_betting_terms(scope)
    states, over = play_actions(acts, terms.select(order))
    whole = record.is_recorded & (record.first_unclear_event == len(batch.events.round)) & batch.complete
    kinds = batch.events.kind.take(acts.events)
    betting = misplaced_actions.PlayedBetting(
        actions=acts, event_kinds=kinds, terms=terms.select(order), snapshots=states, final_state=over
    )
    betting, moved = _correct_misplaced(scope, betting, whole) if in_place else (betting, [])
    states, over = betting.snapshots, betting.final_state
    smallest, sized = betting_state.find_smallest_bets(scope)
    reopened_by, known = betting_state.find_reopening_rules(scope)

    events = np.arange(len(batch.events.round))
    at = np.full(len(events) + 1, ABSENT, np.int64)
    at[acts.events] = np.arange(len(acts.events))
    # Events before a misplaced action do not belong to it, except words and chips.
    misplaced = is_one_of(record.events.take(following), [action.event for action in moved])
    misplaced &= ~is_one_of(batch.events.kind.take(record.events), (KIND_CODES["declare"], KIND_CODES["tender"]))
    alike = find_true((following != ABSENT) & ~misplaced)
    at[record.events[alike]] = at[record.events[following[alike]]]
    own = at[:-1] != ABSENT
    leads, then = np.zeros(len(events), bool), record.op[following[alike]]
    leads[record.events[alike]] = (then == betting_snapshots.FOLD) | (
        (then >= betting_snapshots.BRING_IN) & (then < betting_snapshots.STREET)
    )
    ends = len(acts.events) + rank
    put_in = np.zeros(len(events), np.int64)
    put_in[record.events] = np.where(record.op >= betting_snapshots.DEAD, record.amount, 0)
    entries = _find_snapshots(scope, at[:-1], moved, ends)
    rows = find_event_rows(scope, events)
    due = np.where(own & states.is_late_action[entries], rows, states.seat_to_act[entries])
    for action in moved:
        due[action.reporting_event] = (
            due[action.reporting_event] if action.reporting_event == ABSENT else action.seat_due
        )
    broken, is_turn_known = record.first_unclear_event, terms.is_turn_known[states.street[entries], owners]
    if in_place:
        unanswered = _find_missing_answers(
            scope, record, states=states, due=due, is_turn_known=is_turn_known, entries=entries
        )
        whole &= unanswered == len(events)
        broken = np.minimum(broken, unanswered)
    recorded, broken = record.is_recorded[owners], broken[owners]
    return BettingReplay(
        snapshots=states,
        snapshot_index=entries,
        has_own_snapshot=own,
        precedes_own_action=leads,
        row=rows,
        seat_to_act=due,
        end_index=ends,
        final_state=betting_snapshots.FinalBettingState(
            players_in=over.players_in[rank],
            conceded=over.conceded[rank],
            last_bettor=over.last_bettor[rank],
            last_bettor_of_hand=over.last_bettor_of_hand[rank],
        ),
        misplaced_events=np.array([action.event for action in moved], np.int64),
        is_recorded=record.is_recorded,
        chips_put_in=put_in,
        amounts_known_before=recorded & (events <= broken),
        amounts_known=recorded & (events < broken),
        is_turn_known=is_turn_known,
        is_fully_known=whole,
        smallest_bet=smallest,
        is_smallest_bet_known=sized,
        half_bet=terms.half_bet,
        is_reopening_known=known & ((reopened_by == betting_snapshots.ANY_RAISE) | sized.all(axis=0)),
    )


def _find_missing_answers(
    scope: EvaluationContext,
    record: RecordedBetting,
    *,
    states: betting_snapshots.BettingSnapshots,
    due: Ints8,
    is_turn_known: Flags,
    entries: Ints,
) -> Ints:
    """Return the first event of each round that passes over a seat whose answer to a bet is missing.

    The seat owes chips, never acts again, and neither shows its hand nor wins a pot, so that the log may omit its fold.
    The event itself is out of turn; after it nobody knows who is in play. If the turn is not known, only events that
    wait for the end of the betting pass over seats. In a round that is called off nobody shows a hand, so that such an
    event must pass over the seat as well.

    Returns:
        int64[rounds]; the number of all events for a round without such an event.
    """
    events, rows = scope.batch.events, find_event_rows(scope, np.arange(len(due)))
    of_betting = (record.op >= betting_snapshots.VOID) & (record.op < betting_snapshots.STREET) | (
        record.op == betting_snapshots.MUCK
    )
    waits, completes = np.zeros((2, len(due)), bool)
    acts = (record.op >= betting_snapshots.FOLD) & (record.op < betting_snapshots.STREET)
    waits[record.events.compress(acts | (record.op == betting_snapshots.MUCK))] = True
    for step in scope.compiled_game.betting.complete_at:
        completes[certain_events(scope, step)] = True
    is_passed = (waits | completes) & (due != ABSENT) & (due != rows)
    passing = find_true(np.where(is_turn_known, is_passed, completes))
    first = np.full(len(scope.batch), len(due), np.int64)
    if not len(passing):
        return first
    last = np.full((len(scope.batch), _MOST_ROWS), ABSENT, np.int64)
    plays_on = np.append(record.events.compress(of_betting), events_of_kinds(scope, ("reveal", "award")))
    plays_on = plays_on.compress(rows[plays_on] != ABSENT)
    np.maximum.at(last, (events.round[plays_on], rows[plays_on]), plays_on)
    seats, is_called_off = seat_layout(scope), find_table_misdeals(scope) != ABSENT
    at_the_end = {(int(events.round[event]), int(due[event])) for event in passing.compress(completes.take(passing))}
    owes: dict[tuple[int, int, int], bool] = {}  # a seat that never acts again owes as much at later events of a street
    for event in passing.tolist():
        owner, entry = int(events.round[event]), entries[event]
        players = int(states.players_in[entry])
        for row in [int(due[event])] if is_turn_known[event] else range(players.bit_length()):
            if first[owner] < event or last[owner, row] >= event or not players >> row & 1:
                continue
            if is_called_off[owner] and (owner, row) not in at_the_end:
                continue
            key = owner, row, int(states.street[entry])
            if key not in owes:
                committed, spent = _sum_put_in(scope, record, event, row)
                has_chips = not seats.are_stacks_known[owner] or spent < seats.stacks[row, owner]
                owes[key] = committed < states.current_bet[entry] and has_chips
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


def _find_equivalent_actions(op: Codes, row: Ints8, owner: Ints32) -> Ints:
    """Return the following action of the same seat for actions that change nothing; ABSENT for all others.

    The state is the same if no action in between changes anything.
    """
    places = np.arange(len(op))
    after = np.minimum.accumulate(np.where(op != betting_snapshots.OTHER, places, len(op))[::-1])[::-1]
    there = np.minimum(after, len(op) - 1)
    same = (
        (op == betting_snapshots.OTHER)
        & (after < len(op))
        & (row != ABSENT)
        & (row[there] == row)
        & (owner[there] == owner)
    )
    return np.where(same, after, ABSENT)


def _correct_misplaced(
    scope: EvaluationContext, betting: misplaced_actions.PlayedBetting, whole: Flags
) -> tuple[misplaced_actions.PlayedBetting, list[misplaced_actions.MisplacedAction]]:
    """Return the betting with misplaced actions corrected in the snapshots, and these actions."""
    terms, order = betting.terms, betting.actions.round_order
    return misplaced_actions.correct_misplaced_actions(
        betting,
        known=whole[order] & terms.are_stacks_known & terms.is_turn_known.all(axis=0),
        told_elsewhere=betting_actions(scope).misplaced_actions,
        waiting=[certain_events(scope, step) for step in scope.compiled_game.betting.complete_at],
    )


def _find_snapshots(
    scope: EvaluationContext, at: Ints, moved: Sequence[misplaced_actions.MisplacedAction], ends: Ints
) -> Ints:
    """Return the snapshot of each event: its own, that of the next action, or that of the end of the round.

    Misplaced cards count at their proper position; other misplaced actions do not count as next.
    """
    owner = scope.batch.events.round
    in_place = at != ABSENT
    in_place[[action.event for action in moved]] = False
    cards = [action for action in moved if action.belongs_before != ABSENT]
    # Positions are doubled: cards belong between two events.
    places = np.append(2 * find_true(in_place), np.array([2 * action.belongs_before - 1 for action in cards], np.int64))
    entries = np.append(at[in_place], at[[action.event for action in cards]])
    order = np.argsort(places, kind="stable")
    places, entries = np.append(places[order], 2 * len(owner)), np.append(entries[order], ABSENT)
    following = np.cumsum(np.bincount(places + 1, minlength=2 * len(owner)))[: 2 * len(owner) : 2]
    inside = np.append(owner, ABSENT)[(places[following] + 1) // 2] == owner
    return np.where(at != ABSENT, at, np.where(inside, entries[following], ends[owner]))


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
    smallest, sized = betting_state.find_smallest_bets(known)
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
        half_bet=betting_state.find_half_bets(known),
        is_reopening_known=every,
    )
    scope.set_fact(replay_betting, play)


def find_last_bettor(scope: EvaluationContext, span: str) -> betting_state.PositionRows:
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
