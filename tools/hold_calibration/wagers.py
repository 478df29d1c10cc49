"""Wagers as the simulated house of a game offers them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.house_terms import build_configuration
from fairdeal.validator.hold.decision_costs import GroupDecisions, weigh_offered_decisions
from fairdeal.validator.hold.hold_counts import HouseTerms
from fairdeal.validator.hold.stake_counts import OfferedWager, list_offered_wagers
from fairdeal.validator.odds.player_options import OddsTable, set_up_table
from fairdeal.validator.odds.wager_odds import list_variants
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.simulation_file import load_simulation

READS = 5_000_000
"""Reading of every meter, in minor units."""


class HouseWager(Struct, frozen=True, kw_only=True, eq=False):
    """A wager of a house, with the terms on which it is offered."""

    game: CompiledGame
    terms: HouseTerms
    offered: OfferedWager
    table: OddsTable
    weighed: GroupDecisions | None
    """Worth of the decisions; None if they change nothing."""

    @property
    def name(self) -> str:
        """Return the game and the wager."""
        return f"{self.terms.document} {self.offered.group.wager}"

    @property
    def meters(self) -> Mapping[str, int]:
        """Return the readings of the meters that the wager is paid from."""
        return {} if self.offered.meter is None else {self.offered.meter: READS}


def list_house_games() -> list[str]:
    """Return the games that a house banks and that can be simulated."""
    rulebook = Rulebook(folder=None)
    games = sorted(rulebook.games)
    return [name for name in games if compile_game(rulebook.regulation(name)).game.pots is None]


def list_wagers(document: str, *, only: str | None = None) -> Iterator[HouseWager]:
    """Yield the wagers of a game as its simulated house offers them; with `only`, those of that name."""
    regulation = Rulebook(folder=None).regulation(document)
    game, configuration = compile_game(regulation), build_configuration(load_simulation(regulation).submission)
    for offered in list_offered_wagers(game, configuration):
        if only not in (None, offered.group.wager):
            continue
        way = next(list_variants(game, offered.group, configuration))
        yield HouseWager(
            game=game,
            terms=HouseTerms(document, configuration),
            offered=offered,
            table=set_up_table(game, way.configuration, offered.group),
            weighed=weigh_offered_decisions(game, configuration, offered.group),
        )
