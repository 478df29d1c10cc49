"""Layout of rule files for their readers."""

from __future__ import annotations

from tests.facade.rules import rules_folder


def test_nothing_is_blank_beyond_a_line() -> None:
    texts = {file: file.read_text("utf-8") for file in rules_folder().glob("**/*.yaml")}
    assert texts
    assert {file for file, text in texts.items() if "\n\n\n" in text or text != f"{text.rstrip()}\n"} == set()
