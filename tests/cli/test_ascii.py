"""Suits of cards in text output: symbols by default, letters with `--ascii` and where the encoding has no symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.cli.common.process import printable
from fairdeal.validator.text.diagnostics import SYMBOLS, plain_suits
from tests.facade.commands import run
from tests.facade.demo import DEMO

LOG = DEMO / "hand-log.jsonl"


@pytest.mark.parametrize("command", [("explain", LOG, "--round", "hand-16"), ("audit", LOG, "--quiet", "-o", "text")])
def test_suits_are_symbols_or_letters(command: tuple[str | Path, ...]) -> None:
    symbols, letters = run(*command), run(*command, "--ascii")
    assert symbols.code == letters.code
    assert "J♦ 9♠ 6♣" in symbols.text
    assert "Jd 9s 6c" in letters.text
    assert not set(SYMBOLS) & set(letters.text)
    assert plain_suits(symbols.text) == letters.text


def test_a_text_file_has_letters_only_with_the_option(tmp_path: Path) -> None:
    for options, card in (((), "J♦"), (("--ascii",), "Jd")):
        run("audit", LOG, "--quiet", "-o", f"text:{tmp_path / 'report.txt'}", *options)
        assert f"hand: {card} " in (tmp_path / "report.txt").read_text("utf-8")


def test_a_terminal_without_symbols_prints_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "cp1252"

    monkeypatch.setattr("fairdeal.cli.common.process.sys.stdout", Terminal())
    assert printable("J♦ 9♠") == "Jd 9s"
    assert printable("♦ is a suit, no card") == "♦ is a suit, no card"
