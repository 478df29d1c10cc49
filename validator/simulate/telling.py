"""The events of a round, told step by step from the procedure of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.evidence.columns.batch import Events, Hands
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_values import ACTORS, FACES, PLACES
from validator.evidence.handlog.events import KIND
from validator.rules.lint.simulated_kinds import ANYWHERE, AT_PLACE, AT_SEAT, AT_STAKE, CHIPS, EXCHANGES
from validator.rules.model.game import Step
from validator.simulate.dealing_told import tell_deal
from validator.simulate.exchange_steps import course, exchanged_before, place_of
from validator.simulate.exchange_told import tell_exchange
from validator.simulate.exchanges import stage_of, tell_exchanged
from validator.simulate.house import House
from validator.simulate.irregularities import tell_irregularities
from validator.simulate.mishaps import tell_mishaps
from validator.simulate.parts import Part, in_order, order
from validator.simulate.pooled_told import POOLED, tell_pooled
from validator.simulate.rounds import OWN, Rounds, scope_of
from validator.simulate.showing import shown_at
from validator.simulate.stage import Stage, ranks, side_of


def tell(house: House, rounds: Rounds, rng: np.random.Generator) -> Events:
    """All events of the rounds, every step of the procedure in its place and every outcome told once."""
    scope = scope_of(house, rounds)
    untold = _outcomes(rounds)
    parts: list[Part] = []
    dealt: list[Part] = []
    deal = number = 0
    for steps in _turns(house):
        rank = ranks(house, rounds, side_of(house, steps))
        for turn, step in enumerate(steps):
            stage = Stage(house=house, rounds=rounds, scope=scope, step=step, number=number, turn=turn, rank=rank)
            for kind in step.events:
                if kind == "deal":
                    dealt, deal = [*dealt, *tell_deal(stage, rng)], number
                else:
                    parts += _told(stage, kind, untold)
        number += 2 * len(steps)  # acts of betting come in between
    parts += [*dealt, *tell_irregularities(house, rounds), *tell_mishaps(rounds, dealt, deal, rng)]
    return in_order(parts, len(rounds), house.texts)


def _turns(house: House) -> list[list[Step]]:
    """The steps of the course, those together that are gone through seat by seat."""
    found: list[list[Step]] = []
    for step in course(house.game):
        if found and step.turn is not None and step.turn == found[-1][-1].turn:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def told_of_step(house: House, rounds: Rounds, step: Step) -> Events:
    """The events of one step as if it happened everywhere, whatever its `when` asks for."""
    stage = Stage(
        house=house,
        rounds=rounds,
        scope=scope_of(house, rounds),
        step=step,
        number=0,
        turn=0,
        rank=ranks(house, rounds, side_of(house, [step])),
        everywhere=True,
    )
    parts = [part for kind in step.events for part in _told(stage, kind, _outcomes(rounds))]
    return in_order(parts, len(rounds), house.texts)


def _outcomes(rounds: Rounds) -> dict[str, Flags]:
    """bool[names, 2, seats] by kind of event: the stakes of which such an event must be told."""
    staked, paid, taken = rounds.amount > 0, rounds.paid > 0, rounds.taken > 0
    return {"wager": staked.copy(), "pay": paid, "collect": taken, "return": staked & ~paid & ~taken}


def _told(stage: Stage, kind: str, untold: Mapping[str, Flags]) -> Iterator[Part]:
    exchange = stage_of(stage.house.game, stage.step.stage)
    if exchange is not None:
        yield from tell_exchanged(stage, kind, exchange)
    elif kind in POOLED and stage.house.game.pots is not None:
        yield from tell_pooled(stage, kind)
    elif kind in AT_STAKE:
        yield from _stakes(stage, kind, untold[kind])
    elif kind in AT_PLACE:
        yield _place(stage, kind)
    elif kind in EXCHANGES:
        yield from tell_exchange(stage, kind)
    elif kind == "decide":
        yield _decisions(stage)
    elif kind == "tuck":
        yield from _tucks(stage)
    elif kind == "claim":
        yield from _claims(stage)
    elif kind in AT_SEAT or (kind in ANYWHERE and stage.step.each != "round"):
        yield _of_seats(stage, kind)
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
        place = stage.of_seats(seat, position * 8 + tip * 4 + step.events.index(kind))  # type: ignore[arg-type]
        if kind == "wager" and house.game.betting is not None:
            # What is forced is put in wager by wager, not seat by seat.
            place = order(stage.number, position, stage.turn, stage.rank[seat])
        yield Part(
            kind=KIND[kind],
            round=rounds.round[seat],
            order=place,
            seat=seat,
            means=stage.means if kind == "wager" else ABSENT,
            wager=line,
            tip=tip != OWN,
            amount=column[line, tip, seat],
        )


def _place(stage: Stage, kind: str) -> Part:
    """An event at a place: of every seat where the place is the player's, else of the round."""
    place = place_of(stage.step) or "table"
    if place == "player":
        seat = np.flatnonzero(stage.seats())
        return Part(
            kind=KIND[kind],
            round=stage.rounds.round[seat],
            order=stage.of_seats(seat),
            seat=seat,
            place=PLACES.index(place),
            what=stage.what if kind == "collect-cards" else ABSENT,
            cards=_shown(stage, kind, place, seat),
        )
    chosen = stage.whole_rounds()
    return Part(
        kind=KIND[kind],
        round=chosen.astype(np.int32),
        order=np.full(len(chosen), order(stage.number, 0, stage.turn)),
        place=PLACES.index(place),
        what=stage.what if kind == "collect-cards" else ABSENT,
        cards=_shown(stage, kind, place, chosen),
    )


def _shown(stage: Stage, kind: str, place: str, rows: Ints) -> Hands | None:
    """The cards that an event at a place shows; none where it is about some lot of them that has a name."""
    if kind == "misdeal" or stage.step.what is not None:
        return None
    return shown_at(stage.house, stage.scope, place, rows, held=exchanged_before(stage.house.game, stage.step, place))


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


def _claims(stage: Stage) -> Iterator[Part]:
    """Wins that seats have declared on the step's wagers."""
    fits = stage.seats()
    for position, name in enumerate(stage.step.of or stage.house.claimable):
        line = stage.house.names.index(name)
        seat = np.flatnonzero(fits & (stage.rounds.claimed[line] == 1))
        yield Part(
            kind=KIND["claim"],
            round=stage.rounds.round[seat],
            order=stage.of_seats(seat, position),
            seat=seat,
            wager=line,
        )


def _of_seats(stage: Stage, kind: str) -> Part:
    """An event of every seat the step is about."""
    seat = np.flatnonzero(stage.seats())
    return Part(
        kind=KIND[kind],
        round=stage.rounds.round[seat],
        order=stage.of_seats(seat),
        seat=seat,
        by=stage.by if RULES["by"].has[KIND[kind]] else ABSENT,
        what=stage.what if kind in ANYWHERE else ABSENT,
        amount=_chips(stage) if kind in CHIPS else ABSENT,
    )


def _chips(stage: Stage) -> int:
    """What a player buys, or takes off the table, where nothing else says how much."""
    stacks = stage.house.simulation.stacks
    return stage.house.wager_unit if stacks is None else stacks.least


def _whole(stage: Stage, kind: str) -> Part:
    """An event of the round as a whole."""
    chosen = stage.whole_rounds()
    by = stage.by if RULES["by"].has[KIND[kind]] else ABSENT
    return Part(
        kind=KIND[kind],
        round=chosen.astype(np.int32),
        order=np.full(len(chosen), order(stage.number, 0, stage.turn)),
        by=ACTORS.index("dealer") if by == ABSENT and kind in ("shuffle", "cut") else by,
        what=stage.what,
        face=ABSENT if stage.step.face is None or kind != "deck" else FACES.index(stage.step.face),
    )
