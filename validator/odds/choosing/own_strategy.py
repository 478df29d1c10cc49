"""Given strategy of a player: conditions of the rule language on the cards that the player sees."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import MaxLen, MinLen

from validator.arrays import Codes, Flags, Ints
from validator.cards.cards import UNKNOWN as NOT_KNOWN
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.conditions import Condition, find_grain_problems
from validator.language.refs import DecisionName
from validator.odds.rounds.columns import SampleRounds
from validator.odds.rounds.play import Alternative, OddsTable
from validator.odds.rounds.refusals import NoOdds
from validator.rulebook.lint.references import Namespace, find_undefined_names
from validator.rules.core.regulation import Regulation
from validator.text.diagnostics import InputError, limit_diagnostics
from validator.text.models.model import ClosedModel
from validator.text.models.scalars import Identifier
from validator.text.models.validate import validate
from validator.text.source import Source
from validator.text.trees.load import load_document


class StrategyStep(ClosedModel):
    """Decision of a strategy, and when to take it."""

    decision: DecisionName
    """The decision."""
    when: Condition | None = None
    """The hands with which it is taken, among those that no earlier decision covers; all of them if left out."""


class GivenStrategy(ClosedModel):
    """Decisions of a player in order: the first one that applies is taken. If none applies, the player decides as
    well as possible; the same is true for discards."""

    document: Identifier
    """The document whose game is played."""
    decisions: Annotated[list[StrategyStep], MinLen(1), MaxLen(100)]
    """The decisions, in order."""


def read_strategy(source: Source, regulation: Regulation) -> GivenStrategy:
    """Return the strategy in a file. Raises InputError, also for unknown names and conditions that the game cannot
    evaluate."""
    tree = load_document(source)
    strategy = validate(tree, GivenStrategy)
    problems = []
    if strategy.document != regulation.id or regulation.game is None:
        problems.append(
            tree.build_diagnostic(("document",), "other-document", f"this is not a strategy for {regulation.id}")
        )
    else:
        problems += find_undefined_names(tree, strategy, Namespace.from_regulation(regulation))
        for index, decision in enumerate([] if problems else strategy.decisions):
            for place, why in find_grain_problems(decision.when, "seat", regulation.game, ("decisions", index, "when")):
                problems.append(tree.build_diagnostic(place, "semantic-error", why))
    if problems:
        raise InputError(limit_diagnostics(problems))
    return strategy


def restrict_to_strategy(
    strategy: GivenStrategy, table: OddsTable, cards: Codes, alternatives: list[Alternative]
) -> Flags:
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
    rounds = SampleRounds(dealt={**deals, "player": cards}, stakes=table.opening_stakes)
    scope = table.open_rounds(rounds)
    names = [alternative.name for alternative in alternatives]
    decided: Ints = np.full(len(cards), -1, np.int64)
    for decision in strategy.decisions:
        answer = scope.evaluate(decision.when, "seat")
        if (answer == UNKNOWN).any():
            raise NoOdds(f"the strategy for {decision.decision} depends on more than the player sees")
        if decision.decision in names:
            decided[(decided < 0) & (answer == YES)] = names.index(decision.decision)
    same = np.array([names.index(name) for name in names])
    return (decided < 0)[None, :] | (same[:, None] == decided[None, :])
