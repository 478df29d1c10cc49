"""The events of a round between players: acts, hands shown or given up, the rake, awards, cards collected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.actions_recorded import betting_in
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.simulate.bets import Amounts, Bets, Ending
from validator.simulate.exchange_steps import course
from validator.simulate.house import House
from validator.simulate.manners import MOST_SHOWN
from validator.simulate.parts import Part, order
from validator.simulate.stage import Stage

POOLED = frozenset({"decide", "reveal", "return", "rake", "award", "drop", "collect-cards"})
"""Kinds of event that are told in another way where players play against each other."""
AT_PLAYER = PLACES.index("player")


def tell_pooled(stage: Stage, kind: str) -> Iterator[Part]:
    """The events of a kind that a step tells of, as far as the round has come."""
    bets, ending = stage.rounds.bets, stage.rounds.ending
    if kind == "decide" and bets is not None:
        yield from _acts(stage, bets)
    elif ending is not None and (stage.everywhere or ending.won.min(initial=0) != ABSENT or kind == "reveal"):
        yield from _end(stage, kind, ending)


def _end(stage: Stage, kind: str, ending: Ending) -> Iterator[Part]:
    match kind:
        case "reveal":
            yield from _showdown(stage, ending)
        case "return":
            yield _amounts(stage, kind, ending.returned, wager=ending.returned.of)
        case "award":
            yield _awards(stage, ending)
        case "rake" | "drop":
            chosen = np.flatnonzero(ending.rake > 0)
            place = np.full(len(chosen), order(stage.number, 0, stage.turn))
            yield Part(kind=KIND[kind], round=chosen.astype(np.int32), order=place, amount=ending.rake[chosen])
        case _:
            yield _collected(stage, ending)


def _acts(stage: Stage, bets: Bets) -> Iterator[Part]:
    """Every act in its betting round, what its seat shows of it ahead, and the cards of who folds right after it."""
    numbers = np.array(_numbers(stage.house, stage.number), np.int64)
    begins = order(numbers[bets.street], bets.turn)
    place = begins + MOST_SHOWN
    shown = bets.shown
    for kind in np.unique(shown.kind).tolist():
        chosen = np.flatnonzero(shown.kind == kind)
        act = shown.act[chosen]
        yield Part(
            kind=kind,
            round=bets.round[act],
            order=begins[act] + shown.detail[chosen],
            seat=bets.seat[act],
            decision=shown.decision[chosen],
            amount=shown.amount[chosen],
            chips=shown.chips[chosen],
        )
    yield Part(
        kind=KIND["decide"],
        round=bets.round,
        order=place,
        seat=bets.seat,
        decision=bets.decision,
        amount=np.where(bets.amount > 0, bets.amount, ABSENT),
    )
    folds = [name for name, one in stage.house.game.decisions.items() if one.kind == "fold"]
    out = np.flatnonzero(np.isin(bets.decision, [stage.house.decisions.index(name) for name in folds]))
    yield Part(
        kind=KIND["collect-cards"], round=bets.round[out], order=place[out] + 1, seat=bets.seat[out], place=AT_PLAYER
    )


def _numbers(house: House, first: int) -> list[int]:
    """The number under which the acts of each betting round are told: they follow the step that begins it."""
    steps = [one.step for one in course(house.game)]
    return [first if one.after is None else 2 * steps.index(one.after) + 1 for one in betting_in(house.game).rounds]


def _showdown(stage: Stage, ending: Ending) -> Iterator[Part]:
    rounds = stage.rounds
    shows, gives_up = np.flatnonzero(ending.shows), np.flatnonzero(ending.concedes)
    hands = rounds.held
    yield _at_seats(
        stage,
        "reveal",
        shows,
        ending.rank[shows],
        place=AT_PLAYER,
        cards=type(hands)(cards=hands.cards[shows], count=hands.count[shows]),
    )
    names = [name for name, one in stage.house.game.decisions.items() if one.kind == "concede"]
    if len(gives_up) and names:
        code = stage.house.decisions.index(names[0])
        yield _at_seats(stage, "decide", gives_up, ending.rank[gives_up], decision=code)


def _at_seats(stage: Stage, kind: str, seats: Ints, rank: Ints, **columns: Any) -> Part:
    place = order(stage.number, rank, stage.turn)
    return Part(kind=KIND[kind], round=stage.rounds.round[seats], order=place, seat=seats, **columns)


def _amounts(stage: Stage, kind: str, amounts: Amounts, **columns: Any) -> Part:
    return _at_seats(stage, kind, amounts.seat, stage.rank[amounts.seat], amount=amounts.amount, **columns)


def _awards(stage: Stage, ending: Ending) -> Part:
    """Awards of the step's pots, the outermost pot first."""
    of, outermost = ending.awards.of, ending.awards.of.max(initial=0)
    chosen = np.ones(len(of), np.bool_)
    if stage.step.pot is not None:
        chosen = (of > 0) == (stage.step.pot == "side")
    seat, pot = ending.awards.seat[chosen], of[chosen]
    place = order(stage.number, outermost - pot, stage.rank[seat])
    return Part(
        kind=KIND["award"],
        round=stage.rounds.round[seat],
        order=place,
        seat=seat,
        pot=pot,
        amount=ending.awards.amount[chosen],
    )


def _collected(stage: Stage, ending: Ending) -> Part:
    """The cards of the seats that the step is about, of those that still have any."""
    side = stage.step.of_seats
    fits: Flags = stage.seats()
    if not stage.everywhere and stage.rounds.bets is not None:
        fits = fits & ~stage.rounds.bets.folded
    if side is not None:
        fits = fits & (ending.winning if side == "winning" else ~ending.winning)
    seats = np.flatnonzero(fits)
    return _at_seats(stage, "collect-cards", seats, stage.rank[seats], place=AT_PLAYER)
