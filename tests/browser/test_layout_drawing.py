"""A layout drawn by itself, opened from disk in a browser: everything lies on the page, and nothing else happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.test_hostile_inputs import open_page
from tests.facade.commands import run
from tests.facade.demo import DEMO
from tests.facade.rules import rules_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

POKER = rules_folder() / "poker-room" / "demo" / "submission.yaml"

OUTSIDE = """() => {
  const view = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll('text, circle, rect, path')]
    .filter(one => !one.closest('defs'))
    .map(one => [one.outerHTML, one.getBoundingClientRect()])
    .filter(([_, box]) => box.width === 0 || box.left < view.left || box.right > view.right + 0.5
                       || box.top < view.top || box.bottom > view.bottom + 0.5)
    .map(([text]) => text);
}"""
COLOUR = "document.querySelector('.felt') && getComputedStyle(document.querySelector('.felt')).fill"


@pytest.mark.parametrize("submission", [DEMO / "submission.yaml", POKER])
def test_a_drawn_layout_is_a_picture_of_its_own(browser: Browser, tmp_path: Path, submission: Path) -> None:
    path = tmp_path / "layout.svg"
    assert run("layout", submission, "-o", path).code == 0
    page, troubles = open_page(browser, path)
    assert troubles == []
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(COLOUR) == "rgb(244, 248, 247)"
    assert page.evaluate("document.querySelectorAll('text').length") > 10
    page.context.close()
