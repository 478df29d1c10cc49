"""Examples of the page on pipelines: the services accept them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairdeal.validator.schemas.configuration import RunConfiguration
from tests.docs.blocks import DOCS, blocks
from tests.facade.commands import ROOT
from tests.facade.text import decode_source, load_toml, to_key, validate

PAGE = "pipelines.md"
FILES = {block.options["file"]: block.text for block in blocks(PAGE)}


def bin_(name: str) -> str:
    return str(Path(sys.executable).parent / name)


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (".github/workflows/fairdeal.yml", ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"]),
        (
            ".gitlab-ci.yml",
            ["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
        ),
        (".pre-commit-config.yaml", ["pre-commit", "validate-config"]),
    ],
)
def test_an_example_is_what_its_service_takes(file: str, command: list[str], tmp_path: Path) -> None:
    path = tmp_path / Path(file).name
    path.write_text(FILES[file])
    done = subprocess.run([bin_(command[0]), *command[1:], str(path)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_of_a_configuration_is_one() -> None:
    validate(load_toml(decode_source("fairdeal.toml", FILES["fairdeal.toml"].encode())), RunConfiguration)


def test_every_key_of_the_configuration_is_named() -> None:
    text = (DOCS / PAGE).read_text("utf-8")
    assert [key for key in map(to_key, RunConfiguration.model_fields) if f"`{key}`" not in text] == []


def test_the_examples_use_hooks_and_inputs_that_there_are() -> None:
    data: Callable[[str], Any] = yaml.safe_load
    hooks = {entry["id"] for entry in data((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    action = data((ROOT / "action.yml").read_text("utf-8"))
    (repo,) = data(FILES[".pre-commit-config.yaml"])["repos"]
    assert {hook["id"] for hook in repo["hooks"]} == hooks
    steps = data(FILES[".github/workflows/fairdeal.yml"])["jobs"]["submissions"]["steps"]
    (ours,) = (step for step in steps if "fairdeal@" in step["uses"])
    assert set(ours["with"]) <= set(action["inputs"])
    text = (DOCS / PAGE).read_text("utf-8")
    assert [name for name in action["inputs"] if f"| `{name}` |" not in text] == []
