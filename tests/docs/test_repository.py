"""Files that readers expect of a repository: a licence, a list of changes, hooks that work offline."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from fairdeal.validator import VERSION
from tests.facade.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_licence_is_the_whole_text_that_the_project_says() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert PROJECT["license"] == "Apache-2.0"
    assert PROJECT["license-files"] == ["LICENSE"]
    assert text.split("\n")[:2] == [f"{'Apache License':>47}", f"{'Version 2.0, January 2004':>52}"]
    assert [f"   {number}. " in text for number in range(1, 10)] == [True] * 9
    assert text.rstrip().endswith("limitations under the License.")


def test_the_changelog_lists_every_version_newest_first_and_begins_with_this_one() -> None:
    heads = [line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("## ")]
    assert heads[0] == "## Unreleased"
    versions = [head.split()[1] for head in heads[1:]]
    assert versions[0] == VERSION == PROJECT["version"]
    assert versions == sorted(versions, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def test_hooks_are_what_pre_commit_takes_and_fetch_nothing() -> None:
    path = ROOT / ".pre-commit-config.yaml"
    tool = Path(sys.executable).parent / "pre-commit"
    done = subprocess.run([str(tool), "validate-config", str(path)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (source,) = yaml.safe_load(path.read_text("utf-8"))["repos"]
    assert source["repo"] == "local"
    assert {hook["language"] for hook in source["hooks"]} == {"system"}
    assert {hook["id"] for hook in source["hooks"]} == {"ruff", "ruff-format", "mypy"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in source["hooks"])


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".editorconfig"])
def test_a_file_that_strangers_look_for_is_there(name: str) -> None:
    assert (ROOT / name).read_text("utf-8").strip()


def test_decisions_have_one_form_and_are_listed() -> None:
    folder = ROOT / "docs" / "adr"
    pages = sorted(folder.glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    index = (folder / "README.md").read_text("utf-8")
    for page in pages:
        text = page.read_text("utf-8")
        title = text.splitlines()[0].removeprefix(f"# {page.name[:4]}. ")
        assert f"| [{page.name[:4]}]({page.name}) | {title} |" in index
        heads = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
        assert heads == ["Context", "Decision", "Measured", "Turned down", "Consequences"]


def test_the_map_is_a_page() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines()) <= 80


def test_the_pages_outside_of_the_reference_stay_readable_in_length() -> None:
    reference = {"rule-language.md", "rule-checks.md", "formats.md", "patterns.md"}
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name not in reference]
    assert sum(len(page.read_text("utf-8").split()) for page in pages) <= 45_000
