"""What simulated rounds come to: wagers that nobody wins or loses, rows of pay tables that nobody is paid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from validator.arrays import Flags
from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Batch
from validator.language.conditions import Condition
from validator.rules.model.game import Game
from validator.rules.model.pay_tables import PayTable

_OFTEN = 20
"""So many hands of which hardly one is paid are no accident."""


def even(game: Game, batches: Sequence[Batch]) -> Iterator[str]:
    """The wagers that were staked, and neither paid nor taken in any round."""
    for name in game.wagers:
        staked = won = 0
        for batch in batches:
            there, stakes = _on(batch, name) & (batch.stakes.amount > 0), batch.stakes
            staked += int(np.count_nonzero(there))
            won += int(np.count_nonzero(there & ((stakes.paid > 0) | (stakes.taken > 0))))
        if staked and not won and name in game.settlement.order:
            yield name


def unpaid(prepared: Prepared, batches: Sequence[Batch], configuration: Configuration) -> Mapping[str, tuple[int, int]]:
    """Lines with a pay table whose rows many staked hands held, of which hardly one was paid: both numbers."""
    game, found = prepared.game, dict[str, tuple[int, int]]()
    tables = {table.for_: table for table in game.pay_tables.values() if table.by is None and len(table.looks_at) == 1}
    for line, table in tables.items():
        held = paid = 0
        for batch in batches:
            holds = Scope(batch, prepared, configuration).truth(_row(table), "seat") == YES
            base = game.bonuses[line].reckoned_on if line in game.bonuses else line
            held += int(np.count_nonzero(holds[batch.stakes.seat[_on(batch, base) & (batch.stakes.amount > 0)]]))
            paid += int(np.count_nonzero(_on(batch, line) & (batch.stakes.paid > 0)))
        if held >= _OFTEN and paid * 10 < held:
            found[line] = held, paid
    return found


def _on(batch: Batch, line: str) -> Flags:
    """bool[stakes]: those on a line."""
    return batch.stakes.wager.codes == batch.stakes.wager.code(line)


def _row(table: PayTable) -> Condition:
    """That a hand is of some row of a table."""
    rows = [{"holds": {"hand": table.looks_at[0], "is": row}} for row in table.rows]
    return Condition.model_validate({"any": rows} if len(rows) > 1 else rows[0])
