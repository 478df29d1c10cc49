"""Input made to take long, to nest deeply or to grow is refused or read after few steps.

A step is an event requested from libyaml, or a piece of JSON that is put into the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from yaml import CBaseLoader

from fairdeal.validator.text import json_document, yaml_document
from fairdeal.validator.text.positioned_document import MAX_DEPTH, MAX_NODES, DocumentBuilder
from tests.facade.text import (
    MAX_PROBLEMS,
    InputError,
    PositionedDocument,
    Source,
    decode_source,
    load_json,
    load_yaml,
    render_diagnostic,
)

SIZE = 3_000_000
READ = "read"


def fill(piece: str, *, before: str = "", after: str = "") -> str:
    return before + piece * (SIZE // len(piece.encode())) + after


def blanks_then_words(blanks: int) -> str:
    return "a" + " " * blanks + "b " * ((SIZE - blanks) // 2)


def tag_directives() -> str:
    return "".join(f"%TAG !a{number}! x\n" for number in range(SIZE // 15)) + "--- a"


def alias_bomb() -> str:
    lines = (f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    return "a: &a [x, x]\n" + "".join(lines)


YAML: dict[str, tuple[Callable[[], str], str]] = {
    "brackets": (lambda: fill("["), "too-deep"),
    "braces": (lambda: fill("{"), "key-not-text"),
    "a hundred thousand brackets": (lambda: "[" * 100_000, "too-deep"),
    "brackets with values": (lambda: fill("[a,"), "too-deep"),
    "nested mappings on a line": (lambda: fill("{a: "), "too-deep"),
    "dashes": (lambda: fill("- "), "too-deep"),
    "question marks": (lambda: fill("? "), "key-not-text"),
    "nested blocks": (lambda: "".join(" " * depth + "-\n" for depth in range(900)), "too-deep"),
    "many mappings": (lambda: fill("- a: 1\n"), "too-many-values"),
    "many keys": (lambda: "".join(f"k{n}: 1\n" for n in range(SIZE // 10)), "too-many-values"),
    "the same key": (lambda: fill("a: 1\n"), "duplicate-key"),
    "one word": (lambda: fill("a"), READ),
    "words": (lambda: fill("a "), READ),
    "lines": (lambda: fill("a\n"), READ),
    "one number": (lambda: fill("1"), "number-too-long"),
    "one number with underscores": (lambda: fill("_", before="1", after="x"), READ),
    "one number in base 60": (lambda: fill("1:", after="1"), "ambiguous-number"),
    "zeros": (lambda: fill("0"), "ambiguous-number"),
    "an exponent": (lambda: fill("9", before="1e"), "number-too-long"),
    "a long text": (lambda: fill("a", before='"', after='"'), READ),
    "an open text": (lambda: fill("a", before='"'), "syntax"),
    "escapes": (lambda: fill("\\n", before='"', after='"'), READ),
    "escaped line breaks": (lambda: fill("\\\n", before='"', after='"'), READ),
    "a text of lines": (lambda: fill("a\n", before='"', after='"'), READ),
    "doubled quotes": (lambda: fill("''", before="'", after="'"), READ),
    "a block text": (lambda: fill(" x\n", before="|\n"), READ),
    "a folded text": (lambda: fill("  b\n", before=">\n a\n"), READ),
    "blank lines in a block text": (lambda: fill(" x\n\n", before="|\n"), READ),
    "one comment": (lambda: fill("#"), "empty"),
    "comments": (lambda: fill("#\n"), "empty"),
    "comments after a document": (lambda: fill("#\n", before="a\n...\n"), READ),
    "blanks": (lambda: fill(" ", after="x"), "too-many-blanks"),
    "line breaks": (lambda: fill("\n", after="x"), "too-many-blanks"),
    "tabs": (lambda: fill("\t", after="x"), "too-many-blanks"),
    "blanks and then words": (lambda: blanks_then_words(SIZE // 2), "too-many-blanks"),
    "as many blanks as may be and then words": (lambda: blanks_then_words(1000), READ),
    "the same in quotes": (lambda: f'"{blanks_then_words(1000)}"', READ),
    "tag directives": (tag_directives, "directive"),
    "tag directives after a document": (lambda: f"a\n...\n{tag_directives()}", "syntax"),
    "unknown directives": (lambda: fill("%F\n", after="--- a"), "directive"),
    "documents": (lambda: fill("--- a\n"), "several-documents"),
    "an anchor": (lambda: fill("a", before="&", after=" x"), "anchor"),
    "a tag": (lambda: fill("%41", before="!<", after="> x"), "tag"),
    "colons": (lambda: fill(":"), "syntax"),
    "colons and blanks": (lambda: fill(": "), "syntax"),
    "commas": (lambda: fill(",", before="["), "syntax"),
    "a long key": (lambda: fill("a", after=": 1"), "syntax"),
    "an alias bomb": (alias_bomb, "anchor"),
    "four-byte characters": (lambda: fill("\U0001f600"), READ),
    "line separators": (lambda: fill("\u2028", before="x"), "control-character"),
}

JSON: dict[str, tuple[Callable[[], str], str]] = {
    "brackets": (lambda: fill("["), "too-deep"),
    "braces": (lambda: fill("{"), "syntax"),
    "nested mappings": (lambda: fill('{"a":'), "too-deep"),
    "many keys": (lambda: "{" + "".join(f'"k{n}":1,' for n in range(SIZE // 11)), "too-many-values"),
    "the same key": (lambda: fill('"a":1,', before="{"), "duplicate-key"),
    "one number": (lambda: fill("1"), "number-too-long"),
    "an exponent": (lambda: fill("9", before="1e"), "number-too-long"),
    "zeros": (lambda: fill("0"), "syntax"),
    "one word": (lambda: fill("a"), "syntax"),
    "a long text": (lambda: fill("a", before='"', after='"'), READ),
    "an open text": (lambda: fill("a", before='"'), "syntax"),
    "escapes": (lambda: fill("\\n", before='"', after='"'), READ),
    "open escapes": (lambda: fill("\\\\", before='"'), "syntax"),
    "lone surrogates": (lambda: fill("\\ud800", before='"', after='"'), "lone-surrogate"),
    "a long key": (lambda: fill("a", before='{"', after='": 1}'), READ),
    "blanks": (lambda: fill(" ", after="1"), READ),
    "line breaks": (lambda: fill("\n", after="1"), READ),
    "commas": (lambda: fill(",", before="["), "syntax"),
    "comments": (lambda: fill("//\n"), "syntax"),
    "line separators": (lambda: fill("\u2028", before="["), "syntax"),
}


AT_MOST = {
    "control-character": 0,
    "directive": 0,
    "too-many-blanks": 0,
    "too-deep": 2 * MAX_DEPTH + 3,
    "too-many-values": 2 * MAX_NODES + 3,
    "duplicate-key": 2 * MAX_PROBLEMS + 4,
}
"""Most steps for an input with this outcome; input that is refused before parsing takes none."""

FEW = 5
"""The steps of all other outcomes: the inputs are one text, or are broken where they begin."""


class Steps:
    """Counter of the steps of every load while it is active."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = 0
        steps = self

        class Parser:
            def __init__(self, text: str) -> None:
                self._parser = CBaseLoader(text)

            def get_event(self) -> Any:
                steps.taken += 1
                return self._parser.get_event()

        class Builder(DocumentBuilder):
            def add_key(self, text: str, line: int, column: int) -> None:
                steps.taken += 1
                super().add_key(text, line, column)

            def add_value(self, *piece: Any) -> Any:
                steps.taken += 1
                return super().add_value(*piece)

        monkeypatch.setattr(yaml_document, "CBaseLoader", Parser)
        monkeypatch.setattr(json_document, "DocumentBuilder", Builder)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(monkeypatch)


@pytest.mark.parametrize("case", YAML)
def test_hostile_yaml(case: str, steps: Steps) -> None:
    make, outcome = YAML[case]
    assert outcome_of(load_yaml, make()) == outcome
    assert steps.taken <= AT_MOST.get(outcome, FEW)


@pytest.mark.parametrize("case", JSON)
def test_hostile_json(case: str, steps: Steps) -> None:
    make, outcome = JSON[case]
    assert outcome_of(load_json, make()) == outcome
    assert steps.taken <= AT_MOST.get(outcome, FEW)


def test_steps_are_counted(steps: Steps) -> None:
    assert outcome_of(load_yaml, "a: [1, 2]") == READ
    assert steps.taken == 10
    assert outcome_of(load_json, '{"a": [1, 2]}') == READ
    assert steps.taken == 10 + 5


def outcome_of(load: Callable[[Source], PositionedDocument], text: str) -> str:
    """Return `read`, or the code of the first problem."""
    try:
        load(decode_source("file", text.encode()))
    except InputError as error:
        assert len(error.diagnostics) <= MAX_PROBLEMS
        assert all(len(render_diagnostic(problem, color=False)) < 6000 for problem in error.diagnostics)
        return error.diagnostics[0].code
    return READ
