"""Pots that cannot be meant, though every name in them is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pydantic import BaseModel

from validator.language.conditions import Problem, Quantity
from validator.language.operands import ReadingIs
from validator.rulebook.lint.worked_out_from import of_seats, worked_out_from
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.pots import Pots
from validator.text.trees.tree import Path


def pot_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """What cannot be meant in the pots of a game, and steps that speak of pots where it has none."""
    if game.pots is None:
        for index, step in enumerate(game.procedure):
            for key, value in (("pot", step.pot), ("of-seats", step.of_seats)):
                if value is not None:
                    yield ("procedure", index, key), "the game has no pots"
        return
    yield from _lines(game, game.pots)
    yield from _circles(game, game.pots)
    yield from _shares(regulation, game, game.pots)
    yield from _by_reading(game.pots.odd_chips, ("pots", "odd-chips"), otherwise=True)
    yield from _by_reading(game.pots.rake, ("pots", "rake"), otherwise=False)


def _lines(game: Game, pots: Pots) -> Iterator[Problem]:
    always: set[str] = set()
    for index, part in enumerate(pots.parts):
        here: Path = ("pots", "parts", index)
        for line in part.lines:
            if line not in game.wagers:
                yield (*here, "lines"), f"{line} is no wager: only what players stake can join a pot"
            elif line in always:
                yield (*here, "lines"), f"an earlier case decides {line} in every round"
        if part.when is None:
            always.update(part.lines)
    for line in sorted(pots.lines - always):
        yield ("pots", "parts"), f"no case without a condition says how {line} joins the pots"
    if pots.uncalled not in pots.lines:
        yield ("pots", "uncalled"), f"{pots.uncalled} joins no pot"
    if game.betting is None:
        yield ("pots",), "who may win the pots depends on rounds of betting: `betting` must stand in the game"
    elif game.betting.wager != pots.uncalled:
        yield ("pots", "uncalled"), f"must be the line that players bet on, {game.betting.wager}"


def _shares(regulation: Regulation, game: Game, pots: Pots) -> Iterator[Problem]:
    for index, share in enumerate(pots.shares):
        here: Path = ("pots", "shares", index)
        hand = game.hands[share.hand]
        if "player" not in hand.from_:
            yield (*here, "hand"), f"{share.hand} holds none of the player's cards, so it tells no players apart"
        for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
            if share.at_least is not None and share.at_least not in regulation.vocabulary.rankings[name].names():
                yield (*here, "at-least"), f"{share.at_least} is not a category of {name}, which ranks {share.hand}"
    if all(share.at_least is not None for share in pots.shares):
        yield ("pots", "shares"), "one share must go to any hand, or nobody may win a pot"


class _Read(Protocol):
    @property
    def reading(self) -> ReadingIs | None: ...


def _by_reading(cases: Sequence[_Read], here: Path, *, otherwise: bool) -> Iterator[Problem]:
    """Cases by reading end where one holds always; with `otherwise` the last one must."""
    for index, case in enumerate(cases[:-1]):
        if case.reading is None:
            yield (*here, index + 1), "an earlier case holds always"
            return
    if otherwise and cases[-1].reading is not None:
        yield (*here, len(cases) - 1, "reading"), "the last case must hold always"


def _circles(game: Game, pots: Pots) -> Iterator[Problem]:
    """What is asked before it is known what the pots are must not speak of them."""
    for index, part in enumerate(pots.parts):
        if part.when is not None and _speaks_of_pots(game, part.when):
            yield ("pots", "parts", index, "when"), "speaks of pots, which depend on it"
    if pots.refunded is not None and _speaks_of_pots(game, pots.refunded):
        yield ("pots", "refunded"), "speaks of pots, which depend on it"
    if pots.untold is not None and _speaks_of_pots(game, pots.untold, amounts=False):
        yield ("pots", "untold"), "speaks of who wins the pots, which depends on it"
    before = {"betting": game.betting, "table": game.table}
    for key, model in before.items():
        if model is not None and _speaks_of_pots(game, model):
            yield (key,), "speaks of pots, which depend on it"


def _speaks_of_pots(game: Game, model: BaseModel, *, amounts: bool = True) -> bool:
    """Whether anything in a model asks for pots (unless `amounts` do not matter) or for who wins them, by itself, by
    facts or by steps."""
    return any(
        of_seats(found) or (amounts and isinstance(found, Quantity) and found.meaning.asks_pots(found.operand))
        for found in worked_out_from(game, model)
    )
