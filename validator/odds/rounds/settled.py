"""What made-up rounds come to, by the interpreter: the balance of some lines, and what outcome that is."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Ints
from validator.engine.core.context import Scope
from validator.engine.payouts.pay_table_cells import OFF
from validator.engine.payouts.pay_table_lookup import look_up
from validator.engine.payouts.settlement import Line, settle
from validator.odds.rounds.columns import MadeUp, batch_of
from validator.odds.rounds.play import NotWorkedOut, Table


class Settled(Struct, frozen=True, kw_only=True):
    """Rounds settled: `net`, int64[n], what the player wins of the lines that count, less what is lost, in 1 / `per`
    minor units; `outcome`, int64[n], a place in `outcomes`."""

    net: Ints
    per: int
    outcome: Ints
    outcomes: tuple[str, ...]


def settled(table: Table, rounds: MadeUp) -> Settled:
    """Made-up rounds settled, as far as a group goes. Raises NotWorkedOut where the text, or the evidence of regular
    rounds, leaves open what is due."""
    scope = Scope(batch_of(table.prepared, rounds), table.prepared, table.configuration)
    lines = settle(scope)
    count = len(scope.batch)
    names = [name for name in table.group.lines if len(lines[name].seat)]
    per = int(np.lcm.reduce([lines[name].per for name in names], initial=1))
    net, said = np.zeros(count, np.int64), np.zeros((count, len(names)), np.int64)
    words: dict[str, int] = {"": 0}
    for place, name in enumerate(names):
        line = lines[name]
        if not line.settled.all() or (line.due_paid != line.due_paid[0]).any():
            raise NotWorkedOut(_left_open(table, line))
        net[line.seat] += (line.due_paid[0] - line.due_taken[0] * line.per) * (per // line.per)
        texts = _said(scope, line)
        said[line.seat, place] = [words.setdefault(text, len(words)) for text in texts]
    kinds, outcome = np.unique(said, axis=0, return_inverse=True)
    texts = list(words)
    outcomes = tuple(_together(names, [texts[one] for one in kind]) for kind in kinds.tolist())
    return Settled(net=net, per=per, outcome=outcome.reshape(-1), outcomes=outcomes)


def _left_open(table: Table, line: Line) -> str:
    at = int(np.flatnonzero(~line.settled)[0]) if not line.settled.all() else 0
    case = int(line.case[at])
    if case == ABSENT:
        return f"no case of settlement decides {line.name} in some round"
    name = table.prepared.game.settlement.cases[case].case
    return f"what {line.name} is due under the case {name} is open"


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
