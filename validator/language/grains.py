"""At what a rule speaks: a round, a seat, a stake or an event."""

from __future__ import annotations

from functools import reduce
from typing import Literal, TypeAlias

Grain: TypeAlias = Literal["round", "seat", "stake", "event"]

_COARSER: dict[Grain, frozenset[Grain]] = {
    "round": frozenset({"round"}),
    "seat": frozenset({"round", "seat"}),
    "stake": frozenset({"round", "seat", "stake"}),
    "event": frozenset({"round", "seat", "event"}),
}


class MixedGrains(ValueError):
    """A condition that speaks of stakes and of events at once."""


def covers(grain: Grain, inner: Grain) -> bool:
    """Whether a condition that speaks at `inner` can be asked at `grain`. Everything true of a round is true of its
    seats, and everything true of a seat of its stakes and events; stakes and events do not speak of each other."""
    return inner in _COARSER[grain]


def joined(*grains: Grain) -> Grain:
    """The coarsest grain at which things of several grains can be asked together. Raises MixedGrains."""
    return reduce(_join, grains, "round")


def _join(one: Grain, other: Grain) -> Grain:
    if covers(one, other):
        return one
    if covers(other, one):
        return other
    raise MixedGrains("a condition cannot speak of stakes and of events at once")


def grain_of_place(place: str) -> Grain:
    """The grain of what lies at a place: of seats for the players' cards, else of rounds."""
    return "seat" if place == "player" else "round"
