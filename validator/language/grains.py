"""Grains of conditions: a condition applies to a round, a seat, a stake or an event."""

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


class MixedGrainsError(ValueError):
    """Error for a condition that applies to stakes and to events at once."""


def includes_grain(grain: Grain, inner: Grain) -> bool:
    """Return whether a condition of grain `inner` can be evaluated at `grain`.

    A condition on a round applies to each of its seats, and a condition on a seat to each of its stakes and events.
    Stakes and events do not include each other.
    """
    return inner in _COARSER[grain]


def find_common_grain(*grains: Grain) -> Grain:
    """Return the coarsest grain at which conditions of several grains can be evaluated together.

    Raises:
        MixedGrainsError: if stakes and events are mixed.
    """
    return reduce(_find_common, grains, "round")


def _find_common(first: Grain, other: Grain) -> Grain:
    if includes_grain(first, other):
        return first
    if includes_grain(other, first):
        return other
    raise MixedGrainsError("a condition cannot apply to stakes and to events at once")


def grain_of_place(place: str) -> Grain:
    """Return the grain of the cards at a place: `seat` for players' cards, else `round`."""
    return "seat" if place == "player" else "round"
