"""An audit loads the documents that its logs and submissions are of, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.facade.commands import run
from tests.facade.demo import GAME, comply, demo_round, to_log
from tests.facade.rules import Rulebook, rules_folder

OTHER = "s38"


@pytest.fixture
def rules(place: Path) -> Path:
    """Return a rules folder in which one game is broken."""
    folder = place / "rules"
    shutil.copytree(rules_folder(), folder)
    game = folder / OTHER / "game.yaml"
    game.write_text("nonsense: 1\n" + game.read_text("utf-8"), "utf-8")
    return folder


def test_a_game_that_no_log_is_of_may_be_broken(place: Path, rules: Path) -> None:
    (place / "log.jsonl").write_bytes(to_log([demo_round("hand-01")]))
    (place / "submission.yaml").write_text(comply())
    command = ("audit", "log.jsonl", "-s", "submission.yaml")
    assert run(*command, "--rules", rules).text == run(*command).text


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_broken_game_of_a_log_is_told_at_its_place(place: Path, rules: Path, jobs: str) -> None:
    record = demo_round("hand-01")
    # Two blocks, so that there is work for two processes.
    several = [{**record, "game": OTHER, "round": f"r-{number}"} for number in range(2500)]
    (place / "log.jsonl").write_bytes(to_log(several))
    ended = run("audit", "log.jsonl", "--rules", rules, "--jobs", jobs)
    assert ended.code == 3
    assert ended.err.count(f"{OTHER}/game.yaml:1:1") == 1
    assert "Traceback" not in ended.err


def test_hand_histories_ask_for_every_game_and_cost_no_other_log(place: Path, rules: Path) -> None:
    (place / "log.jsonl").write_bytes(to_log([demo_round("hand-01")]))
    histories = rules_folder() / "poker-room" / "demo" / "hands.phhs"
    ended = run("audit", "log.jsonl", histories, "--rules", rules, "-o", "json")
    assert ended.code == 3
    assert ended.err.count(f"{OTHER}/game.yaml:1:1") == 1
    assert [source["file"] for source in ended.results["provenance"]["inputs"]] == ["log.jsonl"]


def test_games_are_known_without_loading_them() -> None:
    rulebook = Rulebook()
    assert rulebook.games == {regulation.id for regulation in rulebook.all() if regulation.game is not None} > {GAME}
