"""Acts with cards and chips that the rules of a game know, for readers of evidence."""

from __future__ import annotations

from collections.abc import Mapping

from validator.evidence.consistency.known_game import KnownGame
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game


def build_known_games(regulation: Regulation) -> Mapping[str, KnownGame]:
    """Return what the rules state about the evidence of the game, by document; empty for a document without a game."""
    if regulation.game is None:
        return {}
    game = regulation.game
    known = KnownGame(acts=collect_known_acts(game), cards=regulation.cards_in_play, bonuses=tuple(game.bonuses))
    return {regulation.id: known}


def collect_known_acts(game: Game) -> frozenset[str]:
    """Return the kinds of event that a game knows.

    These are the kinds of its steps, those that settle stakes or divide pots, and those that exchange cards. A kind
    that steps limit to places is known only there, for example `discard/community`. A step of each seat limits its
    kinds to players. A step that applies to any place adds no kind that is already limited.
    """
    named = [(step.events, step.place or ("player" if step.each != "round" else None)) for step in game.procedure]
    known = {f"{kind}/{place}" for kinds, place in named for kind in kinds if place}
    if game.settlement.cases:
        known |= {"pay", "collect", "withdraw"}
    if game.pots is not None:
        known |= {"award", "rake"}
    places = {rule.place for rule in game.drawing.values()}
    if any(decision.discards is not None for decision in game.decisions.values()):
        known |= {"discard/player"}
    if game.deal.exchanging_stages:
        places |= {"player"}
    known |= {f"{kind}/{place}" for kind in ("discard", "draw") for place in places}
    at_places = {name.partition("/")[0] for name in known if "/" in name}
    known |= {str(kind) for kinds, place in named if place is None for kind in kinds} - at_places
    if not any(kind.startswith("discard") for kind in known) and any(
        hand.cards == "held" for hand in game.hands.values()
    ):
        known |= {"discard"}
    return frozenset(known)
