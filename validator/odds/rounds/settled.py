"""Settlement of sample rounds by the interpreter: balance and outcome of some lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import UNKNOWN
from validator.engine.payouts.pay_table_cells import OFF
from validator.engine.payouts.pay_table_lookup import look_up
from validator.engine.payouts.settlement import Line, settle
from validator.odds.rounds.columns import MadeUp
from validator.odds.rounds.play import Table
from validator.odds.rounds.proof import Proof, Shown, proof_of, shown
from validator.odds.rounds.refusals import NotWorkedOut


class Settled(Struct, frozen=True, kw_only=True):
    """Settled sample rounds."""

    net: Ints
    """Balance of the player on the lines that count, in 1 / `per` minor units, int64[n]."""
    per: int
    outcome: Ints
    """Outcome, as an index into `outcomes`, int64[n]."""
    outcomes: tuple[str, ...]
    proof: Callable[[], Proof]
    """Returns what the rounds prove, when called."""


class Undecided(NotWorkedOut):
    """Error for a deal in which the document leaves open what a line is due."""

    def __init__(self, why: str, line: str, deal: Shown) -> None:
        cards = ", ".join(f"{place} {cards}" for place, cards in deal.cards.items())
        super().__init__(f"{why}: {cards}")
        self.line, self.deal = line, deal


def settled(table: Table, rounds: MadeUp) -> Settled:
    """Settle sample rounds for the lines of a group.

    Raises `NoOdds` if the document, or the evidence of regular rounds, leaves open what is due.
    """
    scope = table.opened(rounds)
    lines = settle(scope)
    count = len(scope.batch)
    names = [name for name in table.group.lines if len(lines[name].seat)]
    per = int(np.lcm.reduce([lines[name].per for name in names], initial=1))
    net, text_of_line = np.zeros(count, np.int64), np.zeros((count, len(names)), np.int64)
    number_of_text: dict[str, int] = {"": 0}
    outcomes_of_line: dict[str, frozenset[str]] = {}
    for place, name in enumerate(names):
        line = lines[name]
        if not line.settled.all() or (line.due_paid != line.due_paid[0]).any():
            raise _explain_open_settlement(table, scope, line, rounds)
        net[line.seat] += (line.due_paid[0] - line.due_taken[0] * line.per) * (per // line.per)
        texts = _name_outcomes(scope, line)
        outcomes_of_line[name] = frozenset(texts)
        text_of_line[line.seat, place] = [number_of_text.setdefault(text, len(number_of_text)) for text in texts]
    combinations, outcome = np.unique(text_of_line, axis=0, return_inverse=True)
    texts = list(number_of_text)
    outcomes = tuple(_join_outcomes(names, [texts[place] for place in kind]) for kind in combinations.tolist())
    decided = {name: lines[name] for name in names}
    return Settled(
        net=net,
        per=per,
        outcome=outcome.reshape(-1),
        outcomes=outcomes,
        proof=lambda: proof_of(scope, rounds, decided, outcomes_of_line),
    )


def _explain_open_settlement(table: Table, scope: Scope, line: Line, rounds: MadeUp) -> NotWorkedOut:
    """Return the error for a line that is not settled in some deal: no case decides it, or some evidence is missing."""
    at = int(np.flatnonzero(~line.settled)[0]) if not line.settled.all() else 0
    unknown = next(_list_open_conditions(scope, line, at), None)
    if unknown is not None:
        return NotWorkedOut(f"the settlement of {line.name} depends on more than cards and decisions: {unknown}")
    case = int(line.case[at])
    why = f"no case settles {line.name} in some deal"
    if case != ABSENT:
        name = table.prepared.game.settlement.cases[case].case
        why = f"the case {name} leaves open what {line.name} is due"
    return Undecided(why, line.name, shown(rounds, int(line.seat[at])))


def _list_open_conditions(scope: Scope, line: Line, at: int) -> Iterator[str]:
    """Yield the conditions of a line's cases that stay unknown in a deal with known cards."""
    game = scope.prepared.game
    for case in game.settlement.cases:
        if line.name not in case.lines or case.when is None:
            continue
        if scope.truth(case.when, "seat")[line.seat[at]] != UNKNOWN:
            continue
        for leaf in case.when.meaning.leaves(case.when, game):
            if scope.truth(leaf, "seat")[line.seat[at]] == UNKNOWN:
                yield leaf.meaning.demanded(scope.prepared, leaf.operand)


def _name_outcomes(scope: Scope, line: Line) -> list[str]:
    """Return the outcome of each stake on a line: the row that it hits, or the case."""
    cases = scope.prepared.game.settlement.cases
    outcomes = [cases[case].case for case in line.case.tolist()]
    for index in np.unique(line.case).tolist():
        due = cases[index].due
        if due.operator != "pay-table":
            continue
        looked = look_up(scope, due.operand)
        if looked is None:
            continue
        bonus = scope.prepared.game.bonuses.get(line.name)
        if bonus is not None and bonus.earned_by is not None:
            continue
        names = looked.rates[0].names
        for at in np.flatnonzero(line.case == index).tolist():
            cell = int(looked.cells[line.seat[at]])
            outcomes[at] = "not-listed" if cell == OFF else names.get(cell, "not-listed")
    return outcomes


def _join_outcomes(names: list[str], texts: list[str]) -> str:
    """Return the outcome of several lines: the text of a single line, or the texts of all, each with its line."""
    if len(names) == 1:
        return texts[0]
    named = [(name, text) for name, text in zip(names, texts, strict=True) if text]
    return ", ".join(f"{name}: {text}" for name, text in named)
