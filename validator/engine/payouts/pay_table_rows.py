"""Check whether pay tables have a row for a hand."""

from __future__ import annotations

import numpy as np

from validator.arrays import Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import UNKNOWN
from validator.engine.payouts.pay_table_cells import NO_CELL
from validator.engine.payouts.pay_table_lookup import look_up_tables
from validator.language.grains import Grain
from validator.language.operands import ListedHand
from validator.rules.model.settlement import ByTable


def is_listed(scope: EvaluationContext, operand: ListedHand, grain: Grain) -> Truths:
    """Return whether every table that may be in use has a row for each seat's hand; unknown if only some have one."""
    looked = look_up_tables(scope, ByTable(of=operand.pay_table, hand=operand.hand, match="at-least"))
    if looked is None:
        return kleene.constant(UNKNOWN, scope.count_items(grain))
    rows = looked.has_row.take(looked.cells, axis=1)
    out = np.zeros((1, 1), bool) if looked.usable_rounds is None else ~looked.usable_rounds[:, scope.batch.seats.round]
    everywhere, somewhere = np.all(rows | out, axis=0), np.any(rows & ~out, axis=0)
    return kleene.where_known(everywhere, (looked.cells != NO_CELL) & (everywhere == somewhere))
