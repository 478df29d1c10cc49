"""Ordered cases of which the first that holds decides, over columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Flags
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.language.conditions import Condition

Item = TypeVar("Item", bound=np.generic)


class Case(Protocol):
    """A case of a list: it speaks of the rounds that fulfil its condition, of all without one."""

    @property
    def when(self) -> Condition | None:
        """The rounds it speaks of."""
        ...


AnyCase = TypeVar("AnyCase", bound=Case)


def first_holding(
    scope: Scope,
    cases: Sequence[AnyCase],
    value: Callable[[AnyCase], tuple[NDArray[Item], Flags]],
    otherwise: NDArray[Item],
) -> tuple[NDArray[Item], Flags]:
    """Per round: the value of the first case that holds, and whether it is known. `value` gives each case its values
    and where they are known; where no case holds, it is `otherwise`, and known."""
    result, known = otherwise.copy(), np.ones(len(otherwise), bool)
    waiting = np.ones(len(otherwise), bool)
    for case in cases:
        if case.when is None:
            holds, fails = waiting, np.zeros_like(waiting)
        else:
            truth = scope.truth(case.when, "round")
            holds, fails = waiting & (truth == YES), waiting & (truth == NO)
        values, recorded = value(case)
        result = np.where(holds, values, result)
        known &= ~waiting | fails | (holds & recorded)
        waiting = fails
    return result, known
