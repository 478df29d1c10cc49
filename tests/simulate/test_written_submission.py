"""The submission that `simulate` writes down can be handed in."""

from __future__ import annotations

from pathlib import Path

from tests.facade.commands import run


def test_tables_that_name_a_printed_one_are_written_by_its_name(tmp_path: Path) -> None:
    house, written, log = (tmp_path / name for name in ("house.yaml", "written.yaml", "log.jsonl"))
    house.write_text(
        """submission: simulated-house
licensee: {name: Simulated House}
document: co-rule10-3card-shine
effective: 2026-01-01
deck: {cards: standard-52, decks: 1}
dealing: one-at-a-time
wagers:
- {wager: ante, minimum: 5, maximum: 100}
- {wager: pair-xxx, minimum: 5, maximum: 100}
- {wager: play}
pay-tables:
- {pays: ante-bonus, printed: ante-bonus}
- {pays: pair-xxx, printed: pair-xxx-a}
""",
        "utf-8",
    )
    options = ("--rounds", "3", "--seed", "1", "--submission", house, "--output", log, "--write-submission", written)
    assert run("simulate", "co-rule10-3card-shine", *options).code == 0
    assert "printed: pair-xxx-a" in written.read_text("utf-8") and "rows" not in written.read_text("utf-8")
    assert run("audit", log, "--submission", written, "--allow-unproven").code == 0
