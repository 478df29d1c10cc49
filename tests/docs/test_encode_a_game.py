"""The walk-through, done as a reader does it: files from the page's blocks, commands as the page shows them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairdeal.cli.hand_log_commands import audit
from fairdeal.validator.schemas.rule_file_schemas import get_schema_name
from tests.docs.followed_pages import Step, follow, rewrite
from tests.facade.commands import ROOT
from tests.facade.rules import load_regulation, load_samples, prove_samples
from tests.facade.simulation import load_simulation
from tests.facade.text import load_yaml, read_source
from tests.schemas.helpers import accepted_by_schema

PAGE = "encode-a-game.md"
GAME = "high-card-duel"


@pytest.fixture(scope="module")
def finished_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Step]]:
    """Follow the page, and return its folder of rules and the commands that ran."""
    checkout = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "rules_data" / "vocabulary", checkout / "rules_data" / "vocabulary")
    done = follow(PAGE, checkout)
    return checkout / "my-rules", done


def test_commands_give_what_the_page_shows(
    finished_page: tuple[Path, list[Step]], request: pytest.FixtureRequest
) -> None:
    _, done = finished_page
    assert {step.command.split()[1] for step in done if step.command.startswith("fairdeal ")} == {
        "rules",
        "simulate",
        "audit",
    }
    if request.config.getoption("--update-golden"):
        rewrite(PAGE, done)
    assert [step for step in done if not step.is_as_shown] == []


def test_the_regulation_loads_and_proves_its_examples(
    finished_page: tuple[Path, list[Step]],
) -> None:
    folder, _ = finished_page
    regulation = load_regulation(GAME, folder)
    proofs = prove_samples(regulation, load_samples(regulation, folder))
    assert len(proofs) == 8
    assert [problem for proof in proofs for problem in proof.problems] == []
    assert load_simulation(regulation, folder).submission.document == GAME


def test_every_file_follows_its_schema(finished_page: tuple[Path, list[Step]]) -> None:
    folder, _ = finished_page
    files = sorted(folder.rglob("*.yaml"))
    assert len(files) > 10
    for path in files:
        name = "submission" if path.name == "house.yaml" else get_schema_name(path)
        assert accepted_by_schema(name, load_yaml(read_source(str(path))).data), path


def test_the_planted_faults_are_found_where_they_were_planted(
    finished_page: tuple[Path, list[Step]],
) -> None:
    folder, _ = finished_page
    rounds = [json.loads(line) for line in (folder / "broken.jsonl").read_text("utf-8").splitlines()]
    planted = [record["round"] for record in rounds if record.get("annotations")]
    assert len(planted) > 10
    arguments = [str(folder / "broken.jsonl"), "--rules", str(folder), "--submission", str(folder / "house.yaml")]
    audited = CliRunner().invoke(audit, [*arguments, "--output", "json", "--jobs", "1"], standalone_mode=False)
    findings = json.loads(audited.output)["findings"]
    assert {finding["requirement"] for finding in findings} == {f"{GAME}/dealt-face-down"}
    assert sorted(finding["where"]["round"] for finding in findings) == sorted(planted)
