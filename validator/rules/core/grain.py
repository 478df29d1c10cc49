"""At which grain a condition speaks: of a round, a seat, a stake or an event.

Everything true of a round is true of its seats, and everything true of a seat of its stakes and events;
stakes and events do not speak of each other.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal, TypeAlias

from validator.rules.conditions.conditions import Comparison, Condition, Quantity
from validator.rules.model.game import Game

Grain: TypeAlias = Literal["round", "seat", "stake", "event"]

_COARSER: dict[Grain, frozenset[Grain]] = {
    "round": frozenset({"round"}),
    "seat": frozenset({"round", "seat"}),
    "stake": frozenset({"round", "seat", "stake"}),
    "event": frozenset({"round", "seat", "event"}),
}


AT_THE_END = "contends-at-the-end"
"""The one word of betting that speaks of a seat and the end of the round, not of an event."""


class MixedGrains(ValueError):
    """A condition that speaks of stakes and of events at once."""


def covers(grain: Grain, inner: Grain) -> bool:
    """Whether a condition that speaks at `inner` can be asked at `grain`."""
    return inner in _COARSER[grain]


def grain_of_condition(condition: Condition, game: Game) -> Grain:
    """The coarsest grain at which a condition can be asked. Raises MixedGrains."""
    operand = condition.operand
    match condition.operator:
        case "all" | "any":
            return _joined(*(grain_of_condition(part, game) for part in operand))
        case "not" | "evident":
            return grain_of_condition(operand, game)
        case "fact":
            return grain_of_condition(game.facts[operand], game)
        case "placed" | "tipped" | "offered" | "takes-tips":
            own: Grain = "round" if condition.operator in ("offered", "takes-tips") else "seat"
            return "stake" if operand == "this" else own
        case "holds" | "listed":
            return _grain_of_hands(game, operand.hand)
        case "compare":
            return _grain_of_hands(game, operand.hand, operand.to)
        case "decided" | "decision-is-open" | "claimed":
            return "stake" if operand == "this" else "seat"
        case "number":
            return _grain_of_comparison(operand, game)
        case "new-player":
            return "seat"
        case "wager-is" | "is-tip":
            return "stake"
        case "event" | "betting-round":
            return "event"
        case "betting":
            return "seat" if operand == AT_THE_END else "event"
        case "position" | "taking-part":
            return "seat"
        case _:
            return "round"


def grain_of_place(place: str) -> Grain:
    """The grain of what lies at a place: of seats for the players' cards, else of rounds."""
    return "seat" if place == "player" else "round"


def _grain_of_hands(game: Game, *hands: str) -> Grain:
    return "seat" if any("player" in game.hands[hand].from_ for hand in hands) else "round"


def _grain_of_comparison(comparison: Comparison, game: Game) -> Grain:
    return _joined(grain_of_quantity(comparison.of, game), grain_of_quantity(comparison.operand, game))


def grain_of_quantity(quantity: Quantity, game: Game) -> Grain:
    """The coarsest grain at which a quantity can be asked."""
    operand = quantity.operand
    match quantity.operator:
        case "amount" | "tip":
            return "stake" if operand == "this" else "seat"
        case "minimum" | "maximum":
            return "stake" if operand == "this" else "round"
        case "cards" | "discarded" | "drawn" | "held":
            return "seat" if operand == "player" else "round"
        case "length":
            return _grain_of_hands(game, operand)
        case "hands-of-player" | "shown-cards":
            return "seat"
        case "paid" | "taken":
            return "stake" if operand == "this" else "seat"
        case "stated" | "betting" | "rake-so-far":
            return "event"
        case "stack" | "received" | "chips":
            return "seat"
        case "staked":
            return "seat" if operand == "this-seat" else "round"
        case "events" | "cards-in" | "counted":
            step = next(step for step in game.procedure if step.step == operand)
            return "round" if step.each == "round" else "seat"
        case "times":
            return grain_of_quantity(operand.of, game)
        case "previous" | "next-seat":
            return grain_of_quantity(operand, game)
        case "difference" | "passed-over":
            return _joined(*(grain_of_quantity(part, game) for part in quantity.parts()))
        case "sum" | "smaller":
            return _joined(*(grain_of_quantity(part, game) for part in operand))
        case _:
            return "round"


def _joined(*grains: Grain) -> Grain:
    return reduce(_join, grains, "round")


def _join(one: Grain, other: Grain) -> Grain:
    if covers(one, other):
        return one
    if covers(other, one):
        return other
    raise MixedGrains("a condition cannot speak of stakes and of events at once")
