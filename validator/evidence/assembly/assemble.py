"""Assembly of a draft into batches: find seats, quarantine bad rounds, separate games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.evidence.assembly.never_lay import without_packets_put_aside
from validator.evidence.columns.batch import MOMENT, Batch, Coded, Events, Meters, Seats
from validator.evidence.columns.draft import Draft, Wrong
from validator.evidence.columns.select import select
from validator.evidence.consistency.acts import strange_acts
from validator.evidence.consistency.check import contradictions
from validator.evidence.consistency.known_game import KnownGame
from validator.evidence.consistency.swept import less_what_was_put_back
from validator.evidence.handlog.event_values import AT_PLAYER, HIGHEST_SEAT
from validator.evidence.handlog.events import KINDS
from validator.evidence.handlog.record import MOST_STAKES
from validator.results.results import Quarantined
from validator.text.visible import quoted

_MICROSECONDS_A_DAY = 86_400_000_000
_SLOTS = HIGHEST_SEAT + 1


class Decoded(Struct, frozen=True, kw_only=True):
    """Decoded block of a log. Every record is in a batch or quarantined."""

    batches: tuple[Batch, ...]
    """Batches of one game each."""
    quarantined: tuple[Quarantined, ...]
    """Quarantined records, in the order of logs and lines."""
    read: int
    """Number of records read."""
    logs: tuple[int, ...] = ()
    """Number of records read from each log, if the block holds several."""


def assemble(draft: Draft, wrong: Wrong, known_games: Collection[str]) -> tuple[tuple[Batch, ...], list[Quarantined]]:
    """Assemble the batches of a draft, one per game in order of first appearance, and the quarantined rounds.

    Quarantined are rounds that
    - are already bad, or belong to a game outside `known_games`;
    - list a seat, stake or meter twice, or have events about a seat that is not listed;
    - have events that contradict the summary;
    - have acts that their game does not provide for, if `known_games` maps each game to a `KnownGame`.
    """
    batch = without_packets_put_aside(_resolve_seats(draft, wrong))
    _check_stakes(batch, wrong)
    _check_meters(batch.meters, wrong)
    games = draft.game
    known = np.array([*(name in known_games for name in games.names), False], np.bool_)
    for index in np.flatnonzero(~known[games.codes]).tolist():
        wrong.note(index, f"no rules are known for the game {quoted(games.text(index) or '')}")
    sound = _mark_good(wrong, len(batch))
    at = np.flatnonzero(sound)
    whole = select(batch, sound)
    for index, reason in contradictions(whole, partial(_list_bonuses, known_games, games)):
        wrong.note(int(at[index]), reason)
    if isinstance(known_games, Mapping):
        for index, reason in strange_acts(whole, replace(games, codes=games.codes[sound]), known_games):
            wrong.note(int(at[index]), reason)
    quarantined = [
        Quarantined(file=draft.file, line=int(draft.line[index]), column=None, reason=reason)
        for index, reason in wrong.reasons.items()
    ]
    return tuple(_split_games(batch, _mark_good(wrong, len(batch)), games)), quarantined


def _list_bonuses(known_games: Collection[str], games: Coded) -> frozenset[str]:
    """Return the names of payments without a stake of their own, in the games that are played."""
    if not isinstance(known_games, Mapping):
        return frozenset()
    known: list[KnownGame] = [known_games[name] for name in games.standing() if name in known_games]
    return frozenset(name for game in known for name in game.bonuses)


def _mark_good(wrong: Wrong, rounds: int) -> Flags:
    good = np.ones(rounds, np.bool_)
    good[list(wrong.reasons)] = False
    return good


def _split_games(batch: Batch, good: Flags, games: Coded) -> Iterator[Batch]:
    for code in dict.fromkeys(games.codes[good].tolist()):
        yield less_what_was_put_back(replace(select(batch, good & (games.codes == code)), game=games.names[code]))


def _resolve_seats(draft: Draft, wrong: Wrong) -> Batch:
    """Return the draft as a batch without a game, with the seats of events resolved by number."""
    rounds, seats, events = len(draft.round), draft.seats, draft.events
    seat_round = np.repeat(np.arange(rounds, dtype=np.int32), seats.counts)
    slot = seat_round * _SLOTS + seats.number
    index = np.arange(len(slot), dtype=np.int32)
    seat_at = np.full(rounds * _SLOTS, ABSENT, np.int32)
    seat_at[slot] = index
    for twice in np.flatnonzero(seat_at[slot] != index).tolist():
        wrong.note(int(seat_round[twice]), f"seat {seats.number[twice]} is listed twice")

    event_round = np.repeat(np.arange(rounds, dtype=np.int32), events.counts)
    offsets = _make_offsets(events.counts)
    named = events.seat > 0
    event_seat = seat_at[event_round * _SLOTS + np.maximum(events.seat, 0)]  # no seat has the number 0
    at_player = events.place == AT_PLAYER
    for event in np.flatnonzero(named & (event_seat < 0)).tolist():
        round_index = int(event_round[event])
        wrong.note(
            round_index,
            f"event {event - offsets[round_index] + 1} names seat {events.seat[event]}, which is not listed",
        )
    for event in np.flatnonzero((events.place >= 0) & (at_player != named)).tolist():
        round_index = int(event_round[event])
        fault = (
            "names a seat, but its place is not `player`"
            if named[event]
            else "has the place `player` but names no seat"
        )
        wrong.note(round_index, f"event {event - offsets[round_index] + 1} ({KINDS[events.kind[event]]}) {fault}")

    return Batch(
        file=Coded(codes=np.zeros(rounds, np.int32), names=(draft.file,)),
        game="",
        round=draft.round,
        line=draft.line,
        table=draft.table,
        casino=draft.casino,
        day=(draft.time // _MICROSECONDS_A_DAY).astype(np.int32),
        time=draft.time,
        dated=np.full(rounds, MOMENT, np.uint8),
        offset=draft.offset,
        number=draft.number,
        deck=draft.deck,
        button=draft.button,
        small_bet=draft.small_bet,
        big_bet=draft.big_bet,
        after=draft.after,
        complete=draft.complete,
        dealer=draft.dealer,
        dealer_discarded=draft.dealer_discarded,
        dealer_drawn=draft.dealer_drawn,
        community=draft.community,
        community_discarded=draft.community_discarded,
        meters=Meters(
            offsets=_make_offsets(draft.meters.counts),
            round=np.repeat(np.arange(rounds, dtype=np.int32), draft.meters.counts),
            meter=draft.meters.meter,
            opening=draft.meters.opening,
            shown=draft.meters.shown,
            closing=draft.meters.closing,
        ),
        seats=Seats(
            offsets=_make_offsets(seats.counts),
            round=seat_round,
            number=seats.number.astype(np.int16),
            player=seats.player,
            decision=seats.decision,
            hands=seats.hands,
            discarded=seats.discarded,
            drawn=seats.drawn,
            stack=seats.stack,
            stack_after=seats.stack_after,
            won=seats.won,
            playing=seats.playing,
        ),
        stakes=draft.stakes,
        events=Events(
            offsets=offsets,
            round=event_round,
            kind=events.kind,
            seat=event_seat,
            place=events.place,
            face=events.face,
            by=events.by,
            means=events.means,
            wager=events.wager,
            tip=events.tip,
            amount=events.amount,
            decision=events.decision,
            what=events.what,
            deck=events.deck,
            positions=events.positions,
            pot=events.pot,
            chips=events.chips,
            cards_row=events.cards_row,
            hands=events.hands,
        ),
        recorded=draft.recorded,
        unrecorded=draft.unrecorded,
        currency=draft.currency,
        context=draft.context,
    )


def _check_stakes(batch: Batch, wrong: Wrong) -> None:
    seats, stakes = batch.seats, batch.stakes
    for seat in np.flatnonzero(np.bincount(stakes.seat, minlength=1) > MOST_STAKES).tolist():
        reason = f"seat {seats.number[seat]} has more than {MOST_STAKES} wagers and bonuses"
        wrong.note(int(seats.round[seat]), reason)
    name = stakes.seat * np.int64(len(stakes.wager.names) + 1) + stakes.wager.codes + 1
    keys = 4 * name + 2 * stakes.bonus + stakes.tip
    order = np.argsort(keys, kind="stable")
    for stake in order[1:][keys[order[1:]] == keys[order[:-1]]].tolist():
        seat = int(stakes.seat[stake])
        reason = f"seat {seats.number[seat]} lists {quoted(stakes.wager.text(stake) or '')} twice"
        wrong.note(int(seats.round[seat]), reason)


def _check_meters(meters: Meters, wrong: Wrong) -> None:
    keys = meters.round * np.int64(len(meters.meter.names) + 1) + meters.meter.codes + 1
    order = np.argsort(keys, kind="stable")
    for twice in order[1:][keys[order[1:]] == keys[order[:-1]]].tolist():
        wrong.note(int(meters.round[twice]), f"the meter {quoted(meters.meter.text(twice) or '')} is listed twice")


def _make_offsets(counts: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
