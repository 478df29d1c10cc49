"""The betting of a batch as its log records it: acts for the loop, what they start from, and what is not recorded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints32
from validator.engine.betting.action_codes import (
    AS_BET,
    BET,
    BRING_IN,
    CALL,
    CHECK,
    COMPLETE,
    CONCEDE,
    DEAD,
    FOLD,
    LIVE,
    MUCK,
    OTHER,
    RAISE,
    STREET,
    VOID,
)
from validator.engine.betting.decision_kinds import OPENINGS, RAISES
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.core.narrowed import among
from validator.engine.timeline.course import found_in
from validator.engine.timeline.last_actions import betting_acts, decided, goes_on, last_act, last_of_seat
from validator.engine.timeline.step_events import (
    events_of,
    events_of_kinds,
    first_by_round,
    kinds_recorded,
    last_by_round,
    steps_recorded,
)
from validator.engine.timeline.streets import dealt_beyond
from validator.evidence.columns.batch import Coded
from validator.evidence.columns.recorded_kinds import records_play_alone
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Quantity
from validator.rules.model.betting import Betting
from validator.rules.model.game import Game

_FORCED = {"apart": DEAD, "toward-the-bet": LIVE, "as-the-bet": AS_BET}
ACTS = {
    "fold": FOLD,
    "concede": CONCEDE,
    "check": CHECK,
    "call": CALL,
    "bring-in": BRING_IN,
    "bet": BET,
    "raise": RAISE,
    "complete": COMPLETE,
    "discard": OTHER,
    "stand-pat": OTHER,
}
"""What decisions do by their kind."""
_UNHEARD = 255
"""The code of a decision that the game does not know."""
_ENDS_OF_HANDS = ("reveal", "award")
"""The kinds of event that show a hand in play at the end."""
_DEALT, _WAGER, _DECIDE, _MISDEAL = KIND["deal"], KIND["wager"], KIND["decide"], KIND["misdeal"]


class Record(Struct, frozen=True, kw_only=True):
    """What the log shows of betting. `events` int64[A] are the places of acts in log order, `op` uint8[A] what they do,
    `amount` and `floor` int64[A] as `Acts` has them. `broken` int64[rounds] is the first event after which amounts, or
    who plays on, are not known any more (the end of all where there is none); `recorded` bool[rounds] whether the log
    records what betting is made of. `astray` are the events that a requirement on the course of the betting tells, and
    what each of them does in its place."""

    events: Ints
    op: Codes
    amount: Ints
    floor: Ints
    broken: Ints
    recorded: Flags
    astray: Mapping[int, int]


@fact
def record_of(scope: Scope) -> Record:
    """What the log of a scope shows of betting.

    Events with a seat of their own are among the acts, whatever they are, so that the state is known at which they
    stand; the cards of a hand as they are dealt are not, for nobody asks there.
    """
    betting = scope.prepared.betting
    events = scope.batch.events
    op = np.full(len(events.round), OTHER, np.uint8)
    forced, decided = events.kind == _WAGER, events.kind == _DECIDE
    op[forced] = _wagers(betting, events.wager)[forced]
    op[decided] = _decisions(scope.prepared.game, events.decision)[decided]
    op[(events.kind == _MISDEAL) & (events.seat != ABSENT)] = VOID  # a hand that is declared dead is out
    unheard = op == _UNHEARD
    op[unheard] = OTHER
    chosen = forced | decided | ((events.seat != ABSENT) & (events.kind != _DEALT))
    steps = [
        betting_round.after for betting_round in betting.rounds[1:] if betting_round.after is not None
    ]  # each of them has one
    for street, step in enumerate(steps, start=1):
        last = _last_of(scope, step)
        op[last] = STREET + street
        chosen[last] = True
    recorded = events.amount != ABSENT
    floor, unsure = _floors(scope, betting, op)
    bad = np.flatnonzero(unheard | ((op >= BRING_IN) & (op < STREET) & ~recorded) | unsure)[::-1]
    broken = np.full(len(scope.batch), len(op), np.int64)
    broken[events.round[bad]] = bad
    owners, places = _out_perhaps(scope)
    np.minimum.at(broken, owners, places)
    # Who gives the hand up in the wrong place is out all the same; other acts there put chips in and nothing else.
    misplaced = found_elsewhere(scope)
    meant = {event: int(op[event]) for event in [*misplaced.tolist(), *_forced_bets_elsewhere(scope).tolist()]}
    op[misplaced[(op[misplaced] >= CHECK) & (op[misplaced] < STREET)]] = DEAD
    op[given_up(scope)] = MUCK
    op[_taken_out(scope)] = VOID
    op[_conceded_when_won(scope, op)] = OTHER
    places = np.flatnonzero(chosen)
    return Record(
        events=places,
        op=op[places],
        amount=np.where(recorded, events.amount, 0)[places],
        floor=floor[places],
        broken=broken,
        recorded=kinds_recorded(scope, ("wager", "decide")) & steps_recorded(scope, steps),
        astray=meant,
    )


@fact
def given_up(scope: Scope) -> Ints:
    """int64[m]: the events by which a player who is to act, or faces a bet, gives the hand up without a word. Who plays
    on has not given it up, and who has folded before need not."""
    betting = scope.prepared.betting
    if betting.folded_by is None:
        return np.zeros(0, np.int64)
    chosen = events_of(scope, betting.folded_by.step)
    chosen = chosen.compress(scope.batch.events.seat.take(chosen) != ABSENT)
    folds = np.append(decided(scope, ("fold",)), False)  # ABSENT is none
    acts = betting_acts(scope)
    playing_on = goes_on(scope, chosen, acts.compress(~folds.take(acts)))
    chosen = chosen.compress(~folds.take(last_act(scope, chosen)) & ~playing_on)
    return chosen.compress(among(scope, "event", chosen).truth(betting.folded_by.when, "event") == YES)


def _taken_out(scope: Scope) -> Ints:
    """int64[m]: the events that take a hand out of play without a word, whoever is to act: not where its player acts
    after that, nor when a pot was awarded, when all cards are taken up."""
    folded_by = scope.prepared.betting.folded_by
    if folded_by is None or folded_by.out is None:
        return np.zeros(0, np.int64)
    chosen = events_of(scope, folded_by.step)
    awarded = first_by_round(scope, events_of_kinds(scope, ("award",)))
    in_time = chosen < awarded.take(scope.batch.events.round.take(chosen))
    at_a_seat = scope.batch.events.seat.take(chosen) != ABSENT
    chosen = chosen.compress(in_time & at_a_seat & ~goes_on(scope, chosen, betting_acts(scope)))
    return chosen.compress(among(scope, "event", chosen).truth(folded_by.out, "event") == YES)


def _faces_a_bet(scope: Scope, chosen: Ints) -> Flags:
    """Return whether somebody bet, raised or posted the bet after the last act of the seat of each event, bool[m]."""
    events, raising = scope.batch.events, np.flatnonzero(_raising(scope))
    acts = np.flatnonzero((events.kind == _DECIDE) | (events.kind == _WAGER))
    last = np.append(raising, ABSENT)[np.searchsorted(raising, chosen) - 1]
    faced: Flags = last >= np.maximum(events.offsets[events.round[chosen]], last_of_seat(scope, chosen, acts) + 1)
    return faced


def _raising(scope: Scope) -> Flags:
    """Return the events that open or raise a bet, or post it, bool[events]."""
    events = scope.batch.events
    posted = (events.kind == _WAGER) & (_wagers(scope.prepared.betting, events.wager) == AS_BET)
    return decided(scope, tuple(OPENINGS | RAISES)) | posted


def _out_perhaps(scope: Scope) -> tuple[Ints32, Ints]:
    """Return the rounds, int32[m], and events, int64[m], from which on it is open whether a hand is out of play.

    Its cards are collected, and the log does not record what would take it out, or show that it was thrown away; or the
    log does not record collections: then who never answers a bet, and still has chips, may have thrown the hand away.
    A hand that is played on, folded, conceded, shown or awarded a pot is none of these.
    """
    folded_by = scope.prepared.betting.folded_by
    if folded_by is None or folded_by.out is None:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    events, seats, acts = scope.batch.events, scope.batch.seats, betting_acts(scope)
    ended, seen = np.zeros((2, len(seats.round) + 1), bool)  # the last stands for no seat
    ended[events.seat[decided(scope, ("fold", "concede"))]] = True
    chosen = events_of(scope, folded_by.step)
    awarded = first_by_round(scope, events_of_kinds(scope, ("award",)))
    chosen = chosen.compress((chosen < awarded.take(events.round.take(chosen))) & ~goes_on(scope, chosen, acts))
    chosen = chosen.compress(~ended.take(events.seat.take(chosen)))
    asked = among(scope, "event", chosen)
    thrown = (asked.truth(folded_by.when, "event") == UNKNOWN) & _faces_a_bet(scope, chosen)
    chosen = chosen.compress((asked.truth(folded_by.out, "event") == UNKNOWN) | thrown)

    silent = ~steps_recorded(scope, (folded_by.step,))[seats.round] & ~ended[:-1] & seats.playing
    if not silent.any():
        return events.round[chosen], chosen
    seen[events.seat[events_of_kinds(scope, _ENDS_OF_HANDS)]] = True
    may_be_out = kinds_recorded(scope, _ENDS_OF_HANDS)[seats.round] & ~seen[:-1]
    out = scope.truth(folded_by.out, "seat")
    last = np.array(events.offsets[:-1][seats.round], np.int64)
    np.maximum.at(last, events.seat[acts], acts + 1)
    staked = np.zeros(len(seats.round), np.int64)
    np.add.at(staked, scope.batch.stakes.seat, scope.batch.stakes.amount)
    answers = (seats.stack == ABSENT) | (staked < seats.stack)
    unanswered = last_by_round(scope, np.flatnonzero(_raising(scope)))[seats.round] >= last
    thrown_away = answers & unanswered & ~seen[:-1] & ~records_play_alone(scope.batch)[seats.round]
    lost = np.flatnonzero(silent & ((out == YES) | ((out == UNKNOWN) & may_be_out) | thrown_away))
    return np.append(events.round[chosen], seats.round[lost]), np.append(chosen, last[lost])


@fact
def found_elsewhere(scope: Scope) -> Ints:
    """int64[m]: the decisions that a requirement finds out of place in the course of the betting, by themselves."""
    betting = scope.prepared.game.betting
    if betting is None or betting.course is None:
        return np.zeros(0, np.int64)
    result = found_in(scope, betting.course)
    result = result.compress(scope.batch.events.kind.take(result) == _DECIDE)
    # Where several are, the deal was late rather than they early, and they are the acts of the betting.
    owner = scope.batch.events.round.take(result)
    return result.compress(np.bincount(owner, minlength=len(scope.batch)).take(owner) == 1)


def _conceded_when_won(scope: Scope, op: Codes) -> Ints:
    """int64[m]: the concessions, told by what acts do, of players to whom a pot had been awarded, with no award left to
    come: what they give up is theirs."""
    conceding = np.flatnonzero(op == CONCEDE)
    if not len(conceding):
        return conceding
    events, awards = scope.batch.events, events_of_kinds(scope, ("award",))
    late = conceding > last_by_round(scope, awards).take(events.round.take(conceding))
    return conceding.compress(late & np.isin(events.seat.take(conceding), events.seat.take(awards)))


def _forced_bets_elsewhere(scope: Scope) -> Ints:
    """int64[m]: the forced bets that a requirement on the course of the betting, or on one listed before it, finds out
    of place."""
    course = scope.prepared.betting.course
    if course is None:
        return np.zeros(0, np.int64)
    names = list(scope.prepared.courses)
    result = np.concatenate([found_in(scope, name) for name in names[: names.index(course) + 1]])
    return result.compress(scope.batch.events.kind.take(result) == _WAGER)


def _last_of(scope: Scope, step: str) -> Ints:
    """int64[m]: the last event of a step in every round that has any. A card too many that is dealt once somebody has
    acted is none."""
    chosen = events_of(scope, step)
    beyond, acts = dealt_beyond(scope)[chosen], betting_acts(scope)
    last = last_by_round(scope, chosen[~beyond])
    if beyond.any():
        proper = last[scope.batch.events.round[chosen]]
        at_once = np.searchsorted(acts, chosen) == np.searchsorted(acts, proper)
        last = last_by_round(scope, chosen[~beyond | at_once])
    return last[last != ABSENT]


def _wagers(betting: Betting, wager: Coded) -> Codes:
    """uint8[events]: what a wager does that is put in, by its name."""
    ops = {forced_bet.wager: _FORCED[forced_bet.counts] for forced_bet in betting.forced}
    return _coded(wager, [ops.get(name, OTHER) for name in wager.names])


def _decisions(game: Game, decision: Coded) -> Codes:
    """uint8[events]: what a decision does, by its name."""
    ops = {
        name: OTHER if decision_rule.kind is None else ACTS[decision_rule.kind]
        for name, decision_rule in game.decisions.items()
    }
    return _coded(decision, [ops.get(name, _UNHEARD) for name in decision.names])


def _coded(column: Coded, ops: list[int]) -> Codes:
    return np.array([*ops, OTHER], np.uint8)[column.codes]


def _floors(scope: Scope, betting: Betting, op: Codes) -> tuple[Ints, Flags]:
    """Per event: the least bet that it sets, and whether that cannot be told: it may have been all that the player
    had, and what is posted is not known."""
    events = scope.batch.events
    floor, unsure = np.zeros(len(op), np.int64), np.zeros(len(op), bool)
    for forced_bet in betting.forced:
        if forced_bet.counts != "as-the-bet":
            continue
        chosen = np.flatnonzero((op == AS_BET) & (events.wager.codes == events.wager.code(forced_bet.wager)))
        least, most = scope.bounds(_minimum(forced_bet.wager), "round")
        owner = events.round[chosen]
        known = (least == most)[owner]
        floor[chosen] = np.where(known, least[owner], 0)
        unsure[chosen] = ~known & ~_chips_left(scope, chosen)
    return floor, unsure


def _minimum(wager: str) -> Quantity:
    return Quantity.model_validate({"minimum": wager})


def _chips_left(scope: Scope, chosen: Ints) -> Flags:
    """bool[m]: whether the seat of a forced bet surely has chips left after all of its forced bets."""
    events, seats = scope.batch.events, scope.batch.seats
    forced = np.flatnonzero((events.kind == _WAGER) & (events.seat != ABSENT))
    put = np.zeros(len(seats.number), np.int64)
    np.add.at(put, events.seat[forced], events.amount[forced])
    left = (seats.stack != ABSENT) & (seats.stack > put)
    return left[events.seat[chosen]]
