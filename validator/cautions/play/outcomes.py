"""Outcomes of simulated rounds: wagers that nobody wins or loses, pay tables that are hardly ever paid."""

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

_MIN_HANDS = 20
"""Number of hands from which on a missing payment is no coincidence."""


def even(game: Game, batches: Sequence[Batch]) -> Iterator[str]:
    """Yield the wagers that were staked, but neither paid nor taken in any round."""
    for name in game.wagers:
        staked = decided = 0
        for batch in batches:
            staked_rows, stakes = _select_line(batch, name) & (batch.stakes.amount > 0), batch.stakes
            staked += int(np.count_nonzero(staked_rows))
            decided += int(np.count_nonzero(staked_rows & ((stakes.paid > 0) | (stakes.taken > 0))))
        if staked and not decided and name in game.settlement.order:
            yield name


def unpaid(prepared: Prepared, batches: Sequence[Batch], configuration: Configuration) -> Mapping[str, tuple[int, int]]:
    """Return the lines whose pay table applied to many staked hands, of which hardly one was paid.

    Returns:
        For each line, the number of hands that held a row, and the number that were paid.
    """
    game, rarely_paid = prepared.game, dict[str, tuple[int, int]]()
    tables = {table.for_: table for table in game.pay_tables.values() if table.by is None and len(table.looks_at) == 1}
    for line, table in tables.items():
        holding = paid = 0
        for batch in batches:
            holds = Scope(batch, prepared, configuration).truth(_build_row_condition(table), "seat") == YES
            base = game.bonuses[line].reckoned_on if line in game.bonuses else line
            holding += int(
                np.count_nonzero(holds[batch.stakes.seat[_select_line(batch, base) & (batch.stakes.amount > 0)]])
            )
            paid += int(np.count_nonzero(_select_line(batch, line) & (batch.stakes.paid > 0)))
        if holding >= _MIN_HANDS and paid * 10 < holding:
            rarely_paid[line] = holding, paid
    return rarely_paid


def _select_line(batch: Batch, line: str) -> Flags:
    """Return whether each stake is on a line.

    Returns:
        bool[stakes]
    """
    return batch.stakes.wager.codes == batch.stakes.wager.code(line)


def _build_row_condition(table: PayTable) -> Condition:
    """Build the condition that a hand holds some row of a table."""
    rows = [{"holds": {"hand": table.looks_at[0], "is": row}} for row in table.rows]
    return Condition.model_validate({"any": rows} if len(rows) > 1 else rows[0])
