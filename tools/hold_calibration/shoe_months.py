"""Months of blackjack at four tables, written as a hand log and counted by the program."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

import fairdeal
from fairdeal.validator.results.game_statistics import Grouping, HoldResult
from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tools.hold_calibration.shoe_rounds import GAME, POLICIES, TableHabits, play_basic, rounds

DAYS, TABLES = 31, 4
FEWEST, MOST = 60, 240
"""Rounds of a day."""
PLAYERS = (POLICIES, POLICIES[:1], POLICIES[1:])
"""Policies of the players of a month: mixed, skilled, poor."""


def count_month(seed: int, house: TableHabits | None = None) -> list[HoldResult]:
    """Return the hold of Main on each day of a month at each table; the seed also decides who plays."""
    with TemporaryDirectory(prefix="shoes-") as name:
        folder = Path(name)
        shutil.copytree(list_templates()[GAME], folder / "rules" / GAME)
        shutil.copy(rules_folder() / "rulebook.yaml", folder / "rules")
        stated = yaml.safe_load((folder / "rules" / GAME / "simulation.yaml").read_text("utf-8"))["submission"]
        del stated["tables"]
        (folder / "house.yaml").write_text(yaml.safe_dump(stated), "utf-8")
        with (folder / "log.jsonl").open("w", encoding="utf-8") as log:
            log.writelines(_write_month(seed, house))
        rulebook = fairdeal.load_rulebook(folder / "rules")
        found = fairdeal.hold(rulebook, folder / "log.jsonl", submissions=[folder / "house.yaml"])
    return [hold for hold in found.hold if hold.by is Grouping.DAY and hold.wager == "main"]


def _write_month(seed: int, house: TableHabits | None) -> Iterator[str]:
    """Yield the lines of a log."""
    counts_cards = house is not None and house.counts_cards
    policies = (play_basic,) if counts_cards else PLAYERS[seed % len(PLAYERS)]
    for number in range(DAYS):
        day = (date(2026, 1, 1) + timedelta(days=number)).isoformat()
        for table in range(1, TABLES + 1):
            many = random.Random(f"{seed}-{day}-{table}").randint(FEWEST, MOST)
            for record in rounds(many, seed, day=day, policies=policies, house=house, table=f"B{table}", boxes=5):
                yield json.dumps(record) + "\n"
