"""Replay of the betting of a batch: the state at every event, and the final state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints8, Ints32
from validator.engine.betting.act_out_of_place import Betting, OutOfPlace, put_in_place
from validator.engine.betting.action_codes import (
    ANY_RAISE,
    AS_BET,
    BRING_IN,
    DEAD,
    FOLD,
    LIVE,
    MUCK,
    OTHER,
    STREET,
    VOID,
    Acts,
    in_steps,
)
from validator.engine.betting.actions_recorded import Record, find_table_misdeals, record_of
from validator.engine.betting.betting_terms import half_bets, reopening, smallest_bets, terms_of
from validator.engine.betting.contributions import Contributed
from validator.engine.betting.machine import played
from validator.engine.betting.positions import Where
from validator.engine.betting.states import Over, States
from validator.engine.core.context import Scope, fact
from validator.engine.seats.seat_order import rows_of, seating
from validator.engine.seats.seat_sets import all_of
from validator.engine.timeline.step_events import events_of, events_of_kinds
from validator.evidence.handlog.events import KIND

_MOST_ROWS = 32
"""Rows that a set of seats holds, one for each of its bits."""


class Play(Struct, frozen=True, kw_only=True):
    """Betting of every round of a batch, replayed.

    If a single misplaced action explains a round, all other actions are checked with that action in its proper
    position.
    """

    states: States
    """Snapshots before every action, then one for the end of each round."""
    at: Ints
    """Snapshot of each event, int64[events].

    It is the event's own, or that of an action of its seat in the same state. Other events use the snapshot of the next
    action or of the end, which differs only in the fields of the seat.
    """
    own: Flags
    """True if the snapshot is of the event's own seat, bool[events]."""
    leads: Flags
    """True if the event is no action, and the seat's own fold, call, bet or raise follows in the same state,
    bool[events].
    """
    row: Ints8
    """Row of the event's seat, int8[events]."""
    due: Ints8
    """Row of the seat that may act, int8[events]; a skipped seat's own row."""
    ends: Ints
    """Snapshot of the end of each round, int64[rounds]."""
    over: Over
    """State at the end of each round."""
    moved: Ints
    """Events of misplaced actions, int64[m]."""
    recorded: Flags
    """True if the log records all kinds of betting events, bool[rounds]."""
    put_in: Ints
    """Chips that the event puts in, int64[events]; 0 if it is no betting action."""
    amounts: Flags
    """True if all chips put in before the event are known, bool[events]."""
    told: Flags
    """True if the event's own chips are known as well, bool[events]."""
    turns: Flags
    """True if it is known whose turn it is, provided that amounts are known, bool[events]."""
    whole: Flags
    """True if the betting is known from the first action to the end, bool[rounds]."""
    smallest: Ints
    """Smallest bet of each betting round, int64[B, rounds]."""
    sized: Flags
    """True if the smallest bet is known, bool[B, rounds]."""
    half: Ints
    """Half of a bet that counts as a whole bet, int64[B, rounds]; 0 if none does."""
    reopened: Flags
    """True if the raises that reopen the betting are known and can be recognised, bool[rounds]."""


@fact
def betting_of(scope: Scope) -> Play:
    """Return the replayed betting of a batch, corrected for single misplaced actions.

    What follows a fold that may be missing is unknown. If a waiver lifts requirements, these may be the ones that
    would report the misplaced action, so the betting is replayed as recorded.
    """
    return as_it_stood(scope) if scope.waived else _replay(scope, in_place=True)


def as_it_stood(scope: Scope) -> Play:
    """Return the replayed betting with every action as recorded."""
    return _replay(scope, in_place=False)


def _replay(scope: Scope, *, in_place: bool) -> Play:
    batch, rounds = scope.batch, len(scope.batch)
    record, owners = record_of(scope), batch.events.round
    owner, row = owners[record.events], rows_of(scope, record.events)
    following = _find_equivalent_actions(record.op, row, owner)
    taken = np.flatnonzero(following == ABSENT)
    starts, places, order, rank = in_steps(rounds, record.events[taken], owner[taken])
    places = taken[places]
    acts = Acts(
        starts=starts,
        events=record.events[places],
        op=record.op[places],
        row=row[places],
        amount=record.amount[places],
        floor=record.floor[places],
        order=order,
        rank=rank,
    )
    terms = terms_of(scope)
    states, over = played(acts, terms.of(order))
    whole = record.recorded & (record.broken == len(batch.events.round)) & batch.complete
    kinds = batch.events.kind.take(acts.events)
    betting = Betting(acts=acts, kinds=kinds, terms=terms.of(order), states=states, over=over)
    moved = _correct_misplaced(scope, betting, whole) if in_place else []
    smallest, sized = smallest_bets(scope)
    reopened_by, known = reopening(scope)

    events = np.arange(len(batch.events.round))
    at = np.full(len(events) + 1, ABSENT, np.int64)
    at[acts.events] = np.arange(len(acts.events))
    # Events before a misplaced action do not belong to it, except words and chips.
    misplaced = np.isin(record.events.take(following), [action.act for action in moved])
    misplaced &= ~np.isin(batch.events.kind.take(record.events), (KIND["declare"], KIND["tender"]))
    alike = np.flatnonzero((following != ABSENT) & ~misplaced)
    at[record.events[alike]] = at[record.events[following[alike]]]
    own = at[:-1] != ABSENT
    leads, then = np.zeros(len(events), bool), record.op[following[alike]]
    leads[record.events[alike]] = (then == FOLD) | ((then >= BRING_IN) & (then < STREET))
    ends = len(acts.events) + rank
    put_in = np.zeros(len(events), np.int64)
    put_in[record.events] = np.where(record.op >= DEAD, record.amount, 0)
    entries = _find_snapshots(scope, at[:-1], moved, ends)
    rows = rows_of(scope, events)
    due = np.where(own & states.late[entries], rows, states.due[entries])
    for action in moved:
        due[action.told_by] = due[action.told_by] if action.told_by == ABSENT else action.due
    broken = record.broken
    if in_place:
        unanswered = _find_missing_answers(scope, record, states, due, entries)
        whole &= unanswered == len(events)
        broken = np.minimum(broken, unanswered)
    recorded, broken = record.recorded[owners], broken[owners]
    return Play(
        states=states,
        at=entries,
        own=own,
        leads=leads,
        row=rows,
        due=due,
        ends=ends,
        over=Over(
            players=over.players[rank],
            conceded=over.conceded[rank],
            last_bettor=over.last_bettor[rank],
            last_bettor_of_all=over.last_bettor_of_all[rank],
        ),
        moved=np.array([action.act for action in moved], np.int64),
        recorded=record.recorded,
        put_in=put_in,
        amounts=recorded & (events <= broken),
        told=recorded & (events < broken),
        turns=terms.turns[states.street[entries], owners],
        whole=whole,
        smallest=smallest,
        sized=sized,
        half=terms.half,
        reopened=known & ((reopened_by == ANY_RAISE) | sized.all(axis=0)),
    )


def _find_missing_answers(scope: Scope, record: Record, states: States, due: Ints8, entries: Ints) -> Ints:
    """Return the first event of each round that passes over a seat whose answer to a bet is missing.

    The seat owes chips, never acts again, and neither shows its hand nor wins a pot, so that the log may omit its fold.
    The event itself is out of turn; after it nobody knows who is in play.

    Returns:
        int64[rounds]; the number of all events for a round without such an event, or one that is called off.
    """
    events, rows = scope.batch.events, rows_of(scope, np.arange(len(due)))
    of_betting = (record.op >= VOID) & (record.op < STREET) | (record.op == MUCK)
    waits = np.zeros(len(due), bool)
    waits[record.events.compress((record.op >= FOLD) & (record.op < STREET))] = True
    for step in scope.prepared.betting.complete_at:
        waits[events_of(scope, step)] = True
    called_off = find_table_misdeals(scope)[events.round] != ABSENT
    passing = np.flatnonzero(waits & (due != ABSENT) & (due != rows) & ~called_off)
    first = np.full(len(scope.batch), len(due), np.int64)
    if not len(passing):
        return first
    last = np.full((len(scope.batch), _MOST_ROWS), ABSENT, np.int64)
    plays_on = np.append(record.events.compress(of_betting), events_of_kinds(scope, ("reveal", "award")))
    plays_on = plays_on.compress(rows[plays_on] != ABSENT)
    np.maximum.at(last, (events.round[plays_on], rows[plays_on]), plays_on)
    put_in: dict[tuple[int, int, int], int] = {}  # a seat that never acts again puts in no more in its betting round
    for event in passing.tolist():
        owner, row, entry = int(events.round[event]), int(due[event]), entries[event]
        if first[owner] < event or last[owner, row] >= event:
            continue
        key = owner, row, int(states.street[entry])
        if key not in put_in:
            put_in[key] = _sum_put_in(scope, record, event, row)
        if put_in[key] < states.level[entry]:
            first[owner] = event
    return first


def _sum_put_in(scope: Scope, record: Record, event: int, row: int) -> int:
    """Return what the seat of a row put in before an event in the same betting round, in minor units."""
    owner = scope.batch.events.round[event]
    start, end = np.searchsorted(record.events, [scope.batch.events.offsets[owner], event])
    streets = np.flatnonzero(record.op[start:end] >= STREET)
    start += int(streets[-1]) + 1 if len(streets) else 0
    ops, rows = record.op[start:end], rows_of(scope, record.events[start:end])
    return int(record.amount[start:end][(rows == row) & (ops > DEAD) & (ops < STREET)].sum())


def _find_equivalent_actions(op: Codes, row: Ints8, owner: Ints32) -> Ints:
    """Return the following action of the same seat for actions that change nothing; ABSENT for all others.

    The state is the same if no action in between changes anything.
    """
    places = np.arange(len(op))
    after = np.minimum.accumulate(np.where(op != OTHER, places, len(op))[::-1])[::-1]
    there = np.minimum(after, len(op) - 1)
    same = (op == OTHER) & (after < len(op)) & (row != ABSENT) & (row[there] == row) & (owner[there] == owner)
    return np.where(same, after, ABSENT)


def _correct_misplaced(scope: Scope, betting: Betting, whole: Flags) -> list[OutOfPlace]:
    """Correct misplaced actions in the snapshots, and return them."""
    terms, order = betting.terms, betting.acts.order
    return put_in_place(
        betting,
        known=whole[order] & terms.stacked & terms.turns.all(axis=0),
        told_elsewhere=record_of(scope).astray,
        waiting=[events_of(scope, step) for step in scope.prepared.betting.complete_at],
    )


def _find_snapshots(scope: Scope, at: Ints, moved: Sequence[OutOfPlace], ends: Ints) -> Ints:
    """Return the snapshot of each event: its own, that of the next action, or that of the end of the round.

    Misplaced cards count at their proper position; other misplaced actions do not count as next.
    """
    owner = scope.batch.events.round
    in_place = at != ABSENT
    in_place[[action.act for action in moved]] = False
    cards = [action for action in moved if action.ahead_of != ABSENT]
    # Positions are doubled: cards belong between two events.
    places = np.append(2 * np.flatnonzero(in_place), np.array([2 * action.ahead_of - 1 for action in cards], np.int64))
    entries = np.append(at[in_place], at[[action.act for action in cards]])
    order = np.argsort(places, kind="stable")
    places, entries = np.append(places[order], 2 * len(owner)), np.append(entries[order], ABSENT)
    following = np.searchsorted(places, 2 * np.arange(len(owner)))
    inside = np.append(owner, ABSENT)[(places[following] + 1) // 2] == owner
    return np.where(at != ABSENT, at, np.where(inside, entries[following], ends[owner]))


def stand(scope: Scope, known: Scope, states: States, put_in: Ints) -> None:
    """Set the betting of a context to a state in the middle of play, in which every event is by a seat about to act.

    Args:
        known: a context of the same rounds that supplies their terms.
        states: one snapshot per event.
        put_in: int64[events], the chips about to go in.
    """
    events, seats = scope.batch.events, seating(known)
    smallest, sized = smallest_bets(known)
    rounds, acts = len(scope.batch), len(events.round)
    every, nobody = np.ones(rounds, bool), np.zeros(rounds, np.uint32)
    none = np.full(rounds, ABSENT, np.int8)
    play = Play(
        states=states,
        at=np.arange(acts),
        own=np.ones(acts, bool),
        leads=np.zeros(acts, bool),
        row=seats.row[events.seat],
        due=states.due,
        ends=np.zeros(rounds, np.int64),
        over=Over(players=nobody, conceded=nobody, last_bettor=none, last_bettor_of_all=none),
        moved=np.zeros(0, np.int64),
        recorded=every,
        put_in=put_in,
        amounts=np.ones(acts, bool),
        told=np.ones(acts, bool),
        turns=np.ones(acts, bool),
        whole=~every,
        smallest=smallest,
        sized=sized,
        half=half_bets(known),
        reopened=every,
    )
    scope.take(betting_of, play)


def last_bettor(scope: Scope, span: str) -> Where:
    """Return the row of the last bet or raise, in the last betting round or in the whole hand."""
    play, seats = betting_of(scope), seating(scope)
    row = play.over.last_bettor if span == "last-betting-round" else play.over.last_bettor_of_all
    return row, play.whole & seats.turning & seats.stacked


JOINS = ("matched", "capped", "whole")
"""Ways in which chips on a wager join the pots; a code is an index of this list."""


def contributed(scope: Scope, joins: Mapping[str, Ints8]) -> Contributed:
    """Return what the players had put in at the end of the betting.

    Args:
        joins: for each wager, int8[rounds], how its chips join the pots, as an index of `JOIN_WAYS`; ABSENT if they do
            not.
    """
    play, seats, record = betting_of(scope), seating(scope), record_of(scope)
    events, betting = scope.batch.events, scope.prepared.betting
    parts = np.zeros((len(JOINS), *seats.seats.shape), np.int64)
    row = play.row[record.events]
    forced = (record.op == DEAD) | (record.op == LIVE) | (record.op == AS_BET)
    for wager, code in joins.items():
        on_line = forced & (events.wager.codes[record.events] == events.wager.code(wager))
        if wager == betting.wager:
            on_line = (record.op >= DEAD) & (events.kind[record.events] == KIND["decide"])
        chosen = np.flatnonzero(on_line & (row != ABSENT))
        owner = events.round[record.events[chosen]]
        chosen = chosen[code[owner] != ABSENT]
        owner = events.round[record.events[chosen]]
        np.add.at(parts, (code[owner], row[chosen], owner), record.amount[chosen])
    matched, capped, whole = parts
    dealt_in = all_of(seats.count)
    return Contributed(
        seats=seats.seats,
        matched=matched,
        capped=capped,
        whole=whole,
        dealt_in=dealt_in,
        remaining=play.over.players,
        conceded=play.over.conceded,
        known=play.whole & seats.turning & seats.stacked,
        last_bettor=play.over.last_bettor,
    )
