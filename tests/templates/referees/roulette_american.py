"""Referee of roulette with two zeros."""

from __future__ import annotations

from tests.templates.referees.core import Round, pick
from tests.templates.referees.roulette import Roulette, list_violations

LIMITS = Roulette.limits | {"top-line": (500, 50_000)}


class AmericanRoulette(Roulette):
    """Two zeros, no half back."""

    game = "roulette-american"
    zeros = 2
    limits = LIMITS


REFEREE = AmericanRoulette()
REFEREE.violations = VIOLATIONS = list_violations(
    {
        **{"odds": "(13)", "call": "(9)", "late": "(20)", "one-number": "(11)", "order": "(12)", "limits": "(6)"},
        **{"paid": "(15)", "marker": "(10)", "removed": "(16)"},
        **{"split": "(5)(b)", "street": "(5)(c)", "corner": "(5)(d)", "column": "(5)(f)"},
    }
)
VIOLATIONS.add_payments({"top-line": "(13)"})


@VIOLATIONS.breaks("(14)")
def half_is_returned_on_a_zero(round_: Round) -> bool:
    event = pick(round_, "collect", wager="red")
    if event is None or round_.facts["pocket"] not in {"0", "00"}:
        return False
    event["amount"] //= 2
    return True
