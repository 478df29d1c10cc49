"""Page on evaluation: every function that it names exists, and its script prints the shown output."""

from __future__ import annotations

import re
from functools import reduce
from importlib import import_module
from typing import Any

import pytest

from tests.docs.blocks import DOCS, blocks
from tests.docs.followed_pages import read_printed, rewrite_printed, run_script
from tests.facade.commands import ROOT, run
from tests.facade.text import decode_source, load_yaml, read_source

PAGE = "how-a-rule-is-evaluated.md"
GAME = "co-rule10-3card-shine"
PATH = DOCS / PAGE


def test_every_function_that_the_page_names_exists() -> None:
    plain = re.sub(r"^```.*?^```$", "", PATH.read_text("utf-8"), flags=re.M | re.S)
    names = re.findall(r"`((?:fairdeal|validator|cli)(?:\.\w+)+)`", plain)
    assert len(names) > 15
    for name in names:
        assert find_object(name) is not None, name


def find_object(name: str) -> object:
    """Return the module, or the object in a module, with a dotted name.

    Raises ImportError or AttributeError if there is none.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[length:], module)
    raise ImportError(name)


def test_the_script_prints_what_the_page_shows(request: pytest.FixtureRequest) -> None:
    printed = run_script(PAGE)
    if request.config.getoption("--update-golden"):
        rewrite_printed(PAGE, printed)
    assert read_printed(PAGE) == printed


def test_the_condition_and_the_requirement_are_those_of_the_game() -> None:
    game: Any = load_yaml(read_source(str(ROOT / "rules_data" / GAME / "game.yaml"))).data
    facts, wagers, requirement = (as_data(str(block), block.text) for block in blocks(PAGE) if block.options)
    assert facts["facts"]["dealer-qualifies"] == game["facts"]["dealer-qualifies"]
    stated = {key: value for key, value in game["wagers"]["play"].items() if key != "tip"}
    assert wagers["wagers"]["play"] == stated
    expanded = run("rules", "show", f"{GAME}/play-equals-ante", "--expanded").text
    [entry] = as_data("expanded.yaml", expanded)
    assert {key: entry[key] for key in requirement} == requirement


def as_data(name: str, text: str) -> Any:
    """Return the data of a text in YAML."""
    return load_yaml(decode_source(name, text.encode())).data
