"""What is asked of an event, in words."""

from __future__ import annotations

from validator.engine.turns.text import decisions_in_words
from validator.rules.conditions.conditions import EventHas
from validator.rules.model.game import Game


def event_in_words(game: Game, operand: EventHas) -> str:
    """Everything that is asked of an event, one after the other."""
    parts: list[str] = []
    if operand.cards is not None:
        parts.append(f"{operand.cards} cards")
    if operand.face is not None:
        parts.append(f"face {operand.face}")
    if operand.by is not None:
        parts.append(f"by the {operand.by}")
    if operand.arranged_as is not None:
        parts.append(f"{game.hands[operand.arranged_as].title} in order of rank from left to right")
    if operand.positions is not None:
        parts.append(f"the cards {', '.join(map(str, sorted(set(operand.positions))))} from the dealer's left")
    if operand.in_ is not None:
        parts.append(f"in {' or '.join(operand.in_)}")
    if operand.place is not None:
        parts.append(f"at the {operand.place}")
    if operand.stage is not None:
        parts.append(f"of the {' or the '.join(one.replace('-', ' ') for one in operand.stage)}")
    if operand.number is not None:
        parts.append(f"the number {operand.number}")
    if operand.deck is not None:
        parts.append("the deck in play" if operand.deck == "in-play" else "a deck that is not in play")
    if operand.decision is not None:
        parts.append(decisions_in_words(game, operand.decision))
    return " ".join(parts)
