"""Where the procedure of a game puts cards aside, deals others in their stead, and asks who has won."""

from __future__ import annotations

from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.events import KIND
from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.rules.model.game import Game, Step
from validator.rules.model.keep_rules import Drawing, KeepGroups, KeepToward
from validator.rules.simulation.simulation import Simulation


def course(game: Game) -> tuple[Step, ...]:
    """The steps that make up a round, in order."""
    return tuple(step for step in game.procedure if not step.aside)


def place_of(step: Step) -> str | None:
    """The place a step is about: its own, or that of the seats."""
    return step.place or (None if step.each == "round" else "player")


def step_at(game: Game, kind: str, place: Place) -> Step | None:
    """The step in the course of a round in which cards of a place are discarded, or drawn; None without one. What is
    exchanged in stages of the deal is not looked at."""
    steps = (step for step in course(game) if step.stage is None and kind in step.events)
    return next((step for step in steps if place_of(step) == place), None)


def exchanged_before(game: Game, step: Step, place: str) -> bool:
    """Whether the cards of a place are exchanged before a step of the course, or together with it."""
    steps = [one.step for one in course(game)]
    if step.step not in steps:
        return False
    earlier = course(game)[: steps.index(step.step)]
    return any({"discard", "draw"} & {*one.events} and place_of(one) == place for one in earlier)


def claimable(game: Game) -> tuple[str, ...]:
    """The wagers on which players declare that they have won."""
    steps = [step for step in course(game) if "claim" in step.events]
    lines = [line for step in steps for line in step.of or game.wagers]
    return tuple(dict.fromkeys(line for line in lines if line in game.wagers))


def most_discarded(drawing: Drawing, cards: int) -> int:
    """How many of so many cards rules of drawing may put aside at most."""
    return max(cards - _least_kept(keep, cards) for keep in (rule.keep for rule in drawing.rules))


def _least_kept(keep: object, cards: int) -> int:
    match keep:
        case KeepGroups():
            return min(cards, (2 if keep.groups else 0) + (keep.highest or 0))
        case KeepToward():
            return keep.cards
        case _:
            return cards


def set_aside(way: Way, place: str) -> tuple[int, ...]:
    """Which of the cards that a way deals to a place are not kept, counted from 0 in the order they are dealt."""
    found: list[int] = []
    dealt = 0
    for one in way.passes:
        for _ in range(one.times * sum(to == place for to in one.to)):
            if one.kept is not None:
                found += [dealt + card for card in range(one.each) if card + 1 not in one.kept]
            dealt += one.each
    return tuple(found)


def by_habit(simulation: Simulation, step: Step) -> str | None:
    """Who does a step, by the rules or else by the habit of the house; None where neither says."""
    habit = simulation.steps.get(step.step)
    return step.by or (None if habit is None else habit.by)


def has(kind: str, name: str) -> bool:
    """Whether events of a kind have a field."""
    return bool(RULES[name].has[KIND[kind]])
