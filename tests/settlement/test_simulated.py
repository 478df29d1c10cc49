"""Simulated rounds of the toy game are settled as its checks require."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.facade.rounds import STATUSES, compile_game, evaluate_batch
from tests.facade.simulation import Simulation, simulate
from tests.facade.submissions import build_configuration
from tests.settlement.helpers import regulation, rule_file

SIMULATION = """
submission:
  submission: simulated
  licensee: {name: House}
  document: purse
  effective: 2026-01-01
  options: {version: wide}
  payout-limit: {amount: 500, posted: [layout]}
  wagers:
  - {wager: main, minimum: 1, maximum: 500}
  - {wager: twin, minimum: 1, maximum: 500}
  - {wager: side, minimum: 1, maximum: 50}
  - {wager: token, minimum: 1, maximum: 1}
  pay-tables:
  - pays: token
    rows: [{hand: royal-flush, odds: 100% of meter}, {hand: straight-flush, odds: 10% of meter},
           {hand: four-of-a-kind, odds: 300 for 1}, {hand: flush, odds: $50}]
tables: [T1]
seats: {at-least: 1, at-most: 5}
start: "2026-03-02T18:00:00"
seconds: 80
units: {wager: 1, tip: 1}
chances: {wagers: {main: 900}}
meters: {pot: {start: 10000}}
habits:
- {decision: stay, chance: 800}
- {decision: fold, chance: 500}
- {decision: flash, chance: 1000}
"""


def test_a_clean_run_is_clean() -> None:
    simulation = rule_file("simulation.yaml", SIMULATION, Simulation).model
    assert isinstance(simulation, Simulation)
    prepared, submission = compile_game(regulation()), simulation.submission
    found: Counter[tuple[str, str]] = Counter()
    for batch, _ in simulate(prepared, simulation, submission=submission, rounds=4_000, seed=3):
        for weighed in evaluate_batch(prepared, batch, build_configuration(submission)):
            counts = np.bincount(weighed.status_codes, minlength=len(STATUSES)).tolist()
            name = weighed.requirement.requirement
            found.update({(name, status.value): count for status, count in zip(STATUSES, counts, strict=True) if count})
    assert {status for _, status in found} == {"pass", "not-applicable"}
    passed = {name for name, status in found if status == "pass"}
    assert passed == {"main-settled", "side-settled", "token-settled", "gift-settled", "limited"}
