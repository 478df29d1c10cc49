"""Integrations: hooks of pre-commit, the action for GitHub, the image."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.facade.commands import ROOT, run_program
from tests.facade.demo import DEMO, comply

BASH = shutil.which("bash")
BIN = Path(sys.executable).parent


def tool(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of the environment of these tests."""
    return subprocess.run([str(BIN / command[0]), *command[1:]], check=False, capture_output=True, text=True)


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


HOOKS: dict[str, Any] = {hook_["id"]: hook_ for hook_ in read(".pre-commit-hooks.yaml")}
ACTION = read("action.yml")


@pytest.mark.parametrize(
    "command",
    [
        ["pre-commit", "validate-manifest", ".pre-commit-hooks.yaml"],
        ["check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"],
        ["hadolint", "Dockerfile"],
    ],
    ids=lambda command: command[-1],
)
def test_a_file_is_what_its_tool_takes(command: list[str]) -> None:
    done = tool(*command[:-1], str(ROOT / command[-1]))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def house(place: Path) -> Path:
    """Return a licensee's repository with submissions, a log and files of other kinds."""
    for name in ("submissions", "logs"):
        (place / name).mkdir()
    (place / "submissions/shine.yaml").write_text(comply())
    shutil.copy(DEMO / "hand-log.jsonl", place / "logs/night.jsonl")
    (place / ".hidden").mkdir()
    (place / ".hidden/config.yml").write_text("submission: broken\n")
    (place / "compose.yaml").write_text("services: {}\n")
    return place


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(("hook", "code"), [("fairdeal-check", 0), ("fairdeal-audit", 1)])
def test_a_hook_judges_the_repository_as_it_stands(hook: str, code: int) -> None:
    name, *arguments = HOOKS[hook]["entry"].split()
    assert name == "fairdeal"
    done = run_program(*arguments, *HOOKS[hook]["args"])
    assert done.returncode == code, done.stderr.decode()
    assert HOOKS[hook]["pass_filenames"] is False


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("logs/a.jsonl", True),
        ("a.ndjson.gz", True),
        ("a.phhs.zst", True),
        ("a.parquet", True),
        ("a.parquet.gz", False),
        ("a.json", False),
        ("a.jsonl.bak", False),
    ],
)
def test_a_change_of_a_log_has_logs_audited(path: str, ours: bool) -> None:
    assert (re.search(HOOKS["fairdeal-audit"]["files"], path) is not None) is ours


class Step:
    """The step of the action that runs fairdeal, with everything a runner gives it."""

    def __init__(self, place: Path) -> None:
        self.temp = place / "runner temp"
        self.place = place
        program_ = self.temp / "fairdeal/bin/fairdeal"
        program_.parent.mkdir(parents=True)
        program_.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fairdeal.cli.main "$@"\n')
        program_.chmod(0o755)

    def run(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run it with these inputs, others as they are by default."""
        (step,) = (step_ for step_ in ACTION["runs"]["steps"] if step_.get("id") == "run")
        given = {name: str(source.get("default", "")) for name, source in ACTION["inputs"].items()} | inputs
        variables = {}
        for name, value in step["env"].items():
            (wanted,) = re.findall(r"^\$\{\{ inputs\.([a-z]+) \}\}$", value)
            variables[name] = given[wanted]
        for name in ("output", "summary"):
            (self.place / name).write_text("")
        environment = {
            **os.environ,
            **variables,
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.place / "output"),
            "GITHUB_STEP_SUMMARY": str(self.place / "summary"),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


@pytest.fixture
def step(house: Path) -> Step:
    return Step(house)


needs_bash = pytest.mark.skipif(BASH is None, reason="the steps of an action are run by bash, which is not here")


@needs_bash
def test_the_action_checks_the_checkout(step: Step) -> None:
    done = step.run()
    assert (done.returncode, (step.place / "output").read_text()) == (0, "exit-code=0\n"), done.stderr
    assert "compliant" in (step.place / "summary").read_text().lower()


@needs_bash
def test_the_action_audits_by_submissions_and_names_the_sarif_it_wrote(step: Step) -> None:
    done = step.run(
        command="audit",
        paths="logs\n\n",
        submissions="submissions/*.yaml",
        args="--fail-on=critical\n--output=json:out dir/results.json\n",
        sarif="out dir/fairdeal.sarif",
    )
    assert done.returncode == 1, done.stderr
    assert "::error " in done.stdout
    assert (step.place / "output").read_text() == "exit-code=1\nsarif=out dir/fairdeal.sarif\n"
    assert json.loads((step.place / "out dir/fairdeal.sarif").read_text())["version"] == "2.1.0"
    assert (step.place / "out dir/results.json").exists()
    assert "violations" in (step.place / "summary").read_text().lower()


@needs_bash
@pytest.mark.parametrize(
    "text", ["$(touch planted)", "`touch planted`", '"; touch planted; "', "a b", "-q", "--rules=x"]
)
def test_nothing_in_an_input_of_the_action_is_run(step: Step, text: str) -> None:
    done = step.run(paths=text, sarif="out.sarif")
    assert done.returncode == 3
    assert not Path("planted").exists()
    assert (step.place / "output").read_text() == "exit-code=3\nsarif=out.sarif\n"
    (sarif_run,) = json.loads((step.place / "out.sarif").read_text())["runs"]
    assert not sarif_run["results"]
    assert sarif_run["invocations"][0]["toolExecutionNotifications"], "the file that cannot be read is named"


def test_no_input_of_the_action_stands_in_a_script() -> None:
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])
    assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"])


@pytest.mark.parametrize(("lock", "extras"), [("run", {"audit"}), ("full", {"audit", "statistics", "sign"})])
def test_what_is_needed_to_run_is_locked_as_it_is_tested(lock: str, extras: set[str]) -> None:
    def pins(name: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for line in (ROOT / name).read_text("utf-8").splitlines():
            if "==" in line:
                hashes = found.setdefault(line.split(" ")[0], set())
            elif "--hash" in line:
                hashes.add(line.strip(" \\"))
        return found

    tested, needed = pins("requirements.lock"), pins(f"requirements-{lock}.lock")
    assert needed
    assert {name: tested.get(name) for name in needed} == needed
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    direct = {*project["dependencies"], *(text for extra in extras for text in optional[extra])}
    names = {re.split(r"[\[<>=]", text)[0].replace(".", "-") for text in direct} - {"fairdeal"}
    locked = {name.partition("==")[0].replace(".", "-") for name in needed}
    assert locked >= names
    assert ("scipy" in locked) is ("statistics" in extras)


def test_development_installs_every_extra() -> None:
    optional = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (everything,) = optional["dev"]
    assert {*everything.removeprefix("fairdeal[").removesuffix("]").split(",")} == {*optional} - {"dev"}


def test_the_image_and_the_action_have_every_extra_for_one_machine() -> None:
    for name in ("Dockerfile", "action.yml"):
        assert set(re.findall(r"requirements[a-z-]*\.lock", (ROOT / name).read_text("utf-8"))) == {
            "requirements-full.lock"
        }


def test_the_image_is_built_from_what_it_needs_and_does_not_run_as_root() -> None:
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    copied = [path for line in lines if re.match("COPY [^-]", line) for path in line.split()[1:-1]]
    assert sorted(copied) == sorted(allowed)
    assert all((ROOT / path).exists() for path in copied)
    bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert len(bases) == 2
    assert all(re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", base) for base in bases)
    last = lines[max(number for number, line in enumerate(lines) if line.startswith("FROM ")) :]
    (user,) = (line.split()[1] for line in last if line.startswith("USER "))
    assert user.split(":")[0] not in {"0", "root"}
    assert 'ENTRYPOINT ["fairdeal"]' in last


def container_tool() -> str | None:
    """Return a program that builds and runs images here, if one works."""
    for name in ("docker", "podman"):
        if shutil.which(name) and not subprocess.run([name, "info"], check=False, capture_output=True).returncode:
            return name
    return None


def test_the_image_builds_and_judges(house: Path) -> None:
    engine = container_tool()
    if engine is None:
        pytest.skip("no container tool works here; the Dockerfile is linted")
    subprocess.run([engine, "build", "--quiet", "--tag", "fairdeal:test", str(ROOT)], check=True, timeout=1800)
    options = ["--rm", "--read-only", "--network", "none", "--volume", f"{house}:/work:ro"]
    done = subprocess.run([engine, "run", *options, "fairdeal:test", "check", "submissions"], check=False, timeout=300)
    assert done.returncode == 0
    whose = [engine, "run", *options, "--entrypoint", "id", "fairdeal:test", "-u"]
    assert subprocess.run(whose, check=True, capture_output=True, text=True).stdout.strip() != "0"
