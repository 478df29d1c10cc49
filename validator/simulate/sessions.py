"""Rounds as those of a table that opens, goes on and closes: their numbers, their decks, what is done now and then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.timeline.step_events import events_of
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.columns.tables import end_to_end
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_values import ACTORS, FACES
from validator.evidence.handlog.events import KIND
from validator.rules.simulation.simulation import Occasion, Session
from validator.simulate.house import House
from validator.simulate.parts import Part, in_order
from validator.simulate.sequences import sequenced
from validator.simulate.stating import state_numbers

_HOUR = 3600

Happening = Mapping[tuple[int, str], Flags]
"""For each occasion, by its number, and each of its steps the rounds, bool[rounds], in which it is taken."""


class Before(Struct):
    """What held in the last round of each track (a table, or a deck of one), from batch to batch, for every purpose it
    is asked for."""

    _last: dict[tuple[object, int], tuple[bool, int]] = field(default_factory=dict)

    def __call__(self, purpose: object, held: Flags, track: Ints, batch: Batch) -> Flags:
        """bool[rounds]: where it held (bool[rounds]) in the round before of the same track (int64[rounds]) since the
        table opened. To be asked once a batch."""
        order = np.argsort(track, kind="stable")
        at, now, number = track[order], held[order], batch.number[order].astype(np.int64)
        before, since = np.roll(now, 1), np.roll(number, 1)
        for first in np.flatnonzero(np.diff(at, prepend=-1)).tolist():
            before[first], since[first] = self._last.get((purpose, int(at[first])), (False, 0))
        for last in np.flatnonzero(np.diff(at, append=-1)).tolist():
            self._last[purpose, int(at[last])] = bool(now[last]), int(number[last])
        found = np.zeros(len(held), np.bool_)
        found[order] = before & (since < number)
        return found


def numbered(house: House, session: Session, batch: Batch, hands: Ints) -> Batch:
    """The rounds with their numbers and decks in play. `hands` is int64[rounds], how many rounds each table has had
    before."""
    number = hands % session.rounds + 1 if session.rounds else hands + 1
    batch = replace(batch, number=number.astype(np.int32))
    if not house.decks:
        return batch
    in_play = ((number - 1) % len(house.decks)).astype(np.int32)
    return replace(batch, deck=Coded(codes=in_play, names=house.decks))


def happening(house: House, session: Session, batch: Batch, before: Before) -> Happening:
    """When the steps of all occasions are taken: not where a mishap has seen to it."""
    scope = Scope(batch, house.prepared, house.configuration)
    found: dict[tuple[int, str], Flags] = {}
    for index, occasion in enumerate(session.occasions):
        if occasion.operator == "following":
            held = scope.truth(occasion.operand, "round") == YES
            rounds = before(("occasion", index), held, batch.table.codes.astype(np.int64), batch)
        else:
            rounds = _when(house, occasion, batch.number.astype(np.int64))
        for step in occasion.steps:
            found[index, step] = rounds & where_usual(house, scope, step) & ~befell(house, scope, step)
    return found


def befell(house: House, scope: Scope, step: str) -> Flags:
    """bool[rounds]: the rounds that have a step by mishap, before anything is told between rounds."""
    found = np.zeros(scope.length("round"), np.bool_)
    if any(one.step == step for one in house.simulation.mishaps):
        found[scope.batch.events.round[events_of(scope, step)]] = True
    return found


def where_usual(house: House, scope: Scope, step: str) -> Flags:
    """bool[rounds]: the rounds in which the house does a step, if there is an occasion for it."""
    habit = house.simulation.steps.get(step)
    if habit is None or habit.when is None:
        return np.ones(scope.length("round"), np.bool_)
    return scope.truth(habit.when, "round") == YES


def _when(house: House, occasion: Occasion, number: Ints) -> Flags:
    """bool[rounds]: the rounds of an occasion, by their numbers."""
    match occasion.operator:
        case "opening":
            return number == 1
        case "rounds":
            return number % occasion.operand == 0
        case _:
            elapsed, span = (number - 1) * house.simulation.seconds, occasion.operand * _HOUR
            return (number > 1) & (elapsed // span > (elapsed - house.simulation.seconds) // span)


def told_between(house: House, session: Session, batch: Batch, taken: Happening) -> Batch:
    """The rounds with the events of all occasions, and the numbers that these state."""
    for index, occasion in enumerate(session.occasions):
        batch = _done(house, occasion, batch, {step: taken[index, step] for step in occasion.steps})
    return state_numbers(house, _to_other_decks(house, batch))


def _to_other_decks(house: House, batch: Batch) -> Batch:
    """The batch in which what is done with the deck that comes next in turn names that one."""
    steps = [name for name, habit in house.simulation.steps.items() if habit.deck == "other"]
    if len(house.decks) < 2 or not steps:
        return batch
    scope = Scope(batch, house.prepared, house.configuration)
    found = np.unique(np.concatenate([events_of(scope, name) for name in steps]))
    codes = batch.events.deck.codes.copy()
    found = found[codes[found] == ABSENT]
    codes[found] = (batch.deck.codes[batch.events.round[found]] + 1) % len(house.decks)
    return replace(batch, events=replace(batch.events, deck=Coded(codes=codes, names=house.decks)))


def _done(house: House, occasion: Occasion, batch: Batch, taken: Mapping[str, Flags]) -> Batch:
    """The batch with the events of an occasion."""
    events = batch.events
    place = 2 * events.offsets[:-1] - 1
    beside = occasion.before or occasion.after
    if beside is not None:
        found = events_of(Scope(batch, house.prepared, house.configuration), beside)
        found = found[::-1] if occasion.before else found
        place = np.full(len(batch), ABSENT, np.int64)
        place[events.round[found]] = 2 * found + (-1 if occasion.before else 1)
    possible = {step: np.flatnonzero(flags & ((place != ABSENT) | (beside is None))) for step, flags in taken.items()}
    told = in_order(list(_parts(house, occasion, possible)), len(batch), house.texts)
    told = replace(told, cards_row=np.full(len(told.round), ABSENT, np.int32))
    both = end_to_end([events, told])
    key = np.concatenate([2 * np.arange(len(events.round)), place[told.round]])
    return replace(batch, events=sequenced(both, np.lexsort((key, both.round)), len(batch)))


def _parts(house: House, occasion: Occasion, taken: Mapping[str, Ints]) -> Iterator[Part]:
    decks = range(len(house.decks)) if occasion.of_each == "deck" and house.decks else (ABSENT,)
    turn = 0
    for deck in decks:
        for name, rounds in taken.items():
            step = house.prepared.steps[name]
            (kind, *_) = step.events
            habit = house.simulation.steps.get(name)
            by = step.by or (None if habit is None else habit.by)
            has = {field: bool(RULES[field].has[KIND[kind]]) for field in ("by", "face", "deck", "what")}
            yield Part(
                kind=KIND[kind],
                round=rounds.astype(np.int32),
                order=np.full(len(rounds), turn),
                by=ABSENT if by is None or not has["by"] else ACTORS.index(by),
                what=ABSENT if step.what is None or not has["what"] else house.what.index(step.what),
                face=ABSENT if step.face is None or not has["face"] else FACES.index(step.face),
                deck=deck if has["deck"] else ABSENT,
            )
            turn += 1
