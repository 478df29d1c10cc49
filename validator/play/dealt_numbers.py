"""How many cards are burnt before a stage of the deal, and how many each place receives in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.event_values import PLACES
from validator.play.scope import Scope
from validator.play.stages import BURN, burns_first, burns_inside, dealt_in, receivers, sizes_of, stage_of_events

Ints = NDArray[np.int64]
Due = Mapping[int, frozenset[int]]
"""The numbers that are permitted, by the place they belong to (a code of `PLACES`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The first wrong number of cards of every round.

    Arrays are per round: `broke_at` int64, the event that shows it, -1 where every number is right; `stage` and
    `place` int64, where it is; `number` int64, how many cards there were. `due` is by stage.
    """

    broke_at: Ints
    stage: Ints
    place: Ints
    number: Ints
    due: Mapping[int, Due]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrong:
    """Wrong numbers of one stage: `event` int64, the events that show them, `place` and `number` int64."""

    event: Ints
    place: Ints
    number: Ints


def counted(scope: Scope, stages: Sequence[int]) -> Numbers:
    """The number of cards of every place that receives any in a stage."""
    deal = scope.prepared.game.deal
    due: dict[int, Due] = {}
    for stage in stages:
        ways = [way.dealt() for way in deal.stages[stage].permitted.values()]
        due[stage] = {
            code: frozenset(way.get(place, 0) for way in ways) for code, place in enumerate(PLACES) if place != "burn"
        }
    return _first_wrong(scope, due, [(stage, _miscounted(scope, stage, due[stage])) for stage in stages])


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
    return _Wrong(event=ours[wrong], place=place[wrong], number=number[wrong])


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
    return _Wrong(event=first[wrong], place=place[wrong], number=number[wrong])


def _permitted(due: Due, place: Ints, number: Ints) -> NDArray[np.bool_]:
    found = np.zeros(len(place), bool)
    for code, numbers in due.items():
        found |= (place == code) & np.isin(number, list(numbers))
    return found


def _first_wrong(scope: Scope, due: Mapping[int, Due], wrong: Sequence[tuple[int, _Wrong]]) -> Numbers:
    rounds = scope.length("round")
    broke_at = np.full(rounds, -1, np.int64)
    stage, place, number = (np.zeros(rounds, np.int64) for _ in range(3))
    event = np.concatenate([one.event for _, one in wrong])
    # Of each round the first is written last.
    order = np.argsort(-event, kind="stable")
    at = scope.batch.events.round[event[order]]
    broke_at[at] = event[order]
    stage[at] = np.concatenate([np.full(len(one.event), which, np.int64) for which, one in wrong])[order]
    place[at] = np.concatenate([one.place for _, one in wrong])[order]
    number[at] = np.concatenate([one.number for _, one in wrong])[order]
    return Numbers(broke_at=broke_at, stage=stage, place=place, number=number, due=due)
