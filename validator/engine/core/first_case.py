"""Ordered cases of which the first that holds applies, over columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Flags
from validator.engine.core.context import EvaluationContext, Item
from validator.engine.core.kleene import NO, YES
from validator.language.conditions import Condition


class ConditionalCase(Protocol):
    """Case of a list; it applies to the rounds that fulfil its condition, or to all rounds without a condition."""

    @property
    def when(self) -> Condition | None:
        """Return the condition of the case."""
        ...


AnyConditionalCase = TypeVar("AnyConditionalCase", bound=ConditionalCase)


def select_first_case(
    scope: EvaluationContext,
    cases: Sequence[AnyConditionalCase],
    value: Callable[[AnyConditionalCase], tuple[NDArray[Item], Flags]],
    otherwise: NDArray[Item],
) -> tuple[NDArray[Item], Flags]:
    """Return the value of the first case that holds in each round, and whether it is known.

    Args:
        value: returns the values of a case, and where they are known.
        otherwise: values of rounds in which no case holds.
    """
    result, known = otherwise.copy(), np.ones(len(otherwise), bool)
    waiting = np.ones(len(otherwise), bool)
    for case in cases:
        if case.when is None:
            holds, fails = waiting, np.zeros_like(waiting)
        else:
            truth = scope.evaluate(case.when, "round")
            holds, fails = waiting & (truth == YES), waiting & (truth == NO)
        values, recorded = value(case)
        result = np.where(holds, values, result)
        known &= ~waiting | fails | (holds & recorded)
        waiting = fails
    return result, known
