"""What rows of pay tables are looked up by: rankings of hands, and scales, as stretches of whole numbers."""

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
    """What names stretches of a line of whole numbers."""

    def span(self, name: str) -> tuple[int, int]:
        """The stretch of a name, from the first number up to, not including, the second. Raises ValueError."""
        ...


class ScaleLadder(Struct, frozen=True, kw_only=True):
    """The bands of a scale: the lowest value of each, highest first."""

    floors: Mapping[str, int]

    def span(self, name: str) -> tuple[int, int]:
        """The values of a band. Raises ValueError if there is no band of this name."""
        if name not in self.floors:
            raise ValueError(f"{name} is not a band of {', '.join(self.floors)}")
        above = [floor for floor in self.floors.values() if floor > self.floors[name]]
        return self.floors[name], min(above, default=_ANY)


def ladder_of(scale: Scale) -> ScaleLadder:
    """The bands of a scale, ready for use."""
    return ScaleLadder(floors={band.band: band.at_least for band in scale.bands})


def ranking_of(regulation: Regulation, hand: Hand) -> str:
    """The name of the ranking of a hand as the readings in force take it."""
    ranking = hand.rank_by
    for other in hand.otherwise:
        if regulation.applies(other.reading.name, other.reading.is_):
            ranking = other.rank_by
    return ranking


def order_of(regulation: Regulation, hand: Hand) -> HandOrder:
    """The ranking of a hand as the readings in force take it."""
    from validator.cards.ranking_protocol import compile_order  # noqa: PLC0415 - most submissions are checked without numpy

    return compile_order(regulation.vocabulary.rankings[ranking_of(regulation, hand)])


def ladders_of(regulation: Regulation, game: Game, names: Iterable[str]) -> tuple[Ladder, ...]:
    """The ladders of hands and scales, by their names."""
    return tuple(
        ladder_of(game.scales[name]) if name in game.scales else order_of(regulation, game.hands[name])
        for name in names
    )


def spans_of(ladder: Ladder, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The stretches of those names that the ladder knows."""
    result: dict[str, tuple[int, int]] = {}
    for name in names:
        try:
            result[name] = ladder.span(name)
        except ValueError:
            continue
    return result
