"""The events of a round, told step by step from the procedure of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from validator.evidence.columns import ABSENT, Events, Flags
from validator.evidence.events import ACTORS, KIND, PLACES
from validator.play.simulate.dealing_told import tell_deal
from validator.play.simulate.house import House
from validator.play.simulate.kinds import AT_PLACE, AT_STAKE
from validator.play.simulate.parts import Part, in_order, order
from validator.play.simulate.rounds import OWN, Rounds, scope_of
from validator.play.simulate.showing import shown_at
from validator.play.simulate.stage import Stage, ranks
from validator.rulebook.language.game import Step


def tell(house: House, rounds: Rounds, rng: np.random.Generator) -> Events:
    """All events of the rounds, every step of the procedure in its place and every outcome told once."""
    scope, rank = scope_of(house, rounds), ranks(house, rounds)
    untold = _outcomes(rounds)
    parts: list[Part] = []
    course = [step for step in house.game.procedure if not step.aside]
    number = 0
    for index, (before, step) in enumerate(pairwise([None, *course])):
        assert step is not None
        if before is None or step.turn is None or step.turn != before.turn:
            number = index
        stage = Stage(house=house, rounds=rounds, scope=scope, step=step, number=number, turn=index - number, rank=rank)
        for kind in step.events:
            parts += tell_deal(stage, rng) if kind == "deal" else _told(stage, kind, untold)
    return in_order(parts, len(rounds), names=house.names, decisions=house.decisions, what=house.what)


def told_of_step(house: House, rounds: Rounds, step: Step) -> Events:
    """The events of one step as if it happened everywhere, whatever its `when` asks for."""
    stage = Stage(
        house=house,
        rounds=rounds,
        scope=scope_of(house, rounds),
        step=step.model_copy(update={"when": None}),
        number=0,
        turn=0,
        rank=ranks(house, rounds),
    )
    parts = [part for kind in step.events for part in _told(stage, kind, _outcomes(rounds))]
    return in_order(parts, len(rounds), names=house.names, decisions=house.decisions, what=house.what)


def _outcomes(rounds: Rounds) -> dict[str, Flags]:
    """bool[names, 2, seats] by kind of event: the stakes of which such an event must be told."""
    staked, paid, taken = rounds.amount > 0, rounds.paid > 0, rounds.taken > 0
    return {"wager": staked.copy(), "pay": paid, "collect": taken, "return": staked & ~paid & ~taken}


def _told(stage: Stage, kind: str, untold: Mapping[str, Flags]) -> Iterator[Part]:
    if kind in AT_STAKE:
        yield from _stakes(stage, kind, untold[kind])
    elif kind in AT_PLACE:
        yield _place(stage, kind)
    elif kind == "decide":
        yield _decisions(stage)
    elif kind == "tuck":
        yield from _tucks(stage)
    else:
        yield _whole(stage, kind)


def _stakes(stage: Stage, kind: str, untold: Flags) -> Iterator[Part]:
    """An event for every stake (or bonus) of the step's lines; marks it as told."""
    house, rounds, step = stage.house, stage.rounds, stage.step
    fits = stage.seats()
    column = {"wager": rounds.amount, "pay": rounds.paid, "collect": rounds.taken, "return": rounds.amount}[kind]
    for position, name in enumerate(step.of or house.game.settlement.order):
        line = house.names.index(name)
        tip, seat = np.nonzero(untold[line] & fits)
        untold[line, :, fits] = False
        yield Part(
            kind=KIND[kind],
            round=rounds.round[seat],
            order=stage.of_seats(seat, position * 8 + tip * 4 + step.events.index(kind)),  # type: ignore[arg-type]
            seat=seat,
            wager=line,
            tip=tip != OWN,
            amount=column[line, tip, seat],
        )


def _place(stage: Stage, kind: str) -> Part:
    """An event at a place: of every seat where the place is the player's, else of the round."""
    place = stage.step.place or "table"
    if place == "player":
        seat = np.flatnonzero(stage.seats())
        return Part(
            kind=KIND[kind],
            round=stage.rounds.round[seat],
            order=stage.of_seats(seat),
            seat=seat,
            place=PLACES.index(place),
            cards=shown_at(stage.house, stage.scope, place, seat) if kind != "misdeal" else None,
        )
    chosen = stage.whole_rounds()
    return Part(
        kind=KIND[kind],
        round=chosen.astype(np.int32),
        order=np.full(len(chosen), order(stage.number, 0, stage.turn)),
        place=PLACES.index(place),
        cards=shown_at(stage.house, stage.scope, place, chosen) if kind != "misdeal" else None,
    )


def _decisions(stage: Stage) -> Part:
    seat = np.flatnonzero((stage.rounds.decision != ABSENT) & stage.seats())
    return Part(
        kind=KIND["decide"],
        round=stage.rounds.round[seat],
        order=stage.of_seats(seat),
        seat=seat,
        decision=stage.rounds.decision[seat],
    )


def _tucks(stage: Stage) -> Iterator[Part]:
    """Cards tucked under each of the step's wagers that a seat has placed itself."""
    fits = stage.seats()
    for position, name in enumerate(stage.step.of):
        line = stage.house.names.index(name)
        seat = np.flatnonzero(fits & (stage.rounds.amount[line, OWN] > 0))
        yield Part(
            kind=KIND["tuck"],
            round=stage.rounds.round[seat],
            order=stage.of_seats(seat, position),
            seat=seat,
            wager=line,
        )


def _whole(stage: Stage, kind: str) -> Part:
    """An event of the round as a whole."""
    chosen = stage.whole_rounds()
    what = stage.step.what
    return Part(
        kind=KIND[kind],
        round=chosen.astype(np.int32),
        order=np.full(len(chosen), order(stage.number, 0, stage.turn)),
        by=ACTORS.index(stage.step.by or "dealer") if kind in ("shuffle", "cut") else ABSENT,
        what=ABSENT if what is None else stage.house.what.index(what),
    )
