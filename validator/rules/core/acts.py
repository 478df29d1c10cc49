"""What may be done with cards and chips in the rounds of a game."""

from __future__ import annotations

from validator.rules.model.game import Game


def known_acts(game: Game) -> frozenset[str]:
    """The kinds of event that a game knows: those of its steps, those in which stakes are settled or pots divided, and
    those in which cards are exchanged. A kind of which it names places it knows there alone, as in `discard/community`;
    a step that gathers it wherever it happens, such as all draws, adds none."""
    known = {f"{kind}/{step.place}" for step in game.procedure for kind in step.events if step.place}
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
    known |= {str(kind) for step in game.procedure if step.place is None for kind in step.events} - at_places
    if not any(kind.startswith("discard") for kind in known) and any(
        hand.cards == "held" for hand in game.hands.values()
    ):
        known |= {"discard"}
    return frozenset(known)
