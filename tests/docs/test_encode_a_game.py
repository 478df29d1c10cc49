"""The walk-through, done as a reader does it: files from the page's blocks, commands as the page shows them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.hand_log_commands import audit
from tests.docs.blocks import blocks
from tests.facade.commands import ROOT
from tests.facade.rules import load_regulation, load_samples, prove_samples
from tests.facade.simulation import load_simulation
from tests.facade.text import load_yaml, read_source
from tests.schemas.helpers import accepted_by_schema
from validator.schemas.schema_agreement import get_schema_name

PAGE = "encode-a-game.md"
GAME = "high-card-duel"


def _follow(page: str, checkout: Path) -> list[tuple[str, int, str, str]]:
    """Do what a page says from a folder where `rules_data` lies. The commands: each with the exit code it
    should end with, the output it should give ("" where the page shows none), and what it gave."""
    here = checkout
    done: list[tuple[str, int, str, str]] = []
    for block in blocks(page):
        if "file" in block.options:
            path = here / block.options["file"]
            text = path.read_text("utf-8") + "\n" if path.exists() else ""
            path.write_text(text + block.text, "utf-8")
        if block.language != "console":
            continue
        commands: list[tuple[str, str]] = []
        for line in block.text.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], ""))
            else:
                command, shown = commands.pop()
                commands.append((command, f"{shown}{line}\n"))
        for number, (command, shown) in enumerate(commands, 1):
            words = shlex.split(command)
            if words[0] == "cd":
                here = here / words[1]
                continue
            code = int(block.options.get("exit", "0")) if number == len(commands) else 0
            if words[0] == "fairdeal":
                words = [sys.executable, "-m", "cli.main", *words[1:]]
            ended = subprocess.run(
                words,
                cwd=here,
                env={**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1767225600"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == code, (command, ended.stdout, ended.stderr)
            done.append((command, code, shown, ended.stdout))
    return done


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, int, str, str]]]:
    """The folder the page leads to, and the commands that were run on the way."""
    checkout = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "rules_data" / "vocabulary", checkout / "rules_data" / "vocabulary")
    done = _follow(PAGE, checkout)
    return checkout / "my-rules", done


def test_commands_give_what_the_page_shows(walked: tuple[Path, list[tuple[str, int, str, str]]]) -> None:
    _, done = walked
    assert {command.split()[1] for command, *_ in done if command.startswith("fairdeal ")} == {
        "rules",
        "simulate",
        "audit",
    }
    for command, _, shown, gave in done:
        if shown:
            assert gave == shown, command


def test_the_regulation_loads_and_proves_its_examples(
    walked: tuple[Path, list[tuple[str, int, str, str]]],
) -> None:
    folder, _ = walked
    regulation = load_regulation(GAME, folder)
    proofs = prove_samples(regulation, load_samples(regulation, folder))
    assert len(proofs) == 8
    assert [problem for proof in proofs for problem in proof.problems] == []
    assert load_simulation(regulation, folder).submission.document == GAME


def test_every_file_follows_its_schema(walked: tuple[Path, list[tuple[str, int, str, str]]]) -> None:
    folder, _ = walked
    files = sorted(folder.rglob("*.yaml"))
    assert len(files) > 10
    for path in files:
        name = "submission" if path.name == "house.yaml" else get_schema_name(path)
        assert accepted_by_schema(name, load_yaml(read_source(str(path))).data), path


def test_the_planted_faults_are_found_where_they_were_planted(
    walked: tuple[Path, list[tuple[str, int, str, str]]],
) -> None:
    folder, _ = walked
    rounds = [json.loads(line) for line in (folder / "broken.jsonl").read_text("utf-8").splitlines()]
    planted = [one["round"] for one in rounds if one.get("annotations")]
    assert len(planted) > 10
    arguments = [str(folder / "broken.jsonl"), "--rules", str(folder), "--submission", str(folder / "house.yaml")]
    audited = CliRunner().invoke(audit, [*arguments, "--output", "json", "--jobs", "1"], standalone_mode=False)
    findings = json.loads(audited.output)["findings"]
    assert {finding["requirement"] for finding in findings} == {f"{GAME}/dealt-face-down"}
    assert sorted(finding["where"]["round"] for finding in findings) == sorted(planted)
