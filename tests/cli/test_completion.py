"""Completion of a command line in a shell, by the program that the shell itself runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fairdeal.cli.main import _run
from tests.facade.commands import run_program, run_until_exit


def make_environment(line: str) -> dict[str, str]:
    """Return the environment in which bash requests completions of the last word of a line."""
    return {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_FAIRDEAL_COMPLETE": "bash_complete"}


def complete(line: str) -> list[str]:
    """Return the completions of the last word of a line, each with its kind before it."""
    finished = run_until_exit(
        lambda: _run(None), environment=make_environment(line)
    )  # as the program does without arguments of a caller
    assert (finished.code, finished.err) == (0, "")
    return finished.text.split()


def test_the_program_itself_answers() -> None:
    line = "fairdeal rules c"
    finished = run_program(env={**os.environ, **make_environment(line)})
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert finished.stdout.decode().split() == complete(line)


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("fairdeal ", ["plain,check", "plain,audit", "plain,rules"]),
        ("fairdeal ru", ["plain,rules"]),
        ("fairdeal rules c", ["plain,check", "plain,coverage"]),
        ("fairdeal check --o", ["plain,--output"]),
        ("fairdeal check -o s", ["plain,sarif", "plain,sqlite"]),
        ("fairdeal check -o h", ["plain,html"]),
        ("fairdeal rules list -o j", ["plain,json"]),
        ("fairdeal check sub", ["file,sub"]),
        ("fairdeal check --config fa", ["file,fa"]),
        ("fairdeal audit --no", ["plain,--no-config"]),
        ("fairdeal check --q", ["plain,--quiet"]),
        ("fairdeal schema con", ["plain,config"]),
        ("fairdeal audit ", ["file,"]),
        ("fairdeal audit x.jsonl --submission s", ["file,s"]),
        ("fairdeal audit x.jsonl --profile c", ["file,c", "plain,card-room-custom"]),
        ("fairdeal check --rules ru", ["dir,ru"]),
        ("fairdeal simulate s", ["plain,s38"]),
        ("fairdeal simulate s38 --fault two-a", ["plain,two-adjacent-positions"]),
        ("fairdeal simulate s38 --fault s38/two-a", ["plain,s38/two-adjacent-positions"]),
        ("fairdeal simulate --fault s38/two-a", ["plain,s38/two-adjacent-positions"]),
        ("fairdeal rules test s", ["plain,s38"]),
        ("fairdeal rules coverage s38 c", ["plain,caribbean-draw"]),
        ("fairdeal rules check s", ["file,s", "plain,s38"]),
        ("fairdeal rules show s38/standard", ["plain,s38/standard-deck"]),
        ("fairdeal rules show s3", ["plain,s38", "plain,s38/standard-deck"]),
        ("fairdeal schema sub", ["plain,submission"]),
        ("fairdeal schema submission --game s", ["plain,s38"]),
    ],
)
def test_what_is_offered(line: str, some: list[str]) -> None:
    found = complete(line)
    assert set(some) <= set(found)
    word = line.rsplit(" ", maxsplit=1)[-1]
    assert all(completion.partition(",")[2].startswith(word) for completion in found)


def test_only_games_are_played_and_only_what_can_be_planted_is_a_fault() -> None:
    assert "plain,co-rule8-burnout" not in complete("fairdeal simulate ")
    assert "plain,standard-deck" not in complete("fairdeal simulate s38 --fault ")


def test_a_rules_folder_of_ones_own_is_asked(place: Path) -> None:
    (place / "own" / "duel").mkdir(parents=True)
    (place / "own" / "duel" / "document.yaml").write_text("document: duel\n")
    assert complete("fairdeal rules test --rules own ") == ["plain,duel"]
    assert complete("fairdeal rules test --rules nowhere ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str) -> None:
    finished = run_program(env={**os.environ, "_FAIRDEAL_COMPLETE": f"{shell}_source"})
    assert finished.returncode == 0
    assert f"_FAIRDEAL_COMPLETE={shell}_complete" in finished.stdout.decode()
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=finished.stdout, check=False).returncode == 0


@pytest.mark.parametrize("asked", ["", "bash", "tcsh_source", "bash_sauce"])
def test_another_shell_is_told_which_there_are(asked: str) -> None:
    finished = run_program(env={**os.environ, "_FAIRDEAL_COMPLETE": asked})
    assert finished.returncode == 2
    assert b"write bash_source, zsh_source or fish_source" in finished.stderr
