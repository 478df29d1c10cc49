"""Templates load, play and are audited under an id of their own, and never as a shipped document."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairdeal.cli.main import fairdeal
from fairdeal.validator.rules.rule_files import list_documents, list_templates, rules_folder
from fairdeal.validator.simulate import game_simulation
from tests.facade.rules import load_regulation

MOST_LINES = 250
"""Limit of the lines of law of a template: its game and its requirements."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(fairdeal, arguments, standalone_mode=False)


def list_law(home: Path) -> list[Path]:
    return [home / "game.yaml", *sorted((home / "requirements").glob("*.yaml"))]


def list_encoded() -> list[str]:
    return [template for template, home in list_templates().items() if (home / "game.yaml").exists()]


def test_a_rules_folder_without_a_vocabulary_uses_the_shipped_one(tmp_path: Path) -> None:
    """The shared files have the same names and hashes, so the regulation has the same hash."""
    document = "co-rule10-3card-shine"
    shutil.copytree(rules_folder() / document, tmp_path / document)
    shutil.copy(rules_folder() / "rulebook.yaml", tmp_path)
    assert load_regulation(document, tmp_path).sha256 == load_regulation(document).sha256


def test_templates_are_no_shipped_documents() -> None:
    assert not set(list_templates()) & set(list_documents())


@pytest.mark.parametrize("template", list_encoded())
def test_law_is_short(template: str) -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in list_law(list_templates()[template]))
    assert lines <= MOST_LINES


@pytest.mark.parametrize("template", list_encoded())
def test_a_copy_under_another_id_is_sound_and_plays(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rules check` simulates the game clean and with every fault, and audits both."""
    monkeypatch.setattr(game_simulation, "LONGEST_SEARCH", 256)  # a fault that fits more rarely is not tried
    rules = tmp_path / "rules"
    begun = run("rules", "new", "house-game", "--like", template, "-o", str(rules))
    assert begun.exit_code == 0, begun.output
    assert load_regulation("house-game", rules).game
    checked = run("rules", "check", "house-game", "--rules", str(rules))
    assert checked.return_value == 0, checked.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("My Game", "--like", "TEMPLATE"), "`My Game` is no id"),
        (("taken", "--like", "TEMPLATE"), "exists already"),
        (("my-game", "--like", "no-such-game"), "there is no template `no-such-game`"),
    ],
)
def test_misuse_of_new(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules" / "taken").mkdir(parents=True)
    templates = {"invented": tmp_path}
    monkeypatch.setattr("fairdeal.validator.rules.rule_files.list_templates", lambda: templates)
    result = run("rules", "new", *(argument.replace("TEMPLATE", "invented") for argument in arguments))
    assert message in str(result.exception)
