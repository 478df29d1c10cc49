"""Simulated logs: how a game is simulated, runs, what can be planted."""

from __future__ import annotations

from validator.rules.loading.simulation_file import load_simulation
from validator.rules.simulation.simulation import MeterRun, Mishap, Simulation, Stacked, StackedBeside, StepHabit
from validator.simulate.planting import plantable, plantings
from validator.simulate.run import simulate

__all__ = [
    "MeterRun",
    "Mishap",
    "Simulation",
    "Stacked",
    "StackedBeside",
    "StepHabit",
    "load_simulation",
    "plantable",
    "plantings",
    "simulate",
]
