"""Wagers and bonuses as players read them."""

from __future__ import annotations

from validator.rules.model.game import Game


def title_of(game: Game, line: str) -> str:
    """A wager or bonus as players read it; the name itself where the game has none of that name."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def title_or_it(game: Game, line: str) -> str:
    """A wager or bonus as players read it; `it` for the line of the stake that is judged."""
    return "it" if line == "this" else title_of(game, line)
