"""The betting of a batch played through once: the state at every event, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8, Ints32, Tri
from validator.engine.betting.action_codes import (
    ANY_RAISE,
    AS_BET,
    BRING_IN,
    DEAD,
    FOLD,
    LIVE,
    OTHER,
    REOPENINGS,
    STREET,
    Acts,
    Terms,
    in_steps,
)
from validator.engine.betting.actions_recorded import record_of, rows_of
from validator.engine.betting.contributions import Contributed
from validator.engine.betting.machine import played
from validator.engine.betting.positions import Where, position
from validator.engine.betting.states import Over, States
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.first_case import first_holding
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_order import left_out, seating
from validator.engine.seats.seat_sets import all_of
from validator.evidence.handlog.events import KIND
from validator.rules.model.betting import BettingRound, LeastBet, Reopens


class Play(Struct, frozen=True, kw_only=True):
    """The betting of every round of a batch.

    `states` has the state before every act and at every end; `at` int64[events] is the entry of each event: its own, or
    that of an act of its seat which meets the same state; where it is no act that of the next act or of the end, which
    is the same but for what is of a seat. `own` bool[events] is where it is no such other; `leads` bool[events] where
    it is no act, and the seat's own fold, call, bet or raise comes next in that state. `row` int8[events] is the row of
    the event's seat, `due` int8[events] the row that may act then: its own, where it was passed over. `ends`
    int64[rounds] is the entry of each round's end; `over` how it ended, per round.

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


def betting_of(scope: Scope) -> Play:
    """The betting of a scope's game, worked out when first asked for."""
    return scope.once(("betting",), lambda: _play(scope))


def _play(scope: Scope) -> Play:
    batch, rounds = scope.batch, len(scope.batch)
    seats, record, owners = seating(scope), record_of(scope), batch.events.round
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
    states, over = played(acts, _in_order(terms, order))
    smallest, sized = _smallest(scope)
    reopened_by, told = reopening(scope)

    events = np.arange(len(batch.events.round))
    at = np.full(len(events) + 1, ABSENT, np.int64)
    at[acts.events] = np.arange(len(acts.events))
    alike = np.flatnonzero(following != ABSENT)
    at[record.events[alike]] = at[record.events[following[alike]]]
    own = at[:-1] != ABSENT
    leads, then = np.zeros(len(events), bool), record.op[following[alike]]
    leads[record.events[alike]] = (then == FOLD) | ((then >= BRING_IN) & (then < STREET))
    ends = len(acts.events) + rank
    put_in = np.zeros(len(events), np.int64)
    put_in[record.events] = np.where(record.op >= DEAD, record.amount, 0)
    recorded, broken = record.recorded[owners], record.broken[owners]
    entries = _next_entry(scope, at[:-1], record.events, ends)
    opening = _openers(scope)[1][states.street[entries], owners]
    rows = rows_of(scope, events)
    return Play(
        states=states,
        at=entries,
        own=own,
        leads=leads,
        row=rows,
        due=np.where(own & states.late[entries], rows, states.due[entries]),
        ends=ends,
        over=Over(
            players=over.players[rank],
            conceded=over.conceded[rank],
            last_bettor=over.last_bettor[rank],
            last_bettor_of_all=over.last_bettor_of_all[rank],
        ),
        recorded=record.recorded,
        put_in=put_in,
        amounts=recorded & (events <= broken),
        told=recorded & (events < broken),
        turns=(seats.turning & seats.stacked)[owners] & opening,
        whole=record.recorded & (record.broken == len(events)) & batch.complete,
        smallest=smallest,
        sized=sized,
        half=terms.half,
        reopened=told & ((reopened_by == ANY_RAISE) | sized.all(axis=0)),
    )


def _as_following(op: Codes, row: Ints8, owner: Ints32) -> Ints:
    """int64[A]: of acts that change nothing and come before one of the same seat, with none that changes anything in
    between, that act, which meets the same state; ABSENT for all others."""
    places = np.arange(len(op))
    after = np.minimum.accumulate(np.where(op != OTHER, places, len(op))[::-1])[::-1]
    there = np.minimum(after, len(op) - 1)
    same = (op == OTHER) & (after < len(op)) & (row != ABSENT) & (row[there] == row) & (owner[there] == owner)
    return np.where(same, after, ABSENT)


def terms_of(scope: Scope) -> Terms:
    """What the betting of a scope's rounds starts from, in the order of the batch."""
    seats = seating(scope)
    return Terms(
        count=seats.count,
        left_out=left_out(scope),
        stacks=seats.stacks,
        stacked=seats.stacked,
        before=_openers(scope)[0],
        smallest=_smallest(scope)[0],
        half=_half_bets(scope),
        reopened_by=reopening(scope)[0],
        turns=_openers(scope)[1] & seats.turning & seats.stacked,
    )


def _in_order(terms: Terms, order: Ints) -> Terms:
    return Terms(
        count=terms.count[order],
        left_out=terms.left_out[order],
        stacks=terms.stacks[:, order],
        stacked=terms.stacked[order],
        before=terms.before[:, order],
        smallest=terms.smallest[:, order],
        half=terms.half[:, order],
        reopened_by=terms.reopened_by[order],
        turns=terms.turns[:, order],
    )


def _next_entry(scope: Scope, at: Ints, acts: Ints, ends: Ints) -> Ints:
    """int64[events]: an act's own entry, else that of the next act of the round, else of the round's end."""
    owner = scope.batch.events.round
    if not len(acts):
        return ends[owner]
    own = at != ABSENT
    following = np.minimum(np.cumsum(own) - own, len(acts) - 1)
    candidate = acts[following]
    inside = (owner[candidate] == owner) & (candidate >= np.arange(len(at)))
    return np.where(inside, at[candidate], ends[owner])


@fact
def _openers(scope: Scope) -> tuple[Bits32, Flags]:
    """The row before the one that opens each betting round, uint32[B, rounds], and bool[B, rounds], where it is
    known."""
    rows, known = zip(*(opener(scope, one) for one in scope.prepared.betting.rounds), strict=True)
    return np.array(rows), np.array(known)


def opener(scope: Scope, of: BettingRound) -> tuple[Bits32, Flags]:
    """uint32[rounds]: the row before the one that opens a betting round; and where that is known."""
    count = np.maximum(seating(scope).count, 1)
    row, told = position(scope, of.opens, _undecided)
    return ((row.astype(np.int64) + count - 1) % count).astype(np.uint32), told & (row != ABSENT)


def _undecided(span: str) -> Where:
    """Who opens cannot hang on how the betting goes; rules in which it does are refused."""
    raise ValueError(f"the opening seat hangs on the last bettor of the {span}")


def smallest_bets(scope: Scope) -> Ints:
    """int64[B, rounds]: the smallest bet of each betting round, 0 where it is not known."""
    return _smallest(scope)[0]


@fact
def _smallest(scope: Scope) -> tuple[Ints, Flags]:
    """The smallest bet of each betting round, int64[B, rounds], 0 where it is not known; and where it is."""
    betting = scope.prepared.betting
    nothing = np.zeros(len(scope.batch), np.int64)

    def least(case: LeastBet) -> tuple[Ints, Flags]:
        low, high = scope.bounds(case.at_least, "round")
        return low, low == high

    def of_round(one: BettingRound) -> tuple[Ints, Flags]:
        if one.size is None:
            return first_holding(scope, betting.sizes.opening, least, nothing)
        low, high = scope.bounds(one.size, "round")
        if betting.sizes.fixed is None:
            return low, low == high
        fixed, (free, told) = fixed_limit(scope), first_holding(scope, betting.sizes.opening, least, nothing)
        return np.where(fixed == YES, low, free), np.where(fixed == YES, low == high, told & (fixed == NO))

    sizes = [of_round(one) for one in betting.rounds]
    known = np.array([told for _, told in sizes])
    return np.where(known, np.array([size for size, _ in sizes]), 0), known


def fixed_limit(scope: Scope) -> Tri:
    """uint8[rounds]: whether the limit of each round is fixed, as far as its betting rounds have a size."""
    when = scope.prepared.betting.sizes.fixed
    return kleene.constant(YES, len(scope.batch)) if when is None else scope.truth(when, "round")


@fact
def _half_bets(scope: Scope) -> Ints:
    """int64[B, rounds]: the half of a bet that counts as a whole one, rounded up, in each betting round; 0 where none
    does."""
    betting, (sizes, known) = scope.prepared.betting, _smallest(scope)
    if betting.sizes.half_counts is None:
        return np.zeros_like(sizes)
    counts = np.minimum(scope.truth(betting.sizes.half_counts, "round"), fixed_limit(scope)) == YES
    sized = np.array([one.size is not None for one in betting.rounds])[:, None]
    return np.where(sized & counts & known, (sizes + 1) // 2, 0)


@fact
def reopening(scope: Scope) -> tuple[Codes, Flags]:
    """uint8[rounds]: which raises open the betting again, by their place in `REOPENINGS`; and where that is known."""
    length = len(scope.batch)

    def by(case: Reopens) -> tuple[Codes, Flags]:
        return np.full(length, REOPENINGS.index(case.by), np.uint8), np.ones(length, bool)

    return first_holding(scope, scope.prepared.betting.reopens, by, np.zeros(length, np.uint8))


def stand(scope: Scope, known: Scope, states: States, put_in: Ints) -> None:
    """Take the betting of a scope as it stands in the middle of play: every event is of a seat that is about to act,
    `states` has an entry for each, and `put_in` int64[events] is what is about to go in with it. `known` is a scope of
    the same rounds, of which their terms are asked."""
    events, seats = scope.batch.events, seating(known)
    smallest, sized = _smallest(known)
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
        recorded=every,
        put_in=put_in,
        amounts=np.ones(acts, bool),
        told=np.ones(acts, bool),
        turns=np.ones(acts, bool),
        whole=~every,
        smallest=smallest,
        sized=sized,
        half=_half_bets(known),
        reopened=every,
    )
    scope.once(("betting",), lambda: play)


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
