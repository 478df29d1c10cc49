"""Worked example of CONTRIBUTING: it applies, and its additions pass."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.facade.commands import ROOT


def test_the_operator_added_by_the_worked_example_works(tmp_path: Path) -> None:
    found = re.search(r"^```diff\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M | re.S)
    assert found is not None
    for name in ("cli", "fairdeal", "validator", "tests", "schemas"):
        shutil.copytree(
            ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "golden")
        )
    (tmp_path / "rules_data").symlink_to(ROOT / "rules_data")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    applied = subprocess.run(
        ["git", "apply", "-C1", "-"], input=found[1], text=True, cwd=tmp_path, capture_output=True, check=False
    )
    assert applied.returncode == 0, applied.stderr
    [added] = re.findall(r"^\+\+\+ b/(tests/\S+)$", found[1], re.M)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", added]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
