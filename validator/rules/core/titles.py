"""Titles of wagers and bonuses."""

from __future__ import annotations

from validator.rules.model.game import Game


def line_title(game: Game, line: str) -> str:
    """Return the title of a wager or bonus; for an unknown name, the name itself."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def line_title_or_it(game: Game, line: str) -> str:
    """Return the title of a wager or bonus; `it` for the line of the judged stake."""
    return "it" if line == "this" else line_title(game, line)
