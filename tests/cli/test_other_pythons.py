"""The command on the other Pythons of this machine: the demo, a check, an audit and a report."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.facade.commands import ROOT
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
        partial = folder.with_suffix(".partial")
        install = ("install", "--quiet", "--disable-pip-version-check", "--no-compile", "--require-hashes")
        command = [python, "-m", "pip", *install, "--upgrade", "--target", str(partial), "--requirement", str(LOCK)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            reason = done.stderr.strip().rpartition("\n")[2]
            pytest.skip(f"the packages of requirements-run.lock cannot be installed for {python}: {reason}")
        partial.rename(folder)
    return [str(folder)]


PROGRAM = """
import json, sys
from tests.facade.commands import run
ended = [run(*command) for command in json.loads(sys.argv[1])]
print(json.dumps([(command.code, command.text, command.err) for command in ended]))
"""


def _run(python: str, packages: list[str], commands: list[list[str]], *, expected: list[int]) -> list[str]:
    """Run commands in one process of a Python, and return what each printed."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), *packages)),
        "PYTHONPYCACHEPREFIX": str(ROOT / "out" / "bytecode"),  # each command would compile all modules anew
        "FAIRDEAL_CACHE": "off",
        "SOURCE_DATE_EPOCH": "0",
    }
    command = [python, "-c", PROGRAM, json.dumps(commands)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    assert [code for code, _, _ in ended] == expected, ended
    return [printed for _, printed, _ in ended]


def _write_outputs(python: str, version: tuple[int, ...], folder: Path) -> tuple[bytes, bytes, str, str]:
    """Return the results and page of an audit, the findings of a check, and a report, as a Python writes them."""
    packages = _packages(python, version)
    submission = str(DEMO / "submission.yaml")
    results, page = folder / "results.json", folder / "report.html"
    audit = ["audit", str(DEMO / "hand-log.jsonl"), "--submission", submission, "--waivers", str(DEMO / "waivers.yaml")]
    commands = [
        [*audit, "--output", f"json:{results}", "--output", f"html:{page}"],
        ["check", submission, "--output", "concise"],
        ["report", str(results), "--output", "markdown"],
    ]
    _, checked, report = _run(python, packages, commands, expected=[1, 1, 0])
    return results.read_bytes(), page.read_bytes(), checked, report


@pytest.fixture(scope="module")
def expected_outputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes, str, str]:
    """Return the outputs of the Python that runs the tests."""
    return _write_outputs(sys.executable, tuple(sys.version_info[:3]), tmp_path_factory.mktemp("here"))


def test_commands_give_the_same_on_other_pythons(
    expected_outputs: tuple[bytes, bytes, str, str], tmp_path: Path
) -> None:
    assert len(json.loads(expected_outputs[0])["findings"]) > 10
    assert expected_outputs[1].startswith(b"<!DOCTYPE html>")
    pythons = other_pythons()
    skipped = [] if pythons else ["this machine has no other Python that fairdeal allows"]
    for python, version in pythons.items():
        try:
            found = _write_outputs(python, version, tmp_path)
        except pytest.skip.Exception as reason:
            skipped.append(str(reason))
        else:
            assert found == expected_outputs, python
    if skipped:
        pytest.skip("; ".join(skipped))
