"""The command on the other Pythons of this machine: the demo, a check, an audit and a report."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.facade.commands import ROOT, run
from tests.facade.demo import DEMO

NAMES = ("python3", *(f"python3.{minor}" for minor in range(11, 20)))
LOCK = ROOT / "requirements-run.lock"


def _folders() -> list[Path]:
    """Return the folders in which Pythons are looked for, the system's own first."""
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    searched = [Path("/usr/bin"), Path("/usr/local/bin"), *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    return [*searched, *sorted(installed.glob("*/bin"))]


def other_pythons() -> dict[str, tuple[int, ...]]:
    """Return the path and version of each other Python that fairdeal allows."""
    versions = {tuple(sys.version_info[:3])}
    found: dict[str, tuple[int, ...]] = {}
    for folder in _folders():
        for name in NAMES:
            path = shutil.which(name, path=folder)
            version = _version(path) if path is not None else None
            if path is not None and version is not None and version >= (3, 11) and version not in versions:
                versions.add(version)
                found[path] = version
    return found


def _version(python: str) -> tuple[int, ...] | None:
    command = [python, "-c", "import sys; print(*sys.version_info[:3])"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def _packages(python: str, version: tuple[int, ...]) -> list[str]:
    """Return the folders of packages that a Python can import: those of the tests, or of its own where it needs others.

    Compiled packages are for one minor version; those of another are installed once from the lock file.
    """
    if version[:2] == sys.version_info[:2]:
        return [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    folder = ROOT / "out" / "packages" / f"{version[0]}.{version[1]}-{digest}"
    if not folder.is_dir():
        unfinished = folder.with_suffix(".partial")
        install = ("install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--require-hashes")
        command = [python, "-m", "pip", *install, "--upgrade", "--target", str(unfinished), "--requirement", str(LOCK)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            reason = done.stderr.strip().rpartition("\n")[2]
            pytest.skip(f"the packages of requirements-run.lock cannot be installed for {python}: {reason}")
        unfinished.rename(folder)
    return [str(folder)]


PROGRAM = """
import json, sys
from tests.facade.commands import run
ended = [run(*command) for command in json.loads(sys.argv[1])]
print(json.dumps([(command.code, command.text, command.err) for command in ended]))
"""


Ended = tuple[int, str, str]
"""Exit code of a command, and what it wrote to standard output and standard error."""
Outputs = tuple[str, ...]


def _run_there(python: str, packages: list[str], commands: list[list[str]]) -> list[Ended]:
    """Run commands in one process of a Python."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), *packages)),
        "PYTHONPYCACHEPREFIX": str(ROOT / "out" / "bytecode"),  # each command would compile all modules anew
        "FAIRDEAL_CACHE": "off",
        "SOURCE_DATE_EPOCH": "1772409600",
    }
    command = [python, "-c", PROGRAM, json.dumps(commands)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return [(code, printed, err) for code, printed, err in json.loads(done.stdout)]


def _run_here(commands: list[list[str]]) -> list[Ended]:
    """Run commands in the process of the tests."""
    return [(ended.code, ended.text, ended.err) for ended in (run(*command) for command in commands)]


def write_outputs(folder: Path, run_commands: Callable[[list[list[str]]], list[Ended]]) -> Outputs:
    """Return the results and page of an audit, the findings of a check, and a report, as a Python writes them."""
    submission = str(DEMO / "submission.yaml")
    results, page = folder / "results.json", folder / "report.html"
    audit = ["audit", str(DEMO / "hand-log.jsonl"), "--submission", submission, "--waivers", str(DEMO / "waivers.yaml")]
    commands = [
        [*audit, "--output", f"json:{results}", "--output", f"html:{page}"],
        ["check", submission, "--output", "concise"],
        ["report", str(results), "--output", "markdown"],
    ]
    ended = run_commands(commands)
    assert [code for code, _, _ in ended] == [1, 1, 0], ended
    return results.read_text(), page.read_text(), *(printed for _, printed, _ in ended[1:])


def test_commands_give_the_same_on_other_pythons(tmp_path: Path) -> None:
    expected = write_outputs(tmp_path, _run_here)
    assert len(json.loads(expected[0])["findings"]) > 10
    assert expected[1].startswith("<!DOCTYPE html>")
    pythons = other_pythons()
    skipped = [] if pythons else ["this machine has no other Python that fairdeal allows"]
    for python, version in pythons.items():
        try:
            found = write_outputs(tmp_path, partial(_run_there, python, _packages(python, version)))
        except pytest.skip.Exception as reason:
            skipped.append(str(reason))
        else:
            assert found == expected, python
    if skipped:
        pytest.skip("; ".join(skipped))
