"""Statements of the submission in force, over columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Bounds, Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext
from validator.engine.core.intervals import bounds_where_known
from validator.engine.submission.answers import SubmissionView


def build_submission_view(scope: EvaluationContext) -> SubmissionView | None:
    """Return the view of the submission in force; None if there is none."""
    result = scope.configuration
    return (
        None
        if result is None
        else SubmissionView(data=result.data, regulation=scope.compiled_game.regulation, day=result.effective)
    )


def bound_constant(scope: EvaluationContext, value: object) -> Bounds:
    """Return the bounds of a whole number that holds for all rounds; the bounds are open if the value is no number."""
    rounds = scope.count_items("round")
    known = isinstance(value, int) and not isinstance(value, bool)
    return bounds_where_known(np.full(rounds, known), np.full(rounds, value if known else 0, np.int64))


def evaluate_per_line(scope: EvaluationContext, line: str, stated: Callable[[str], int]) -> Truths:
    """Return a statement about a line for each round, or for `this`, about the wager of each stake.

    Returns:
        uint8[rounds], or uint8[stakes] for `this`.
    """
    if line != "this":
        return kleene.constant(stated(line), scope.count_items("round"))
    wager = scope.batch.stakes.wager
    return np.array([stated(name) for name in wager.names], np.uint8)[wager.codes]
