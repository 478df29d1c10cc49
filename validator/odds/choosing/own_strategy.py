"""Given strategy of a player: conditions of the rule language on the cards that the player sees."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import MaxLen, MinLen

from validator.arrays import Codes, Flags, Ints
from validator.cards.cards import UNKNOWN as NOT_KNOWN
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.conditions import Condition, asked_at
from validator.language.refs import DecisionName
from validator.odds.rounds.columns import MadeUp
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.refusals import NotWorkedOut
from validator.rulebook.lint.references import Namespace, unknown_names
from validator.rules.core.regulation import Regulation
from validator.text.diagnostics import InputError, at_most
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier
from validator.text.models.validate import validate
from validator.text.source import Source
from validator.text.trees.load import load_tree


class Tendency(Closed):
    """Decision of a strategy, and when to take it."""

    decision: DecisionName
    """The decision."""
    when: Condition | None = None
    """The hands with which it is taken, among those that no earlier decision covers; all of them if left out."""


class OwnStrategy(Closed):
    """Decisions of a player in order: the first one that applies is taken. If none applies, the player decides as
    well as possible; the same is true for discards."""

    document: Identifier
    """The document whose game is played."""
    decisions: Annotated[list[Tendency], MinLen(1), MaxLen(100)]
    """The decisions, in order."""


def read_strategy(source: Source, regulation: Regulation) -> OwnStrategy:
    """Return the strategy in a file. Raises InputError, also for unknown names and conditions that the game cannot
    evaluate."""
    tree = load_tree(source)
    strategy = validate(tree, OwnStrategy)
    problems = []
    if strategy.document != regulation.id or regulation.game is None:
        problems.append(tree.diagnostic(("document",), "other-document", f"this is not a strategy for {regulation.id}"))
    else:
        problems += unknown_names(tree, strategy, Namespace.of(regulation))
        for index, decision in enumerate([] if problems else strategy.decisions):
            for place, why in asked_at(decision.when, "seat", regulation.game, ("decisions", index, "when")):
                problems.append(tree.diagnostic(place, "semantic-error", why))
    if problems:
        raise InputError(at_most(problems))
    return strategy


def allowed(strategy: OwnStrategy, table: Table, cards: Codes, alternatives: list[Alternative]) -> Flags:
    """Return the decisions that a strategy permits with each hand, bool[alternatives, n].

    Raises `NoOdds` if the strategy depends on cards that a player does not see.

    Args:
        strategy: the strategy.
        table: the table.
        cards: hands, uint8[n, k].
        alternatives: alternatives of the player.
    """
    sizes = table.prepared.game.deal.cards
    deals = {place: np.full((len(cards), size), NOT_KNOWN, np.uint8) for place, size in sizes.items()}
    rounds = MadeUp(dealt={**deals, "player": cards}, stakes=table.opening)
    scope = table.opened(rounds)
    names = [alternative.name for alternative in alternatives]
    decided: Ints = np.full(len(cards), -1, np.int64)
    for decision in strategy.decisions:
        answer = scope.truth(decision.when, "seat")
        if (answer == UNKNOWN).any():
            raise NotWorkedOut(f"the strategy for {decision.decision} depends on more than the player sees")
        if decision.decision in names:
            decided[(decided < 0) & (answer == YES)] = names.index(decision.decision)
    same = np.array([names.index(name) for name in names])
    return (decided < 0)[None, :] | (same[:, None] == decided[None, :])
