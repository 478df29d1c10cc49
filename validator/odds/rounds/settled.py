"""What made-up rounds come to, by the interpreter: the balance of some lines, and what outcome that is."""

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
    """Rounds settled: `net`, int64[n], what the player wins of the lines that count, less what is lost, in 1 / `per`
    minor units; `outcome`, int64[n], a place in `outcomes`. `proof` is made when it is asked for."""

    net: Ints
    per: int
    outcome: Ints
    outcomes: tuple[str, ...]
    proof: Callable[[], Proof]


class Undecided(NotWorkedOut):
    """That the text leaves open what a line is due in a deal."""

    def __init__(self, why: str, line: str, deal: Shown) -> None:
        cards = ", ".join(f"{place} {cards}" for place, cards in deal.cards.items())
        super().__init__(f"{why}: {cards}")
        self.line, self.deal = line, deal


def settled(table: Table, rounds: MadeUp) -> Settled:
    """Made-up rounds settled, as far as a group goes. Raises NotWorkedOut where the text, or the evidence of regular
    rounds, leaves open what is due."""
    scope = table.opened(rounds)
    lines = settle(scope)
    count = len(scope.batch)
    names = [name for name in table.group.lines if len(lines[name].seat)]
    per = int(np.lcm.reduce([lines[name].per for name in names], initial=1))
    net, said = np.zeros(count, np.int64), np.zeros((count, len(names)), np.int64)
    words: dict[str, int] = {"": 0}
    told: dict[str, frozenset[str]] = {}
    for place, name in enumerate(names):
        line = lines[name]
        if not line.settled.all() or (line.due_paid != line.due_paid[0]).any():
            raise _left_open(table, scope, line, rounds)
        net[line.seat] += (line.due_paid[0] - line.due_taken[0] * line.per) * (per // line.per)
        texts = _said(scope, line)
        told[name] = frozenset(texts)
        said[line.seat, place] = [words.setdefault(text, len(words)) for text in texts]
    kinds, outcome = np.unique(said, axis=0, return_inverse=True)
    texts = list(words)
    outcomes = tuple(_together(names, [texts[place] for place in kind]) for kind in kinds.tolist())
    decided = {name: lines[name] for name in names}
    return Settled(
        net=net,
        per=per,
        outcome=outcome.reshape(-1),
        outcomes=outcomes,
        proof=lambda: proof_of(scope, rounds, decided, told),
    )


def _left_open(table: Table, scope: Scope, line: Line, rounds: MadeUp) -> NotWorkedOut:
    """Return why a line is not settled in some deal: nothing decides it, or evidence that no deal has."""
    at = int(np.flatnonzero(~line.settled)[0]) if not line.settled.all() else 0
    unknown = next(_not_in_the_cards(scope, line, at), None)
    if unknown is not None:
        return NotWorkedOut(f"what {line.name} is due depends on more than cards and decisions: {unknown}")
    case = int(line.case[at])
    why = f"no case of settlement decides {line.name} in some deal"
    if case != ABSENT:
        why = f"what {line.name} is due under the case {table.prepared.game.settlement.cases[case].case} is open"
    return Undecided(why, line.name, shown(rounds, int(line.seat[at])))


def _not_in_the_cards(scope: Scope, line: Line, at: int) -> Iterator[str]:
    """Yield, in words, the conditions of cases of a line that stay unknown in a deal of which every card is known."""
    game = scope.prepared.game
    for case in game.settlement.cases:
        if line.name not in case.lines or case.when is None:
            continue
        if scope.truth(case.when, "seat")[line.seat[at]] != UNKNOWN:
            continue
        for leaf in case.when.meaning.leaves(case.when, game):
            if scope.truth(leaf, "seat")[line.seat[at]] == UNKNOWN:
                yield leaf.meaning.demanded(scope.prepared, leaf.operand)


def _said(scope: Scope, line: Line) -> list[str]:
    """The outcome of each stake on a line: the row that is hit, or the case."""
    cases = scope.prepared.game.settlement.cases
    found = [cases[case].case for case in line.case.tolist()]
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
            found[at] = "not-listed" if cell == OFF else names.get(cell, "not-listed")
    return found


def _together(names: list[str], texts: list[str]) -> str:
    """One outcome of several lines: what is said of all of them, else of each."""
    if len(names) == 1:
        return texts[0]
    said = [(name, text) for name, text in zip(names, texts, strict=True) if text]
    return ", ".join(f"{name}: {text}" for name, text in said)
