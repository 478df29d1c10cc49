"""The command on the other Pythons of this machine: the demo, a check, an audit and a report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest

from tests.facade.commands import ROOT
from tests.facade.demo import DEMO

NAMES = ("python3", *(f"python3.{minor}" for minor in range(11, 20)))
FOLDERS = ("/usr/bin", "/usr/local/bin", *os.environ.get("PATH", "").split(os.pathsep))


@cache
def other_pythons() -> dict[str, tuple[int, ...]]:
    """Return the path and version of each other Python that fairdeal allows, the system's first."""
    versions = {tuple(sys.version_info[:3])}
    found: dict[str, tuple[int, ...]] = {}
    for name in NAMES:
        for folder in FOLDERS:
            path = shutil.which(name, path=folder)
            version = _version(path) if path is not None else None
            if path is not None and version is not None and version >= (3, 11) and version not in versions:
                versions.add(version)
                found[path] = version
    return found


def _version(python: str) -> tuple[int, ...] | None:
    done = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:3])"], check=False, capture_output=True, text=True
    )
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def _run(python: str, *arguments: str, expected: int) -> str:
    packages = os.pathsep.join((str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    settings = {
        "PYTHONPATH": packages,
        "PYTHONDONTWRITEBYTECODE": "1",
        "FAIRDEAL_CACHE": "off",
        "SOURCE_DATE_EPOCH": "0",
    }
    environment = {**os.environ, **settings, "SOURCE_DATE_EPOCH": "0"}
    command = [python, "-m", "cli.main", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == expected, done.stderr
    return done.stdout


@pytest.mark.parametrize("python", other_pythons() or [None])
def test_commands_give_the_same_on_another_python(python: str | None, tmp_path: Path) -> None:
    if python is None:
        pytest.skip("this machine has no other Python that fairdeal allows")
    version = other_pythons()[python]
    if version[:2] != sys.version_info[:2]:
        dotted = ".".join(map(str, version))
        pytest.skip(f"{python} is Python {dotted}, which cannot import the compiled packages installed for the tests")
    submission = str(DEMO / "submission.yaml")
    demo = (str(DEMO / "hand-log.jsonl"), "--submission", submission, "--waivers", str(DEMO / "waivers.yaml"))
    written = {}
    for name, each in (("here", sys.executable), ("there", python)):
        results, page = tmp_path / f"{name}.json", tmp_path / f"{name}.html"
        _run(each, "audit", *demo, "--output", f"json:{results}", "--output", f"html:{page}", expected=1)
        checked = _run(each, "check", submission, "--output", "concise", expected=1)
        report = _run(each, "report", str(results), "--output", "markdown", expected=0)
        written[name] = (results.read_bytes(), page.read_bytes(), checked, report)
    assert written["here"] == written["there"]
    assert len(json.loads(written["there"][0])["findings"]) > 10
    assert written["there"][1].startswith(b"<!DOCTYPE html>")
