"""Wagers as the simulated house of a game offers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from validator.engine.compiled.game import Prepared, prepare
from validator.engine.core.house_rules import configuration_of
from validator.hold.counted import Terms
from validator.hold.decisions import Weighed, worths_of
from validator.hold.offers import Offered, offers
from validator.odds.rounds.play import Table, table_for
from validator.odds.variants import variants
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.loading.simulation_file import load_simulation

READS = 5_000_000
"""Reading of every meter, in minor units."""


class HouseWager(Struct, frozen=True, kw_only=True, eq=False):
    """A wager of a house, with the terms on which it is offered."""

    game: Prepared
    terms: Terms
    offered: Offered
    table: Table
    weighed: Weighed | None
    """Worth of the decisions; None if they change nothing."""

    @property
    def name(self) -> str:
        """Return the game and the wager."""
        return f"{self.terms.document} {self.offered.group.wager}"

    @property
    def meters(self) -> Mapping[str, int]:
        """Return the readings of the meters that the wager is paid from."""
        return {} if self.offered.meter is None else {self.offered.meter: READS}


def house_games() -> list[str]:
    """Return the games that a house banks and that can be simulated."""
    rulebook = Rulebook(folder=None)
    games = sorted(rulebook.games)
    return [name for name in games if prepare(rulebook.regulation(name)).game.pots is None]


def wagers_of(document: str) -> Iterator[HouseWager]:
    """Yield the wagers of a game as its simulated house offers them."""
    regulation = Rulebook(folder=None).regulation(document)
    game, configuration = prepare(regulation), configuration_of(load_simulation(regulation).submission)
    for offered in offers(game, configuration):
        way = next(variants(game, offered.group, configuration))
        yield HouseWager(
            game=game,
            terms=Terms(document, configuration),
            offered=offered,
            table=table_for(game, way.configuration, offered.group),
            weighed=worths_of(game, configuration, offered.group),
        )
