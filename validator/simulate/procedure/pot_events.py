"""The events of a round between players: acts, hands shown or given up, the rake, awards, cards collected."""

from __future__ import annotations

from validator.engine.betting.actions_recorded import betting_in
from validator.simulate.procedure.step_context import RoundEvents, StepContext
from validator.simulate.table.house import House
from validator.simulate.table.records import Ending, Event, Round

POOLED = frozenset({"decide", "reveal", "return", "rake", "award", "drop", "collect-cards"})
"""Kinds of event that are told in another way where players play against each other."""


def record_pooled(context: StepContext, kind: str) -> RoundEvents:
    """The events of a kind that a step tells of, as far as the round has come."""
    game, begins = context.house.game, _numbers(context.house, context.number)
    folds = {name for name, decision in game.decisions.items() if decision.kind == "fold"}
    collecting = {*context.seats()} if kind == "collect-cards" else set()
    for one in context.view.rounds:
        if kind == "decide" and one.stages is not None:
            for event in _acts(one, folds, begins):
                yield one, event
        elif one.ending is not None and kind == "reveal":
            yield from _showdown(context, one, one.ending)
        elif one.ending is not None and (context.everywhere or one.ending.divided):
            if kind != "collect-cards":
                yield from _amounts(context, kind, one, one.ending)
                continue
            side = context.step.of_seats
            for seat in one.seats:
                sided = side is None or (seat in one.ending.winning) == (side == "winning")
                if seat in collecting and sided and (context.everywhere or not seat.folded):
                    yield context.told(kind, seat, place="player")


def _acts(one: Round, folds: set[str], begins: list[int]) -> list[Event]:
    """Every act in its betting round, what its seat shows of it ahead, and the cards of who folds right after it."""
    found: list[Event] = []
    for turn, act in enumerate(one.acts):
        events = [*act.shown, Event("decide", seat=act.seat, decision=act.decision, amount=act.amount or None)]
        if act.decision in folds:
            events.append(Event("collect-cards", seat=act.seat, place="player"))
        for detail, event in enumerate(events):
            event.order = (begins[act.street], turn, 0, detail)
        found += events
    return found


def _numbers(house: House, first: int) -> list[int]:
    """The number under which the acts of each betting round are told: they follow the step that begins it."""
    steps = [one.step for one in house.course]
    rounds = betting_in(house.game).rounds if house.game.betting is not None else []
    return [first if one.after is None else 2 * steps.index(one.after) + 1 for one in rounds]


def _showdown(context: StepContext, one: Round, ending: Ending) -> RoundEvents:
    words = [name for name, decision in context.house.game.decisions.items() if decision.kind == "concede"]
    for seat in one.seats:
        event = None
        if seat in ending.shows:
            event = Event("reveal", seat=seat, place="player", cards=seat.held)
        elif seat in ending.concedes and words:
            event = Event("decide", seat=seat, decision=words[0])
        if event is not None:
            event.order = (context.number, ending.rank[seat], context.turn, 0)
            yield one, event


def _amounts(context: StepContext, kind: str, one: Round, ending: Ending) -> RoundEvents:
    """What is raked, what goes back, and awards of the step's pots, the outermost pot first."""
    if kind in ("rake", "drop") and ending.rake > 0:
        yield context.told(kind, one, amount=ending.rake)
    if kind == "return":
        for seat, name, amount in ending.returned:
            yield context.told(kind, seat, wager=name, amount=amount)
    if kind == "award":
        side = context.step.pot
        for seat, pot, amount in sorted(ending.awards, key=lambda award: (-award[1], context.rank[award[0]])):
            if side is None or (pot > 0) == (side == "side"):
                event = Event(kind, (context.number, -pot, context.rank[seat], 0), seat, pot=pot, amount=amount)
                yield one, event
