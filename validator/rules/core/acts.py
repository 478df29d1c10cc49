"""What may be done with cards and chips in the rounds of a game."""

from __future__ import annotations

from validator.rules.model.game import Game


def known_acts(game: Game) -> frozenset[str]:
    """The kinds of event that a game knows: those of its steps, those in which stakes are settled or pots divided, and
    those in which cards are exchanged."""
    known = {str(kind) for step in game.procedure for kind in step.events}
    if game.settlement.cases:
        known |= {"pay", "collect", "withdraw"}
    if game.pots is not None:
        known |= {"award", "rake"}
    if any(hand.cards == "held" for hand in game.hands.values()):
        known |= {"discard"}
    if game.drawing or game.deal.exchanging:
        known |= {"discard", "draw"}
    return frozenset(known)
