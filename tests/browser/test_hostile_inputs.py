"""Reports that the real commands make of hostile inputs, opened from disk in a browser."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.cli.hostile import ATTACKS, LONG, make_hostile_log, make_hostile_submission
from tests.facade.commands import run
from tests.facade.demo import demo_lines, demo_submission, to_log
from tests.facade.text import sanitize

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REFUSED = "addEventListener('securitypolicyviolation', event => (window.refused ??= []).push(event.violatedDirective))"
COMMANDS = {"check": "check {}.json", "audit": "audit {0}.jsonl -s {0}.json"}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hostile` and, to compare with, `plain`."""
    monkeypatch.chdir(tmp_path)
    Path("hostile.json").write_text(json.dumps(make_hostile_submission()))
    Path("hostile.jsonl").write_bytes(make_hostile_log())
    Path("plain.json").write_text(json.dumps(yaml.safe_load(demo_submission()), default=str))
    Path("plain.jsonl").write_bytes(to_log([*demo_lines()[:26], json.dumps({LONG: LONG})]))


def open_page(browser: Browser, path: Path) -> tuple[Page, list[str]]:
    """Open a page and return it with all that it requested or complained of."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(20_000)
    page.add_init_script(REFUSED)
    troubles: list[str] = []
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("request", lambda request: troubles.append(f"request: {request.url}"))
    page.goto(path.as_uri())
    return page, [trouble for trouble in troubles if trouble != f"request: {path.as_uri()}"]


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_inputs_do_nothing_in_a_browser(browser: Browser, tmp_path: Path, command: str) -> None:
    kinds: dict[str, set[str]] = {}
    for name in ("plain", "hostile"):
        run(*COMMANDS[command].format(name).split(), "-o", f"html:{name}.html")
        page, troubles = open_page(browser, tmp_path / f"{name}.html")
        found = Counter(page.evaluate("[...document.querySelectorAll('*')].map(one => one.localName)"))
        kinds[name] = set(found)
        assert troubles == []
        assert page.evaluate("window.refused ?? []") == []
        assert found["script"] == 2  # the data, and what reads it
        assert page.evaluate("document.documentElement.scrollWidth") == 1280
        assert page.evaluate("document.title") == "Violations: fairdeal compliance report"
        text = page.evaluate("document.body.textContent")
        page.context.close()
    assert kinds["hostile"] <= kinds["plain"] | {"details", "summary"}  # long lists are folded
    assert [attack for attack in ATTACKS if sanitize(attack) not in text] == []
