"""How many cards are burnt before a stage of the deal, and how many each place receives in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, distinct
from validator.engine.acts.event_cards import cards_told
from validator.engine.betting.opens_by_upcards import served_in
from validator.engine.core.context import Scope
from validator.engine.timeline.step_events import last_by_round
from validator.engine.timeline.streets import (
    BURN,
    burns_first,
    burns_inside,
    dealt_in,
    receivers,
    sizes_of,
    stage_of_events,
)
from validator.engine.timeline.truncated_records import dealing
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.terms import Place

_PLAYER_PLACE: Place = "player"
Due = Mapping[int, frozenset[int]]
"""The numbers that are permitted, by the place they belong to (a code of `PLACES`)."""


class Numbers(Struct, frozen=True, kw_only=True):
    """The first wrong number of cards of every round.

    Arrays are per round: `broke_at` int64, the event that shows it, -1 where every number is right; `stage`, `place`
    and `seat` int64, where it is, the seat ABSENT where it is at none; `number` int64, how many cards there were. `due`
    is by stage; `answering` int64 is what was due where that is one number by itself, ABSENT elsewhere: as many cards
    drawn as were put away, none for a player who is out. `told` is bool, whether events tell of how many cards they
    are. `alike` int64[2, m] are the rounds and seats of all wrong numbers of seats in the stage of the first one.
    """

    broke_at: Ints
    stage: Ints
    place: Ints
    seat: Ints
    number: Ints
    due: Mapping[int, Due]
    answering: Ints
    told: Flags
    alike: Ints

    def seats(self, round_: int) -> list[int]:
        """The seats that have a wrong number in the stage in which a round has its first one."""
        return distinct(self.alike[1, self.alike[0] == round_]).tolist()


class _Wrong(Struct, frozen=True, kw_only=True):
    """Wrong numbers of one stage: `event` int64, the events that show them, the others as in `Numbers`. `unfinished`
    int64 are rounds whose record stops while cards are owed."""

    event: Ints
    place: Ints
    seat: Ints
    number: Ints
    answering: Ints
    unfinished: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def counted(scope: Scope, stages: Sequence[int]) -> Numbers:
    """The number of cards of every place that receives any in a stage; where it exchanges cards, as many as it put away
    and no more than it may."""
    deal = scope.prepared.game.deal
    due: dict[int, Due] = {}
    for stage in stages:
        exchanged = deal.stages[stage].exchanges
        if exchanged is not None:
            due[stage] = {PLACES.index(place): frozenset(range(most + 1)) for place, most in exchanged.items()}
            continue
        ways = [way.dealt() for way in deal.stages[stage].permitted.values()]
        due[stage] = {
            code: frozenset(way.get(place, 0) for way in ways) for code, place in enumerate(PLACES) if place != "burn"
        }
    wrong = [
        (stage, (_miscounted if deal.stages[stage].exchanges is None else _misdrawn)(scope, stage, due[stage]))
        for stage in stages
    ]
    of_players = [stage for stage in stages if _deals_to_who_is_in(scope, stage)]
    result = _first_wrong(scope, due, wrong + [(stage, _left_out(scope, stage)) for stage in of_players])
    for stage in of_players:  # where nobody tells who is out, who is left out may be
        missed = scope.batch.seats.round[_missed(scope, stage)]
        result.told[missed[(~served_in(scope, stage).told | _goes_on(scope, stage))[missed]]] = False
    for _, errors in wrong:
        result.told[errors.unfinished] = False
    return result


def _misdrawn(scope: Scope, stage: int, due: Due) -> _Wrong:
    """A number that no event tells is not known to be wrong; nor is too little drawn where the record breaks off."""
    events = scope.batch.events
    ours = np.flatnonzero(stage_of_events(scope) == stage)
    ours = ours[np.isin(events.kind[ours], (KIND["discard"], KIND["draw"]))]
    receiver, inverse = np.unique(receivers(scope)[ours], return_inverse=True)
    size, recorded = cards_told(scope, ours)
    away, drawn = (
        np.bincount(inverse, np.where(events.kind[ours] == KIND[kind], size, 0), len(receiver)).astype(np.int64)
        for kind in ("discard", "draw")
    )
    known = np.bincount(inverse, ~recorded, len(receiver)) == 0
    last = np.zeros(len(receiver), np.int64)
    np.maximum.at(last, inverse, ours)
    too_many = ~_permitted(due, events.place[last].astype(np.int64), away)
    short = known & (drawn < away) & ~scope.batch.complete[events.round[last]]
    wrong = np.flatnonzero(known & (too_many | ((drawn != away) & ~short)))
    number, answering = np.where(too_many, away, drawn), np.where(too_many, ABSENT, away)
    result = replace(_wrong(scope, last[wrong], number[wrong]), answering=answering[wrong])
    return replace(result, unfinished=events.round[last[short]].astype(np.int64))


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
    unfinished = wrong & _goes_on(scope, stage)[events.round[ours]] & (number < _most(due)[place])
    wrong &= ~unfinished
    return replace(
        _wrong(scope, ours[wrong], number[wrong]), unfinished=events.round[ours[unfinished]].astype(np.int64)
    )


def _goes_on(scope: Scope, stage: int) -> Flags:
    """bool[rounds]: whether the record stops while a stage may still be being dealt."""
    _, last = dealing(scope)
    return (last != ABSENT) & (np.append(stage_of_events(scope), ABSENT)[last] == stage)


def _most(due: Due) -> Ints:
    """int64[places]: the most cards that are due."""
    return np.array([max(due.get(code, ()), default=0) for code in range(len(PLACES))], np.int64)


def _wrong(scope: Scope, event: Ints, number: Ints) -> _Wrong:
    """Wrong numbers at the places of the events that show them, where none of those of the stage was due."""
    events = scope.batch.events
    return _Wrong(
        event=event,
        place=events.place[event].astype(np.int64),
        seat=events.seat[event].astype(np.int64),
        number=number,
        answering=np.full(len(event), ABSENT, np.int64),
    )


def _deals_to_who_is_in(scope: Scope, stage: int) -> bool:
    """Whether a stage deals to players who bet, so that each who is in is due cards, and who is out is not."""
    game = scope.prepared.game
    return game.betting is not None and _PLAYER_PLACE in (game.deal.stages[stage].cards or ())


def _left_out(scope: Scope, stage: int) -> _Wrong:
    """Players still in who are left out of a stage in which others are dealt cards, shown by the last of those, and
    players who are out and are dealt some."""
    served, seats = served_in(scope, stage), scope.batch.seats
    missed = _missed(scope, stage)
    missed = missed[(served.told & ~_goes_on(scope, stage))[seats.round[missed]]]
    own, last = _packets(scope, stage)
    extra = np.flatnonzero(~served.still_in & (own != ABSENT))
    left = _wrong(scope, last[seats.round[missed]], np.zeros(len(missed), np.int64))
    given = _wrong(scope, own[extra], dealt_in(scope, stage)[extra])
    return _Wrong(
        event=np.concatenate([left.event, given.event]),
        place=np.concatenate([left.place, given.place]),
        seat=np.concatenate([missed, extra]),
        number=np.concatenate([left.number, given.number]),
        answering=np.concatenate([left.answering, np.zeros(len(extra), np.int64)]),
    )


def _missed(scope: Scope, stage: int) -> Ints:
    """int64[m]: seats of which the log does not tell that they gave up their hands, and which are left out of a stage
    in which others are dealt cards."""
    served, stages = served_in(scope, stage), scope.prepared.game.deal.stages
    own, _ = _packets(scope, stage)
    # Who was dealt nothing to begin with is missed there, and not once more.
    first = next(number for number in range(stage + 1) if _PLAYER_PLACE in (stages[number].cards or ()))
    had = (dealt_in(scope, first)[: len(own)] > 0) | (first == stage)
    return np.flatnonzero(served.still_in & had & served.came[scope.batch.seats.round] & (own == ABSENT))


def _packets(scope: Scope, stage: int) -> tuple[Ints, Ints]:
    """The last event of a stage that deals cards to each seat, int64[seats], and to any of a round, int64[rounds];
    ABSENT where there is none."""
    events = scope.batch.events
    ours = np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index(_PLAYER_PLACE)))
    own = np.full(scope.length("seat"), ABSENT, np.int64)
    own[events.seat[ours]] = ours
    return own, last_by_round(scope, ours)


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
    handed = np.isin(events.kind, (KIND["deal"], KIND["draw"])) & (events.place != BURN)
    cards, burns = np.flatnonzero(ours & handed), np.flatnonzero(ours & (events.place == BURN))
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
    burnt_at = np.full(len(wrong), BURN, np.int64)
    nobody = np.full(len(wrong), ABSENT, np.int64)
    return replace(_wrong(scope, first[wrong], number[wrong]), place=burnt_at, seat=nobody)


def _permitted(due: Due, place: Ints, number: Ints) -> Flags:
    result = np.zeros(len(place), bool)
    for code, numbers in due.items():
        result |= (place == code) & np.isin(number, list(numbers))
    return result


def _first_wrong(scope: Scope, due: Mapping[int, Due], wrong: Sequence[tuple[int, _Wrong]]) -> Numbers:
    stages = [*due]
    rounds = scope.length("round")
    broke_at, seat = np.full(rounds, -1, np.int64), np.full(rounds, ABSENT, np.int64)
    stage, place, number, answering = (np.zeros(rounds, np.int64) for _ in range(4))
    event = np.concatenate([errors.event for _, errors in wrong])
    # Of each round the first is written last.
    order = np.argsort(-event, kind="stable")
    at = scope.batch.events.round[event[order]].astype(np.int64)
    of_stage = np.concatenate([np.full(len(errors.event), which, np.int64) for which, errors in wrong])[order]
    of_seat = np.concatenate([errors.seat for _, errors in wrong])[order]
    broke_at[at], stage[at], seat[at] = event[order], of_stage, of_seat
    place[at] = np.concatenate([errors.place for _, errors in wrong])[order]
    number[at] = np.concatenate([errors.number for _, errors in wrong])[order]
    answering[at] = np.concatenate([errors.answering for _, errors in wrong])[order]
    alike = (of_stage == stage[at]) & (of_seat != ABSENT)
    return Numbers(
        broke_at=broke_at,
        stage=stage,
        place=place,
        seat=seat,
        number=number,
        due=due,
        answering=answering,
        told=_told(scope, stages),
        alike=np.stack([at[alike], of_seat[alike]]),
    )


def _told(scope: Scope, stages: Sequence[int]) -> Flags:
    """bool[rounds]: whether all events of some stages tell of how many cards they are."""
    ours = np.flatnonzero(np.isin(stage_of_events(scope), stages))
    recorded = np.ones(scope.length("round"), bool)
    recorded[scope.batch.events.round[ours[~cards_told(scope, ours)[1]]]] = False
    return recorded
