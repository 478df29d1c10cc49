"""Semantic errors in pots."""

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
    """Yield problems with the pots of a game, and steps that refer to pots in a game without them."""
    if game.pots is None:
        for index, step in enumerate(game.procedure):
            for key, value in (("pot", step.pot), ("of-seats", step.of_seats)):
                if value is not None:
                    yield ("procedure", index, key), "the game has no pots"
        return
    yield from _check_lines(game, game.pots)
    yield from _find_cycles_through_pots(game, game.pots)
    yield from _check_shares(regulation, game, game.pots)
    yield from _check_order_of_readings(game.pots.odd_chips, ("pots", "odd-chips"), otherwise=True)
    yield from _check_order_of_readings(game.pots.rake, ("pots", "rake"), otherwise=False)


def _check_lines(game: Game, pots: Pots) -> Iterator[Problem]:
    always: set[str] = set()
    for index, part in enumerate(pots.parts):
        here: Path = ("pots", "parts", index)
        for line in part.lines:
            if line not in game.wagers:
                yield (*here, "lines"), f"{line} is no wager: only stakes of players can join a pot"
            elif line in always:
                yield (*here, "lines"), f"an earlier case decides {line} in every round"
        if part.when is None:
            always.update(part.lines)
    for line in sorted(pots.lines - always):
        yield ("pots", "parts"), f"no case without a condition says how {line} joins the pots"
    if pots.uncalled not in pots.lines:
        yield ("pots", "uncalled"), f"{pots.uncalled} joins no pot"
    if game.betting is None:
        yield ("pots",), "the winners of pots depend on betting rounds: the game needs `betting`"
    elif game.betting.wager != pots.uncalled:
        yield ("pots", "uncalled"), f"must be the line that players bet on, {game.betting.wager}"


def _check_shares(regulation: Regulation, game: Game, pots: Pots) -> Iterator[Problem]:
    for index, share in enumerate(pots.shares):
        here: Path = ("pots", "shares", index)
        hand = game.hands[share.hand]
        if "player" not in hand.from_:
            yield (*here, "hand"), f"{share.hand} holds none of the player's cards, so it distinguishes no players"
        for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
            if share.at_least is not None and share.at_least not in regulation.vocabulary.rankings[name].names():
                yield (*here, "at-least"), f"{share.at_least} is not a category of {name}, which ranks {share.hand}"
    if all(share.at_least is not None for share in pots.shares):
        yield ("pots", "shares"), "one share must be open to any hand, or a pot may have no winner"


class _CaseByReading(Protocol):
    @property
    def reading(self) -> ReadingIs | None: ...


def _check_order_of_readings(cases: Sequence[_CaseByReading], here: Path, *, otherwise: bool) -> Iterator[Problem]:
    """Yield cases after one that always holds; with `otherwise`, the last case must always hold."""
    for index, case in enumerate(cases[:-1]):
        if case.reading is None:
            yield (*here, index + 1), "an earlier case always holds"
            return
    if otherwise and cases[-1].reading is not None:
        yield (*here, len(cases) - 1, "reading"), "the last case must always hold"


def _find_cycles_through_pots(game: Game, pots: Pots) -> Iterator[Problem]:
    """Yield conditions that determine the pots and depend on them."""
    for index, part in enumerate(pots.parts):
        if part.when is not None and _depends_on_pots(game, part.when):
            yield ("pots", "parts", index, "when"), "depends on pots, which depend on it"
    if pots.refunded is not None and _depends_on_pots(game, pots.refunded):
        yield ("pots", "refunded"), "depends on pots, which depend on it"
    if pots.untold is not None and _depends_on_pots(game, pots.untold, amounts=False):
        yield ("pots", "untold"), "depends on the winners of pots, which depend on it"
    before = {"betting": game.betting, "table": game.table}
    for key, model in before.items():
        if model is not None and _depends_on_pots(game, model):
            yield (key,), "depends on pots, which depend on it"


def _depends_on_pots(game: Game, model: BaseModel, *, amounts: bool = True) -> bool:
    """Return whether a model depends on the winners of pots, or with `amounts` on pots at all."""
    return any(
        of_seats(part) or (amounts and isinstance(part, Quantity) and part.meaning.asks_pots(part.operand))
        for part in worked_out_from(game, model)
    )
