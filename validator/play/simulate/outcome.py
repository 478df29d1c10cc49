"""What every stake is due, by the interpreter itself: paid and taken just so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from validator.play.settlement import settle_as_a_house
from validator.play.simulate.house import House
from validator.play.simulate.rounds import Rounds, scope_of


def pay_and_take(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds settled, which takes no luck. Where the house posts no pay table, it pays by the first printed."""
    paid, taken, case = rounds.paid.copy(), rounds.taken.copy(), rounds.case.copy()
    for name, line in settle_as_a_house(scope_of(house, rounds)).items():
        cell = (house.names.index(name), line.tip.astype(np.int64), line.seat)
        paid[cell] = line.due_paid[0] // line.per
        taken[cell] = line.due_taken[0]
        case[cell] = line.case
    return replace(rounds, paid=paid, taken=taken, case=case)
