"""Scales and rankings by which pay tables are looked up, as ranges of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game, Hand
from validator.rules.model.pay_tables import Scale

if TYPE_CHECKING:
    from validator.cards.ranking_protocol import HandOrder

_ANY = 2**62


class Ladder(Protocol):
    """Ranking or scale that maps names to ranges of whole numbers."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of a name: its first number, and the number after its last.

        Raises:
            ValueError: no range has this name.
        """
        ...


class ScaleLadder(Struct, frozen=True, kw_only=True):
    """Bands of a scale."""

    floors: Mapping[str, int]
    """Lowest value of each band, highest band first."""

    def span(self, name: str) -> tuple[int, int]:
        """Return the range of values of a band.

        Raises:
            ValueError: no band has this name.
        """
        if name not in self.floors:
            raise ValueError(f"{name} is not a band of {', '.join(self.floors)}")
        above = [floor for floor in self.floors.values() if floor > self.floors[name]]
        return self.floors[name], min(above, default=_ANY)


def compile_scale(scale: Scale) -> ScaleLadder:
    """Compile the bands of a scale."""
    return ScaleLadder(floors={band.band: band.at_least for band in scale.bands})


def find_ranking_name(regulation: Regulation, hand: Hand) -> str:
    """Return the name of the ranking of a hand, by the readings in force."""
    ranking = hand.rank_by
    for other in hand.otherwise:
        if regulation.is_option_in_force(other.reading.name, other.reading.is_):
            ranking = other.rank_by
    return ranking


def compile_ranking_of_hand(regulation: Regulation, hand: Hand) -> HandOrder:
    """Compile the ranking of a hand, by the readings in force."""
    from validator.cards.ranking_protocol import compile_order  # noqa: PLC0415 - most submissions are checked without numpy

    return compile_order(regulation.vocabulary.rankings[find_ranking_name(regulation, hand)])


def compile_ladders(regulation: Regulation, game: Game, names: Iterable[str]) -> tuple[Ladder, ...]:
    """Compile the rankings and scales of some hands and scales."""
    return tuple(
        compile_scale(game.scales[name])
        if name in game.scales
        else compile_ranking_of_hand(regulation, game.hands[name])
        for name in names
    )


def find_spans(ladder: Ladder, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the ranges of the names that a ladder has."""
    result: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            result[name] = ladder.span(name)
        except ValueError:
            continue
    return result
