"""Where the procedure of a game puts cards aside, deals others in their stead, and asks who has won."""

from __future__ import annotations

from itertools import takewhile

from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.events import KIND
from validator.rules.lint.simulated_kinds import EXCHANGES
from validator.rules.model.game import Game, Step


def course(game: Game) -> tuple[Step, ...]:
    """The steps that make up a round, in order."""
    return tuple(step for step in game.procedure if not step.aside)


def place_of(step: Step) -> str | None:
    """The place a step is about: its own, or that of the seats."""
    return step.place or (None if step.each == "round" else "player")


def exchanged_before(game: Game, step: Step, place: str) -> bool:
    """Whether the cards of a place are exchanged before a step of the course, and none of them after it."""
    exchanging = {one.step for one in course(game) if {*EXCHANGES} & {*one.events} and place_of(one) == place}
    earlier = takewhile(lambda one: one.step != step.step, () if step.aside else course(game))
    return bool(exchanging) and exchanging.issubset(one.step for one in earlier)


def steps_at(game: Game) -> dict[tuple[str, str | None], list[Step]]:
    """The steps in the course of a round by kind of event and place, but for those that are stages of the deal."""
    found: dict[tuple[str, str | None], list[Step]] = {}
    for step in course(game):
        for kind in step.events if step.stage is None else ():
            found.setdefault((kind, place_of(step)), []).append(step)
    return found


def claimable(game: Game) -> tuple[str, ...]:
    """The wagers on which players declare that they have won."""
    steps = [step for step in course(game) if "claim" in step.events]
    lines = [line for step in steps for line in step.of or game.wagers]
    return tuple(dict.fromkeys(line for line in lines if line in game.wagers))


def has(kind: str, name: str) -> bool:
    """Whether events of a kind have a field."""
    return bool(RULES[name].has[KIND[kind]])
