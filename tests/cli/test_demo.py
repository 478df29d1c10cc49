"""`fairdeal demo`: the shipped evidence in a folder of the user, its audit, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.facade.commands import run
from tests.facade.rules import rules_folder

SHIPPED = rules_folder() / "co-rule10-3card-shine" / "demo"
EVIDENCE = {"submission.yaml", "hand-log.jsonl", "waivers.yaml", "README.md"}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_evidence_is_written_and_audited(place: Path) -> None:
    ended = run("demo")
    assert ended.code == 0
    folder = place / "fairdeal-demo"
    assert {path.name for path in folder.iterdir()} == EVIDENCE | {"report.html", "results.json"}
    for name in EVIDENCE:
        assert (folder / name).read_bytes() == (SHIPPED / name).read_bytes()
    results = json.loads((folder / "results.json").read_text("utf-8"))
    failures = [finding for finding in results["findings"] if finding["status"] == "fail"]
    first, *lines = ended.text.splitlines()
    assert first.startswith("$ fairdeal audit fairdeal-demo/hand-log.jsonl --submission fairdeal-demo/submission.yaml ")
    listed = [line for line in lines if line.startswith("  ")]
    assert sum(int(line.split()[1]) for line in listed) == len(failures) > 20
    assert {finding["broken"] for finding in failures} == {
        line.partition(" x  ")[2].removesuffix(" (lifted by a waiver)") for line in listed
    }
    assert len([line for line in listed if line.endswith(" (lifted by a waiver)")]) == 1
    assert [line.split()[0] for line in listed] == sorted(
        [line.split()[0] for line in listed], key=["critical", "major", "minor"].index
    )
    assert "report:   fairdeal-demo/report.html" in lines


def test_the_commands_that_it_prints_work() -> None:
    audit, *_, explain = run("demo", "here").text.splitlines()
    run_again = run(*audit.split()[2:])
    assert run_again.code == 1
    explained = run(*explain.partition("fairdeal ")[2].split())
    assert explained.code == 0
    assert explained.out


def test_files_of_the_user_are_not_overwritten(place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "results.json").write_text("mine")
    ended = run("demo", "mine")
    assert ended.code == 2
    assert "`mine/results.json` exists already: name another folder, or use --overwrite" in ended.err
    assert [path.name for path in (place / "mine").iterdir()] == ["results.json"]
    assert run("demo", "mine", "--overwrite").code == 0
    assert (place / "mine" / "results.json").stat().st_size > 10_000


def test_a_configuration_of_the_user_does_not_change_the_demo(place: Path) -> None:
    (place / "fairdeal.toml").write_text('profile = "missing.yaml"\n')
    assert run("demo").code == 0


def test_another_game_has_a_demo_without_waivers(place: Path) -> None:
    assert run("demo", "poker", "--game", "poker-room").code == 0
    assert not (place / "poker" / "waivers.yaml").exists()
    unknown = run("demo", "other", "--game", "s38")
    assert unknown.code == 2
    assert "there is no demo `s38`" in unknown.err
    assert not (place / "other").exists()
