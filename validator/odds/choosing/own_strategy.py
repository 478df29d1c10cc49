"""A way of playing that somebody gives, as conditions of the rule language on what a player sees."""

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
    """A decision, and when it is taken."""

    decision: DecisionName
    """The decision."""
    when: Condition | None = None
    """The hands with which it is taken, of those that nothing before it decided; left out, all of them."""


class OwnStrategy(Closed):
    """What a player decides, from the top: the first that holds. Where none does, and in which cards are put aside, the
    player does what is best."""

    document: Identifier
    """The document whose game is played."""
    decisions: Annotated[list[Tendency], MinLen(1), MaxLen(100)]
    """The decisions, in order."""


def read_strategy(source: Source, regulation: Regulation) -> OwnStrategy:
    """The strategy in a file. Raises InputError, also for names and questions that the game does not have."""
    tree = load_tree(source)
    strategy = validate(tree, OwnStrategy)
    problems = []
    if strategy.document != regulation.id or regulation.game is None:
        problems.append(tree.diagnostic(("document",), "other-document", f"this is not a strategy for {regulation.id}"))
    else:
        problems += unknown_names(tree, strategy, Namespace.of(regulation))
        for index, one in enumerate([] if problems else strategy.decisions):
            for place, why in asked_at(one.when, "seat", regulation.game, ("decisions", index, "when")):
                problems.append(tree.diagnostic(place, "semantic-error", why))
    if problems:
        raise InputError(at_most(problems))
    return strategy


def allowed(strategy: OwnStrategy, table: Table, cards: Codes, alternatives: list[Alternative]) -> Flags:
    """bool[alternatives, n]: what a player who follows a strategy may do with each hand, uint8[n, k]. Raises
    NotWorkedOut where it hangs on what a player does not see."""
    sizes = table.prepared.game.deal.cards
    deals = {place: np.full((len(cards), size), NOT_KNOWN, np.uint8) for place, size in sizes.items()}
    rounds = MadeUp(dealt={**deals, "player": cards}, stakes=table.opening)
    scope = table.opened(rounds)
    names = [one.name for one in alternatives]
    decided: Ints = np.full(len(cards), -1, np.int64)
    for one in strategy.decisions:
        answer = scope.truth(one.when, "seat")
        if (answer == UNKNOWN).any():
            raise NotWorkedOut(f"when to {one.decision} hangs on more than the player sees")
        if one.decision in names:
            decided[(decided < 0) & (answer == YES)] = names.index(one.decision)
    same = np.array([names.index(name) for name in names])
    return (decided < 0)[None, :] | (same[:, None] == decided[None, :])
