"""Commands that evaluate no rounds do not import NumPy or Arrow, however the rules are loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.facade.commands import ROOT
from tests.facade.demo import DEMO

HOSTILE = ("numpy", "pyarrow", "scipy", "zstandard", "xlsxwriter", "toml_rs", "openpyxl")
"""Modules that fail when they are imported."""

PROGRAM = """
import json, sys
from fairdeal.cli.main import main
codes = []
for command in json.loads(sys.argv[1]):
    try:
        main(command)
    except SystemExit as end:
        codes.append(end.code)
print(json.dumps(codes), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which the hostile modules come first."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(f"raise ImportError('{name} was imported')\n")
    paths = os.pathsep.join([str(folder), str(ROOT)])
    # The cache is empty, so each kind of rules is loaded from its files once, and from the cache afterwards.
    return {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}


def run_commands(
    environment: dict[str, str], place: Path, commands: list[list[str]]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        check=False,
        capture_output=True,
        text=True,
        cwd=place,
        env=environment,
    )


def test_commands_without_rounds_import_no_arrays(environment: dict[str, str], tmp_path: Path) -> None:
    submission = str(DEMO / "submission.yaml")
    commands = {
        ("check", submission): 1,
        ("check", submission, "-o", "html:r.html", "-o", "json:r.json", "-o", "sarif:r.sarif", "-o", "csv:r.csv"): 1,
        ("new", "poker-room", "-o", "form.yaml"): 0,
        ("new", "s38", "--example", "-o", "example.yaml"): 0,
        ("check", "example.yaml"): 0,
        ("layout", submission, "-o", "layout.svg"): 0,
        ("rules", "list", "poker-room", "s38"): 0,
        ("rules", "coverage", "co-rule10-3card-shine"): 0,
        ("rules", "show", "poker-room"): 0,
        ("rules", "show", "co-rule10-3card-shine/(10)"): 0,
        ("schema", "submission", "--game", "s38"): 0,
        ("report", "r.json", "-o", "json:again.json"): 0,
        ("compare", "r.json", "again.json"): 0,
    }
    done = run_commands(environment, tmp_path, [*map(list, commands)])
    assert "was imported" not in done.stderr
    assert json.loads(done.stderr.splitlines()[-1]) == [*commands.values()], done.stderr


def test_a_hostile_module_is_noticed(environment: dict[str, str], tmp_path: Path) -> None:
    done = run_commands(environment, tmp_path, [["odds", "s38"]])
    assert "numpy was imported" in done.stderr
