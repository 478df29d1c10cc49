"""How rule files look to those who read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facade.rules import rules_folder

FILES = sorted(rules_folder().glob("**/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(rules_folder())))
def test_nothing_is_blank_beyond_a_line(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "\n\n\n" not in text
    assert text.endswith("\n") and not text.endswith("\n\n")
