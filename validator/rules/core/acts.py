"""What may be done with cards and chips in the rounds of a game."""

from __future__ import annotations

from collections.abc import Mapping

from validator.evidence.consistency.known_game import KnownGame
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game


def known_game(regulation: Regulation) -> Mapping[str, KnownGame]:
    """What the rules of a document say of the evidence of its game, by its name; nothing where it has no game."""
    if regulation.game is None:
        return {}
    game = regulation.game
    known = KnownGame(acts=known_acts(game), cards=regulation.cards_in_play, bonuses=tuple(game.bonuses))
    return {regulation.id: known}


def known_acts(game: Game) -> frozenset[str]:
    """The kinds of event that a game knows: those of its steps, those in which stakes are settled or pots divided, and
    those in which cards are exchanged. A kind of which it names places it knows there alone, as in `discard/community`,
    or of players where a step is gone through seat by seat; one that gathers it wherever it happens adds none."""
    named = [(step.events, step.place or ("player" if step.each != "round" else None)) for step in game.procedure]
    known = {f"{kind}/{place}" for kinds, place in named for kind in kinds if place}
    if game.settlement.cases:
        known |= {"pay", "collect", "withdraw"}
    if game.pots is not None:
        known |= {"award", "rake"}
    places = {rule.place for rule in game.drawing.values()}
    if any(decision.discards is not None for decision in game.decisions.values()):
        known |= {"discard/player"}
    if game.deal.exchanging:
        places |= {"player"}
    known |= {f"{kind}/{place}" for kind in ("discard", "draw") for place in places}
    at_places = {name.partition("/")[0] for name in known if "/" in name}
    known |= {str(kind) for kinds, place in named if place is None for kind in kinds} - at_places
    if not any(kind.startswith("discard") for kind in known) and any(
        hand.cards == "held" for hand in game.hands.values()
    ):
        known |= {"discard"}
    return frozenset(known)
