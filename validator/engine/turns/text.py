"""Betting in words: what is measured of it, what is said of it."""

from __future__ import annotations

from collections.abc import Sequence

from validator.rules.conditions.refs import DECLARED
from validator.rules.model.game import Game

COUNTED = frozenset({"raises", "players-in", "voluntary-players", "voluntary-wagers", "tenders", "tendered-chips"})
"""Numbers of the betting that are counts; the others are amounts."""
OF_BETTING = {
    "put-in": "what the seat puts in",
    "bets-to": "what the seat has in",
    "to-call": "what there is to call",
    "level": "the bet to be met",
    "raise-by": "the raise",
    "last-raise": "the last raise",
    "smallest-bet": "the smallest bet",
    "smallest-raise": "the smallest raise",
    "largest-raise": "the largest raise",
    "largest-answer": "the most that another player could meet",
    "behind": "the chips the seat has",
    "pot": "the pot",
    "raises": "the raises in the betting round",
    "players-in": "the players left",
    "voluntary-players": "players who put in chips of their own will",
    "voluntary-wagers": "times that players put in chips of their own will",
    "declared": "the total declared",
    "declared-in": "what the seat declared to put in",
    "tenders": "times that the seat put chips forward",
    "first-tender": "the chips first put forward",
    "tendered": "the chips put forward",
    "tendered-chips": "the number of chips first put forward",
}
"""Numbers of the betting in words."""
SAID_OF_BETTING = {
    "open": "an act still owed in the betting round",
    "in-turn": "an act in turn",
    "still-in": "a seat that is still in",
    "faced": "a bet to be met",
    "unopened": "no bet yet in the betting round",
    "may-raise": "the betting open to a raise of the seat",
    "all-in": "all of the seat's chips",
    "contested": "two players or more still in",
    "option-moot": "an act of its own of a seat that posted a bet, nobody else having chips",
    "option-owed": "an act of its own still owed to a seat that posted a bet",
    "check-raising": "a raise after a check",
    "more-to-come": "a betting round to come in which two seats can bet",
    "contends-at-the-end": "a seat that others contend with for a pot",
    "declared-in-turn": "words that bind the seat",
    "declared-raise": "a raise declared in turn",
    "declared-wager": "words that bind the seat to put chips in",
    "said-incomplete": "words that the bet is not complete",
}
"""What is said of the betting, in words."""
NOT_SAID = {
    "open": "no act owed in the betting round",
    "still-in": "a seat that has folded or conceded",
    "faced": "no bet to be met",
    "unopened": "a bet in the betting round",
    "all-in": "chips left to the seat",
    "option-moot": "no act of its own of a seat that posted a bet, nobody else having chips",
    "option-owed": "no act owed to a seat that posted a bet",
    "check-raising": "no raise after a check",
    "more-to-come": "no betting round to come in which two seats can bet",
    "declared-in-turn": "no words that bind the seat",
    "declared-raise": "no raise declared in turn",
    "declared-wager": "no words that bind the seat to put chips in",
    "said-incomplete": "no words that the bet is not complete",
}
"""The opposite of what is said of the betting, where it has words of its own."""


def decisions_in_words(game: Game, names: Sequence[str]) -> str:
    """One of some decisions, in words; the one declared among them."""
    titles = [game.decisions[name].title for name in names if name != DECLARED]
    said = ["as declared"] if DECLARED in names else []
    return " or ".join(said + ([f"to {' or '.join(titles)}"] if titles else []))
