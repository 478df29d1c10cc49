"""Statements of the submission in force, over columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Bounds, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.intervals import unless
from validator.engine.submission.answers import View


def view_of(scope: Scope) -> View | None:
    """Return the view of the submission in force; None if there is none."""
    result = scope.configuration
    return (
        None if result is None else View(data=result.data, regulation=scope.prepared.regulation, day=result.effective)
    )


def number_for_all(scope: Scope, value: object) -> Bounds:
    """Return the bounds of a whole number that holds for all rounds; the bounds are open if the value is no number."""
    rounds = scope.length("round")
    known = isinstance(value, int) and not isinstance(value, bool)
    return unless(np.full(rounds, known), np.full(rounds, value if known else 0, np.int64))


def of_lines(scope: Scope, line: str, stated: Callable[[str], int]) -> Tri:
    """Return a statement about a line for each round, or for `this`, about the wager of each stake.

    Returns:
        uint8[rounds], or uint8[stakes] for `this`.
    """
    if line != "this":
        return kleene.constant(stated(line), scope.length("round"))
    wager = scope.batch.stakes.wager
    return np.array([stated(name) for name in wager.names], np.uint8)[wager.codes]
