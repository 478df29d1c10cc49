"""Small made-up games, and audits of their logs."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from fairdeal.api import load_rulebook
from tests.facade.results import Results
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import Rulebook, load_regulation, rules_folder
from tests.facade.simulation import Simulation, audit_log, load_simulation, simulate_log
from tests.facade.submissions import Submission


@cache
def folder() -> Path:
    """Write a rules folder of the made-up games with the shipped vocabulary."""
    root = Path(mkdtemp(prefix="made-up-"))
    shutil.copytree(Path(__file__).parent / "made_up", root, dirs_exist_ok=True)
    shutil.copytree(rules_folder() / "vocabulary", root / "vocabulary")
    return root


@cache
def rulebook() -> Rulebook:
    """Load the rulebook of the made-up games."""
    return load_rulebook(folder())


@cache
def made_up(name: str) -> tuple[CompiledGame, Simulation]:
    """Load a made-up game and its simulation."""
    regulation = load_regulation(name, folder())
    return compile_game(regulation), load_simulation(regulation, folder())


def judge(name: str, submission: Submission | None = None, **run: Any) -> tuple[Results, bytes]:
    """Return the results of an audit of a run of a game, and the log of the run."""
    prepared, simulation = made_up(name)
    played = submission or simulation.submission
    log = simulate_log(prepared, simulation, submission=played, **run)
    found = audit_log(rulebook(), log, played)
    return found, log
