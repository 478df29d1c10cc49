"""The betting of a batch played through once: the state at every event, and how it ended."""

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
    OTHER,
    STREET,
    Acts,
    in_steps,
)
from validator.engine.betting.actions_recorded import record_of
from validator.engine.betting.betting_terms import half_bets, reopening, smallest_bets, terms_of
from validator.engine.betting.contributions import Contributed
from validator.engine.betting.machine import played
from validator.engine.betting.positions import Where
from validator.engine.betting.states import Over, States
from validator.engine.core.context import Scope, fact
from validator.engine.seats.seat_order import rows_of, seating
from validator.engine.seats.seat_sets import all_of
from validator.engine.timeline.step_events import events_of
from validator.evidence.handlog.events import KIND


class Play(Struct, frozen=True, kw_only=True):
    """The betting of every round of a batch.

    `states` has the state before every act and at every end; `at` int64[events] is the entry of each event: its own, or
    that of an act of its seat which meets the same state; where it is no act that of the next act or of the end, which
    is the same but for what is of a seat. `own` bool[events] is where it is no such other; `leads` bool[events] where
    it is no act, and the seat's own fold, call, bet or raise comes next in that state. `row` int8[events] is the row of
    the event's seat, `due` int8[events] the row that may act then: its own, where it was passed over. `ends`
    int64[rounds] is the entry of each round's end; `over` how it ended, per round.

    `moved` int64[m] are the acts out of their places; all others are told as they stand with these in their places.
    `recorded` bool[rounds] is where the log records what betting is made of. `put_in` int64[events] is what the event
    puts in, 0 where it is no act of betting. `amounts` bool[events] is where all that was put in before is known,
    `told` where what the event itself puts in is too; `turns` bool[events] where it is known whose turn it is, as long
    as amounts are; `whole` bool[rounds] where all is known from the first act to the end. `smallest` int64[B, rounds]
    is the smallest bet of each betting round, `sized` bool[B, rounds] where it is known, `half` int64[B, rounds] what
    counts as a whole one, 0 where no less does; `reopened` bool[rounds] where it is known which raises open the betting
    again, and they can be told.
    """

    states: States
    at: Ints
    own: Flags
    leads: Flags
    row: Ints8
    due: Ints8
    ends: Ints
    over: Over
    moved: Ints
    recorded: Flags
    put_in: Ints
    amounts: Flags
    told: Flags
    turns: Flags
    whole: Flags
    smallest: Ints
    sized: Flags
    half: Ints
    reopened: Flags


@fact
def betting_of(scope: Scope) -> Play:
    """The betting of a scope's game, worked out when first asked for. Where one act by itself explains what goes wrong
    in a round, all others are told as they stand with it in its place. Where a waiver lifts requirements, that may be
    one of those which would tell it, so that all is judged as it stood."""
    return as_it_stood(scope) if scope.waived else _play(scope, in_place=True)


def as_it_stood(scope: Scope) -> Play:
    """The betting with every act where it came."""
    return _play(scope, in_place=False)


def _play(scope: Scope, *, in_place: bool) -> Play:
    batch, rounds = scope.batch, len(scope.batch)
    record, owners = record_of(scope), batch.events.round
    owner, row = owners[record.events], rows_of(scope, record.events)
    following = _as_following(record.op, row, owner)
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
    moved = _put_in_place(scope, betting, whole) if in_place else []
    smallest, sized = smallest_bets(scope)
    reopened_by, known = reopening(scope)

    events = np.arange(len(batch.events.round))
    at = np.full(len(events) + 1, ABSENT, np.int64)
    at[acts.events] = np.arange(len(acts.events))
    # What comes ahead of an act out of its place has nothing to do with it, but for words and chips.
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
    recorded, broken = record.recorded[owners], record.broken[owners]
    entries = _next_entry(scope, at[:-1], moved, ends)
    rows = rows_of(scope, events)
    due = np.where(own & states.late[entries], rows, states.due[entries])
    for action in moved:
        due[action.told_by] = due[action.told_by] if action.told_by == ABSENT else action.due
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


def _as_following(op: Codes, row: Ints8, owner: Ints32) -> Ints:
    """int64[A]: of acts that change nothing and come before one of the same seat, with none that changes anything in
    between, that act, which meets the same state; ABSENT for all others."""
    places = np.arange(len(op))
    after = np.minimum.accumulate(np.where(op != OTHER, places, len(op))[::-1])[::-1]
    there = np.minimum(after, len(op) - 1)
    same = (op == OTHER) & (after < len(op)) & (row != ABSENT) & (row[there] == row) & (owner[there] == owner)
    return np.where(same, after, ABSENT)


def _put_in_place(scope: Scope, betting: Betting, whole: Flags) -> list[OutOfPlace]:
    """Acts out of place; the states become what they are with those in their places."""
    terms, order = betting.terms, betting.acts.order
    return put_in_place(
        betting,
        known=whole[order] & terms.stacked & terms.turns.all(axis=0),
        told_elsewhere=record_of(scope).astray,
        waiting=[events_of(scope, step) for step in scope.prepared.betting.complete_at],
    )


def _next_entry(scope: Scope, at: Ints, moved: Sequence[OutOfPlace], ends: Ints) -> Ints:
    """int64[events]: an act's own entry, else that of the next act of the round, else of the round's end. Cards out of
    place are next where they belong, other acts out of place nowhere."""
    owner = scope.batch.events.round
    in_place = at != ABSENT
    in_place[[action.act for action in moved]] = False
    cards = [action for action in moved if action.ahead_of != ABSENT]
    # Twice as many places as events: cards belong between two of them.
    places = np.append(2 * np.flatnonzero(in_place), np.array([2 * action.ahead_of - 1 for action in cards], np.int64))
    entries = np.append(at[in_place], at[[action.act for action in cards]])
    order = np.argsort(places, kind="stable")
    places, entries = np.append(places[order], 2 * len(owner)), np.append(entries[order], ABSENT)
    following = np.searchsorted(places, 2 * np.arange(len(owner)))
    inside = np.append(owner, ABSENT)[(places[following] + 1) // 2] == owner
    return np.where(at != ABSENT, at, np.where(inside, entries[following], ends[owner]))


def stand(scope: Scope, known: Scope, states: States, put_in: Ints) -> None:
    """Take the betting of a scope as it stands in the middle of play: every event is of a seat that is about to act,
    `states` has an entry for each, and `put_in` int64[events] is what is about to go in with it. `known` is a scope of
    the same rounds, of which their terms are asked."""
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
    """The last seat to bet or raise in the last betting round, or the whole round of play."""
    play, seats = betting_of(scope), seating(scope)
    row = play.over.last_bettor if span == "last-betting-round" else play.over.last_bettor_of_all
    return row, play.whole & seats.turning & seats.stacked


JOINS = ("matched", "capped", "whole")
"""How what lies on a wager joins the pots; a code is a place in this list."""


def contributed(scope: Scope, joins: Mapping[str, Ints8]) -> Contributed:
    """What the players had put in when betting was over. `joins` tells for each wager, int8[rounds], how what lies on
    it joins the pots, by its place in `JOINS`; ABSENT where it does not."""
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
