"""Settlement of sample rounds by the interpreter: balance and outcome of some lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Ints
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import UNKNOWN
from validator.engine.payouts.pay_table_cells import NO_CELL
from validator.engine.payouts.pay_table_lookup import look_up_tables
from validator.engine.payouts.settlement import SettledLine, settle_lines
from validator.odds.rounds.columns import SampleRounds
from validator.odds.rounds.play import OddsTable
from validator.odds.rounds.proof import SettlementProof, ShownDeal, prove_settlement, show_deal
from validator.odds.rounds.refusals import NoOdds


class SettledDeals(Struct, frozen=True, kw_only=True):
    """Settled sample rounds."""

    net: Ints
    """Balance of the player on the lines that count, in 1 / `per` minor units, int64[n]."""
    denominator: int
    outcome: Ints
    """Outcome, as an index into `outcomes`, int64[n]."""
    outcomes: tuple[str, ...]
    proof: Callable[[], SettlementProof]
    """Returns what the rounds prove, when called."""


class UndecidedDeal(NoOdds):
    """Error for a deal in which the document leaves open what a line is due."""

    def __init__(self, why: str, line: str, deal: ShownDeal) -> None:
        cards = ", ".join(f"{place} {cards}" for place, cards in deal.cards.items())
        super().__init__(f"{why}: {cards}")
        self.line, self.deal = line, deal


def settle_deals(table: OddsTable, rounds: SampleRounds) -> SettledDeals:
    """Settle sample rounds for the lines of a group.

    Raises `NoOdds` if the document, or the evidence of regular rounds, leaves open what is due.
    """
    scope = table.open_rounds(rounds)
    lines = settle_lines(scope)
    count = len(scope.batch)
    names = [name for name in table.group.lines if len(lines[name].seat)]
    per = int(np.lcm.reduce([lines[name].denominator for name in names], initial=1))
    net, text_of_line = np.zeros(count, np.int64), np.zeros((count, len(names)), np.int64)
    number_of_text: dict[str, int] = {"": 0}
    outcomes_of_line: dict[str, frozenset[str]] = {}
    for place, name in enumerate(names):
        line = lines[name]
        if not line.is_settled.all() or (line.due_paid != line.due_paid[0]).any():
            raise _explain_open_settlement(table, scope, line, rounds)
        net[line.seat] += (line.due_paid[0] - line.due_taken[0] * line.denominator) * (per // line.denominator)
        texts = _name_outcomes(scope, line)
        outcomes_of_line[name] = frozenset(texts)
        text_of_line[line.seat, place] = [number_of_text.setdefault(text, len(number_of_text)) for text in texts]
    combinations, outcome = np.unique(text_of_line, axis=0, return_inverse=True)
    texts = list(number_of_text)
    outcomes = tuple(_join_outcomes(names, [texts[place] for place in kind]) for kind in combinations.tolist())
    decided = {name: lines[name] for name in names}
    return SettledDeals(
        net=net,
        denominator=per,
        outcome=outcome.reshape(-1),
        outcomes=outcomes,
        proof=lambda: prove_settlement(scope, rounds, decided, outcomes_of_line),
    )


def _explain_open_settlement(
    table: OddsTable, scope: EvaluationContext, line: SettledLine, rounds: SampleRounds
) -> NoOdds:
    """Return the error for a line that is not settled in some deal: no case decides it, or some evidence is missing."""
    at = int(np.flatnonzero(~line.is_settled)[0]) if not line.is_settled.all() else 0
    unknown = next(_list_open_conditions(scope, line, at), None)
    if unknown is not None:
        return NoOdds(f"the settlement of {line.name} depends on more than cards and decisions: {unknown}")
    case = int(line.case[at])
    why = f"no case settles {line.name} in some deal"
    if case != ABSENT:
        name = table.prepared.game.settlement.cases[case].case
        why = f"the case {name} leaves open what {line.name} is due"
    return UndecidedDeal(why, line.name, show_deal(rounds, int(line.seat[at])))


def _list_open_conditions(scope: EvaluationContext, line: SettledLine, at: int) -> Iterator[str]:
    """Yield the conditions of a line's cases that stay unknown in a deal with known cards."""
    game = scope.compiled_game.game
    for case in game.settlement.cases:
        if line.name not in case.lines or case.when is None:
            continue
        if scope.evaluate(case.when, "seat")[line.seat[at]] != UNKNOWN:
            continue
        for leaf in case.when.meaning.iterate_leaves(case.when, game):
            if scope.evaluate(leaf, "seat")[line.seat[at]] == UNKNOWN:
                yield leaf.meaning.describe_as_read(scope.compiled_game, leaf.operand)


def _name_outcomes(scope: EvaluationContext, line: SettledLine) -> list[str]:
    """Return the outcome of each stake on a line: the row that it hits, or the case."""
    cases = scope.compiled_game.game.settlement.cases
    outcomes = [cases[case].case for case in line.case.tolist()]
    for index in np.unique(line.case).tolist():
        due = cases[index].due
        if due.operator != "pay-table":
            continue
        looked = look_up_tables(scope, due.operand)
        if looked is None:
            continue
        bonus = scope.compiled_game.game.bonuses.get(line.name)
        if bonus is not None and bonus.earned_by is not None:
            continue
        names = looked.rates[0].row_names
        for at in np.flatnonzero(line.case == index).tolist():
            cell = int(looked.cells[line.seat[at]])
            outcomes[at] = "not-listed" if cell == NO_CELL else names.get(cell, "not-listed")
    return outcomes


def _join_outcomes(names: list[str], texts: list[str]) -> str:
    """Return the outcome of several lines: the text of a single line, or the texts of all, each with its line."""
    if len(names) == 1:
        return texts[0]
    named = [(name, text) for name, text in zip(names, texts, strict=True) if text]
    return ", ".join(f"{name}: {text}" for name, text in named)
