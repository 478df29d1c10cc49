"""How many cards are burnt before a stage of the deal, and how many each place receives in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.event_values import PLACES
from validator.play.betting.positions import in_when_dealt
from validator.play.scope import Scope
from validator.play.stages import BURN, burns_first, burns_inside, dealt_in, receivers, sizes_of, stage_of_events

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_PLAYER = PLACES.index("player")
Due = Mapping[int, frozenset[int]]
"""The numbers that are permitted, by the place they belong to (a code of `PLACES`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The first wrong number of cards of every round.

    Arrays are per round: `broke_at` int64, the event that shows it, -1 where every number is right; `stage`, `place`
    and `seat` int64, where it is, the seat ABSENT where it is at none; `number` int64, how many cards there were; `out`
    bool, whether the seat was out of the round, so that no cards were due to it. `due` is by stage.
    """

    broke_at: Ints
    stage: Ints
    place: Ints
    seat: Ints
    number: Ints
    out: Flags
    due: Mapping[int, Due]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrong:
    """Wrong numbers of one stage: `event` int64, the events that show them, the others as in `Numbers`."""

    event: Ints
    place: Ints
    seat: Ints
    number: Ints
    out: Flags


def counted(scope: Scope, stages: Sequence[int]) -> Numbers:
    """The number of cards of every place that receives any in a stage."""
    deal = scope.prepared.game.deal
    due: dict[int, Due] = {}
    for stage in stages:
        ways = [way.dealt() for way in deal.stages[stage].permitted.values()]
        due[stage] = {
            code: frozenset(way.get(place, 0) for way in ways) for code, place in enumerate(PLACES) if place != "burn"
        }
    wrong = [(stage, _miscounted(scope, stage, due[stage])) for stage in stages]
    again = [stage for stage in stages if _deals_again(scope, stage)]
    return _first_wrong(scope, due, wrong + [(stage, _left_out(scope, stage)) for stage in again])


def _miscounted(scope: Scope, stage: int, due: Due) -> _Wrong:
    events = scope.batch.events
    ours = np.flatnonzero((stage_of_events(scope) == stage) & (events.place != BURN))
    receiver = receivers(scope)[ours]
    # The number is told by the last packet of the place.
    last = np.zeros(len(ours), bool)
    last[len(ours) - 1 - np.unique(receiver[::-1], return_index=True)[1]] = True
    ours, receiver = ours[last], receiver[last]
    place = events.place[ours].astype(np.int64)
    number = dealt_in(scope, stage)[receiver]
    wrong = ~_permitted(due, place, number)
    at = ours[wrong]
    seat = events.seat[at].astype(np.int64)
    return _Wrong(event=at, place=place[wrong], seat=seat, number=number[wrong], out=np.zeros(len(at), bool))


def _deals_again(scope: Scope, stage: int) -> bool:
    """Whether a stage deals to players who had cards before and bet on them, so that some may be out of it."""
    game = scope.prepared.game
    served = ["player" in one.cards for one in game.deal.stages[: stage + 1]]
    return game.betting is not None and served[-1] and any(served[:-1])


def _left_out(scope: Scope, stage: int) -> _Wrong:
    """Players still in who are left out of a stage in which others are dealt cards, shown by the last of those, and
    players who are out and are dealt some."""
    came, still_in = in_when_dealt(scope, stage)
    seats, events = scope.batch.seats, scope.batch.events
    ours = np.flatnonzero((stage_of_events(scope) == stage) & (events.place == _PLAYER))
    last, own = np.full(len(scope.batch), ABSENT, np.int64), np.full(scope.length("seat"), ABSENT, np.int64)
    last[events.round[ours]] = own[events.seat[ours]] = ours
    before = [number for number in range(stage) if "player" in scope.prepared.game.deal.stages[number].cards]
    had = dealt_in(scope, before[0])[: len(own)] > 0
    missed = np.flatnonzero(still_in & had & came[seats.round] & (own == ABSENT))
    extra = np.flatnonzero(~still_in & (own != ABSENT))
    seat = np.concatenate([missed, extra])
    return _Wrong(
        event=np.concatenate([last[seats.round[missed]], own[extra]]),
        place=np.full(len(seat), _PLAYER, np.int64),
        seat=seat,
        number=np.where(own[seat] == ABSENT, 0, dealt_in(scope, stage)[seat]),
        out=~still_in[seat],
    )


def burnt(scope: Scope, stages: Sequence[int]) -> Numbers:
    """The number of cards burnt before the first card of a stage."""
    deal = scope.prepared.game.deal
    due: dict[int, Due] = {
        stage: {BURN: frozenset(burns_first(way) for way in deal.stages[stage].permitted.values())} for stage in stages
    }
    return _first_wrong(scope, due, [(stage, _misburnt(scope, stage, due[stage])) for stage in stages])


def _misburnt(scope: Scope, stage: int, due: Due) -> _Wrong:
    events, rounds = scope.batch.events, scope.length("round")
    ours = stage_of_events(scope) == stage
    cards, burns = np.flatnonzero(ours & (events.place != BURN)), np.flatnonzero(ours & (events.place == BURN))
    first = np.full(rounds, ABSENT, np.int64)
    first[events.round[cards[::-1]]] = cards[::-1]
    owner, size = events.round[burns], sizes_of(scope, burns)
    ahead = burns < first[owner]
    before = np.bincount(owner[ahead], size[ahead], rounds).astype(np.int64)
    late = np.bincount(owner[~ahead], size[~ahead], rounds).astype(np.int64)
    if any(burns_inside(way) for way in scope.prepared.game.deal.stages[stage].permitted.values()):
        late[:] = 0
    place = np.full(rounds, BURN, np.int64)
    short = ~_permitted(due, place, before)
    wrong = np.flatnonzero((first != ABSENT) & (short | (late > 0)))
    number = np.where(short, before, before + late)
    nobody = np.full(len(wrong), ABSENT, np.int64)
    return _Wrong(event=first[wrong], place=place[wrong], seat=nobody, number=number[wrong], out=nobody != ABSENT)


def _permitted(due: Due, place: Ints, number: Ints) -> NDArray[np.bool_]:
    found = np.zeros(len(place), bool)
    for code, numbers in due.items():
        found |= (place == code) & np.isin(number, list(numbers))
    return found


def _first_wrong(scope: Scope, due: Mapping[int, Due], wrong: Sequence[tuple[int, _Wrong]]) -> Numbers:
    rounds = scope.length("round")
    broke_at, seat = np.full(rounds, -1, np.int64), np.full(rounds, ABSENT, np.int64)
    stage, place, number = (np.zeros(rounds, np.int64) for _ in range(3))
    out = np.zeros(rounds, bool)
    event = np.concatenate([one.event for _, one in wrong])
    # Of each round the first is written last.
    order = np.argsort(-event, kind="stable")
    at = scope.batch.events.round[event[order]]
    broke_at[at] = event[order]
    stage[at] = np.concatenate([np.full(len(one.event), which, np.int64) for which, one in wrong])[order]
    place[at] = np.concatenate([one.place for _, one in wrong])[order]
    seat[at] = np.concatenate([one.seat for _, one in wrong])[order]
    number[at] = np.concatenate([one.number for _, one in wrong])[order]
    out[at] = np.concatenate([one.out for _, one in wrong])[order]
    return Numbers(broke_at=broke_at, stage=stage, place=place, seat=seat, number=number, out=out, due=due)
