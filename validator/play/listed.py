"""Whether pay tables have a row for a hand."""

from __future__ import annotations

import numpy as np

from validator.play import tri
from validator.play.lookup import look_up
from validator.play.rates import OFF
from validator.play.scope import Scope
from validator.play.tri import UNKNOWN, Tri
from validator.rulebook.grain import Grain
from validator.rulebook.language.money import ByTable
from validator.rulebook.language.particulars import Listed


def is_listed(scope: Scope, operand: Listed, grain: Grain) -> Tri:
    """Whether every table that may be in use, or none, has a row for each seat's hand."""
    looked = look_up(scope, ByTable(of=operand.pay_table, hand=operand.hand, match="at-least"))
    if looked is None:
        return tri.constant(UNKNOWN, scope.length(grain))
    rows = looked.listed.take(looked.cells, axis=1)
    out = np.zeros((1, 1), bool) if looked.rounds is None else ~looked.rounds[:, scope.batch.seats.round]
    everywhere, somewhere = np.all(rows | out, axis=0), np.any(rows & ~out, axis=0)
    return tri.where_known(everywhere, (looked.cells != OFF) & (everywhere == somewhere))
